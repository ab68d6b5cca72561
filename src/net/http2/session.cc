#include "net/http2/session.h"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string>
#include <vector>

#include "net/http2/callback_table.h"
#include "net/http2/field.h"
#include "net/session/exchange.h"
#include "net/session/response_head.h"
#include "net/session/token_bucket.h"

namespace keelson::net::http2 {
namespace {

constexpr int32_t kStreamWindow = 1 << 20;
constexpr int32_t kConnectionWindow = 4 << 20;   // bounds what unread bodies hold of memory
constexpr size_t kFieldOverhead = 32;            // RFC 9113, 6.5.2: what a field counts beside its bytes
constexpr size_t kMaxResponseHead = 128 * 1024;  // clients take no more than 8 continuations of 16 KB
constexpr std::chrono::milliseconds kGoAwayGrace{100};  // for requests that crossed the notice

// Values that never come again would only push others out of the client's table.
uint8_t Indexing(std::string_view name) {
  return name == "audit-id" ? NGHTTP2_NV_FLAG_NO_INDEX : NGHTTP2_NV_FLAG_NONE;
}

nghttp2_nv AnswerField(std::string_view name, std::string_view value) {
  return Field(name, value, Indexing(name));
}

class Http2Session final : public Session, private Exchange::Owner {
 public:
  Http2Session(SessionContext& context, Host& host, std::shared_ptr<const http::ConnectionInfo> info);
  ~Http2Session() override;

  void Receive(std::string_view bytes) override;
  bool CanReceive() const override { return true; }
  bool idle() const override { return streams_.empty(); }
  bool Produce(Sink& sink, size_t limit) override;
  bool finished() const override {
    return failed_ || (!nghttp2_session_want_read(session_) && !nghttp2_session_want_write(session_));
  }
  void Drain() override;

 private:
  friend struct Callbacks;

  void OnResponse(Exchange& exchange, http::Response response) override;
  void OnFirstWait(Exchange& exchange) override;
  void OnConsumed(Exchange& exchange, size_t bytes) override;

  // What nghttp2 tells.
  int BeginRequest(int32_t id);
  int AddField(Exchange& exchange, std::string_view name, std::string_view value);
  void RefuseHead(Exchange& exchange, int status);
  void RequestHeadComplete(Exchange& exchange);
  int FrameReceived(const nghttp2_frame& frame);
  void ResponseEnded(int32_t id);
  void StreamClosed(int32_t id);
  ssize_t FillFrame(Exchange& exchange, size_t length, uint32_t* flags);
  bool SubmitTrailers(Exchange& exchange);
  int SendFrame(Exchange& exchange, const uint8_t* frame_header, size_t length);

  Exchange* Find(int32_t id) const {
    return static_cast<Exchange*>(nghttp2_session_get_stream_user_data(session_, id));
  }
  void DropAnsweredOrphans() {
    std::erase_if(orphans_, [](const ExchangePtr& e) { return e->answered(); });
  }
  void RunReady();
  void Begin(Exchange& exchange);
  void StartBody(Exchange& exchange, std::unique_ptr<http::BodySource> source);
  void AnswerUnsentHeads();
  // First a warning, so that requests which cross it are still served; then the end.
  void AnnounceGoAway();
  void SayGoAway();
  void Fail();

  void OnIdleTimer();
  void OnStallTimer();
  void WatchStalls();

  SessionContext& context_;
  Host& host_;
  const std::shared_ptr<const http::ConnectionInfo> info_;
  nghttp2_session* session_ = nullptr;

  std::vector<ExchangePtr> streams_;   // open ones; Exchange::slot is the index
  std::vector<ExchangePtr> ready_;     // heads complete, handler not started
  std::vector<int32_t> woken_;         // bodies that have something to send again
  std::vector<int32_t> unsent_heads_;  // answers whose fields nghttp2 did not send
  std::vector<ExchangePtr> orphans_;   // closed by the client while the handler still runs
  int32_t open_head_ = 0;              // the stream whose fields are arriving
  size_t head_bytes_ = 0;              // of open_head_
  size_t head_fields_ = 0;             // of open_head_
  HeadBudget heads_;                   // of this connection
  TokenBucket control_frames_;

