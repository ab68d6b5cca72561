#include "net/grpc/channel.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <nghttp2/nghttp2.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstring>

#include "net/http2/field.h"

namespace keelson::net::grpc {
namespace {

constexpr size_t kReceiveBytes = 64 * 1024;
constexpr size_t kRecordBytes = 16 * 1024;
constexpr size_t kFlushBytes = 256 * 1024;  // gathered for one system call
// The server may send so much ahead of what we have taken; a list's page is some megabytes.
constexpr int32_t kStreamWindow = 8 << 20;
constexpr int32_t kConnectionWindow = 32 << 20;

using http2::Field;

Status Lost(std::string why, bool unprocessed) {
  return {.code = Code::kUnavailable, .message = std::move(why), .unprocessed = unprocessed};
}

}  // namespace

struct Channel::CallState {
  explicit CallState(Timers& timers, std::function<void()> on_timeout)
      : timer(timers, std::move(on_timeout)) {}

  CallEvents events;
  std::string body;   // to be sent
  size_t taken = 0;   // of it
  bool open = false;  // more may come
  MessageReader reader;
  std::optional<Status> status;  // what the trailers say
  std::string message;
  std::string http_status;
  Timer timer;
};

struct ChannelCallbacks {
  static Channel& Self(void* user_data) { return *static_cast<Channel*>(user_data); }
  static Channel::CallState* Find(Channel& self, int32_t id) {
    const auto it = self.calls_.find(id);
    return it == self.calls_.end() ? nullptr : it->second.get();
  }

  static int OnHeader(nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name, size_t name_size,
                      const uint8_t* value, size_t value_size, uint8_t, void* user_data) {
    auto* call = Find(Self(user_data), frame->hd.stream_id);
    if (!call) return 0;
    const std::string_view n(reinterpret_cast<const char*>(name), name_size);
    const std::string_view v(reinterpret_cast<const char*>(value), value_size);
    if (n == ":status") {
      call->http_status = v;
    } else if (n == "grpc-status") {
      unsigned code = static_cast<unsigned>(Code::kUnknown);
      std::from_chars(v.data(), v.data() + v.size(), code);
      call->status = Status{.code = static_cast<Code>(std::min(code, 255U)), .from_server = true};
    } else if (n == "grpc-message") {
      call->message = DecodeMessage(v);
    }
    return 0;
  }

  static int OnData(nghttp2_session* session, uint8_t, int32_t id, const uint8_t* data, size_t size,
                    void* user_data) {
    Channel& self = Self(user_data);
    auto* call = Find(self, id);
    if (!call) return 0;
    const bool fine = call->reader.Feed({reinterpret_cast<const char*>(data), size}, [&](base::Slice m) {
      // The call may have been cancelled by what it was told last.
      if (auto* still = Find(self, id)) still->events.on_message(std::move(m));
    });
    if (!fine && Find(self, id)) {
      nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, id, NGHTTP2_PROTOCOL_ERROR);
      self.End(id, {.code = Code::kInternal, .message = "malformed message"});
    }
    return 0;
  }

  static int OnClose(nghttp2_session*, int32_t id, uint32_t error_code, void* user_data) {
    Channel& self = Self(user_data);
    auto* call = Find(self, id);
    if (!call) return 0;
    if (call->status) {
      call->status->message = std::move(call->message);
      if (call->status->ok() && !call->reader.between_messages())
        self.End(id, {.code = Code::kInternal, .message = "the answer is cut off"});
      else
        self.End(id, std::move(*call->status));
    } else if (!call->http_status.empty() && call->http_status != "200") {
      self.End(id, {.code = Code::kUnavailable, .message = "HTTP status " + call->http_status});
    } else {
      self.End(id, Lost(std::string("stream closed: ") + nghttp2_http2_strerror(error_code),
                        error_code == NGHTTP2_REFUSED_STREAM));
    }
    return 0;
  }

  static int OnFrame(nghttp2_session*, const nghttp2_frame* frame, void* user_data) {
    Channel& self = Self(user_data);
    if (frame->hd.type == NGHTTP2_GOAWAY) self.going_away_ = true;
    if (frame->hd.type == NGHTTP2_PING && (frame->hd.flags & NGHTTP2_FLAG_ACK)) {
      self.ping_unanswered_ = false;
      self.keepalive_timer_.Start(self.options_.keepalive_time);
    }
    return 0;
  }

