#include <algorithm>
#include <ctime>

#include "auth/authn/authenticators.h"
#include "net/http/message.h"
#include "net/http/url.h"

namespace keelson::auth {
namespace {

// The first value of the first of `names` that has one.
std::string_view FirstValue(const net::http::Headers& headers, const std::vector<std::string>& names) {
  for (const std::string& name : names)
    if (const auto value = headers.Get(name); value && !value->empty()) return *value;
  return {};
}

class FrontProxyAuthenticator final : public Authenticator {
 public:
  FrontProxyAuthenticator(FrontProxyHeaders headers, std::vector<std::string> allowed_names)
      : headers_(std::move(headers)), allowed_names_(std::move(allowed_names)) {}

  base::Task<Outcome> Authenticate(const net::http::Request& request, Remarks& /*remarks*/) override {
    const net::http::ConnectionInfo& connection = *request.connection;
    if (!connection.proxy_certificate_error.empty())
      co_return base::Err("x509: " + connection.proxy_certificate_error);
    if (!connection.proxy_certificate) co_return UserPtr();
    if (connection.proxy_certificate->ExpiredAt(std::time(nullptr)))
      co_return base::Err(std::string("x509: certificate has expired"));
    const std::string& proxy = connection.proxy_certificate->common_name;
    if (!allowed_names_.empty() && std::ranges::find(allowed_names_, proxy) == allowed_names_.end())
      co_return base::Err("x509: subject with cn=" + proxy + " is not in the allowed list");
    co_return NamedUser(request.headers);
  }

 private:
  // Null: the proxy names nobody, so that it may speak for itself.
  UserPtr NamedUser(const net::http::Headers& headers) const {
    User user{.name = std::string(FirstValue(headers, headers_.user))};
    if (user.name.empty()) return nullptr;
    user.uid = FirstValue(headers, headers_.uid);
    for (const std::string& name : headers_.group)
      for (const auto& field : headers)
        if (field.name == name && !field.value.empty()) user.groups.push_back(field.value);
    for (const std::string& prefix : headers_.extra_prefixes) {
      for (const auto& field : headers) {
        if (!field.name.starts_with(prefix)) continue;
        const std::string_view encoded = std::string_view(field.name).substr(prefix.size());
        const std::string key = net::http::PathUnescape(encoded).value_or(std::string(encoded));
        user.extra[key].push_back(field.value);
      }
    }
    AddAuthenticatedGroup(user);
    return std::make_shared<const User>(std::move(user));
  }

  const FrontProxyHeaders headers_;
  const std::vector<std::string> allowed_names_;
};

}  // namespace

bool FrontProxyHeaders::Has(std::string_view header) const {
  const auto in = [&](const std::vector<std::string>& names) {
    return std::ranges::find(names, header) != names.end();
  };
  return in(user) || in(uid) || in(group) ||
         std::ranges::any_of(extra_prefixes,
                             [&](const std::string& prefix) { return header.starts_with(prefix); });
}

std::unique_ptr<Authenticator> FrontProxies(FrontProxyHeaders headers,
                                            std::vector<std::string> allowed_names) {
  return std::make_unique<FrontProxyAuthenticator>(std::move(headers), std::move(allowed_names));
}

}  // namespace keelson::auth