  Sink* sink_ = nullptr;  // inside Produce
  size_t produced_ = 0;
  size_t limit_ = 0;
  TimePoint produce_until_;

  Timer idle_timer_;   // armed lazily: looks at idle_since_ when it fires
  Timer head_timer_;   // a head that does not end, the preface included
  Timer stall_timer_;  // bodies the client takes nothing of
  Timer goaway_timer_;
  TimePoint idle_since_;
  bool greeted_ = false;  // the client's first frame has come
  bool leaving_ = false;  // GOAWAY is announced
  bool draining_ = false;
  bool failed_ = false;
};

// Adapts nghttp2's C callbacks.
struct Callbacks {
  static Http2Session& Self(void* user_data) { return *static_cast<Http2Session*>(user_data); }

  static int OnBeginHeaders(nghttp2_session*, const nghttp2_frame* frame, void* user_data) {
    if (frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
    return Self(user_data).BeginRequest(frame->hd.stream_id);
  }
  static int OnHeader(nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name, size_t name_size,
                      const uint8_t* value, size_t value_size, uint8_t, void* user_data) {
    if (frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
    Http2Session& self = Self(user_data);
    Exchange* exchange = self.Find(frame->hd.stream_id);
    return exchange ? self.AddField(*exchange, View(name, name_size), View(value, value_size)) : 0;
  }
  static int OnFrameRecv(nghttp2_session*, const nghttp2_frame* frame, void* user_data) {
    return Self(user_data).FrameReceived(*frame);
  }
  static int OnDataChunk(nghttp2_session* session, uint8_t, int32_t id, const uint8_t* data, size_t size,
                         void* user_data) {
    if (Exchange* exchange = Self(user_data).Find(id)) {
      exchange->Deliver(View(data, size));
    } else {
      nghttp2_session_consume(session, id, size);
    }
    return 0;
  }
  static int OnStreamClose(nghttp2_session*, int32_t id, uint32_t, void* user_data) {
    Self(user_data).StreamClosed(id);
    return 0;
  }
  static int OnFrameSend(nghttp2_session*, const nghttp2_frame* frame, void* user_data) {
    const bool ends = (frame->hd.type == NGHTTP2_DATA || frame->hd.type == NGHTTP2_HEADERS) &&
                      (frame->hd.flags & NGHTTP2_FLAG_END_STREAM);
    if (ends) Self(user_data).ResponseEnded(frame->hd.stream_id);
    return 0;
  }
  static int OnFrameNotSend(nghttp2_session*, const nghttp2_frame* frame, int, void* user_data) {
    if (frame->hd.type == NGHTTP2_HEADERS) Self(user_data).unsent_heads_.push_back(frame->hd.stream_id);
    return 0;
  }
  static ssize_t OnReadData(nghttp2_session*, int32_t, uint8_t*, size_t length, uint32_t* flags,
                            nghttp2_data_source* source, void* user_data) {
    return Self(user_data).FillFrame(*static_cast<Exchange*>(source->ptr), length, flags);
  }
  static int OnSendData(nghttp2_session*, nghttp2_frame*, const uint8_t* frame_header, size_t length,
                        nghttp2_data_source* source, void* user_data) {
    return Self(user_data).SendFrame(*static_cast<Exchange*>(source->ptr), frame_header, length);
  }

  static nghttp2_option* Options(bool lenient_fields) {
    static nghttp2_option* const strict = MakeOptions(false);
    static nghttp2_option* const lenient = MakeOptions(true);
    return lenient_fields ? lenient : strict;
  }

 private:
  static nghttp2_option* MakeOptions(bool lenient_fields) {
    nghttp2_option* o = nullptr;
    nghttp2_option_new(&o);
    nghttp2_option_set_no_http_messaging(o, lenient_fields ? 1 : 0);
    nghttp2_option_set_no_auto_window_update(o, 1);
    nghttp2_option_set_no_closed_streams(o, 1);
    nghttp2_option_set_max_send_header_block_length(o, kMaxResponseHead);
    nghttp2_option_set_stream_reset_rate_limit(o, 1000, 50);
    return o;
  }
};

Http2Session::Http2Session(SessionContext& context, Host& host,
                           std::shared_ptr<const http::ConnectionInfo> info)
    : context_(context),
      host_(host),
      info_(std::move(info)),
      heads_(kConnectionHeads * context.config.max_header_bytes),
      control_frames_(context.config.max_idle_frames, context.config.max_idle_frames_per_second,
                      context.timers.now()),
      idle_timer_(context.timers, [this] { OnIdleTimer(); }),
      head_timer_(context.timers, [this] { Fail(); }),
      stall_timer_(context.timers, [this] { OnStallTimer(); }),
      goaway_timer_(context.timers, [this] { SayGoAway(); }),
      idle_since_(context.timers.now()) {
  if (nghttp2_session_server_new2(&session_, CallbackTable<Callbacks>(), this,
                                  Callbacks::Options(context.config.lenient_fields)) != 0) {
    throw std::bad_alloc();
  }
  const nghttp2_settings_entry settings[] = {
      {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, context_.config.max_concurrent_streams},
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kStreamWindow},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, static_cast<uint32_t>(context_.config.max_header_bytes)},
  };
  nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings, std::size(settings));
  nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, kConnectionWindow);
  head_timer_.Start(context_.config.header_timeout);
  host_.WantSend();
}

