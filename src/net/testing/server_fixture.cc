#include "net/testing/server_fixture.h"

#include <algorithm>
#include <cstdlib>
#include <thread>

namespace keelson::net::testing {
namespace {

constexpr size_t kBodyLimit = 3 << 20;
constexpr size_t kFieldBytes = 50'000;

http::Response Text(int status, std::string_view text) {
  http::Response response;
  response.status = status;
  response.headers.Add("content-type", "text/plain");
  response.body = http::FixedBody(base::Slice::Copy(text));
  return response;
}

std::string_view Pattern() {
  static const std::string text = [] {
    std::string t(64 * 1024, '\0');
    for (size_t i = 0; i < t.size(); ++i) t[i] = static_cast<char>('a' + i % 26);
    return t;
  }();
  return text;
}

class BigBody final : public http::BodySource {
 public:
  BigBody(TestHandler& handler, uint64_t size, bool known, State last = State::kEnd)
      : handler_(handler), size_(size), left_(size), known_(known), last_(last) {
    ++handler_.bodies_alive;
  }
  ~BigBody() override { --handler_.bodies_alive; }

  std::optional<uint64_t> Size() const override {
    if (!known_) return std::nullopt;
    return last_ == State::kFailed ? size_ + 1 : size_;
  }
  State Next(size_t limit, std::vector<base::Slice>& out) override {
    const uint64_t n = std::min<uint64_t>({left_, limit, Pattern().size()});
    out.push_back(base::Slice::Static(Pattern().substr(0, n)));
    left_ -= n;
    handler_.produced += n;
    handler_.ProducedInTurn(n);
    return left_ == 0 ? last_ : State::kMore;
  }

 private:
  TestHandler& handler_;
  const uint64_t size_;
  uint64_t left_;
  const bool known_;
  const State last_;
};

}  // namespace

class WatchBody final : public http::BodySource {
 public:
  explicit WatchBody(TestHandler& handler) : handler_(handler) {
    base::MutexLock lock(handler_.mu_);
    handler_.watches_[this] = base::Executor::Current();
    ++handler_.open_watches;
  }
  ~WatchBody() override {
    base::MutexLock lock(handler_.mu_);
    handler_.watches_.erase(this);
    --handler_.open_watches;
  }
  State Next(size_t, std::vector<base::Slice>& out) override {
    for (auto& line : lines_) out.push_back(base::Slice::Copy(line + "\n"));
    lines_.clear();
    if (drained_) return State::kEnd;
    return State::kSleep;
  }
  void Drain() override {
    drained_ = true;
    lines_.push_back("drained");
    Wake();
  }
  void Add(std::string line) {
    lines_.push_back(std::move(line));
    Wake();
  }

