#include "cmd/stop_signals.h"

#include <unistd.h>

#include <thread>

namespace keelson::cmd {

sigset_t BlockStopSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);
  return signals;
}

int WaitForStopSignal(sigset_t signals) {
  int number = 0;
  sigwait(&signals, &number);
  std::thread([signals] {
    int second = 0;
    sigwait(&signals, &second);
    _exit(1);
  }).detach();
  return number;
}

}  // namespace keelson::cmd