Http2Session::~Http2Session() {
  for (auto& exchange : streams_) exchange->Abandon();
  nghttp2_session_del(session_);
}

// ---- from the client

void Http2Session::Receive(std::string_view bytes) {
  if (failed_) return;
  const ssize_t n =
      nghttp2_session_mem_recv(session_, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  if (n < 0) return Fail();
  RunReady();
  if (open_head_ == 0 && greeted_) {
    head_timer_.Cancel();
  } else if (!head_timer_.armed()) {
    head_timer_.Start(context_.config.header_timeout);
  }
  host_.WantSend();
}

int Http2Session::BeginRequest(int32_t id) {
  ExchangePtr exchange(new Exchange(context_, *this, id));
  exchange->request.connection = info_;
  exchange->head = HeadCharge(heads_, context_.heads);
  exchange->slot = static_cast<uint32_t>(streams_.size());
  nghttp2_session_set_stream_user_data(session_, id, exchange.get());
  streams_.push_back(std::move(exchange));
  open_head_ = id;
  head_bytes_ = head_fields_ = 0;
  return 0;
}

int Http2Session::AddField(Exchange& exchange, std::string_view name, std::string_view value) {
  head_bytes_ += name.size() + value.size() + kFieldOverhead;
  ++head_fields_;
  const size_t max_bytes = context_.config.max_header_bytes, max_fields = context_.config.max_header_fields;
  // A little over still gets an answer; far over is not worth decoding on.
  if (head_bytes_ > 2 * max_bytes || head_fields_ > 2 * max_fields)
    return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  if (exchange.refusal == 0) {
    if (head_bytes_ > max_bytes || head_fields_ > max_fields) {
      RefuseHead(exchange, 431);
    } else if (!exchange.head.Grow(head_bytes_ + head_fields_ * kFieldMemory)) {
      RefuseHead(exchange, 429);
    }
  }
  if (exchange.refusal != 0) return 0;
  http::Request& request = exchange.request;
  if (!name.starts_with(':')) {
    if (name == "host" && request.headers.Get("host")) return 0;
    if (name == "content-length") {
      uint64_t size = 0;
      if (std::from_chars(value.data(), value.data() + value.size(), size).ec == std::errc())
        exchange.set_size(size);
    }
    request.headers.Add(name, value);
  } else if (name == ":method") {
    request.method = std::string(value);
  } else if (name == ":path") {
    const size_t question = value.find('?');
    request.path = std::string(value.substr(0, question));
    if (question != std::string_view::npos) request.query = std::string(value.substr(question + 1));
  } else if (name == ":authority") {
    request.headers.Add("host", value);
  }
  return 0;
}

// Lets go of what has come of a head; the rest of it is not kept.
void Http2Session::RefuseHead(Exchange& exchange, int status) {
  exchange.refusal = status;
  std::string().swap(exchange.request.path);
  std::string().swap(exchange.request.query);
  exchange.request.headers = {};
  exchange.head.Release();
}

int Http2Session::FrameReceived(const nghttp2_frame& frame) {
  const bool ends = frame.hd.flags & NGHTTP2_FLAG_END_STREAM;
  bool idle_talk = false;
  switch (frame.hd.type) {
    case NGHTTP2_HEADERS:
      if (frame.headers.cat == NGHTTP2_HCAT_REQUEST) {
        if (Exchange* exchange = Find(frame.hd.stream_id)) RequestHeadComplete(*exchange);
      }
      [[fallthrough]];
    case NGHTTP2_DATA:
      if (ends) {
        if (Exchange* exchange = Find(frame.hd.stream_id)) exchange->DeliverEnd();
      }
      idle_talk = frame.hd.type == NGHTTP2_DATA && frame.hd.length == 0 && !ends;
      break;
    case NGHTTP2_SETTINGS:
      greeted_ = true;
      if (streams_.empty() && !idle_timer_.armed()) idle_timer_.Start(context_.config.idle_timeout);
      [[fallthrough]];
    case NGHTTP2_PING:
    case NGHTTP2_PRIORITY: idle_talk = true; break;
    default: break;
  }
  if (idle_talk && !control_frames_.Take(context_.timers.now())) {
    nghttp2_session_terminate_session(session_, NGHTTP2_ENHANCE_YOUR_CALM);
  }
  return 0;
}

void Http2Session::RequestHeadComplete(Exchange& exchange) {
  open_head_ = 0;
  ready_.push_back(ExchangePtr(&exchange));
}

// Handlers run outside of nghttp2, and after all that has arrived with the request, so a
// small body is there in one piece.
void Http2Session::RunReady() {
  for (size_t i = 0; i < ready_.size(); ++i) {
    ExchangePtr exchange = std::move(ready_[i]);
    if (!exchange->abandoned()) Begin(*exchange);
  }
  ready_.clear();
}

void Http2Session::Begin(Exchange& exchange) {
  http::Request& request = exchange.request;
  if (exchange.refusal != 0) return OnResponse(exchange, PlainError(exchange.refusal, ""));
  if (!request.path.starts_with('/'))
    return OnResponse(exchange, PlainError(400, "malformed request target"));
  if (!request.headers.Get("host")) request.headers.Add("host", "");
  // Opening and resetting streams does not lift the limit on work under way.
  if (orphans_.size() >= context_.config.max_concurrent_streams) {
    DropAnsweredOrphans();
    if (orphans_.size() >= context_.config.max_concurrent_streams) {
      nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, exchange.id, NGHTTP2_REFUSED_STREAM);
      return;
    }
  }
  exchange.Start();
}

