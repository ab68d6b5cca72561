// How a server learns that it is to stop: SIGTERM or SIGINT; a second one ends it at once.
#pragma once

#include <signal.h>

namespace keelson::cmd {

// Blocks them in every thread that is started from now on, so that the one that waits gets them; and ignores
// SIGPIPE, since a client that goes away is no reason to end.
sigset_t BlockStopSignals();

// Waits for one, and gives its number.
int WaitForStopSignal(sigset_t signals);

}  // namespace keelson::cmd
