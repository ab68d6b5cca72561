#include "app/own_client.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace keelson::app {
namespace {

class EmptyBody final : public net::http::BodyReader {
 public:
  base::Task<base::Result<std::optional<base::Slice>, net::http::BodyError>> Read() override {
    co_return base::Result<std::optional<base::Slice>, net::http::BodyError>(std::nullopt);
  }
  std::optional<uint64_t> Size() const override { return 0; }
};

class OwnClient final : public net::http::Client {
 public:
  OwnClient(net::http::Handler& handler, const auth::User& user) : handler_(handler) {
    auto certificate = std::make_shared<net::http::PeerCertificate>();
    certificate->common_name = user.name;
    certificate->organizations = user.groups;
    auto connection = std::make_shared<net::http::ConnectionInfo>();
    connection->remote_address = "127.0.0.1";
    connection->protocol = "HTTP/1.1";
    connection->tls = true;
    connection->peer_certificate = std::move(certificate);
    connection->authenticated = true;
    connection_ = std::move(connection);
  }

  base::Task<base::Result<net::http::Response, net::http::ClientError>> Send(
      net::http::Destination, net::http::ClientRequest asked) override {
    const size_t end = std::min(asked.target.find('?'), asked.target.size());
    net::http::Request request{.method = std::move(asked.method),
                               .path = asked.target.substr(0, end),
                               .query = asked.target.substr(std::min(end + 1, asked.target.size())),
                               .headers = std::move(asked.headers),
                               .connection = connection_,
                               .body = asked.body ? asked.body : &no_body_};
    co_return co_await handler_.Handle(request);
  }

 private:
  net::http::Handler& handler_;
  EmptyBody no_body_;
  std::shared_ptr<const net::http::ConnectionInfo> connection_;
};

}  // namespace

std::unique_ptr<net::http::Client> MakeOwnClient(net::http::Handler& handler, const auth::User& user) {
  return std::make_unique<OwnClient>(handler, user);
}

}  // namespace keelson::app
