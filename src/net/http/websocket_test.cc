#include "net/http/websocket.h"

#include <gtest/gtest.h>

#include <deque>

namespace keelson::net::http {
namespace {

using State = BodySource::State;

// A client whose bytes a test gives.
class Peer final : public BodyReader {
 public:
  base::Task<base::Result<std::optional<base::Slice>, BodyError>> Read() override {
    using Piece = base::Result<std::optional<base::Slice>, BodyError>;
    if (pieces_.empty()) {
      waiting_.emplace();
      base::Completion<bool> more = *waiting_;
      co_await more;
    }
    if (pieces_.empty()) co_return Piece(base::Err(BodyError::kClosed));
    std::string piece = std::move(pieces_.front());
    pieces_.pop_front();
    co_return Piece(std::optional(base::Slice::Copy(piece)));
  }
  void Give(std::string bytes) {
    pieces_.push_back(std::move(bytes));
    Resume();
  }
  void Hangup() { Resume(); }

 private:
  void Resume() {
    if (auto waiting = std::exchange(waiting_, std::nullopt)) waiting->Set(true);
  }
  std::deque<std::string> pieces_;
  std::optional<base::Completion<bool>> waiting_;
};

class Script final : public BodySource {
 public:
  explicit Script(State last) : last_(last) {}
  State Next(size_t, std::vector<base::Slice>& out) override {
    if (!text.empty()) out.push_back(base::Slice::Copy(std::exchange(text, {})));
    return ended ? last_ : State::kSleep;
  }
  void End() {
    ended = true;
    Wake();
  }
  std::string text;
  bool ended = false;