  static ssize_t OnRead(nghttp2_session*, int32_t id, uint8_t* buffer, size_t size, uint32_t* flags,
                        nghttp2_data_source*, void* user_data) {
    auto* call = Find(Self(user_data), id);
    if (!call) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    const size_t n = std::min(size, call->body.size() - call->taken);
    if (n == 0 && call->open) return NGHTTP2_ERR_DEFERRED;
    std::memcpy(buffer, call->body.data() + call->taken, n);
    call->taken += n;
    if (call->taken == call->body.size()) {
      call->body.clear();
      call->taken = 0;
      if (!call->open) *flags |= NGHTTP2_DATA_FLAG_EOF;
    }
    return static_cast<ssize_t>(n);
  }
};

Channel::Channel(EventLoop& loop, Target target, ChannelOptions options, Events events)
    : loop_(loop),
      target_(std::move(target)),
      options_(options),
      events_(std::move(events)),
      received_(new char[kReceiveBytes]),
      connect_timer_(loop.timers(), [this] { GoDown("connecting took too long"); }),
      keepalive_timer_(loop.timers(), [this] { KeepAlive(); }),
      alive_(std::make_shared<Channel*>(this)) {
  connect_timer_.Start(options_.connect_timeout);
  if (Connect()) return;
  // The owner has not got hold of this object yet.
  loop_.Post([alive = alive_, why = std::string(std::strerror(errno))] {
    if (*alive) (*alive)->GoDown("connect: " + why);
  });
}

Channel::~Channel() {
  *alive_ = nullptr;
  if (session_) nghttp2_session_del(session_);
  if (fd_ >= 0) {
    loop_.Remove(fd_);
    close(fd_);
  }
}

// Begins with the first address that does not refuse at once. False: see errno.
bool Channel::Connect() {
  if (!target_.unix_path.empty()) return ConnectUnix();
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (getaddrinfo(target_.host.c_str(), std::to_string(target_.port).c_str(), &hints, &found) != 0) {
    errno = EHOSTUNREACH;
    return false;
  }
  int error = EHOSTUNREACH;
  for (const addrinfo* a = found; a && fd_ < 0; a = a->ai_next) {
    const int fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, a->ai_protocol);
    if (fd < 0) continue;
    const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    if (connect(fd, a->ai_addr, a->ai_addrlen) == 0 || errno == EINPROGRESS) {
      fd_ = fd;
    } else {
      error = errno;
      close(fd);
    }
  }
  freeaddrinfo(found);
  if (fd_ >= 0 && !loop_.Add(fd_, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, *this)) {
    error = errno;
    close(std::exchange(fd_, -1));
  }
  errno = error;
  return fd_ >= 0;
}

bool Channel::ConnectUnix() {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string& path = target_.unix_path;
  if (path.size() >= sizeof(address.sun_path)) {
    errno = ENAMETOOLONG;
    return false;
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  size_t size = offsetof(sockaddr_un, sun_path) + path.size();
  if (path.front() == '@')
    address.sun_path[0] = '\0';  // the name is all of the address' bytes
  else
    ++size;
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return false;
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), static_cast<socklen_t>(size)) == 0 &&
      loop_.Add(fd, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, *this)) {
    fd_ = fd;
    return true;
  }
  const int error = errno;
  close(fd);
  errno = error;
  return false;
}

void Channel::OnEvents(uint32_t events) {
  if (phase_ == Phase::kConnecting) {
    int error = 0;
    socklen_t size = sizeof(error);
    getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) return GoDown(std::string("connect: ") + std::strerror(error));
    if (!(events & EPOLLOUT)) return;
    phase_ = Phase::kHandshake;
    if (target_.tls) {
      tls_.emplace(*target_.tls, target_.host, "h2");
      std::string_view nothing;
      tls_->Handshake(nothing, outgoing_);
    } else {
      StartSession();
    }
  }
  if (phase_ == Phase::kDown) return;
  if (!Receive()) return;
  if (!Flush()) return;
  if (going_away_) GoDown("the server is going away");
}

