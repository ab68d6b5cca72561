#include "net/outbound/link.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>

namespace keelson::net::outbound {
namespace {

constexpr size_t kReceiveBytes = 16 * 1024;
constexpr size_t kMaxInput = 256 * 1024;   // then the peer must wait
constexpr size_t kMaxUnsent = 256 * 1024;  // then whoever writes must wait
constexpr std::chrono::seconds kConnectTimeout{30};

Resolved Lookup(const std::string& host, uint16_t port, int flags) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV | flags;
  addrinfo* found = nullptr;
  Resolved resolved;
  if (const int failed = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found)) {
    resolved.error =
        "dial tcp: lookup " + host + ": " + (failed == EAI_NONAME ? "no such host" : gai_strerror(failed));
    return resolved;
  }
  for (const addrinfo* a = found; a; a = a->ai_next) {
    Address& address = resolved.addresses.emplace_back();
    std::memcpy(&address.storage, a->ai_addr, a->ai_addrlen);
    address.size = a->ai_addrlen;
  }
  freeaddrinfo(found);
  return resolved;
}

const sockaddr_in& V4(const Address& a) { return reinterpret_cast<const sockaddr_in&>(a.storage); }
const sockaddr_in6& V6(const Address& a) { return reinterpret_cast<const sockaddr_in6&>(a.storage); }

// Go's words for what connect says.
std::string Lower(std::string text) {
  if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z') text[0] = static_cast<char>(text[0] + 32);
  return text;
}

// A name that a thread looks up, however long that takes: the thread holds this alone, and never the
// loop that waits, which may be gone by then.
struct NameLookup {
  NameLookup() = default;
  NameLookup(const NameLookup&) = delete;
  NameLookup& operator=(const NameLookup&) = delete;
  ~NameLookup() {
    if (told >= 0) close(told);
  }

  const int told = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);  // negative: no descriptors left
  Resolved found;                                           // the thread's until it has told
};

class LookupWaiter final : private FdHandler {
 public:
  LookupWaiter(EventLoop& loop, int told)
      : loop_(loop), told_(told), waits_(told >= 0 && loop.Add(told, EPOLLIN, *this)) {}
  ~LookupWaiter() {
    if (waits_) loop_.Remove(told_);
  }
  LookupWaiter(const LookupWaiter&) = delete;
  LookupWaiter& operator=(const LookupWaiter&) = delete;

  bool waits() const { return waits_; }
  const base::Completion<bool>& ended() const { return ended_; }

 private:
  void OnEvents(uint32_t) override {
    uint64_t count = 0;
    if (read(told_, &count, sizeof(count)) == sizeof(count)) ended_.Set(true);
  }

  EventLoop& loop_;
  const int told_;
  const bool waits_;
  base::Completion<bool> ended_;
};

bool IsGlobalV4(uint32_t ip) {
  const uint32_t first = ip >> 24;
  if (ip == 0 || ip == 0xffffffff || first == 127 || first >> 4 == 14) return false;
  return ip >> 16 != 0xa9fe;  // 169.254, link-local
}

}  // namespace

std::string Address::Ip() const {
  char text[INET6_ADDRSTRLEN] = "";
  const bool v4 = storage.ss_family == AF_INET;
  inet_ntop(storage.ss_family, v4 ? static_cast<const void*>(&V4(*this).sin_addr) : &V6(*this).sin6_addr,
            text, sizeof(text));
  return text;
}

std::string Address::ToString() const {
  const bool v4 = storage.ss_family == AF_INET;
  const std::string port = std::to_string(ntohs(v4 ? V4(*this).sin_port : V6(*this).sin6_port));
  return v4 ? Ip() + ":" + port : "[" + Ip() + "]:" + port;
}

bool Address::IsGlobalUnicast() const {
  if (storage.ss_family == AF_INET) return IsGlobalV4(ntohl(V4(*this).sin_addr.s_addr));
  const in6_addr& ip = V6(*this).sin6_addr;
  if (IN6_IS_ADDR_V4MAPPED(&ip)) {
    uint32_t v4 = 0;
    std::memcpy(&v4, ip.s6_addr + 12, sizeof(v4));
    return IsGlobalV4(ntohl(v4));
  }
  return !IN6_IS_ADDR_UNSPECIFIED(&ip) && !IN6_IS_ADDR_LOOPBACK(&ip) && !IN6_IS_ADDR_MULTICAST(&ip) &&
         !IN6_IS_ADDR_LINKLOCAL(&ip);
}

base::Task<Resolved> Resolve(std::string host, uint16_t port) {
  Resolved numeric = Lookup(host, port, AI_NUMERICHOST);
  if (numeric.error.empty()) co_return numeric;
  const auto lookup = std::make_shared<NameLookup>();
  LookupWaiter waiter(static_cast<EventLoop&>(*base::Executor::Current()), lookup->told);
  if (!waiter.waits()) co_return Resolved{{}, "dial tcp: lookup " + host + ": " + Lower(strerror(errno))};
  std::thread([lookup, host, port] {
    lookup->found = Lookup(host, port, 0);
    const uint64_t one = 1;
    [[maybe_unused]] auto n = write(lookup->told, &one, sizeof(one));
  }).detach();
  base::Completion<bool> ended = waiter.ended();
  co_await ended;
  co_return std::move(lookup->found);
}

