#include "net/testing/grpc_server.h"

#include <nghttp2/nghttp2.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "net/http2/field.h"

namespace keelson::net::testing {

using http2::Field;

namespace {

constexpr size_t kHeadBytes = 5;

void MustHold(bool holds, const char* what) {
  if (holds) return;
  std::perror(what);
  std::abort();
}

std::string Framed(const std::string& message) {
  std::string out(kHeadBytes, '\0');
  for (int i = 0; i < 4; ++i) out[4 - static_cast<size_t>(i)] = static_cast<char>(message.size() >> (8 * i));
  return out + message;
}

}  // namespace

// One client.
class GrpcServer::Peer : public std::enable_shared_from_this<Peer> {
 public:
  Peer(int fd, GrpcServer& server) : fd_(fd), server_(server) {
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, OnHeader);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, OnData);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, OnFrame);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, OnClose);
    nghttp2_session_server_new(&session_, callbacks, this);
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, nullptr, 0);
    Send();
  }
  ~Peer() {
    nghttp2_session_del(session_);
    close(fd_);
  }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  int fd() const { return fd_; }

  // False: the client has gone.
  bool Serve() {
    uint8_t buffer[16 * 1024];
    const ssize_t n = recv(fd_, buffer, sizeof(buffer), 0);
    return n > 0 && nghttp2_session_mem_recv(session_, buffer, static_cast<size_t>(n)) >= 0 && Send();
  }

  void Push(int32_t id, const std::string& message) {
    const auto call = calls_.find(id);
    if (call == calls_.end()) return;
    call->second.response += Framed(message);
    nghttp2_session_resume_data(session_, id);
    Send();
  }

 private:
  struct Call {
    std::string path, request, response, status, message;
    size_t sent = 0;
    bool streaming = false;
  };

  static Peer& Self(void* user_data) { return *static_cast<Peer*>(user_data); }

  static int OnHeader(nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name, size_t name_size,
                      const uint8_t* value, size_t value_size, uint8_t, void* user_data) {
    if (std::string_view(reinterpret_cast<const char*>(name), name_size) == ":path")
      Self(user_data).calls_[frame->hd.stream_id].path.assign(reinterpret_cast<const char*>(value),
                                                              value_size);
    return 0;
  }
  static int OnData(nghttp2_session*, uint8_t, int32_t id, const uint8_t* data, size_t size,
                    void* user_data) {
    Call& call = Self(user_data).calls_[id];
    if (call.path == Self(user_data).server_.streamed_) return Self(user_data).Open(id, call);
    call.request.append(reinterpret_cast<const char*>(data), size);
    return 0;
  }
  static int OnFrame(nghttp2_session*, const nghttp2_frame* frame, void* user_data) {
    const bool data = frame->hd.type == NGHTTP2_DATA || frame->hd.type == NGHTTP2_HEADERS;
    Peer& self = Self(user_data);
    if (data && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) && !self.calls_[frame->hd.stream_id].streaming)
      self.Answer(frame->hd.stream_id);
    return 0;
  }
  static int OnClose(nghttp2_session*, int32_t id, uint32_t, void* user_data) {
    Self(user_data).calls_.erase(id);
    return 0;
  }

  static ssize_t OnRead(nghttp2_session* session, int32_t id, uint8_t* buffer, size_t size, uint32_t* flags,
                        nghttp2_data_source*, void* user_data) {
    Call& call = Self(user_data).calls_[id];
    const size_t n = std::min(size, call.response.size() - call.sent);
    std::memcpy(buffer, call.response.data() + call.sent, n);
    call.sent += n;
    if (n == 0 && call.streaming) return NGHTTP2_ERR_DEFERRED;
    if (call.sent == call.response.size() && !call.streaming) {
      *flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
      const nghttp2_nv trailers[] = {Field("grpc-status", call.status), Field("grpc-message", call.message)};
      nghttp2_submit_trailer(session, id, trailers, std::size(trailers));
    }
    return static_cast<ssize_t>(n);
  }

  void Answer(int32_t id) {
    Call& call = calls_[id];
    const std::string_view request = call.request;
    GrpcAnswer answer{.code = 3, .message = "no message"};
    if (request.size() >= kHeadBytes) answer = server_.handler_(call.path, request.substr(kHeadBytes));
    call.status = std::to_string(answer.code);
    if (answer.code == 0)
      call.response = Framed(answer.message);
    else
      call.message = answer.message;
    Respond(id);
  }

  // What was sent on it is not looked at.
  int Open(int32_t id, Call& call) {
    if (std::exchange(call.streaming, true)) return 0;
    Respond(id);
    base::MutexLock lock(server_.mu_);
    server_.streams_.push_back({weak_from_this(), id});
    return 0;
  }

  void Respond(int32_t id) {
    const nghttp2_nv head[] = {Field(":status", "200"), Field("content-type", "application/grpc")};
    nghttp2_data_provider provider{.source = {.ptr = nullptr}, .read_callback = OnRead};
    nghttp2_submit_response(session_, id, head, std::size(head), &provider);
  }

  bool Send() {
    for (;;) {
      const uint8_t* data = nullptr;
      const ssize_t n = nghttp2_session_mem_send(session_, &data);
      if (n <= 0) return n == 0;
      for (ssize_t sent = 0; sent < n;) {
        const ssize_t m = send(fd_, data + sent, static_cast<size_t>(n - sent), MSG_NOSIGNAL);
        if (m <= 0) return false;
        sent += m;
      }
    }
  }

  const int fd_;
  GrpcServer& server_;
  nghttp2_session* session_ = nullptr;
  std::map<int32_t, Call> calls_;
};

