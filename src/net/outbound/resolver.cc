#include "net/outbound/resolver.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <deque>
#include <system_error>
#include <thread>
#include <utility>

#include "base/mutex.h"
#include "net/loop/event_loop.h"

namespace keelson::net::outbound {
namespace {

std::string LookupFailed(const std::string& host, std::string_view why) {
  return "dial tcp: lookup " + host + ": " + std::string(why);
}

Resolved LookupInSystem(const std::string& host, uint16_t port, int flags) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV | flags;
  addrinfo* found = nullptr;
  Resolved resolved;
  if (const int failed = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found)) {
    resolved.error = LookupFailed(host, failed == EAI_NONAME ? "no such host" : gai_strerror(failed));
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

bool StartSystemThread(std::function<void()> work) {
  try {
    std::thread(std::move(work)).detach();
    return true;
  } catch (const std::system_error&) {
    return false;  // the machine, or the limit of this process, has no more
  }
}

// A name that a thread looks up: the thread holds this alone, and never the loop that waits, which
// may be gone by then.
struct NameLookup {
  NameLookup(std::string h, uint16_t p) : host(std::move(h)), port(p) {}
  NameLookup(const NameLookup&) = delete;
  NameLookup& operator=(const NameLookup&) = delete;
  ~NameLookup() {
    if (told >= 0) close(told);
  }

  const std::string host;
  const uint16_t port;
  const int told = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);  // negative: no descriptors left
  Resolved found;                                           // the thread's until it has told
};
using NameLookupPtr = std::shared_ptr<NameLookup>;

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

}  // namespace

// Shared with the threads, which may outlive the resolver.
struct Resolver::State {
  explicit State(Options o) : options(std::move(o)) {}

  const Options options;
  base::Mutex mu;
  std::deque<NameLookupPtr> waiting GUARDED_BY(mu);
  size_t threads GUARDED_BY(mu) = 0;

  // False: it cannot be looked up now.
  static bool Enqueue(const std::shared_ptr<State>& self, NameLookupPtr lookup) {
    {
      base::MutexLock lock(self->mu);
      if (self->waiting.size() >= self->options.waiting) return false;
      self->waiting.push_back(lookup);
      if (self->threads >= self->options.threads) return true;
      ++self->threads;
    }
    if (self->options.thread([self] { Work(*self); })) return true;
    base::MutexLock lock(self->mu);
    if (--self->threads > 0) return true;  // one of the others comes to it
    return std::erase(self->waiting, lookup) == 0;
  }

  // One thread: names as long as some wait.
  static void Work(State& state) {
    for (;;) {
      NameLookupPtr next;
      {
        base::MutexLock lock(state.mu);
        if (state.waiting.empty()) {
          --state.threads;
          return;
        }
        next = std::move(state.waiting.front());
        state.waiting.pop_front();
      }
      next->found = state.options.lookup(next->host, next->port);
      const uint64_t one = 1;
      [[maybe_unused]] const auto n = write(next->told, &one, sizeof(one));
    }
  }
};

Resolver::Resolver(Options options)
    : state_([&] {
        if (!options.lookup)
          options.lookup = [](const std::string& host, uint16_t port) {
            return LookupInSystem(host, port, 0);
          };
        if (!options.thread) options.thread = StartSystemThread;
        return std::make_shared<State>(std::move(options));
      }()) {}

Resolver::~Resolver() = default;

base::Task<Resolved> Resolver::Resolve(std::string host, uint16_t port) {
  Resolved numeric = LookupInSystem(host, port, AI_NUMERICHOST);
  if (numeric.error.empty()) co_return numeric;
  const auto state = state_;
  const auto lookup = std::make_shared<NameLookup>(host, port);
  LookupWaiter waiter(static_cast<EventLoop&>(*base::Executor::Current()), lookup->told);
  if (!waiter.waits()) co_return Resolved{{}, LookupFailed(host, "no descriptors left")};
  if (!State::Enqueue(state, lookup))
    co_return Resolved{{}, LookupFailed(host, "too many names are being looked up")};
  base::Completion<bool> ended = waiter.ended();
  co_await ended;
  co_return std::move(lookup->found);
}

}  // namespace keelson::net::outbound