 private:
  TestHandler& handler_;
  std::vector<std::string> lines_;
  bool drained_ = false;
};

void TestHandler::Publish(std::string line) {
  base::MutexLock lock(mu_);
  for (auto& [watch, executor] : watches_) {
    executor->Post([this, watch = watch, line] {
      auto* body = static_cast<WatchBody*>(watch);
      {
        base::MutexLock check(mu_);
        if (!watches_.contains(watch)) return;
      }
      body->Add(line);
    });
  }
}

void TestHandler::Release() {
  std::vector<base::Completion<bool>> waiters;
  {
    base::MutexLock lock(mu_);
    released_ = true;
    waiters.swap(waiters_);
  }
  for (auto& w : waiters) w.Set(true);
}

base::Task<http::Response> TestHandler::Echo(http::Request& request) {
  auto body = co_await request.body->ReadAll(kBodyLimit);
  if (!body) {
    last_body_error = static_cast<int>(body.error());
    co_return Text(body.error() == http::BodyError::kTooLarge ? 413 : 400, "unreadable");
  }
  http::Response response;
  response.body = http::FixedBody(std::move(*body));
  co_return response;
}

base::Task<http::Response> TestHandler::WaitForGone(http::Request& request) {
  base::Completion<bool> left;
  request.body->WhenGone([left] { left.Set(true); });
  ++waiting;
  co_await left;
  --waiting;
  co_return Text(200, "to nobody");
}

// What is posted to a loop runs in its next turn at the latest.
void TestHandler::ProducedInTurn(uint64_t bytes) {
  if (produced_in_turn_ == 0) base::Executor::Current()->Post([this] { produced_in_turn_ = 0; });
  produced_in_turn_ += bytes;
  if (most_in_turn < produced_in_turn_) most_in_turn = produced_in_turn_.load();
}

base::Task<http::Response> TestHandler::Wait() {
  base::Completion<bool> released;
  bool now;
  {
    base::MutexLock lock(mu_);
    now = released_;
    if (!now) waiters_.push_back(released);
  }
  if (now) released.Set(true);
  ++waiting;
  co_await released;
  --waiting;
  co_return Text(200, "released");
}

base::Task<http::Response> TestHandler::Handle(http::Request& request) {
  const uint64_t number = std::strtoull(request.query.c_str(), nullptr, 10);
  http::Response response;
  if (request.path == "/echo") {
    response = co_await Echo(request);
  } else if (request.path == "/wait") {
    response = co_await Wait();
  } else if (request.path == "/until-gone") {
    response = co_await WaitForGone(request);
  } else if (request.path == "/big") {
    response.body = std::make_unique<BigBody>(*this, number, /*known=*/false);
  } else if (request.path == "/wait-big") {
    response = co_await Wait();
    response.body = std::make_unique<BigBody>(*this, number, /*known=*/false);
  } else if (request.path == "/fixed") {
    response.body = std::make_unique<BigBody>(*this, number, /*known=*/true);
  } else if (request.path == "/broken" || request.path == "/broken-fixed") {
    response.body = std::make_unique<BigBody>(*this, number, /*known=*/request.path == "/broken-fixed",
                                              http::BodySource::State::kFailed);
  } else if (request.path == "/watch") {
    response.body = std::make_unique<WatchBody>(*this);
  } else if (request.path == "/ignore") {
    response = Text(401, "no");
  } else if (request.path == "/headers") {
    for (size_t left = number; left > 0; left -= std::min(left, kFieldBytes))
      response.headers.Add("x-long", std::string(std::min(left, kFieldBytes), 'x'));
  } else if (request.path == "/login") {
    request.connection->authenticated = true;
  } else if (request.path == "/close") {
    response = Text(200, "bye");
    response.headers.Add("connection", "close");
  } else if (request.path == "/split") {
    response.headers.Add("x-split", "a\r\nx-injected: b");
  } else if (request.path == "/who") {
    const auto& peer = request.connection->peer_certificate;
    std::string text = peer ? peer->common_name : "nobody";
    if (peer) {
      for (const auto& o : peer->organizations) text += " " + o;
      text += " " + peer->uid;
    }
    text += "|" + request.connection->peer_certificate_error;
    if (const auto& proxy = request.connection->proxy_certificate) text += "|proxy " + proxy->common_name;
    if (const auto& error = request.connection->proxy_certificate_error; !error.empty()) text += "|" + error;
    response = Text(200, text);
  } else {
    response = Text(200, request.method + " " + request.path + " " + request.query + " " +
                             request.connection->protocol + " " + std::string(*request.headers.Get("host")));
  }
  ++finished;
  co_return response;
}

ServerTest::ServerTest() : ca(MakeCa("test-ca")) {
  Subject subject{
      .common_name = "server", .dns_names = {"localhost"}, .addresses = {"127.0.0.1"}, .server = true};
  const KeyPair serving = Issue(ca, subject);
  config.bind_address = "127.0.0.1";
  config.port = 0;
  config.threads = 2;
  config.tls.certificate_chain_pem = serving.certificate_pem;
  config.tls.private_key_pem = serving.key_pem;
  config.tls.client_ca_pem = ca.certificate_pem;
}

ServerTest::~ServerTest() {
  handler.Release();
  if (server) server->Shutdown(std::chrono::milliseconds(0));
}

void ServerTest::StartServer() {
  auto created = Server::Create(config, handler, metrics);
  ASSERT_TRUE(created) << created.error();
  server = std::move(*created);
  auto started = server->Start();
  ASSERT_TRUE(started) << started.error();
}

TlsOptions ServerTest::Trusting(TlsOptions options) const {
  options.ca_pem = ca.certificate_pem;
  return options;
}

std::unique_ptr<HttpsClient> ServerTest::Http1(TlsOptions options) {
  auto client = HttpsClient::Connect("127.0.0.1", server->port(), Trusting(std::move(options)));
  EXPECT_TRUE(client) << client.error();
  return client ? std::move(*client) : nullptr;
}

std::unique_ptr<H2Client> ServerTest::Http2(H2Client::Options options, TlsOptions tls) {
  auto client = H2Client::Connect("127.0.0.1", server->port(), Trusting(std::move(tls)), options);
  EXPECT_TRUE(client) << client.error();
  return client ? std::move(*client) : nullptr;
}

TlsOptions ServerTest::WithCertificate(const Subject& subject, const KeyPair* other_ca) const {
  const KeyPair pair = Issue(other_ca ? *other_ca : ca, subject);
  TlsOptions options;
  options.cert_pem = pair.certificate_pem;
  options.key_pem = pair.key_pem;
  return options;
}

bool Eventually(const std::function<bool()>& done) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!done()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace keelson::net::testing