GrpcServer::GrpcServer(std::string socket, Handler handler, std::string streamed)
    : socket_(std::move(socket)), handler_(std::move(handler)), streamed_(std::move(streamed)) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  MustHold(socket_.size() < sizeof(address.sun_path), "socket");
  std::memcpy(address.sun_path, socket_.data(), socket_.size());
  unlink(socket_.c_str());
  listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  MustHold(bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0, "bind");
  MustHold(listen(listener_, 16) == 0, "listen");
  wake_ = eventfd(0, EFD_CLOEXEC);
  thread_ = std::thread([this] { Run(); });
}

GrpcServer::~GrpcServer() {
  {
    base::MutexLock lock(mu_);
    stopping_ = true;
  }
  const uint64_t one = 1;
  MustHold(write(wake_, &one, sizeof(one)) == sizeof(one), "eventfd");
  thread_.join();
  close(listener_);
  close(wake_);
  unlink(socket_.c_str());
}

size_t GrpcServer::streams() const {
  base::MutexLock lock(mu_);
  return streams_.size();
}

void GrpcServer::Push(size_t stream, std::string message) {
  {
    base::MutexLock lock(mu_);
    pushed_.emplace_back(stream, std::move(message));
  }
  const uint64_t one = 1;
  MustHold(write(wake_, &one, sizeof(one)) == sizeof(one), "eventfd");
}

// False: it is time to end.
bool GrpcServer::Wake() {
  uint64_t count = 0;
  MustHold(read(wake_, &count, sizeof(count)) == sizeof(count), "eventfd");
  std::vector<std::pair<std::shared_ptr<Peer>, std::pair<int32_t, std::string>>> messages;
  {
    base::MutexLock lock(mu_);
    if (stopping_) return false;
    for (auto& [stream, message] : std::exchange(pushed_, {}))
      if (auto peer = streams_.at(stream).peer.lock())
        messages.push_back({std::move(peer), {streams_[stream].id, std::move(message)}});
  }
  for (const auto& [peer, message] : messages) peer->Push(message.first, message.second);
  return true;
}

void GrpcServer::Run() {
  std::vector<std::shared_ptr<Peer>> peers;
  for (;;) {
    std::vector<pollfd> fds = {{.fd = wake_, .events = POLLIN, .revents = 0},
                               {.fd = listener_, .events = POLLIN, .revents = 0}};
    for (const auto& peer : peers) fds.push_back({.fd = peer->fd(), .events = POLLIN, .revents = 0});
    poll(fds.data(), fds.size(), -1);
    if (fds[0].revents != 0 && !Wake()) return;
    for (size_t i = peers.size(); i-- > 0;)
      if (fds[i + 2].revents != 0 && !peers[i]->Serve())
        peers.erase(peers.begin() + static_cast<ptrdiff_t>(i));
    if (fds[1].revents != 0)
      if (const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC); fd >= 0)
        peers.push_back(std::make_shared<Peer>(fd, *this));
  }
}

}  // namespace keelson::net::testing
