#include "net/loop/event_loop.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <system_error>
#include <utility>

#include "base/log.h"
#include "base/memory.h"

namespace keelson::net {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kEventsPerTurn = 256;
// A turn that lasts longer may have done something large, such as a body of megabytes, and freed most of it.
constexpr std::chrono::milliseconds kLongTurn{10};

int Checked(int fd, const char* what) {
  if (fd < 0) throw std::system_error(errno, std::generic_category(), what);
  return fd;
}

int MillisecondsUntil(TimePoint due, TimePoint now) {
  if (due <= now) return 0;
  // Rounded up: a timer that is a little early would only be looked at again.
  auto ms = std::chrono::ceil<std::chrono::milliseconds>(due - now).count();
  return static_cast<int>(std::min<int64_t>(ms, 60'000));
}

// Gives the thread's memory back: at once after a long turn that took megabytes, else a while after the
// thread was busy, once for all turns until then. On a busy machine most turns are long, and whoever gives
// memory back after each of them gives away pages that the next one takes again.
class GivingBack {
 public:
  // How long to sleep so that memory goes back in time.
  int Within(int timeout_ms, TimePoint now) const {
    return due_ ? std::min(timeout_ms, MillisecondsUntil(*due_, now)) : timeout_ms;
  }
  void AfterTurn(TimePoint began, TimePoint now) {
    const bool is_long = now - began > kLongTurn;
    if ((due_ && now >= *due_) || (is_long && base::HeapBytes() >= kept_ + kManyBytes)) return GiveBack();
    if ((is_long || ++turns_ >= kManyTurns) && !due_) due_ = now + kPause;
  }

 private:
  static constexpr size_t kManyBytes = size_t{8} << 20;
  static constexpr int kManyTurns = 1000;
  static constexpr std::chrono::seconds kPause{1};

  void GiveBack() {
    base::GiveBackMemory();
    kept_ = base::HeapBytes();
    turns_ = 0;
    due_.reset();
  }

  size_t kept_ = base::HeapBytes();  // when memory was last given back
  int turns_ = 0;                    // since then
  std::optional<TimePoint> due_;
};

}  // namespace

EventLoop::EventLoop()
    : epoll_fd_(Checked(epoll_create1(EPOLL_CLOEXEC), "epoll_create1")),
      wake_fd_(Checked(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")) {
  epoll_event event{.events = EPOLLIN | EPOLLET, .data = {.ptr = nullptr}};
  Checked(epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, wake_fd_, &event), "epoll_ctl");
}

EventLoop::~EventLoop() {
  close(wake_fd_);
  close(epoll_fd_);
}

bool EventLoop::Add(int fd, uint32_t events, FdHandler& handler) {
  epoll_event event{.events = events, .data = {.ptr = &handler}};
  return epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, fd, &event) == 0;
}

void EventLoop::Remove(int fd) { epoll_ctl(epoll_fd_, EPOLL_CTL_DEL, fd, nullptr); }

void EventLoop::Signal() {
  const uint64_t one = 1;
  // Can fail only when the counter is full, and then the loop is awake already.
  [[maybe_unused]] auto n = write(wake_fd_, &one, sizeof(one));
}

void EventLoop::Post(Work work) {
  if (Current() == this) {
    posted_.push_back(std::move(work));
    return;
  }
  bool signal;
  {
    base::MutexLock lock(mu_);
    remote_.push_back(std::move(work));
    signal = std::exchange(asleep_, false);
  }
  if (signal) Signal();
}

void EventLoop::PostAfter(Duration delay, Work work) {
  const TimePoint due = Clock::now() + delay;
  if (Current() == this) return AddDelayed(due, std::move(work));
  Post([this, due, work = std::move(work)]() mutable { AddDelayed(due, std::move(work)); });
}

void EventLoop::RunBlocking(Work blocking, Work then) {
  blocking_.push_back({std::move(blocking), std::move(then)});
}

void EventLoop::AddDelayed(TimePoint due, Work work) {
  delayed_.push_back({due, next_order_++, std::move(work)});
  std::push_heap(delayed_.begin(), delayed_.end(), Later);
}

void EventLoop::Stop() {
  bool signal;
  {
    base::MutexLock lock(mu_);
    stopped_ = true;
    signal = std::exchange(asleep_, false);
  }
  if (signal) Signal();
}

int EventLoop::PrepareToSleep() {
  base::MutexLock lock(mu_);
  if (stopped_) return -1;
  if (!remote_.empty()) {
    if (posted_.empty()) {
      posted_.swap(remote_);
    } else {
      std::move(remote_.begin(), remote_.end(), std::back_inserter(posted_));
      remote_.clear();
    }
  }
  if (!posted_.empty() || !blocking_.empty()) return 0;
  int timeout = 60'000;
  const TimePoint now = Clock::now();
  if (auto due = timers_.NextDue()) timeout = std::min(timeout, MillisecondsUntil(*due, now));
  if (!delayed_.empty()) timeout = std::min(timeout, MillisecondsUntil(delayed_.front().due, now));
  asleep_ = timeout > 0;
  return timeout;
}

void EventLoop::RunDelayed() {
  while (!delayed_.empty() && delayed_.front().due <= timers_.now()) {
    std::pop_heap(delayed_.begin(), delayed_.end(), Later);
    Work work = std::move(delayed_.back().work);
    delayed_.pop_back();
    work();
  }
}

void EventLoop::RunPosted() {
  // What this work posts waits for the next turn, so that sockets are looked at in between.
  running_.swap(posted_);
  for (Work& work : running_) {
    work();
    work = nullptr;
  }
  running_.clear();
}

// What blocks comes last, so that what the whole turn has to write is written at once; what follows of it is
// not left for the next turn.
bool EventLoop::RunBlockingWork() {
  std::vector<BlockingWork> all = std::exchange(blocking_, {});
  for (size_t i = 0; i < all.size(); ++i) {
    SetRuns(false);
    uint64_t block = BeginToBlock();
    all[i].blocking();
    if (!blocks_.compare_exchange_strong(block, block + 1, std::memory_order_acq_rel)) {
      Post(std::move(all[i].then));
      while (++i < all.size())
        Post([this, work = std::move(all[i])]() mutable { blocking_.push_back(std::move(work)); });
      return false;
    }
    SetRuns(true);
    std::exchange(all[i].then, {})();
  }
  // Those who waited for it are resumed, and then send.
  for (int rounds = 0; rounds < 2 && !posted_.empty(); ++rounds) RunPosted();
  return true;
}

uint64_t EventLoop::BeginToBlock() {
  if (!spare_.joinable()) {
    try {
      spare_ = std::thread([this] { Live(false); });
    } catch (const std::system_error& error) {
      // This thread waits then, and the next block tries again.
      static std::atomic_flag told;
      if (!told.test_and_set())
        base::Log(base::LogLevel::kWarning, "no thread can go on with a loop whose work blocks",
                  {{"why", error.what()}});
    }
  }
  // In this order, and the other thread in the opposite one: either sees what the other has written.
  const uint64_t block = blocks_.fetch_add(1, std::memory_order_seq_cst) + 1;
  if (spare_sleeps_.load(std::memory_order_seq_cst)) {
    base::MutexLock lock(spare_mu_);
    spare_sleeps_.store(false, std::memory_order_relaxed);
    spare_wakes_.NotifyAll();
  }
  return block;
}

bool EventLoop::Watch() {
  constexpr int kLooksBeforeSleep = 100;
  uint64_t seen = blocks_.load(std::memory_order_acquire);
  base::MutexLock lock(spare_mu_);
  for (int idle = 0; !over_;) {
    if (idle < kLooksBeforeSleep) {
      spare_wakes_.WaitUntil(spare_mu_, Clock::now() + kLongBlock);
    } else {
      spare_sleeps_.store(true, std::memory_order_seq_cst);
      while (!over_ && blocks_.load(std::memory_order_seq_cst) == seen) spare_wakes_.Wait(spare_mu_);
      spare_sleeps_.store(false, std::memory_order_relaxed);
    }
    uint64_t now = blocks_.load(std::memory_order_acquire);
    if (now != seen) {
      seen = now;
      idle = 0;
    } else if (now % 2 == 0) {
      ++idle;
    } else if (!over_ && blocks_.compare_exchange_strong(now, now + 1, std::memory_order_acq_rel)) {
      return true;
    }
  }
  return false;
}

void EventLoop::SetRuns(bool runs) {
  base::Executor::SetCurrent(runs ? this : nullptr);
  base::Handoff::SetCurrent(runs ? this : nullptr);
}

void EventLoop::Run() {
  Live(true);
  if (spare_.joinable()) spare_.join();
}

void EventLoop::Live(bool runs) {
  for (; runs || Watch(); runs = false) {
    SetRuns(true);
    const bool stopped = RunTurns();
    SetRuns(false);
    if (!stopped) continue;
    base::MutexLock lock(spare_mu_);
    over_ = true;
    spare_wakes_.NotifyAll();
    return;
  }
}

bool EventLoop::RunTurns() {
  std::array<epoll_event, kEventsPerTurn> events;
  GivingBack giving_back;  // of this thread
  while (true) {
    const int timeout = PrepareToSleep();
    if (timeout < 0) return true;
    const int n =
        epoll_wait(epoll_fd_, events.data(), kEventsPerTurn, giving_back.Within(timeout, timers_.now()));
    {
      base::MutexLock lock(mu_);
      asleep_ = false;
    }
    timers_.SetNow(Clock::now());
    turn_began_.store(timers_.now(), std::memory_order_relaxed);
    for (int i = 0; i < n; ++i) {
      if (auto* handler = static_cast<FdHandler*>(events[i].data.ptr)) handler->OnEvents(events[i].events);
    }
    timers_.Advance(timers_.now());
    RunDelayed();
    RunPosted();
    if (!blocking_.empty() && !RunBlockingWork()) return false;
    turn_began_.store(kAsleep, std::memory_order_relaxed);
    giving_back.AfterTurn(timers_.now(), Clock::now());
  }
}

}  // namespace keelson::net