void Http2Session::StreamClosed(int32_t id) {
  if (open_head_ == id) open_head_ = 0;
  Exchange* raw = Find(id);
  if (!raw) return;
  ExchangePtr exchange = std::move(streams_[raw->slot]);
  if (exchange->slot + 1 < streams_.size()) {
    streams_[exchange->slot] = std::move(streams_.back());
    streams_[exchange->slot]->slot = exchange->slot;
  }
  streams_.pop_back();
  // What nobody will read still counts against the connection's window.
  if (exchange->unread() > 0) nghttp2_session_consume_connection(session_, exchange->unread());
  const bool running = exchange->started() && !exchange->answered();
  exchange->Abandon();
  if (running) {
    DropAnsweredOrphans();
    orphans_.push_back(std::move(exchange));
  }
  if (streams_.empty()) {
    idle_since_ = context_.timers.now();
    if (!idle_timer_.armed()) idle_timer_.Start(context_.config.idle_timeout);
  }
}

void Http2Session::OnConsumed(Exchange& exchange, size_t bytes) {
  nghttp2_session_consume(session_, exchange.id, bytes);
  host_.WantSend();
}

void Http2Session::OnFirstWait(Exchange& exchange) {
  if (exchange.request.headers.Get("expect") != "100-continue") return;
  const nghttp2_nv status = Field(":status", "100");
  nghttp2_submit_headers(session_, NGHTTP2_FLAG_NONE, exchange.id, nullptr, &status, 1, nullptr);
  host_.WantSend();
}

