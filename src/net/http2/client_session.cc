#include "net/http2/client_session.h"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <new>
#include <utility>

#include "net/http2/callback_table.h"
#include "net/http2/field.h"
#include "net/session/response_head.h"

namespace keelson::net::http2 {
namespace {

constexpr int32_t kAnswerWindow = 256 * 1024;  // what one call holds of an answer that nobody reads
constexpr int32_t kAnswersWindow = 4 << 20;  // given back at once, so that one such call holds back no other
constexpr size_t kMaxAnswerHeads = 256 * 1024;
constexpr size_t kAnswerFieldOverhead = 32;  // RFC 9113, 6.5.2: what a field counts beside its bytes
constexpr int kMaxInterim = 5;
constexpr size_t kMostCalls = 256;            // at once, whatever the server allows
constexpr size_t kCallsBeforeSettings = 100;  // as Go's client
// Frames that cost the server nothing and us an answer or a walk: so many at once, and then so many a second.
constexpr double kIdleFrames = 500, kIdleFramesPerSecond = 100;
constexpr size_t kMaxDebugBytes = 256;

// Text of the server's, as Go shows it.
std::string QuotedDebug(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    constexpr std::string_view kHex = "0123456789abcdef";
    const auto byte = static_cast<uint8_t>(c);
    if (c == '"' || c == '\\') out += '\\';
    if (byte >= 0x20 && byte < 0x7f)
      out += c;
    else
      out.append("\\x").append(1, kHex[byte >> 4]).append(1, kHex[byte & 15]);
  }
  return out + "\"";
}

// Values that never come again would only push others out of the server's table.
uint8_t IndexingOfRequest(std::string_view name) {
  return name == "traceparent" ? NGHTTP2_NV_FLAG_NO_INDEX : NGHTTP2_NV_FLAG_NONE;
}

}  // namespace

// Adapts nghttp2's C callbacks.
struct ClientCallbacks {
  static ClientSession& Self(void* user_data) { return *static_cast<ClientSession*>(user_data); }

