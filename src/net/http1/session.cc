#include "net/http1/session.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "net/http1/parser.h"
#include "net/session/exchange.h"
#include "net/session/response_head.h"

namespace keelson::net::http1 {
namespace {

constexpr size_t kMaxBuffered = 64 * 1024;      // bytes that wait behind a request under way
constexpr size_t kMaxUnreadBody = 256 * 1024;   // of a body the handler has yet to read
constexpr uint64_t kMaxDiscarded = 256 * 1024;  // of an unread body, to keep the connection
constexpr size_t kPieceBytes = 16 * 1024;

void AppendField(std::string_view name, std::string_view value, std::string& out) {
  bool upper = true;
  for (char c : name) {
    out += upper && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    upper = c == '-';
  }
  std::forward_list<std::string> cleaned;
  out.append(": ").append(WireValue(value, cleaned)).append("\r\n");
}

class Http1Session final : public Session, private Exchange::Owner {
 public:
  Http1Session(SessionContext& context, Host& host, std::shared_ptr<const http::ConnectionInfo> info)
      : context_(context),
        host_(host),
        info_(std::move(info)),
        heads_(kConnectionHeads * context.config.max_header_bytes),
        timer_(context.timers, [this] { OnTimeout(); }) {
    timer_.Start(context_.config.idle_timeout);
  }
  ~Http1Session() override {
    if (exchange_) exchange_->Abandon();
  }

  void Receive(std::string_view bytes) override;
  bool CanReceive() const override {
    // A head is bounded by its own limit.
    return input_ == Input::kHead || input_ == Input::kIgnore || in_.size() < kMaxBuffered;
  }
  bool Produce(Sink& sink, size_t limit) override;
  bool idle() const override { return !exchange_ && !responding_; }
  bool finished() const override { return closing_ && out_.empty() && !responding_; }
  void Drain() override;

 private:
  // What the next byte from the client is.
  enum class Input : uint8_t { kHead, kBody, kWait, kIgnore };

  void OnResponse(Exchange& exchange, http::Response response) override;
  void OnFirstWait(Exchange& exchange) override;
  void OnConsumed(Exchange& exchange, size_t bytes) override;
  void OnTimeout() { Close(); }

  // Works on `input` as far as possible and leaves the rest in it.
  void Process(std::string_view& input);
  void ProcessBuffered();
  // Both: false when more bytes, or the handler, must come first.
  bool ProcessHead(std::string_view& input);
  bool ProcessBody(std::string_view& input);
  void BeginRequest(RequestHead head);
  void RequestArrived();

  bool MayReadOverRest() const;
  void WriteHead(const http::Response& response, std::optional<uint64_t> size);
  size_t ProduceBody(Sink& sink);
  void ResponseSent();
  void AwaitNextRequest();

  void Refuse(ParseError error);
  void Close();
  void ReleaseExchange();

  SessionContext& context_;
  Host& host_;
  const std::shared_ptr<const http::ConnectionInfo> info_;
  HeadBudget heads_;  // of this connection
  HeadCharge head_;   // of the head that is arriving
  Timer timer_;       // waiting for a request, for the rest of its head, for a body nobody reads

  // From the client.
  Input input_ = Input::kHead;
  bool head_begun_ = false;
  bool body_chunked_ = false;
  bool processing_ = false;
  std::string in_;  // arrived, not worked on yet
  HeadScanner scanner_;
  ChunkedDecoder chunks_;
  uint64_t body_remaining_ = 0;

