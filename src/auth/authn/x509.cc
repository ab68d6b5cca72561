#include <array>
#include <ctime>
#include <functional>

#include "auth/authn/authenticators.h"
#include "net/http/message.h"

namespace keelson::auth {
namespace {

using net::http::PeerCertificate;

UserPtr MakeUser(const PeerCertificate& certificate) {
  User user;
  user.name = certificate.common_name;
  user.uid = certificate.uid;
  user.groups = certificate.organizations;
  user.extra[std::string(kCredentialIdKey)] = {"X509SHA256=" + certificate.sha256};
  AddAuthenticatedGroup(user);
  return std::make_shared<const User>(std::move(user));
}

// The user of a certificate, made once per connection and not once per request. Each
// thread remembers the users of the certificates it saw last. An entry holds its
// certificate, so an equal address always means the same certificate.
UserPtr UserOf(const std::shared_ptr<const PeerCertificate>& certificate) {
  struct Entry {
    std::shared_ptr<const PeerCertificate> certificate;
    UserPtr user;
  };
  thread_local std::array<Entry, 64> remembered;
  const size_t hash = std::hash<const PeerCertificate*>()(certificate.get());
  Entry& entry = remembered[(hash >> 4) % remembered.size()];
  if (entry.certificate != certificate) entry = {certificate, MakeUser(*certificate)};
  return entry.user;
}

class ClientCertificateAuthenticator final : public Authenticator {
 public:
  base::Task<Outcome> Authenticate(const net::http::Request& request, Remarks& /*remarks*/) override {
    const net::http::ConnectionInfo& connection = *request.connection;
    if (!connection.peer_certificate_error.empty())
      co_return base::Err("verifying client certificate failed: " + connection.peer_certificate_error);
    if (!connection.peer_certificate || connection.peer_certificate->common_name.empty()) co_return UserPtr();
    if (connection.peer_certificate->ExpiredAt(std::time(nullptr)))
      co_return base::Err(std::string("verifying client certificate failed: certificate has expired"));
    co_return UserOf(connection.peer_certificate);
  }
};

}  // namespace

std::unique_ptr<Authenticator> ClientCertificates() {
  return std::make_unique<ClientCertificateAuthenticator>();
}

}  // namespace keelson::auth
