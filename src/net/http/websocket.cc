#include "net/http/websocket.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/base64.h"
#include "base/sha1.h"
#include "net/http/text.h"

namespace keelson::net::http {
namespace {

constexpr std::string_view kProtocolField = "sec-websocket-protocol";
constexpr size_t kMaxControlBytes = 125;
constexpr size_t kMaxMessageBytes = 2048;  // of a stream of bytes
constexpr unsigned char kFinal = 0x80, kMasked = 0x80;

enum Opcode : uint8_t { kClose = 8, kPing = 9, kPong = 10 };

enum CloseCode : uint16_t { kNormal = 1000, kProtocolError = 1002, kInternalError = 1011 };

void AppendHead(uint8_t opcode, size_t size, base::BufferBuilder& out) {
  out.Append(static_cast<char>(kFinal | opcode));
  const int length_bytes = size <= 125 ? 0 : size <= 0xffff ? 2 : 8;
  out.Append(static_cast<char>(length_bytes == 0 ? size : length_bytes == 2 ? 126 : 127));
  for (int i = length_bytes - 1; i >= 0; --i) out.Append(static_cast<char>(size >> (8 * i)));
}

base::Slice ControlFrame(uint8_t opcode, std::string_view payload) {
  base::BufferBuilder frame;
  AppendHead(opcode, payload.size(), frame);
  frame.Append(payload);
  return frame.Take();
}

base::Slice CloseFrame(CloseCode code) {
  const char payload[] = {static_cast<char>(code >> 8), static_cast<char>(code & 0xff)};
  return ControlFrame(kClose, {payload, sizeof(payload)});
}

// What the client sends, frame by frame, in constant memory.
class FrameReader {
 public:
  // Takes all of `bytes`, unless the WebSocket ends with them.
  void Take(std::string_view bytes) {
    for (size_t at = 0; at < bytes.size() && !close_;) {
      if (payload_left_ == 0) {
        TakeHeadByte(static_cast<unsigned char>(bytes[at++]));
      } else {
        const size_t part = static_cast<size_t>(std::min<uint64_t>(payload_left_, bytes.size() - at));
        TakePayload(bytes.substr(at, part));
        at += part;
      }
    }
  }
  // The last ping that was not answered yet; the earlier ones need no answer then.
  std::optional<std::string> TakePing() { return std::exchange(ping_, std::nullopt); }
  // Set when the WebSocket is over, to the code to say goodbye with.
  const std::optional<CloseCode>& close() const { return close_; }

 private:
  uint8_t opcode() const { return head_[0] & 0x0f; }
  bool is_control() const { return opcode() >= kClose; }
  size_t length_bytes() const {
    const int code = head_[1] & 0x7f;
    return code == 126 ? 2 : code == 127 ? 8 : 0;
  }

  void TakeHeadByte(unsigned char byte) {
    head_[head_size_++] = byte;
    if (head_size_ < 2) return;
    // A client must mask what it sends, and a control frame is short and whole.
    if (!(head_[1] & kMasked)) return Fail();
    if (is_control() && (!(head_[0] & kFinal) || (head_[1] & 0x7f) > kMaxControlBytes)) return Fail();
    if (head_size_ < 2 + length_bytes() + mask_.size()) return;
    uint64_t size = head_[1] & 0x7f;
    if (length_bytes() > 0) size = 0;
    for (size_t i = 0; i < length_bytes(); ++i) size = size << 8 | head_[2 + i];
    if (size >> 63) return Fail();
    std::copy_n(head_.begin() + 2 + static_cast<ptrdiff_t>(length_bytes()), mask_.size(), mask_.begin());
    payload_left_ = size;
    control_.clear();
    if (size == 0) EndFrame();
  }

  void TakePayload(std::string_view bytes) {
    payload_left_ -= bytes.size();
    if (is_control())
      for (const char c : bytes) control_ += static_cast<char>(c ^ mask_[control_.size() % mask_.size()]);
    if (payload_left_ == 0) EndFrame();
  }

  void EndFrame() {
    head_size_ = 0;
    if (opcode() == kClose) close_ = kNormal;
    if (opcode() == kPing) ping_ = std::exchange(control_, {});
  }
  void Fail() { close_ = kProtocolError; }

  std::array<unsigned char, 14> head_{};
  size_t head_size_ = 0;
  std::array<unsigned char, 4> mask_{};
  uint64_t payload_left_ = 0;
  std::string control_;  // payload of a control frame, unmasked
  std::optional<std::string> ping_;
  std::optional<CloseCode> close_;
};

class WebSocketBody final : public BodySource {
 public:
  WebSocketBody(std::unique_ptr<BodySource> frames, BodyReader& client)
      : frames_(std::move(frames)), client_(&client) {
    frames_->set_waker([this] { Wake(); });
    heard_->body = this;
  }
  ~WebSocketBody() override { heard_->body = nullptr; }

  State Next(size_t limit, std::vector<base::Slice>& out) override {
    if (BodyReader* client = std::exchange(client_, nullptr)) base::Spawn(Listen(heard_, *client));
    if (heard_->gone) return State::kEnd;
    if (heard_->frames.close()) return End(*heard_->frames.close(), out);
    const auto ping = heard_->frames.TakePing();
    if (ping) out.push_back(ControlFrame(kPong, *ping));
    const State state = frames_->Next(limit, out);
    if (state == State::kEnd) return End(kNormal, out);
    if (state == State::kFailed) return End(kInternalError, out);
    return ping ? State::kMore : state;
  }
  void Drain() override { frames_->Drain(); }