// ---- to the client

void Http2Session::OnResponse(Exchange& exchange, http::Response response) {
  const auto size = response.body ? response.body->Size() : std::optional<uint64_t>(0);
  const std::string status = std::to_string(response.status);
  std::string length;
  std::vector<nghttp2_nv> fields;
  fields.reserve(16);
  fields.push_back(Field(":status", status));
  bool dated = false;
  std::forward_list<std::string> cleaned;
  for (const auto& [name, value] : response.headers) {
    if (name == "connection" && value == "close") AnnounceGoAway();
    if (IsConnectionField(name) || (name == "content-length" && size)) continue;
    dated = dated || name == "date";
    fields.push_back(AnswerField(name, WireValue(value, cleaned)));
  }
  if (size && StatusAllowsBody(response.status)) {
    length = std::to_string(*size);
    fields.push_back(Field("content-length", length));
  }
  if (!dated) fields.push_back(Field("date", HttpDate()));

  const bool has_body = response.body && exchange.request.method != "HEAD" &&
                        StatusAllowsBody(response.status) && size != uint64_t{0};
  nghttp2_data_provider provider{.source = {.ptr = &exchange}, .read_callback = Callbacks::OnReadData};
  if (has_body) StartBody(exchange, std::move(response.body));
  if (nghttp2_submit_response(session_, exchange.id, fields.data(), fields.size(),
                              has_body ? &provider : nullptr) != 0) {
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, exchange.id, NGHTTP2_INTERNAL_ERROR);
  }
  host_.WantSend();
}

// A client that waits for an answer gets one, when the one it should have had cannot be sent.
void Http2Session::AnswerUnsentHeads() {
  for (const int32_t id : std::exchange(unsent_heads_, {})) {
    Exchange* exchange = Find(id);
    if (!exchange) continue;
    exchange->pump.Reset();
    if (std::exchange(exchange->refusal, 500) == 500) {
      nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, NGHTTP2_INTERNAL_ERROR);
    } else {
      OnResponse(*exchange, PlainError(500, "the header fields of the response are too large"));
    }
  }
}

void Http2Session::StartBody(Exchange& exchange, std::unique_ptr<http::BodySource> source) {
  exchange.progressed = context_.timers.now();
  exchange.moved = 0;
  exchange.pump.Start(std::move(source), [this, &exchange] {
    exchange.progressed = context_.timers.now();
    exchange.moved = 0;
    woken_.push_back(exchange.id);
    WatchStalls();
    host_.WantSend();
  });
  if (draining_) exchange.pump.Drain();
  WatchStalls();
}

ssize_t Http2Session::FillFrame(Exchange& exchange, size_t length, uint32_t* flags) {
  BodyPump& pump = exchange.pump;
  pump.Fill(length);
  const size_t n = std::min(length, pump.queued());
  if (pump.broken()) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;  // nghttp2 resets the stream
  if (n == 0 && !pump.source_ended()) {
    if (!pump.sleeping()) woken_.push_back(exchange.id);  // asked to be asked again
    return NGHTTP2_ERR_DEFERRED;
  }
  *flags |= NGHTTP2_DATA_FLAG_NO_COPY;
  if (pump.source_ended() && n == pump.queued()) {
    *flags |= NGHTTP2_DATA_FLAG_EOF;
    if (SubmitTrailers(exchange)) *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
  }
  return static_cast<ssize_t>(n);
}

// Whether there are any, which end the stream then.
bool Http2Session::SubmitTrailers(Exchange& exchange) {
  const http::Headers trailers = exchange.pump.Trailers();
  if (trailers.empty()) return false;
  std::vector<nghttp2_nv> fields;
  fields.reserve(trailers.size());
  std::forward_list<std::string> cleaned;
  for (const auto& [name, value] : trailers) fields.push_back(AnswerField(name, WireValue(value, cleaned)));
  return nghttp2_submit_trailer(session_, exchange.id, fields.data(), fields.size()) == 0;
}

