#include "net/testing/frame_server.h"

#include <sys/socket.h>
#include <unistd.h>

#include <utility>

#include "net/testing/listener.h"

namespace keelson::net::testing {
namespace {

constexpr size_t kPrefaceBytes = 24, kFrameHeadBytes = 9;
using Outcome = tls::Stream::Outcome;

uint32_t Number(std::string_view bytes) {
  uint32_t number = 0;
  for (const char c : bytes) number = number << 8 | static_cast<uint8_t>(c);
  return number;
}

// RFC 7541, 5.2, without Huffman's code.
std::string HpackString(std::string_view text) {
  std::string out;
  size_t size = text.size();
  if (size < 127) {
    out += static_cast<char>(size);
  } else {
    out += static_cast<char>(127);
    for (size -= 127; size >= 128; size >>= 7) out += static_cast<char>(size | 128);
    out += static_cast<char>(size);
  }
  return out.append(text);
}

}  // namespace

std::string BigEndian(uint32_t number, size_t bytes) {
  std::string out;
  while (bytes > 0) out += static_cast<char>(number >> (8 * --bytes));
  return out;
}

std::string LiteralField(std::string_view name, std::string_view value) {
  return std::string(1, '\0') + HpackString(name) + HpackString(value);
}

bool FramePeer::Send() {
  std::string_view left = outgoing_.view();
  while (!left.empty()) {
    const ssize_t n = send(fd_, left.data(), left.size(), MSG_NOSIGNAL);
    if (n <= 0) break;
    left.remove_prefix(static_cast<size_t>(n));
  }
  outgoing_.Clear();
  return left.empty();
}

bool FramePeer::ReadMore() {
  char bytes[16 * 1024];
  const ssize_t n = ended_ ? 0 : recv(fd_, bytes, sizeof(bytes), 0);
  ended_ = n <= 0;
  return !ended_ && Decrypt({bytes, static_cast<size_t>(n)});
}

bool FramePeer::Decrypt(std::string_view input) {
  char plain[16 * 1024];
  while (tls_.CanRead(input)) {
    size_t size = 0;
    const Outcome outcome = tls_.Read(input, plain, sizeof(plain), size, outgoing_);
    if (outcome == Outcome::kNeedInput) break;
    ended_ = outcome != Outcome::kDone;
    if (ended_) break;
    input_.append(plain, size);
  }
  return Send();
}

bool FramePeer::Start(std::string_view settings) {
  char bytes[16 * 1024];
  std::string_view input;
  for (;;) {
    const Outcome outcome = tls_.Handshake(input, outgoing_);
    if (!Send() || (outcome != Outcome::kDone && outcome != Outcome::kNeedInput)) return false;
    if (outcome == Outcome::kDone) break;
    const ssize_t n = recv(fd_, bytes, sizeof(bytes), 0);
    if (n <= 0) return false;
    input = {bytes, static_cast<size_t>(n)};
  }
  if (tls_.alpn_protocol() != "h2" || !Decrypt(input)) return false;
  Write(frames::kSettings, 0, 0, settings);
  while (input_.size() < kPrefaceBytes)
    if (!ReadMore() && input_.size() < kPrefaceBytes) return false;
  input_.erase(0, kPrefaceBytes);
  return true;
}

void FramePeer::WriteRaw(std::string_view bytes) {
  tls_.Write(bytes, outgoing_);
  Send();
}

void FramePeer::Write(uint8_t type, uint8_t flags, uint32_t stream, std::string_view payload) {
  WriteRaw(BigEndian(static_cast<uint32_t>(payload.size()), 3) + static_cast<char>(type) +
           static_cast<char>(flags) + BigEndian(stream, 4) + std::string(payload));
}

std::optional<Frame> FramePeer::Read() {
  for (;;) {
    const size_t size = input_.size() < kFrameHeadBytes
                            ? SIZE_MAX
                            : kFrameHeadBytes + Number(std::string_view(input_).substr(0, 3));
    if (input_.size() < size) {
      if (!ReadMore()) return std::nullopt;
      continue;
    }
    Frame frame{.type = static_cast<uint8_t>(input_[3]),
                .flags = static_cast<uint8_t>(input_[4]),
                .stream = Number(std::string_view(input_).substr(5, 4)),
                .payload = input_.substr(kFrameHeadBytes, size - kFrameHeadBytes)};
    input_.erase(0, size);
    const bool asks = frame.type == frames::kSettings || frame.type == frames::kPing;
    if (asks && !(frame.flags & frames::kAck))
      Write(frame.type, frames::kAck, 0, frame.type == frames::kPing ? frame.payload : "");
    return frame;
  }
}

std::optional<FramePeer::Request> FramePeer::ReadRequest() {
  while (auto frame = Read()) {
    if (frame->type != frames::kData && frame->type != frames::kHeaders) continue;
    std::string& body = bodies_[frame->stream];
    if (frame->type == frames::kData && !frame->payload.empty()) {
      body += frame->payload;
      const std::string taken = BigEndian(static_cast<uint32_t>(frame->payload.size()), 4);
      Write(frames::kWindowUpdate, 0, 0, taken);
      Write(frames::kWindowUpdate, 0, frame->stream, taken);
    }
    if (frame->flags & frames::kEndStream)
      return Request{frame->stream, std::move(bodies_.extract(frame->stream).mapped())};
  }
  return std::nullopt;
}

bool FramePeer::ReadUntil(uint8_t type, uint32_t stream) {
  while (const auto frame = Read())
    if (frame->type == type && frame->stream == stream) return true;
  return false;
}

void FramePeer::Answer(uint32_t stream, std::string_view body) {
  Write(frames::kHeaders, frames::kEndHeaders, stream, StatusOk());
  Write(frames::kData, frames::kEndStream, stream, body);
}

void FramePeer::ReadToEnd() {
  while (Read()) continue;
}

void FramePeer::End() {
  shutdown(fd_, SHUT_WR);
  ReadToEnd();
}

FrameServer::FrameServer(const TlsConfig& config, Serve serve, std::string settings)
    : context_(*tls::Context::Create(config)), serve_(std::move(serve)), settings_(std::move(settings)) {
  const Listener listener = ListenOnLoopback(64);
  listener_ = listener.fd;
  port_ = listener.port;
  thread_ = std::thread([this] { Run(); });
}

FrameServer::~FrameServer() {
  shutdown(listener_, SHUT_RDWR);
  thread_.join();
  {
    const base::MutexLock lock(mu_);
    for (const int fd : fds_) shutdown(fd, SHUT_RDWR);
  }
  for (std::thread& served : served_) served.join();
  close(listener_);
}

void FrameServer::Run() {
  for (int fd; (fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;) {
    {
      const base::MutexLock lock(mu_);
      fds_.push_back(fd);
    }
    served_.emplace_back([this, fd, number = ++connections] {
      FramePeer peer(*context_, fd);
      if (peer.Start(settings_)) serve_(peer, number);
      const base::MutexLock lock(mu_);
      std::erase(fds_, fd);
      close(fd);
      ++ended;
    });
  }
}

}  // namespace keelson::net::testing