  static int OnBeginHeaders(nghttp2_session*, const nghttp2_frame* frame, void* user_data) {
    // What an interim head has said is forgotten.
    if (ClientCall* call = Self(user_data).Find(frame->hd.stream_id); call && !call->answered_)
      call->headers_ = {};
    return 0;
  }
  static int OnHeader(nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name, size_t name_size,
                      const uint8_t* value, size_t value_size, uint8_t, void* user_data) {
    ClientSession& self = Self(user_data);
    ClientCall* call = self.Find(frame->hd.stream_id);
    return call ? self.AddField(*call, View(name, name_size), View(value, value_size)) : 0;
  }
  static int OnDataChunk(nghttp2_session* session, uint8_t, int32_t id, const uint8_t* data, size_t size,
                         void* user_data) {
    nghttp2_session_consume_connection(session, size);
    ClientSession& self = Self(user_data);
    if (ClientCall* call = self.Find(id)) self.DataArrived(*call, View(data, size));
    return 0;
  }
  static int OnFrameRecv(nghttp2_session*, const nghttp2_frame* frame, void* user_data) {
    ClientSession& self = Self(user_data);
    const bool ends = frame->hd.flags & NGHTTP2_FLAG_END_STREAM;
    ClientCall* const call = self.Find(frame->hd.stream_id);
    switch (frame->hd.type) {
      case NGHTTP2_HEADERS:
        if (call) self.HeadComplete(*call);
        break;
      case NGHTTP2_DATA:
        if (frame->hd.length == 0 && !ends) self.IdleTalk();
        break;
      case NGHTTP2_RST_STREAM:
        if (call) call->reset_by_server_ = true;
        break;
      case NGHTTP2_GOAWAY:
        self.goaway_ = ClientSession::GoAway{
            .last_stream = frame->goaway.last_stream_id,
            .code = frame->goaway.error_code,
            .debug = std::string(
                View(frame->goaway.opaque_data, std::min(frame->goaway.opaque_data_len, kMaxDebugBytes)))};
        break;
      case NGHTTP2_SETTINGS: self.settings_ = true; [[fallthrough]];
      case NGHTTP2_PING:
      case NGHTTP2_PRIORITY: self.IdleTalk(); break;
      default: break;
    }
    // The call may be over by now.
    if (ends && (frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA))
      if (ClientCall* const still = self.Find(frame->hd.stream_id)) self.AnswerEnded(*still);
    return 0;
  }
  static int OnStreamClose(nghttp2_session*, int32_t id, uint32_t code, void* user_data) {
    ClientSession& self = Self(user_data);
    if (ClientCall* call = self.Find(id)) self.StreamClosed(*call, code);
    return 0;
  }
  static int OnFrameSend(nghttp2_session*, const nghttp2_frame* frame, void* user_data) {
    ClientSession& self = Self(user_data);
    if (frame->hd.type == NGHTTP2_GOAWAY && frame->goaway.error_code != NGHTTP2_NO_ERROR &&
        self.error_.empty())
      self.error_ = std::string("connection error: ") + nghttp2_http2_strerror(frame->goaway.error_code);
    return 0;
  }
  static int OnFrameNotSend(nghttp2_session*, const nghttp2_frame* frame, int error, void* user_data) {
    if (frame->hd.type != NGHTTP2_HEADERS) return 0;
    ClientSession& self = Self(user_data);
    if (ClientCall* call = self.Find(frame->hd.stream_id)) self.NotSent(*call, error);
    return 0;
  }
  static ssize_t OnReadData(nghttp2_session*, int32_t id, uint8_t*, size_t length, uint32_t* flags,
                            nghttp2_data_source*, void* user_data) {
    ClientCall* const call = Self(user_data).Find(id);
    if (!call) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    const size_t n = std::min(length, call->piece_.size());
    if (n == 0 && !call->body_ended_) return NGHTTP2_ERR_DEFERRED;
    *flags |= NGHTTP2_DATA_FLAG_NO_COPY;
    if (call->body_ended_ && n == call->piece_.size()) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(n);
  }
  static int OnSendData(nghttp2_session*, nghttp2_frame* frame, const uint8_t* frame_header, size_t length,
                        nghttp2_data_source*, void* user_data) {
    ClientSession& self = Self(user_data);
    ClientCall* const call = self.Find(frame->hd.stream_id);
    if (!call) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    self.out_->append(View(frame_header, 9)).append(call->piece_.view().substr(0, length));
    call->piece_ = call->piece_.Sub(length);
    if (call->piece_.empty()) self.AddNews(*call);
    return self.out_->size() >= self.limit_ ? NGHTTP2_ERR_PAUSE : 0;
  }

  static nghttp2_option* Options() {
    static nghttp2_option* const options = [] {
      nghttp2_option* o = nullptr;
      nghttp2_option_new(&o);
      nghttp2_option_set_no_auto_window_update(o, 1);
      return o;
    }();
    return options;
  }
};

ClientSession::ClientSession(Timers& timers, Host& host)
    : timers_(timers), host_(host), idle_frames_(kIdleFrames, kIdleFramesPerSecond, timers.now()) {
  if (nghttp2_session_client_new2(&session_, CallbackTable<ClientCallbacks>(), this,
                                  ClientCallbacks::Options()) != 0)
    throw std::bad_alloc();
  const nghttp2_settings_entry settings[] = {
      {NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kAnswerWindow},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, static_cast<uint32_t>(kMaxAnswerHeads)},
  };
  nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings, std::size(settings));
  nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, kAnswersWindow);
}

ClientSession::~ClientSession() {
  for (const auto& [id, call] : calls_) call->session_ = nullptr;
  nghttp2_session_del(session_);
}

ClientCall* ClientSession::Find(int32_t id) const {
  const auto found = calls_.find(id);
  return found == calls_.end() ? nullptr : found->second.get();
}

// ---- calls