void Channel::StartSession() {
  nghttp2_session_callbacks* callbacks = nullptr;
  nghttp2_session_callbacks_new(&callbacks);
  nghttp2_session_callbacks_set_on_header_callback(callbacks, ChannelCallbacks::OnHeader);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, ChannelCallbacks::OnData);
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, ChannelCallbacks::OnFrame);
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, ChannelCallbacks::OnClose);
  nghttp2_session_client_new(&session_, callbacks, this);
  nghttp2_session_callbacks_del(callbacks);
  const nghttp2_settings_entry settings[] = {{NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
                                             {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kStreamWindow}};
  nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings, std::size(settings));
  nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, kConnectionWindow);
  phase_ = Phase::kUp;
  connect_timer_.Cancel();
  keepalive_timer_.Start(options_.keepalive_time);
  ScheduleFlush();
  events_.on_up();
}

// False: the channel is down.
bool Channel::Receive() {
  for (;;) {
    const ssize_t n = recv(fd_, received_.get(), kReceiveBytes, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return true;
    if (n <= 0) {
      GoDown(n == 0 ? "connection closed by the server" : std::string("receive: ") + std::strerror(errno));
      return false;
    }
    const std::string_view bytes(received_.get(), static_cast<size_t>(n));
    if (!(tls_ ? Decrypt(bytes) : Accept(bytes))) return false;
  }
}

bool Channel::Decrypt(std::string_view input) {
  using Outcome = tls::Stream::Outcome;
  if (phase_ == Phase::kHandshake) {
    const Outcome outcome = tls_->Handshake(input, outgoing_);
    if (outcome == Outcome::kNeedInput) return true;
    if (outcome != Outcome::kDone) {
      GoDown("TLS: " + tls_->error());
      return false;
    }
    if (tls_->alpn_protocol() != "h2") {
      GoDown("TLS: the server does not speak HTTP/2");
      return false;
    }
    StartSession();
  }
  char plaintext[kRecordBytes];
  for (;;) {
    size_t size = 0;
    const Outcome outcome = tls_->Read(input, plaintext, sizeof(plaintext), size, outgoing_);
    if (outcome == Outcome::kNeedInput) return true;
    if (outcome != Outcome::kDone) {
      GoDown(outcome == Outcome::kClosed ? "connection closed by the server" : "TLS: " + tls_->error());
      return false;
    }
    if (!Accept({plaintext, size})) return false;
  }
}

bool Channel::Accept(std::string_view bytes) {
  const ssize_t n =
      nghttp2_session_mem_recv(session_, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  if (n >= 0) return phase_ != Phase::kDown;
  GoDown(std::string("HTTP/2: ") + nghttp2_strerror(static_cast<int>(n)));
  return false;
}

// Frames of all calls of this turn go out together.
void Channel::ScheduleFlush() {
  if (std::exchange(flush_posted_, true)) return;
  loop_.Post([alive = alive_] {
    if (!*alive) return;
    (*alive)->flush_posted_ = false;
    if ((*alive)->phase_ != Phase::kDown) (*alive)->Flush();
  });
}

bool Channel::Flush() {
  if (!Write()) return false;
  while (session_ && outgoing_.empty()) {
    for (size_t gathered = 0; gathered < kFlushBytes;) {
      const uint8_t* data = nullptr;
      const ssize_t n = nghttp2_session_mem_send(session_, &data);
      if (n < 0) {
        GoDown(std::string("HTTP/2: ") + nghttp2_strerror(static_cast<int>(n)));
        return false;
      }
      if (n == 0) break;
      const std::string_view frame(reinterpret_cast<const char*>(data), static_cast<size_t>(n));
      gathered += frame.size();
      if (tls_)
        frames_ += frame;
      else
        outgoing_.Append(frame);
    }
    const bool encrypted = !tls_ || tls_->Write(frames_, outgoing_) == tls::Stream::Outcome::kDone;
    frames_.clear();
    if (!encrypted) {
      GoDown("TLS: " + tls_->error());
      return false;
    }
    if (outgoing_.empty()) return true;
    if (!Write()) return false;
  }
  return true;
}

// As much of outgoing_ as the socket takes. False: the channel is down.
bool Channel::Write() {
  while (sent_ < outgoing_.size()) {
    const ssize_t n = send(fd_, outgoing_.data() + sent_, outgoing_.size() - sent_, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return true;
    if (n < 0) {
      GoDown(std::string("send: ") + std::strerror(errno));
      return false;
    }
    sent_ += static_cast<size_t>(n);
  }
  outgoing_.Clear();
  sent_ = 0;
  return true;
}

Channel::CallId Channel::Call(std::string_view path, std::string_view message, Duration timeout,
                              CallEvents events, const Metadata& metadata) {
  std::string body;
  body.reserve(sizeof(MessageHead) + message.size());
  body.append(MessageHead(message.size()).view()).append(message);
  const CallId id = Begin(path, metadata, std::move(events), std::move(body), /*open=*/false);
  if (const auto it = calls_.find(id); it != calls_.end()) it->second->timer.Start(timeout);
  return id;
}

Channel::CallId Channel::Open(std::string_view path, const Metadata& metadata, CallEvents events) {
  return Begin(path, metadata, std::move(events), {}, /*open=*/true);
}

Channel::CallId Channel::Begin(std::string_view path, const Metadata& metadata, CallEvents events,
                               std::string body, bool open) {
  const std::string authority = target_.Authority();
  std::vector<nghttp2_nv> fields{Field(":method", "POST"),
                                 Field(":scheme", target_.tls ? "https" : "http"),
                                 Field(":path", path),
                                 Field(":authority", authority),
                                 Field("content-type", "application/grpc"),
                                 Field("te", "trailers"),
                                 Field("user-agent", "keelson")};
  for (const auto& [name, value] : metadata) fields.push_back(Field(name, value));
  nghttp2_data_provider provider{.source = {.ptr = nullptr}, .read_callback = ChannelCallbacks::OnRead};
  const CallId id =
      nghttp2_submit_request(session_, nullptr, fields.data(), fields.size(), &provider, nullptr);
  auto state = std::make_unique<CallState>(loop_.timers(), [this, id] {
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL);
    ScheduleFlush();
    End(id, {.code = Code::kDeadlineExceeded, .message = "no answer in time"});
  });
  state->events = std::move(events);
  if (id < 0) {
    // Stream numbers are used up, or there is no memory: a new channel is the cure of both.
    GoDown(std::string("HTTP/2: ") + nghttp2_strerror(id));
    state->events.on_end(Lost("no stream", /*unprocessed=*/true));
    return id;
  }
  state->body = std::move(body);
  state->open = open;
  calls_.emplace(id, std::move(state));
  ScheduleFlush();
  return id;
}

void Channel::Send(CallId call, std::string_view message) {
  const auto it = calls_.find(call);
  if (it == calls_.end()) return;
  it->second->body.append(MessageHead(message.size()).view()).append(message);
  nghttp2_session_resume_data(session_, call);
  ScheduleFlush();
}

void Channel::Cancel(CallId call) {
  auto node = calls_.extract(call);
  if (node.empty() || phase_ == Phase::kDown) return;
  nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, call, NGHTTP2_CANCEL);
  ScheduleFlush();
  // It may be the one that is being told something at this moment.
  loop_.Post([gone = std::shared_ptr<CallState>(std::move(node.mapped()))] {});
}

void Channel::End(CallId call, Status status) {
  auto node = calls_.extract(call);
  if (node.empty()) return;
  std::shared_ptr<CallState> state = std::move(node.mapped());
  state->timer.Cancel();
  loop_.Post([state] {});
  state->events.on_end(std::move(status));
}

void Channel::KeepAlive() {
  if (ping_unanswered_) return GoDown("no answer to a ping");
  if (calls_.empty()) return keepalive_timer_.Start(options_.keepalive_time);
  ping_unanswered_ = true;
  nghttp2_submit_ping(session_, NGHTTP2_FLAG_NONE, nullptr);
  ScheduleFlush();
  keepalive_timer_.Start(options_.keepalive_timeout);
}

void Channel::GoDown(std::string why) {
  if (phase_ == Phase::kDown) return;
  phase_ = Phase::kDown;
  connect_timer_.Cancel();
  keepalive_timer_.Cancel();
  if (fd_ >= 0) {
    loop_.Remove(fd_);
    close(std::exchange(fd_, -1));
  }
  auto calls = std::move(calls_);
  calls_.clear();
  for (auto& [id, call] : calls) {
    call->timer.Cancel();
    call->events.on_end(Lost(why, /*unprocessed=*/false));
  }
  // One of them may be up the stack.
  loop_.Post([calls = std::move(calls)] {});
  events_.on_down(why);
}

}  // namespace keelson::net::grpc