  // To the client.
  ExchangePtr exchange_;  // null: between requests, or reading over the rest of a body
  std::string out_;
  std::optional<uint64_t> out_remaining_;  // of a body of known size
  bool http10_ = false;
  bool is_head_ = false;
  bool keep_alive_ = true;
  bool expects_continue_ = false;
  bool responding_ = false;  // the head of the response is written
  bool out_chunked_ = false;
  bool draining_ = false;
  bool closing_ = false;   // nothing follows what is queued
  bool upgraded_ = false;  // HTTP is over: bytes go both ways as they are
};

// ---- from the client

void Http1Session::Receive(std::string_view bytes) {
  if (in_.empty()) {
    Process(bytes);
    in_.assign(bytes);
  } else {
    in_.append(bytes);
    ProcessBuffered();
  }
}

void Http1Session::ProcessBuffered() {
  // A handler that answers at once calls back into here while its head is being worked on.
  if (processing_ || in_.empty()) return;
  std::string_view rest = in_;
  Process(rest);
  in_.erase(0, in_.size() - rest.size());
  if (in_.empty()) std::string().swap(in_);  // an empty string that is assigned would keep the memory
}

void Http1Session::Process(std::string_view& input) {
  processing_ = true;
  bool progress = true;
  while (progress && !input.empty()) {
    switch (input_) {
      case Input::kHead: progress = ProcessHead(input); break;
      case Input::kBody: progress = ProcessBody(input); break;
      case Input::kWait: progress = false; break;
      case Input::kIgnore: input = {}; break;
    }
  }
  processing_ = false;
}

bool Http1Session::ProcessHead(std::string_view& input) {
  // Empty lines before a request are the remains of sloppy clients.
  if (!head_begun_) {
    while (input.starts_with("\r\n")) input.remove_prefix(2);
    if (input.empty() || input == "\r") return false;
    head_begun_ = true;
    head_ = HeadCharge(heads_, context_.heads);
    timer_.Start(context_.config.header_timeout);
  }
  const auto size = scanner_.Scan(input);
  if (!size) {
    Refuse(size.error());
    return true;
  }
  const size_t known_size = *size > 0 ? *size : input.size();
  if (known_size > context_.config.max_header_bytes) {
    Refuse({431, ""});
    return true;
  }
  if (!head_.Grow(known_size)) {
    Refuse({429, ""});
    return true;
  }
  if (*size == 0) return false;
  auto head = ParseRequestHead(input.substr(0, *size), context_.config.max_header_fields);
  input.remove_prefix(*size);
  if (!head) {
    Refuse(head.error());
  } else if (!head_.Grow(*size + head->headers.size() * kFieldMemory)) {
    Refuse({429, ""});
  } else {
    BeginRequest(std::move(*head));
  }
  return true;
}

void Http1Session::BeginRequest(RequestHead head) {
  timer_.Cancel();
  scanner_.Reset();
  head_begun_ = false;
  http10_ = head.http10;
  is_head_ = head.method == "HEAD";
  keep_alive_ = head.keep_alive && !draining_;
  expects_continue_ = head.expects_continue;
  body_chunked_ = head.chunked;
  body_remaining_ = head.content_length.value_or(0);
  chunks_ = ChunkedDecoder();

  exchange_ = ExchangePtr(new Exchange(context_, *this, 0));
  exchange_->head = std::move(head_);
  http::Request& request = exchange_->request;
  request.method = std::move(head.method);
  request.path = std::move(head.path);
  request.query = std::move(head.query);
  request.headers = std::move(head.headers);
  request.connection = info_;
  if (body_chunked_ || body_remaining_ > 0) {
    input_ = Input::kBody;
    if (!body_chunked_) exchange_->set_size(body_remaining_);
  } else {
    input_ = Input::kWait;
    exchange_->set_size(0);
    exchange_->DeliverEnd();
  }
  // A local share: an answer at once may end the exchange.
  ExchangePtr exchange = exchange_;
  exchange->Start();
}

bool Http1Session::ProcessBody(std::string_view& input) {
  if (exchange_ && exchange_->unread() >= kMaxUnreadBody) return false;
  if (upgraded_) {
    if (exchange_) exchange_->Deliver(input);
    input = {};
    return true;
  }
  std::string_view payload;
  if (!body_chunked_) {
    payload = input.substr(0, static_cast<size_t>(std::min<uint64_t>(body_remaining_, input.size())));
    input.remove_prefix(payload.size());
    body_remaining_ -= payload.size();
    if (exchange_) exchange_->Deliver(payload);
    if (body_remaining_ == 0) RequestArrived();
    return true;
  }
  switch (chunks_.Next(input, payload)) {
    case ChunkedDecoder::Status::kPayload:
      if (exchange_) exchange_->Deliver(payload);
      return true;
    case ChunkedDecoder::Status::kNeedMore: return false;
    case ChunkedDecoder::Status::kEnd: RequestArrived(); return true;
    case ChunkedDecoder::Status::kBad: Refuse({400, "malformed chunked encoding"}); return true;
  }
  return false;
}

void Http1Session::RequestArrived() {
  input_ = Input::kWait;
  if (exchange_) {
    exchange_->DeliverEnd();
  } else {
    AwaitNextRequest();
  }
}

void Http1Session::OnFirstWait(Exchange&) {
  if (!expects_continue_ || responding_) return;
  expects_continue_ = false;
  out_.append("HTTP/1.1 100 Continue\r\n\r\n");
  host_.WantSend();
}

void Http1Session::OnConsumed(Exchange&, size_t) {
  ProcessBuffered();
  if (CanReceive()) host_.WantReceive();
}

// ---- to the client

bool Http1Session::MayReadOverRest() const {
  if (input_ != Input::kBody) return true;
  // A client that waits for "100 Continue" will not send a body after a final answer.
  return !body_chunked_ && !expects_continue_ && body_remaining_ <= kMaxDiscarded;
}

void Http1Session::OnResponse(Exchange& exchange, http::Response response) {
  keep_alive_ = keep_alive_ && !draining_ && MayReadOverRest();
  if (auto connection = response.headers.Get("connection"); connection && *connection == "close") {
    keep_alive_ = false;
  }
  const auto size = response.body ? response.body->Size() : std::optional<uint64_t>(0);
  upgraded_ = response.status == 101 && response.body;
  if (upgraded_) keep_alive_ = false;
  WriteHead(response, size);
  responding_ = true;
  if (response.body && !is_head_ && (upgraded_ || StatusAllowsBody(response.status))) {
    exchange.pump.Start(std::move(response.body), [this] { host_.WantSend(); });
    if (draining_) exchange.pump.Drain();
  } else {
    out_remaining_.reset();
    out_chunked_ = false;
  }
  if (upgraded_) {
    exchange.Reopen();
    input_ = Input::kBody;
    ProcessBuffered();
    host_.WantReceive();
  }
  host_.WantSend();
}

void Http1Session::WriteHead(const http::Response& response, std::optional<uint64_t> size) {
  out_chunked_ = false;
  out_remaining_ = size;
  out_.reserve(out_.size() + 512);
  out_.append("HTTP/1.1 ").append(std::to_string(response.status)).append(" ");
  out_.append(ReasonPhrase(response.status)).append("\r\n");
  bool dated = false;
  for (const auto& [name, value] : response.headers) {
    if ((IsConnectionField(name) && !upgraded_) || (name == "content-length" && (size || !is_head_)))
      continue;
    dated = dated || name == "date";
    AppendField(name, value, out_);
  }
  if (!dated) AppendField("date", HttpDate(), out_);
  if (StatusAllowsBody(response.status)) {
    if (size) {
      AppendField("content-length", std::to_string(*size), out_);
    } else if (http10_) {
      keep_alive_ = false;  // the end of the connection is the end of the body
    } else if (!is_head_) {
      out_chunked_ = true;
      out_.append("Transfer-Encoding: chunked\r\n");
    }
  }
  if (upgraded_) {
    // It said itself what the connection becomes.
  } else if (!keep_alive_) {
    out_.append("Connection: close\r\n");
  } else if (http10_) {
    out_.append("Connection: keep-alive\r\n");
  }
  out_.append("\r\n");
}

bool Http1Session::Produce(Sink& sink, size_t limit) {
  const TimePoint until = std::chrono::steady_clock::now() + kProduceTime;
  size_t produced = 0;
  while (produced < limit) {
    if (!out_.empty()) {
      sink.Append(out_);
      produced += out_.size();
      std::string().swap(out_);
    }
    if (!responding_) return false;
    const size_t body = ProduceBody(sink);
    produced += body;
    if (!responding_) continue;  // that response is complete, the next may be there
    if (body == 0) return !exchange_->pump.sleeping();
    if (produced >= kProduceLeast && std::chrono::steady_clock::now() >= until) break;
  }
  return true;
}

size_t Http1Session::ProduceBody(Sink& sink) {
  BodyPump& pump = exchange_->pump;
  pump.Fill(kPieceBytes);
  size_t n = std::min(pump.queued(), kPieceBytes);
  // A source that gives more than it announced would be read as the next response.
  if (out_remaining_) n = static_cast<size_t>(std::min<uint64_t>(n, *out_remaining_));
  if (n > 0) {
    if (out_chunked_) {
      std::array<char, 20> line;
      char* end = std::to_chars(line.data(), line.data() + 16, n, 16).ptr;
      *end++ = '\r';
      *end++ = '\n';
      sink.Append({line.data(), static_cast<size_t>(end - line.data())});
    }
    pump.Take(n, sink);
    if (out_chunked_) sink.Append("\r\n");
    if (out_remaining_) *out_remaining_ -= n;
  }
  if (pump.broken() && !(out_remaining_ && *out_remaining_ == 0)) {
    Close();  // without the last chunk, or before the length announced
    return n;
  }
  if (pump.finished() || (out_remaining_ && *out_remaining_ == 0)) {
    if (out_chunked_) sink.Append("0\r\n\r\n");
    if (out_remaining_ && *out_remaining_ > 0) keep_alive_ = false;  // it gave less: cut it short visibly
    ResponseSent();
  }
  return n;
}

void Http1Session::ResponseSent() {
  responding_ = false;
  ReleaseExchange();
  if (!keep_alive_) return Close();
  if (input_ == Input::kBody) {
    // For all of the rest, which is short: a trickle does not put it off.
    timer_.Start(context_.config.header_timeout);
    ProcessBuffered();
  } else {
    AwaitNextRequest();
  }
}

void Http1Session::AwaitNextRequest() {
  if (draining_) return Close();
  input_ = Input::kHead;
  timer_.Start(context_.config.idle_timeout);
  ProcessBuffered();
  host_.WantReceive();
}

void Http1Session::Refuse(ParseError error) {
  ReleaseExchange();
  if (!responding_) {
    http::Response response = PlainError(error.status, error.detail);
    keep_alive_ = false;
    is_head_ = http10_ = false;
    WriteHead(response, response.body->Size());
    std::vector<base::Slice> text;
    response.body->Next(kPieceBytes, text);
    for (const auto& slice : text) out_.append(slice.view());
  }
  Close();
}

void Http1Session::Close() {
  timer_.Cancel();
  head_.Release();
  ReleaseExchange();
  responding_ = false;
  closing_ = true;
  input_ = Input::kIgnore;
  host_.WantSend();
}

void Http1Session::ReleaseExchange() {
  if (!exchange_) return;
  exchange_->Abandon();
  exchange_ = nullptr;
}

void Http1Session::Drain() {
  draining_ = true;
  if (exchange_) {
    exchange_->pump.Drain();
  } else if (input_ == Input::kHead) {
    Close();
  }
}

}  // namespace

std::unique_ptr<Session> MakeSession(SessionContext& context, Session::Host& host,
                                     std::shared_ptr<const http::ConnectionInfo> info) {
  return std::make_unique<Http1Session>(context, host, std::move(info));
}

}  // namespace keelson::net::http1