 private:
  const State last_;
};

// A masked frame, as clients send them.
std::string Masked(int first, std::string payload, int mask = 0x5a) {
  std::string frame = {static_cast<char>(first), static_cast<char>(0x80 | payload.size())};
  frame.append(4, static_cast<char>(mask));
  for (char& c : payload) c = static_cast<char>(c ^ mask);
  return frame + payload;
}

std::string Closed(int code) {
  return {'\x88', '\x02', static_cast<char>(code >> 8), static_cast<char>(code)};
}

class WebSocketTest : public ::testing::Test {
 protected:
  Response Open(State last = State::kEnd) {
    auto script = std::make_unique<Script>(last);
    script_ = script.get();
    request_.body = &peer_;
    request_.headers.Add("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==");
    Response response = WebSocketResponse(request_, "p", std::move(script));
    response.body->set_waker([this] { ++wakes_; });
    return response;
  }
  std::string Read(Response& response) {
    std::string text;
    std::vector<base::Slice> slices;
    do {
      slices.clear();
      state_ = response.body->Next(10'000, slices);
      for (const auto& slice : slices) text += slice.view();
    } while (state_ == State::kMore);
    return text;
  }

  Peer peer_;
  Request request_;
  Script* script_ = nullptr;
  int wakes_ = 0;
  State state_ = State::kMore;
};

TEST_F(WebSocketTest, TheHandshakeProvesThatTheKeyWasRead) {
  const Response response = Open();
  EXPECT_EQ(response.status, 101);
  EXPECT_EQ(response.headers.Get("sec-websocket-accept"), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
  EXPECT_EQ(response.headers.Get("sec-websocket-protocol"), "p");
  peer_.Hangup();
}

TEST_F(WebSocketTest, FramesPassAndTheEndCloses) {
  Response response = Open();
  script_->text = "frames";
  EXPECT_EQ(Read(response), "frames");
  EXPECT_EQ(state_, State::kSleep);
  script_->End();
  EXPECT_EQ(wakes_, 1);
  EXPECT_EQ(Read(response), Closed(1000));
  EXPECT_EQ(state_, State::kEnd);
  response.body.reset();
  peer_.Hangup();
}

TEST_F(WebSocketTest, AFailureIsToldInTheClose) {
  Response response = Open(State::kFailed);
  Read(response);
  script_->End();
  EXPECT_EQ(Read(response), Closed(1011));
  EXPECT_EQ(state_, State::kEnd);
  response.body.reset();
  peer_.Hangup();
}

TEST_F(WebSocketTest, PingsAreAnsweredAndMessagesDropped) {
  Response response = Open();
  Read(response);
  peer_.Give(Masked(0x81, "some text") + Masked(0x89, "are you there"));
  EXPECT_GE(wakes_, 1);
  EXPECT_EQ(Read(response),
            "\x8a\x0d"
            "are you there");
  // A byte at a time, and the last ping stands for all.
  for (char c : Masked(0x89, "one") + Masked(0x89, "two") + Masked(0x8a, "pong"))
    peer_.Give(std::string(1, c));
  EXPECT_EQ(Read(response), "\x8a\x03two");
  EXPECT_EQ(state_, State::kSleep);
  response.body.reset();
  peer_.Hangup();
}

TEST_F(WebSocketTest, TheClientsCloseIsAnswered) {
  Response response = Open();
  Read(response);
  peer_.Give(Masked(0x88, "\x03\xe8"));
  EXPECT_EQ(Read(response), Closed(1000));
  EXPECT_EQ(state_, State::kEnd);
}

TEST_F(WebSocketTest, AClientThatIsGoneEndsIt) {
  Response response = Open();
  Read(response);
  peer_.Hangup();
  EXPECT_EQ(Read(response), "");
  EXPECT_EQ(state_, State::kEnd);
}

TEST_F(WebSocketTest, FramesThatBreakTheProtocolEndIt) {
  for (const std::string& bad :
       {std::string("\x81\x01x"), std::string("\x09\x80\0\0\0\0", 6), std::string("\x89\xfe\0\xff", 4),
        std::string("\x82\xff\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\0", 14)}) {
    Response response = Open();
    Read(response);
    peer_.Give(bad);
    EXPECT_EQ(Read(response), Closed(1002));
    EXPECT_EQ(state_, State::kEnd);
  }
}

TEST_F(WebSocketTest, LengthsTakeAsManyBytesAsTheyNeed) {
  const auto head = [](size_t size) {
    base::BufferBuilder out;
    AppendWebSocketHead(WebSocketMessage::kText, size, out);
    return std::string(out.view());
  };
  EXPECT_EQ(head(0), std::string("\x81\0", 2));
  EXPECT_EQ(head(125), "\x81\x7d");
  EXPECT_EQ(head(126), std::string("\x81\x7e\0\x7e", 4));
  EXPECT_EQ(head(65535), "\x81\x7e\xff\xff");
  EXPECT_EQ(head(65536), std::string("\x81\x7f\0\0\0\0\0\1\0\0", 10));
}

TEST_F(WebSocketTest, StreamsBecomeMessages) {
  const auto all = [](bool base64, const std::string& text) {
    auto source = WebSocketMessages(FixedBody(base::Slice::Copy(text)), base64);
    std::vector<base::Slice> slices;
    while (source->Next(100'000, slices) == State::kMore) continue;
    std::string out;
    for (const auto& slice : slices) out += slice.view();
    return out;
  };
  EXPECT_EQ(all(false, "abc"), std::string("\x82\0", 2) +
                                   "\x82\x03"
                                   "abc");
  EXPECT_EQ(all(true, "abc"), std::string("\x81\0", 2) +
                                  "\x81\x04"
                                  "YWJj");
  const std::string large(3000, 'x');
  EXPECT_EQ(all(false, large), std::string("\x82\0\x82\x7e\x08\0", 6) + large.substr(0, 2048) +
                                   "\x82\x7e\x03\xb8" + large.substr(2048));
}

Request Handshake(std::vector<std::pair<std::string, std::string>> fields) {
  Request request{.method = "GET"};
  for (const auto& [name, value] : fields) request.headers.Add(name, value);
  return request;
}

TEST(WebSocketHandshakeTest, OnlyUpgradesToWebSocketsAreOnes) {
  EXPECT_TRUE(
      IsWebSocketRequest(Handshake({{"connection", "keep-alive, Upgrade"}, {"upgrade", "WebSocket"}})));
  EXPECT_FALSE(IsWebSocketRequest(Handshake({{"connection", "keep-alive"}, {"upgrade", "websocket"}})));
  EXPECT_FALSE(IsWebSocketRequest(Handshake({{"connection", "Upgrade"}, {"upgrade", "SPDY/3.1"}})));
  EXPECT_TRUE(IsUpgradeRequest(Handshake({{"connection", "Upgrade"}})));
}

TEST(WebSocketHandshakeTest, MistakesAreRefusedAsUpstreamDoes) {
  const std::pair<std::string, std::string> key{"sec-websocket-key", "k"},
      version{"sec-websocket-version", "13"}, origin{"origin", "https://x"};
  const auto code = [](const Request& request, const WebSocketRules& rules) {
    const auto protocol = NegotiateWebSocket(request, rules);
    return protocol ? 101 : protocol.error().status;
  };
  const WebSocketRules any{.needs_origin = true}, some{.protocols = {"a", "b"}}, none{.protocols = {"", "a"}};
  EXPECT_EQ(code(Handshake({version, origin}), any), 400);
  EXPECT_EQ(code(Handshake({key, origin}), any), 400);
  EXPECT_EQ(code(Handshake({key, version}), any), 403);
  EXPECT_EQ(code(Handshake({key, version, origin}), any), 101);
  EXPECT_EQ(code(Handshake({key, version}), some), 403);
  EXPECT_EQ(code(Handshake({key, version}), none), 101);
  const auto asking = [&](const std::string& protocols) {
    return Handshake({key, version, origin, {"sec-websocket-protocol", protocols}});
  };
  EXPECT_EQ(NegotiateWebSocket(asking("x"), any).value(), "x");
  EXPECT_EQ(code(asking("x, y"), any), 400);
  EXPECT_EQ(NegotiateWebSocket(asking("x, b , a"), some).value(), "b");
  EXPECT_EQ(code(asking("x"), some), 403);
  Request post = asking("x");
  post.method = "POST";
  EXPECT_EQ(code(post, any), 405);
}

}  // namespace
}  // namespace keelson::net::http
