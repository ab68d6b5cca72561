#include "app/own_client.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "server/body_with_deadline.h"
#include "server/filters/deadline.h"

namespace keelson::app {
namespace {

using SteadyTime = base::Clock::SteadyTime;

class EmptyBody final : public net::http::BodyReader {
 public:
  base::Task<base::Result<std::optional<base::Slice>, net::http::BodyError>> Read() override {
    co_return base::Result<std::optional<base::Slice>, net::http::BodyError>(std::nullopt);
  }
  std::optional<uint64_t> Size() const override { return 0; }
};

// A request that its handler may still work on when nobody waits any more.
struct OwnRequest {
  explicit OwnRequest(net::http::BodyReader* from) : body(from) { request.body = &body; }
  net::http::Request request;
  server::BodyWithDeadline body;
};
using OwnRequestPtr = std::shared_ptr<OwnRequest>;

// The body of an answer, which fails when the time is over.
class BodyUntil final : public net::http::BodySource {
 public:
  BodyUntil(std::unique_ptr<net::http::BodySource> body, OwnRequestPtr request, SteadyTime deadline,
            const base::Clock& clock)
      : request_(std::move(request)), body_(std::move(body)), deadline_(deadline), clock_(clock) {
    body_->set_waker([this] { Wake(); });
  }

  State Next(size_t limit, std::vector<base::Slice>& out) override {
    const auto left = deadline_ - clock_.SteadyNow();
    if (left <= std::chrono::nanoseconds(0)) return State::kFailed;
    const State state = body_->Next(limit, out);
    base::Executor* const loop = base::Executor::Current();
    if (state == State::kSleep && deadline_ != SteadyTime::max() && loop && !std::exchange(timed_, true))
      loop->PostAfter(left, [alive = std::weak_ptr<BodyUntil*>(self_)] {
        if (const auto self = alive.lock()) (*self)->Wake();
      });
    return state;
  }
  std::optional<uint64_t> Size() const override { return body_->Size(); }
  net::http::Headers Trailers() override { return body_->Trailers(); }
  void Drain() override { body_->Drain(); }

 private:
  const OwnRequestPtr request_;
  const std::unique_ptr<net::http::BodySource> body_;
  const SteadyTime deadline_;
  const base::Clock& clock_;
  bool timed_ = false;  // it will be woken when the time is over
  const std::shared_ptr<BodyUntil*> self_ = std::make_shared<BodyUntil*>(this);
};

base::Task<net::http::Response> Handle(net::http::Handler& handler, OwnRequestPtr own) {
  co_return co_await handler.Handle(own->request);
}

class OwnClient final : public net::http::Client {
 public:
  OwnClient(net::http::Handler& handler, const auth::User& user, const base::Clock& clock)
      : handler_(handler), clock_(clock) {
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
    using Kind = net::http::ClientError::Kind;
    auto own = std::make_shared<OwnRequest>(asked.body ? asked.body : &no_body_);
    net::http::Request& request = own->request;
    const size_t end = std::min(asked.target.find('?'), asked.target.size());
    request.method = std::move(asked.method);
    request.path = asked.target.substr(0, end);
    request.query = asked.target.substr(std::min(end + 1, asked.target.size()));
    request.headers = std::move(asked.headers);
    request.connection = connection_;
    const SteadyTime whole = DeadlineIn(asked.whole_timeout);
    const SteadyTime head = std::min(whole, DeadlineIn(asked.head_timeout));
    auto answer = co_await server::WithDeadline(Handle(handler_, own), own->body, head, clock_);
    if (!answer)
      co_return base::Err(net::http::ClientError{.kind = Kind::kBroken,
                                                 .message = "net/http: timeout awaiting response headers",
                                                 .timed_out = true});
    if (answer->body)
      answer->body = std::make_unique<BodyUntil>(std::move(answer->body), std::move(own), whole, clock_);
    co_return *std::move(answer);
  }

 private:
  SteadyTime DeadlineIn(std::chrono::nanoseconds timeout) const {
    return timeout.count() > 0 ? clock_.SteadyNow() + timeout : SteadyTime::max();
  }

  net::http::Handler& handler_;
  const base::Clock& clock_;
  EmptyBody no_body_;
  std::shared_ptr<const net::http::ConnectionInfo> connection_;
};

}  // namespace

std::unique_ptr<net::http::Client> MakeOwnClient(net::http::Handler& handler, const auth::User& user,
                                                 const base::Clock& clock) {
  return std::make_unique<OwnClient>(handler, user, clock);
}

}  // namespace keelson::app
