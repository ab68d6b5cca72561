// What a pod's sandbox runs: nothing, until it is told to end. As the first process of a pod that shares its
// processes it waits for those that nobody else waits for.
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void End(int number) {
  (void)number;
  _exit(0);
}

static void Reap(int number) {
  (void)number;
  while (waitpid(-1, NULL, WNOHANG) > 0) {
  }
}

int main(void) {
  const struct sigaction end = {.sa_handler = End}, reap = {.sa_handler = Reap, .sa_flags = SA_NOCLDSTOP};
  if (sigaction(SIGINT, &end, NULL) || sigaction(SIGTERM, &end, NULL) || sigaction(SIGCHLD, &reap, NULL)) return 1;
  for (;;) pause();
}