int Http2Session::SendFrame(Exchange& exchange, const uint8_t* frame_header, size_t length) {
  sink_->Append(View(frame_header, 9));
  exchange.pump.Take(length, *sink_);
  exchange.moved += length;
  if (exchange.moved >= LeastProgress(context_.config)) {
    exchange.progressed = context_.timers.now();
    exchange.moved = 0;
  }
  produced_ += 9 + length;
  if (produced_ >= kProduceLeast && std::chrono::steady_clock::now() >= produce_until_) limit_ = produced_;
  return produced_ >= limit_ ? NGHTTP2_ERR_PAUSE : 0;
}

bool Http2Session::Produce(Sink& sink, size_t limit) {
  if (failed_) return false;
  std::vector<int32_t> woken = std::exchange(woken_, {});
  for (int32_t id : woken) nghttp2_session_resume_data(session_, id);  // may be gone: no matter
  sink_ = &sink;
  produced_ = 0;
  limit_ = limit;
  produce_until_ = std::chrono::steady_clock::now() + kProduceTime;
  while (produced_ < limit_) {
    const uint8_t* bytes = nullptr;
    const ssize_t n = nghttp2_session_mem_send(session_, &bytes);
    if (n < 0) {
      Fail();
      break;
    }
    if (n > 0) sink.Append(View(bytes, static_cast<size_t>(n)));
    produced_ += static_cast<size_t>(n);
    if (n == 0 && unsent_heads_.empty()) break;
    AnswerUnsentHeads();
  }
  sink_ = nullptr;
  return !failed_ && (produced_ >= limit_ || !woken_.empty());
}

void Http2Session::ResponseEnded(int32_t id) {
  Exchange* exchange = Find(id);
  // The answer is complete; the client need not send the rest of its body.
  if (exchange && !exchange->body_ended()) {
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, NGHTTP2_NO_ERROR);
  }
}

// ---- time and trouble

void Http2Session::Fail() {
  failed_ = true;
  host_.WantSend();
}

void Http2Session::OnIdleTimer() {
  if (!streams_.empty()) return;  // armed again when the last one closes
  const Duration idle = context_.timers.now() - idle_since_;
  if (idle < context_.config.idle_timeout) {
    idle_timer_.Start(context_.config.idle_timeout - idle);
    return;
  }
  nghttp2_session_terminate_session(session_, NGHTTP2_NO_ERROR);
  host_.WantSend();
}

void Http2Session::WatchStalls() {
  if (!stall_timer_.armed()) stall_timer_.Start(context_.config.write_timeout / 2);
}

void Http2Session::OnStallTimer() {
  bool sending = false;
  const TimePoint now = context_.timers.now();
  for (const auto& exchange : streams_) {
    if (!exchange->pump.started() || exchange->pump.sleeping()) continue;
    if (now - exchange->progressed >= context_.config.write_timeout) {
      nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, exchange->id, NGHTTP2_CANCEL);
    } else {
      sending = true;
    }
  }
  if (sending) WatchStalls();
  host_.WantSend();
}

void Http2Session::Drain() {
  if (std::exchange(draining_, true)) return;
  for (const auto& exchange : streams_) exchange->pump.Drain();
  AnnounceGoAway();
}

void Http2Session::AnnounceGoAway() {
  if (std::exchange(leaving_, true)) return;
  nghttp2_submit_shutdown_notice(session_);
  goaway_timer_.Start(kGoAwayGrace);
  host_.WantSend();
}

void Http2Session::SayGoAway() {
  nghttp2_submit_goaway(session_, NGHTTP2_FLAG_NONE, nghttp2_session_get_last_proc_stream_id(session_),
                        NGHTTP2_NO_ERROR, nullptr, 0);
  host_.WantSend();
}

}  // namespace

std::unique_ptr<Session> MakeSession(SessionContext& context, Session::Host& host,
                                     std::shared_ptr<const http::ConnectionInfo> info) {
  return std::make_unique<Http2Session>(context, host, std::move(info));
}

}  // namespace keelson::net::http2
