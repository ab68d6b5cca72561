#include "cmd/stop_signals.h"

#include <unistd.h>

#include <cerrno>
#include <thread>

#include "base/memory.h"

namespace keelson::cmd {
namespace {

constexpr timespec kRestInterval{.tv_sec = 15, .tv_nsec = 0};

}  // namespace

sigset_t BlockStopSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);
  return signals;
}

// The thread that waits has loaded what was stored. When that is let go, by whichever thread, its memory is
// still this one's to give back; so is that of threads which have ended.
int WaitForStopSignal(sigset_t signals) {
  int number = -1;
  while ((number = sigtimedwait(&signals, nullptr, &kRestInterval)) < 0)
    if (errno == EAGAIN) base::GiveBackMemory();
  std::thread([signals] {
    int second = 0;
    sigwait(&signals, &second);
    _exit(1);
  }).detach();
  return number;
}

}  // namespace keelson::cmd