base::Task<base::Result<std::shared_ptr<Link>, std::string>> Link::Open(EventLoop& loop, Address address,
                                                                        const tls::ClientContext* tls,
                                                                        std::string server_name) {
  using Opened = base::Result<std::shared_ptr<Link>, std::string>;
  std::shared_ptr<Link> link(new Link(loop, address, tls, std::move(server_name)));
  if (link->Connect()) {
    link->opened_.emplace();
    base::Completion<bool> opened = *link->opened_;
    co_await opened;
  }
  if (link->phase_ == Phase::kOpen) co_return Opened(std::move(link));
  co_return Opened(base::Err(link->error_));
}

Link::Link(EventLoop& loop, Address address, const tls::ClientContext* tls, std::string server_name)
    : loop_(loop),
      address_(address),
      context_(tls),
      server_name_(std::move(server_name)),
      connect_timer_(loop.timers(), [this] { Fail("dial tcp " + address_.ToString() + ": i/o timeout"); }) {}

Link::~Link() {
  if (fd_ < 0) return;
  loop_.Remove(fd_);
  close(fd_);
}

// False: see error_.
bool Link::Connect() {
  const int fd = socket(address_.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd >= 0) {
    const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    const int result = connect(fd, reinterpret_cast<const sockaddr*>(&address_.storage), address_.size);
    if (result == 0 || errno == EINPROGRESS) {
      fd_ = fd;
      if (loop_.Add(fd, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, *this)) {
        connect_timer_.Start(kConnectTimeout);
        return true;
      }
      fd_ = -1;
    }
  }
  const int error = errno;
  if (fd >= 0) close(fd);
  Fail("dial tcp " + address_.ToString() + ": connect: " + Lower(std::strerror(error)));
  return false;
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
  if (phase_ != Phase::kClosed) Receive();
  if (phase_ != Phase::kClosed) Transmit();
}

void Link::FinishConnecting() {
  if (context_) {
    phase_ = Phase::kHandshake;
    tls_.emplace(*context_, server_name_, "http/1.1");
    std::string_view nothing;
    tls_->Handshake(nothing, outgoing_);
    return;
  }
  phase_ = Phase::kOpen;
  connect_timer_.Cancel();
  Notify(opened_);
}

void Link::Receive() {
  char received[kReceiveBytes];
  while (phase_ != Phase::kClosed && !input_ended_) {
    held_back_ = input().size() >= kMaxInput;
    if (held_back_) return;
    const ssize_t n = recv(fd_, received, sizeof(received), 0);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (n < 0) return Fail("read tcp " + address_.ToString() + ": " + Lower(std::strerror(errno)));
    if (n == 0) return phase_ == Phase::kOpen ? EndInput() : Fail("EOF");
    const std::string_view bytes(received, static_cast<size_t>(n));
    tls_ ? Decrypt(bytes) : Accept(bytes);
  }
}

void Link::Decrypt(std::string_view input) {
  using Outcome = tls::Stream::Outcome;
  if (phase_ == Phase::kHandshake) {
    const Outcome outcome = tls_->Handshake(input, outgoing_);
    if (outcome == Outcome::kNeedInput) return;
    if (outcome != Outcome::kDone) {
      Transmit();  // the alert
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

void Link::Accept(std::string_view bytes) {
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
    if (self->phase_ != Phase::kClosed) self->Receive();
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
  if (!tls_) {
    outgoing_.Append(bytes);
  } else if (tls_->Write(bytes, outgoing_) != tls::Stream::Outcome::kDone) {
    return Fail("tls: " + tls_->error());
  }
  Transmit();
}

void Link::Transmit() {
  while (sent_ < outgoing_.size()) {
    const ssize_t n = send(fd_, outgoing_.data() + sent_, outgoing_.size() - sent_, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    if (n < 0) return Fail("write tcp " + address_.ToString() + ": " + Lower(std::strerror(errno)));
    sent_ += static_cast<size_t>(n);
  }
  if (sent_ == outgoing_.size()) {
    outgoing_.Clear();
    sent_ = 0;
  }
  if (outgoing_.size() - sent_ < kMaxUnsent) Notify(drained_);
}

base::Task<void> Link::Drained() {
  while (phase_ == Phase::kOpen && outgoing_.size() - sent_ >= kMaxUnsent) {
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
  if (phase_ == Phase::kOpen && tls_ && !input_ended_) {
    tls_->Close(outgoing_);
    send(fd_, outgoing_.data() + sent_, outgoing_.size() - sent_, MSG_NOSIGNAL);
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
  base::Completion<bool> waiting = *std::move(wait);
  wait.reset();
  waiting.Set(true);
}

}  // namespace keelson::net::outbound
