#include "net/outbound/link.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "net/socket_options.h"

namespace keelson::net::outbound {
namespace {

constexpr size_t kReceiveBytes = 16 * 1024;
constexpr size_t kMaxInput = 256 * 1024;         // then the peer must wait
constexpr size_t kMaxUnsent = 256 * 1024;        // then whoever writes must wait
constexpr size_t kSentAtOnce = 64 * 1024;        // so much is not kept until the end of the turn
constexpr std::chrono::seconds kProbeAfter{30};  // of silence

// Go's words for what connect says.
std::string Lower(std::string text) {
  if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z') text[0] = static_cast<char>(text[0] + 32);
  return text;
}

std::string_view OfferedTo(const Link::Peer& peer) { return peer.http2 ? "h2,http/1.1" : "http/1.1"; }

}  // namespace

std::shared_ptr<Link> Link::Open(EventLoop& loop, Address address, Peer peer,
                                 std::chrono::nanoseconds connect_timeout) {
  std::shared_ptr<Link> link(new Link(loop, address, std::move(peer), connect_timeout));
  link->Connect();
  return link;
}

base::Task<bool> Link::Opened() {
  while (phase_ == Phase::kConnecting || phase_ == Phase::kHandshake || phase_ == Phase::kInnerHandshake) {
    opened_.emplace();
    base::Completion<bool> opened = *opened_;
    co_await opened;
  }
  co_return phase_ == Phase::kOpen;
}

Link::Link(EventLoop& loop, Address address, Peer peer, std::chrono::nanoseconds connect_timeout)
    : loop_(loop),
      address_(address),
      peer_(std::move(peer)),
      connect_timeout_(connect_timeout),
      connect_timer_(loop.timers(), [this] { Fail("dial tcp " + address_.ToString() + ": i/o timeout"); }) {}

Link::~Link() {
  if (fd_ < 0) return;
  loop_.Remove(fd_);
  close(fd_);
}

// Fails with error_.
void Link::Connect() {
  const int fd = socket(address_.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd >= 0) {
    ConfigureTcp(fd, kProbeAfter);
    const int result = connect(fd, reinterpret_cast<const sockaddr*>(&address_.storage), address_.size);
    if (result == 0 || errno == EINPROGRESS) {
      fd_ = fd;
      if (loop_.Add(fd, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, *this)) {
        connect_timer_.Start(connect_timeout_);
        return;
      }
      fd_ = -1;
    }
  }
  const int error = errno;
  if (fd >= 0) close(fd);
  Fail("dial tcp " + address_.ToString() + ": connect: " + Lower(std::strerror(error)));
}

void Link::OnEvents(uint32_t events) {
  const auto self = shared_from_this();
  if (phase_ == Phase::kConnecting) {
    int error = 0;
    socklen_t size = sizeof(error);
    getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0)
      return Fail("dial tcp " + address_.ToString() + ": connect: " + Lower(std::strerror(error)));
    if (!(events & EPOLLOUT)) return;
    FinishConnecting();
  }
  if (phase_ != Phase::kClosed) Receive(/*to_the_end=*/(events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0);
  Flush();
}

void Link::FinishConnecting() {
  if (peer_.tls) {
    phase_ = Phase::kHandshake;
    tls_.emplace(*peer_.tls, peer_.name, OfferedTo(peer_));
    std::string_view nothing;
    tls_->Handshake(nothing, outgoing_);
    return;
  }
  phase_ = Phase::kOpen;
  connect_timer_.Cancel();
  Notify(opened_);
}

std::string Link::Ends() const {
  const int error = errno;
  Address local;
  local.size = sizeof(local.storage);
  const bool known = getsockname(fd_, reinterpret_cast<sockaddr*>(&local.storage), &local.size) == 0;
  errno = error;
  return (known ? local.ToString() + "->" : "") + address_.ToString();
}

// A read that does not fill the buffer has taken all there is, and what comes later is another event: so the
// socket is not asked again, unless the peer has ended the connection, which no event will tell again.
void Link::Receive(bool to_the_end) {
  char received[kReceiveBytes];
  while (phase_ != Phase::kClosed && !input_ended_) {
    held_back_ = input().size() >= kMaxInput;
    if (held_back_) return;
    const ssize_t n = recv(fd_, received, sizeof(received), 0);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (n < 0) return Fail("read tcp " + Ends() + ": read: " + Lower(std::strerror(errno)));
    if (n == 0 && phase_ != Phase::kOpen) return Fail("EOF");
    // Servers are known to leave out TLS's goodbye, but none ends within a record.
    if (n == 0) return tls_ && tls_->CanRead({}) ? Fail("unexpected EOF") : EndInput();
    const std::string_view bytes(received, static_cast<size_t>(n));
    tls_ ? Decrypt(bytes) : Accept(bytes);
    if (bytes.size() < sizeof(received) && !to_the_end) return;
  }
}

void Link::Decrypt(std::string_view input) {
  using Outcome = tls::Stream::Outcome;
  if (phase_ == Phase::kHandshake) {
    const Outcome outcome = tls_->Handshake(input, outgoing_);
    if (outcome == Outcome::kNeedInput) return;
    if (outcome != Outcome::kDone) {
      Flush();  // the alert
      return Fail("tls: " + tls_->error());
    }
    phase_ = Phase::kOpen;
    connect_timer_.Cancel();
    Notify(opened_);
  }
  char plaintext[kReceiveBytes];
  while (tls_->CanRead(input)) {
    size_t size = 0;
    const Outcome outcome = tls_->Read(input, plaintext, sizeof(plaintext), size, outgoing_);
    if (outcome == Outcome::kNeedInput) return;
    if (outcome == Outcome::kClosed) return EndInput();
    if (outcome != Outcome::kDone) return Fail("tls: " + tls_->error());
    Accept({plaintext, size});
  }
}

base::Task<bool> Link::Secure(Peer peer) {
  if (phase_ != Phase::kOpen) co_return false;
  phase_ = Phase::kInnerHandshake;
  connect_timer_.Start(connect_timeout_);
  inner_.emplace(*peer.tls, peer.name, OfferedTo(peer));
  const std::string early(input());
  Consume(early.size());
  DecryptInner(early);
  co_return co_await Opened();
}

bool Link::chose_http2() const {
  const auto& spoken = inner_ ? inner_ : tls_;
  return spoken && spoken->alpn_protocol() == "h2";
}

void Link::DecryptInner(std::string_view input) {
  using Outcome = tls::Stream::Outcome;
  if (phase_ == Phase::kInnerHandshake) {
    const Outcome outcome = inner_->Handshake(input, inner_outgoing_);
    WriteInner();
    if (outcome == Outcome::kNeedInput || phase_ == Phase::kClosed) return;
    if (outcome != Outcome::kDone) return Fail("tls: " + inner_->error());
    phase_ = Phase::kOpen;
    connect_timer_.Cancel();
    Notify(opened_);
  }
  char plaintext[kReceiveBytes];
  while (phase_ != Phase::kClosed && inner_->CanRead(input)) {
    size_t size = 0;
    const Outcome outcome = inner_->Read(input, plaintext, sizeof(plaintext), size, inner_outgoing_);
    WriteInner();
    if (outcome == Outcome::kNeedInput) return;
    if (outcome == Outcome::kClosed) return EndInput();
    if (outcome != Outcome::kDone) return Fail("tls: " + inner_->error());
    Deliver({plaintext, size});
  }
}

void Link::WriteInner() {
  if (inner_outgoing_.empty()) return;
  WriteToPeer(inner_outgoing_.view());
  inner_outgoing_.Clear();
}

void Link::Accept(std::string_view bytes) { inner_ ? DecryptInner(bytes) : Deliver(bytes); }

void Link::Deliver(std::string_view bytes) {
  input_.append(bytes);
  Notify(more_input_);
  if (on_input_) on_input_();
}

void Link::EndInput() {
  input_ended_ = true;
  Notify(more_input_);
  if (on_input_) on_input_();
}

void Link::Consume(size_t n) {
  consumed_ += n;
  if (consumed_ == input_.size()) {
    input_.clear();
    consumed_ = 0;
  } else if (consumed_ > kMaxInput) {
    input_.erase(0, std::exchange(consumed_, 0));
  }
  if (!held_back_ || input().size() >= kMaxInput / 2) return;
  held_back_ = false;
  loop_.Post([self = shared_from_this()] {
    if (self->phase_ != Phase::kClosed) self->Receive(/*to_the_end=*/true);
  });
}

base::Task<void> Link::MoreInput(size_t known) {
  while (input().size() <= known && !ended()) {
    more_input_.emplace();
    base::Completion<bool> more = *more_input_;
    co_await more;
  }
}

void Link::Write(std::string_view bytes) {
  if (phase_ != Phase::kOpen || bytes.empty()) return;
  if (!inner_) return WriteToPeer(bytes);
  if (inner_->Write(bytes, inner_outgoing_) != tls::Stream::Outcome::kDone)
    return Fail("tls: " + inner_->error());
  WriteInner();
}

void Link::WriteToPeer(std::string_view bytes) {
  if (!tls_) {
    outgoing_.Append(bytes);
  } else if (tls_->Write(bytes, outgoing_) != tls::Stream::Outcome::kDone) {
    return Fail("tls: " + tls_->error());
  }
  if (outgoing_.size() - sent_ >= kSentAtOnce) return Flush();
  if (std::exchange(flush_posted_, true)) return;
  loop_.Post([self = shared_from_this()] {
    self->flush_posted_ = false;
    self->Flush();
  });
}

void Link::Flush() {
  if (phase_ == Phase::kClosed) return;
  while (sent_ < outgoing_.size()) {
    const ssize_t n = send(fd_, outgoing_.data() + sent_, outgoing_.size() - sent_, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    if (n < 0) return Fail("write tcp " + Ends() + ": write: " + Lower(std::strerror(errno)));
    sent_ += static_cast<size_t>(n);
  }
  if (sent_ == outgoing_.size()) {
    outgoing_.Clear();
    sent_ = 0;
  }
  if (!congested()) Notify(drained_);
}

bool Link::congested() const { return outgoing_.size() - sent_ >= kMaxUnsent; }

base::Task<void> Link::Drained() {
  while (phase_ == Phase::kOpen && congested()) {
    drained_.emplace();
    base::Completion<bool> drained = *drained_;
    co_await drained;
  }
}

void Link::Fail(std::string why) {
  if (error_.empty()) error_ = std::move(why);
  Close();
}

void Link::Close() {
  if (phase_ == Phase::kClosed) return;
  if (phase_ == Phase::kOpen || phase_ == Phase::kInnerHandshake) {
    if (tls_ && !input_ended_) tls_->Close(outgoing_);
    if (sent_ < outgoing_.size()) send(fd_, outgoing_.data() + sent_, outgoing_.size() - sent_, MSG_NOSIGNAL);
  }
  phase_ = Phase::kClosed;
  connect_timer_.Cancel();
  if (fd_ >= 0) {
    loop_.Remove(fd_);
    close(std::exchange(fd_, -1));
  }
  // This turn's events may still name this object.
  loop_.Post([self = shared_from_this()] {});
  Notify(opened_);
  Notify(more_input_);
  Notify(drained_);
  if (on_input_) on_input_();
}

void Link::Notify(Wait& wait) {
  if (!wait) return;
  std::exchange(wait, std::nullopt)->Set(true);
}

}  // namespace keelson::net::outbound