bool ClientSession::CanBegin() const {
  if (failed_ || leaving() || !nghttp2_session_check_request_allowed(session_)) return false;
  const size_t allowed =
      settings_ ? nghttp2_session_get_remote_settings(session_, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
                : kCallsBeforeSettings;
  return calls_.size() < std::min(allowed, kMostCalls);
}

std::shared_ptr<ClientCall> ClientSession::Begin(const http::ClientRequest& request,
                                                 std::optional<uint64_t> body_size,
                                                 std::shared_ptr<void> connection) {
  std::shared_ptr<ClientCall> call(new ClientCall(*this, std::move(connection)));
  const auto over = [&](ClientCall::Failure failure) {
    call->failure_ = std::move(failure);
    call->session_ = nullptr;
    call->connection_.reset();
    return call;
  };
  if (failed_) return over({.why = error_});
  if (leaving()) return over({.why = "http2: client conn not usable", .unprocessed = true});
  std::vector<nghttp2_nv> fields{Field(":method", request.method), Field(":scheme", "https"),
                                 Field(":authority", request.headers.Get("host").value_or("")),
                                 Field(":path", request.target)};
  for (const auto& [name, value] : request.headers)
    if (name != "host" && name != "content-length" && name != "te" && !IsConnectionField(name))
      fields.push_back(Field(name, value, IndexingOfRequest(name)));
  const std::string length = std::to_string(body_size.value_or(0));
  const bool bodiless = request.method == "GET" || request.method == "HEAD";
  if (request.body && body_size && (*body_size > 0 || !bodiless))
    fields.push_back(Field("content-length", length));
  const nghttp2_data_provider provider{.source = {.ptr = nullptr},
                                       .read_callback = ClientCallbacks::OnReadData};
  call->body_left_ = body_size;
  call->id_ = nghttp2_submit_request(session_, nullptr, fields.data(), fields.size(),
                                     body_size == 0 ? nullptr : &provider, nullptr);
  if (call->id_ < 0) {
    // Stream numbers are used up, or the server leaves: another connection is the cure of both.
    retired_ = true;
    return over({.why = "http2: client conn not usable", .unprocessed = true});
  }
  call->heard_before_ = heard_;
  call->follows_others_ = answered_;
  calls_.emplace(call->id_, call);
  host_.WantSend();
  return call;
}

void ClientSession::Resume(ClientCall& call) {
  nghttp2_session_resume_data(session_, call.id_);
  host_.WantSend();
}

void ClientSession::Consumed(ClientCall& call, size_t n) {
  nghttp2_session_consume_stream(session_, call.id_, n);
  if (WantsToSend()) host_.WantSend();
}

void ClientSession::Cancel(ClientCall& call, std::string why) {
  // Perhaps nobody is there any more: others should not wait for that as well.
  if (heard_ == call.heard_before_) retired_ = true;
  Reset(call, NGHTTP2_CANCEL, {.why = std::move(why)});
  TellNews();
}

void ClientSession::Reset(ClientCall& call, uint32_t code, ClientCall::Failure failure) {
  nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, call.id_, code);
  End(call, std::move(failure));
  host_.WantSend();
}

void ClientSession::End(ClientCall& call, ClientCall::Failure failure) {
  call.failure_ = std::move(failure);
  call.session_ = nullptr;
  call.piece_ = {};
  AddNews(call);
  calls_.erase(call.id_);
}

void ClientSession::AddNews(ClientCall& call) {
  if (!std::exchange(call.has_news_, true)) news_.push_back(call.shared_from_this());
}

void ClientSession::TellNews() {
  while (!news_.empty()) {
    for (const auto& call : std::exchange(news_, {})) {
      const auto connection = call->over() ? std::move(call->connection_) : nullptr;
      call->TellNews();
    }
  }
}

// ---- from the server