 private:
  // Shared with the reading of what the client sends, which may outlast the body.
  struct Heard {
    WebSocketBody* body = nullptr;  // null: it is gone
    FrameReader frames;
    bool gone = false;  // the client is
  };

  static State End(CloseCode code, std::vector<base::Slice>& out) {
    out.push_back(CloseFrame(code));
    return State::kEnd;
  }

  static base::Task<void> Listen(std::shared_ptr<Heard> heard, BodyReader& client) {
    while (heard->body && !heard->frames.close()) {
      const auto piece = co_await client.Read();
      if (!heard->body) co_return;
      heard->gone = !piece || !*piece;
      if (!heard->gone) heard->frames.Take((*piece)->view());
      heard->body->Wake();
      if (heard->gone) co_return;
    }
  }

  const std::unique_ptr<BodySource> frames_;
  BodyReader* client_;  // null: is being read
  const std::shared_ptr<Heard> heard_ = std::make_shared<Heard>();
};

class MessageSource final : public BodySource {
 public:
  MessageSource(std::unique_ptr<BodySource> bytes, bool base64) : bytes_(std::move(bytes)), base64_(base64) {
    bytes_->set_waker([this] { Wake(); });
  }

  State Next(size_t limit, std::vector<base::Slice>& out) override {
    if (!std::exchange(begun_, true)) Append({}, out);
    std::vector<base::Slice> pieces;
    const State state = bytes_->Next(limit, pieces);
    for (const base::Slice& piece : pieces)
      for (size_t at = 0; at < piece.size(); at += kMaxMessageBytes)
        Append(piece.Sub(at, kMaxMessageBytes), out);
    return state;
  }
  void Drain() override { bytes_->Drain(); }

 private:
  void Append(base::Slice message, std::vector<base::Slice>& out) const {
    base::BufferBuilder frame;
    if (base64_) {
      const std::string text = base::Base64(message.view());
      AppendWebSocketHead(WebSocketMessage::kText, text.size(), frame);
      frame.Append(text);
      return out.push_back(frame.Take());
    }
    AppendWebSocketHead(WebSocketMessage::kBinary, message.size(), frame);
    out.push_back(frame.Take());
    if (!message.empty()) out.push_back(std::move(message));
  }

  const std::unique_ptr<BodySource> bytes_;
  const bool base64_;
  bool begun_ = false;
};

Response Refusal(int status, std::string_view why) {
  Response response{.status = status};
  response.headers.Add("connection", "close");
  if (!why.empty()) {
    response.headers.Add("content-type", "text/plain; charset=utf-8");
    response.body = FixedBody(base::Slice::Copy(why));
  }
  return response;
}

}  // namespace

bool IsUpgradeRequest(const Request& request) {
  constexpr std::string_view kUpgrade = "upgrade";
  const auto same = [](char a, char b) { return LowerCase(a) == b; };
  for (const auto& [name, value] : request.headers)
    if (name == "connection" && !std::ranges::search(value, kUpgrade, same).empty()) return true;
  return false;
}

bool IsWebSocketRequest(const Request& request) {
  return EqualsIgnoreCase(request.headers.Get("upgrade").value_or(""), "websocket") &&
         IsUpgradeRequest(request);
}

base::Result<std::string, Response> NegotiateWebSocket(const Request& request, const WebSocketRules& rules) {
  if (request.method != "GET") return base::Err(Refusal(405, "bad method"));
  if (request.headers.Get("sec-websocket-key").value_or("").empty())
    return base::Err(Refusal(400, "mismatch challenge/response"));
  if (request.headers.Get("sec-websocket-version") != "13") {
    Response refusal = Refusal(400, "missing or bad WebSocket Version");
    refusal.headers.Add("sec-websocket-version", "13");
    return base::Err(std::move(refusal));
  }
  if (rules.needs_origin && request.headers.Get("origin").value_or("").empty())
    return base::Err(Refusal(403, ""));
  std::vector<std::string> asked;
  if (const auto list = Trim(request.headers.Get(kProtocolField).value_or("")); !list.empty())
    VisitList(list, [&](std::string_view protocol) { asked.emplace_back(protocol); });
  if (rules.protocols.empty()) {
    if (asked.size() > 1) return base::Err(Refusal(400, ""));
    return asked.empty() ? std::string() : std::move(asked.front());
  }
  if (asked.empty()) asked.emplace_back();
  for (std::string& protocol : asked)
    if (std::ranges::find(rules.protocols, protocol) != rules.protocols.end()) return std::move(protocol);
  return base::Err(Refusal(403, ""));
}

Response WebSocketResponse(Request& request, std::string_view protocol, std::unique_ptr<BodySource> frames) {
  constexpr std::string_view kGuid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  std::string key(request.headers.Get("sec-websocket-key").value_or(""));
  const auto digest = base::Sha1(key.append(kGuid));
  Response response{.status = 101};
  response.headers.Add("upgrade", "websocket");
  response.headers.Add("connection", "Upgrade");
  response.headers.Add("sec-websocket-accept",
                       base::Base64({reinterpret_cast<const char*>(digest.data()), digest.size()}));
  if (!protocol.empty()) response.headers.Add(kProtocolField, protocol);
  response.body = std::make_unique<WebSocketBody>(std::move(frames), *request.body);
  return response;
}

void AppendWebSocketHead(WebSocketMessage kind, size_t size, base::BufferBuilder& out) {
  AppendHead(static_cast<uint8_t>(kind), size, out);
}

std::unique_ptr<BodySource> WebSocketMessages(std::unique_ptr<BodySource> bytes, bool base64) {
  return std::make_unique<MessageSource>(std::move(bytes), base64);
}

}  // namespace keelson::net::http
