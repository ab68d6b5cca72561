#include "server/profiling/cpu_sampler.h"

#include <sys/time.h>
#include <ucontext.h>
#include <unwind.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <map>
#include <thread>
#include <utility>
#include <vector>

namespace keelson::server::profiling {
namespace {

constexpr int64_t kPerSecond = 100;
constexpr size_t kMaxFrames = 64, kMostSamples = size_t{1} << 15, kLeastSamples = 1024;

struct Stack {
  uint32_t depth = 0;
  std::array<uintptr_t, kMaxFrames> frames;
};

uintptr_t InterruptedAt(void* context) {
  const auto& machine = static_cast<ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return static_cast<uintptr_t>(machine.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return static_cast<uintptr_t>(machine.pc);
#else
  return 0;
#endif
}

// Leaves out the handler of the signal: what counts begins where the thread was interrupted.
struct Walk {
  Stack& stack;
  const uintptr_t from;
  bool begun = false;
};

_Unwind_Reason_Code OnFrame(_Unwind_Context* context, void* state) {
  auto& walk = *static_cast<Walk*>(state);
  int exact = 0;
  const uintptr_t address = _Unwind_GetIPInfo(context, &exact);
  if (address == 0) return _URC_END_OF_STACK;
  walk.begun = walk.begun || address == walk.from;
  if (!walk.begun) return _URC_NO_REASON;
  walk.stack.frames[walk.stack.depth++] = exact ? address : address - 1;
  return walk.stack.depth < kMaxFrames ? _URC_NO_REASON : _URC_END_OF_STACK;
}

}  // namespace

// Only the handler writes, each time to a place of its own.
struct CpuSampler::Buffer {
  explicit Buffer(size_t samples) : stacks(samples) {}
  std::vector<Stack> stacks;
  std::atomic<size_t> used{0};
};

namespace {

std::atomic<bool> in_use{false};
std::atomic<void*> current{nullptr};  // the Buffer
std::atomic<int> handlers{0};         // under way

void SetTimer(int64_t microseconds) {
  itimerval timer{};
  timer.it_interval.tv_usec = timer.it_value.tv_usec = microseconds;
  ::setitimer(ITIMER_PROF, &timer, nullptr);
}

}  // namespace

// Nothing here may allocate or lock: the thread may be in the middle of that. The unwinder does neither, as
// glibc finds what it needs without a lock since 2.35.
void CpuSampler::OnSignal(int, siginfo_t*, void* context) {
  const int error = errno;
  handlers.fetch_add(1);
  if (auto* const buffer = static_cast<Buffer*>(current.load())) {
    const size_t i = buffer->used.fetch_add(1, std::memory_order_relaxed);
    if (i < buffer->stacks.size()) {
      Stack& stack = buffer->stacks[i];
      Walk walk{.stack = stack, .from = InterruptedAt(context)};
      _Unwind_Backtrace(OnFrame, &walk);
      if (stack.depth == 0) stack.frames[stack.depth++] = walk.from;
    }
  }
  handlers.fetch_sub(1);
  errno = error;
}

CpuSampler::CpuSampler(size_t samples) : buffer_(std::make_unique<Buffer>(samples)) {}

base::Result<std::unique_ptr<CpuSampler>, std::string> CpuSampler::Start(std::chrono::seconds most) {
  if (in_use.exchange(true)) return base::Err(std::string("cpu profiling already in use"));
  const auto threads = std::max<size_t>(std::thread::hardware_concurrency(), 1);
  const size_t wanted =
      static_cast<size_t>(std::clamp<int64_t>(most.count(), 0, 1 << 20) * kPerSecond) * threads;
  std::unique_ptr<CpuSampler> sampler(new CpuSampler(std::clamp(wanted, kLeastSamples, kMostSamples)));
  // The first walk loads what later ones use.
  Stack first;
  Walk walk{.stack = first, .from = 0, .begun = true};
  _Unwind_Backtrace(OnFrame, &walk);

  struct sigaction action{};
  action.sa_sigaction = &CpuSampler::OnSignal;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGPROF, &action, nullptr);
  current.store(sampler->buffer_.get());
  sampler->running_ = true;
  SetTimer(1'000'000 / kPerSecond);
  return sampler;
}

CpuSampler::~CpuSampler() { Stop(); }

void CpuSampler::Stop() {
  if (!std::exchange(running_, false)) return;
  SetTimer(0);
  current.store(nullptr);
  // A signal may still be on its way, and finds nothing then; the action stays, so that it does no harm.
  while (handlers.load() != 0) std::this_thread::yield();
  in_use.store(false);
}

Profile CpuSampler::Finish() {
  Stop();
  constexpr int64_t kPeriod = 1'000'000'000 / kPerSecond;
  constexpr Profile::ValueType kTypes[] = {{"samples", "count"}, {"cpu", "nanoseconds"}};
  Profile profile(kTypes, kTypes[1], kPeriod);
  profile.SetDuration(std::chrono::steady_clock::now() - began_);
  std::map<std::vector<uintptr_t>, int64_t> counts;
  const size_t used = std::min(buffer_->used.load(), buffer_->stacks.size());
  for (size_t i = 0; i < used; ++i) {
    const Stack& stack = buffer_->stacks[i];
    ++counts[{stack.frames.begin(), stack.frames.begin() + stack.depth}];
  }
  for (const auto& [frames, count] : counts) {
    const int64_t values[] = {count, count * kPeriod};
    profile.AddStack(frames, values);
  }
  return profile;
}

}  // namespace keelson::server::profiling