void ClientSession::Receive(std::string_view bytes) {
  if (failed_) return;
  heard_ += bytes.size();
  const ssize_t n =
      nghttp2_session_mem_recv(session_, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  if (n < 0) {
    failed_ = true;
    if (error_.empty()) error_ = std::string("http2: ") + nghttp2_strerror(static_cast<int>(n));
  }
  TellNews();
  if (WantsToSend()) host_.WantSend();
}

int ClientSession::AddField(ClientCall& call, std::string_view name, std::string_view value) {
  call.head_bytes_ += name.size() + value.size() + kAnswerFieldOverhead;
  if (call.head_bytes_ > kMaxAnswerHeads) {
    End(call, {.why = "http2: response header list larger than advertised limit"});
    return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;  // nghttp2 resets the stream
  }
  if (call.answered_) return 0;  // a trailer
  if (name == ":status") {
    std::from_chars(value.data(), value.data() + value.size(), call.status_);
    return 0;
  }
  if (name == "content-length") {
    uint64_t length = 0;
    if (std::from_chars(value.data(), value.data() + value.size(), length).ec == std::errc())
      call.content_length_ = length;
  }
  call.headers_.Add(name, value);
  return 0;
}

void ClientSession::HeadComplete(ClientCall& call) {
  if (call.answered_) return;
  if (call.status_ < 200) {
    call.content_length_.reset();
    if (++call.interim_heads_ > kMaxInterim)
      Reset(call, NGHTTP2_PROTOCOL_ERROR, {.why = "http2: too many 1xx informational responses"});
    return;
  }
  call.answered_ = answered_ = true;
  AddNews(call);
}

void ClientSession::DataArrived(ClientCall& call, std::string_view bytes) {
  call.input_.append(bytes);
  AddNews(call);
}

void ClientSession::AnswerEnded(ClientCall& call) {
  call.ended_ = call.answered_;
  AddNews(call);
}

void ClientSession::IdleTalk() {
  if (!idle_frames_.Take(timers_.now()))
    nghttp2_session_terminate_session(session_, NGHTTP2_ENHANCE_YOUR_CALM);
}

void ClientSession::StreamClosed(ClientCall& call, uint32_t code) {
  if (call.ended_) return End(call, {});
  const bool unprocessed = code == NGHTTP2_REFUSED_STREAM && !call.answered_;
  if (unprocessed && goaway_ && call.id_ > goaway_->last_stream)
    return End(call,
               {.why = "http2: Transport received Server's graceful shutdown GOAWAY", .unprocessed = true});
  End(call, {.why = "stream error: stream ID " + std::to_string(call.id_) + "; " +
                    nghttp2_http2_strerror(code) + (call.reset_by_server_ ? "; received from peer" : ""),
             .unprocessed = unprocessed});
}

void ClientSession::NotSent(ClientCall& call, int error) {
  const bool leaves = error == NGHTTP2_ERR_START_STREAM_NOT_ALLOWED || error == NGHTTP2_ERR_SESSION_CLOSING ||
                      error == NGHTTP2_ERR_STREAM_ID_NOT_AVAILABLE;
  End(call,
      {.why = leaves ? "http2: client conn not usable" : std::string("http2: ") + nghttp2_strerror(error),
       .unprocessed = leaves});
}

// ---- to the server

void ClientSession::Produce(std::string& out, size_t limit) {
  if (failed_) return;
  out_ = &out;
  limit_ = limit;
  while (out.size() < limit) {
    const size_t before = out.size();
    const uint8_t* bytes = nullptr;
    const ssize_t n = nghttp2_session_mem_send(session_, &bytes);
    if (n < 0) {
      failed_ = true;
      if (error_.empty()) error_ = std::string("http2: ") + nghttp2_strerror(static_cast<int>(n));
      break;
    }
    out.append(View(bytes, static_cast<size_t>(n)));
    if (out.size() == before) break;
  }
  out_ = nullptr;
  TellNews();
}

bool ClientSession::WantsToSend() const { return !failed_ && nghttp2_session_want_write(session_); }

bool ClientSession::finished() const {
  return failed_ || (!nghttp2_session_want_read(session_) && !nghttp2_session_want_write(session_));
}

void ClientSession::SayGoodbye() {
  retired_ = true;
  nghttp2_session_terminate_session(session_, NGHTTP2_NO_ERROR);
}

void ClientSession::Abandon(const std::string& why) {
  failed_ = true;
  error_ = WhyGone(why);
  while (!calls_.empty()) {
    ClientCall& call = *calls_.begin()->second;
    const bool unheard = !call.answered_ && call.follows_others_ && heard_ == call.heard_before_;
    End(call, {.why = error_, .unheard = unheard});
  }
  TellNews();
}

std::string ClientSession::WhyGone(const std::string& why) const {
  if (!error_.empty()) return error_;
  if (goaway_)
    return "http2: server sent GOAWAY and closed the connection; LastStreamID=" +
           std::to_string(goaway_->last_stream) + ", ErrCode=" + nghttp2_http2_strerror(goaway_->code) +
           ", debug=" + QuotedDebug(goaway_->debug);
  return why.empty() ? "unexpected EOF" : why;
}

}  // namespace keelson::net::http2
