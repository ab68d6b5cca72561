#include "net/acceptor.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/log.h"
#include "net/socket_address.h"
#include "net/socket_options.h"

namespace keelson::net {
namespace {

constexpr int kBacklog = 4096;
constexpr int kAcceptsPerTurn = 64;
constexpr size_t kMostHanded = 128;                    // loops that are busy get no more for now
constexpr std::chrono::milliseconds kRetryAfter{100};  // without descriptors
constexpr std::chrono::milliseconds kLoopsBusyPause{5};
constexpr std::chrono::milliseconds kHeldUp{5};  // a loop whose turn has lasted so long
constexpr std::chrono::seconds kSayAgainAfter{10};
constexpr std::chrono::seconds kProbeAfter{60};  // of silence

struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

base::Result<Address, std::string> ParseAddress(const std::string& text, uint16_t port) {
  Address address;
  auto* v4 = reinterpret_cast<sockaddr_in*>(&address.storage);
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&address.storage);
  if (inet_pton(AF_INET, text.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(port);
    address.size = sizeof(sockaddr_in);
  } else if (inet_pton(AF_INET6, text.c_str(), &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(port);
    address.size = sizeof(sockaddr_in6);
  } else {
    return base::Err("\"" + text + "\" is not an IP address");
  }
  return address;
}

}  // namespace

Acceptor::Acceptor(EventLoop& loop, const std::vector<std::unique_ptr<Worker>>& workers,
                   ConnectionTotals& totals)
    : loop_(loop), workers_(workers), totals_(totals), retry_(loop.timers(), [this] { Watch(); }) {}

Acceptor::~Acceptor() { Stop(); }

base::Result<void, std::string> Acceptor::Listen(const std::string& text, uint16_t port, bool share_port) {
  auto address = TRY(ParseAddress(text, port));
  const std::string where = text + ":" + std::to_string(port);
  auto failed = [&](const char* what) {
    std::string error = std::string(what) + " " + where + ": " + std::strerror(errno);
    Stop();
    return base::Err(std::move(error));
  };
  fd_ = socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd_ < 0) return failed("socket");
  const int on = 1, off = 0;
  setsockopt(fd_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (share_port) setsockopt(fd_, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on));
  if (address.storage.ss_family == AF_INET6) setsockopt(fd_, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
  if (bind(fd_, address.get(), address.size) != 0) return failed("bind");
  if (listen(fd_, kBacklog) != 0) return failed("listen");
  address.size = sizeof(address.storage);
  getsockname(fd_, address.get(), &address.size);
  port_ = static_cast<uint16_t>(Describe(address.storage).second);
  if (!loop_.Add(fd_, EPOLLIN, *this)) return failed("epoll");
  return {};
}

void Acceptor::Stop() {
  retry_.Cancel();
  if (fd_ < 0) return;
  loop_.Remove(fd_);
  close(std::exchange(fd_, -1));
}

void Acceptor::Watch() {
  if (fd_ >= 0 && !loop_.Add(fd_, EPOLLIN, *this)) retry_.Start(kRetryAfter);
}

void Acceptor::Pause(std::chrono::milliseconds time) {
  loop_.Remove(fd_);
  retry_.Start(time);
}

void Acceptor::OutOfDescriptors(int error) {
  const TimePoint now = loop_.timers().now();
  if (now - said_ >= kSayAgainAfter) {
    said_ = now;
    base::Log(base::LogLevel::kWarning, "cannot accept connections", {{"error", std::strerror(error)}});
  }
  // Somebody else took what was kept for connections: fewer of them will do.
  for (auto& worker : workers_) worker->loop.Post([&worker = *worker] { worker.connections.CloseOne(); });
  Pause(kRetryAfter);
}

void Acceptor::OnEvents(uint32_t) {
  for (int i = 0; i < kAcceptsPerTurn && fd_ >= 0; ++i) {
    if (totals_.handed.load(std::memory_order_relaxed) >= kMostHanded) return Pause(kLoopsBusyPause);
    sockaddr_storage address{};
    socklen_t size = sizeof(address);
    const int fd = accept4(fd_, reinterpret_cast<sockaddr*>(&address), &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
      Hand(fd, &address);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return;
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      return OutOfDescriptors(errno);
    }
  }
}

void Acceptor::Hand(int fd, const void* address) {
  ConfigureTcp(fd, kProbeAfter);
  totals_.descriptors.fetch_add(1, std::memory_order_relaxed);
  totals_.handed.fetch_add(1, std::memory_order_relaxed);
  auto [host, port] = Describe(*static_cast<const sockaddr_storage*>(address));
  Worker& worker = NextWorker();
  worker.loop.Post([&worker, fd, host = std::move(host), port = port]() mutable {
    Connection::Open(worker, fd, std::move(host), port);
  });
}

Worker& Acceptor::NextWorker() {
  const TimePoint now = std::chrono::steady_clock::now();
  for (size_t i = 0; i < workers_.size(); ++i) {
    Worker& worker = *workers_[next_++ % workers_.size()];
    if (worker.loop.TurnTime(now) < kHeldUp) return worker;
  }
  return *workers_[next_++ % workers_.size()];
}

}  // namespace keelson::net
