// Core dumps: the memory of this process holds keys, tokens and the data of every Secret that is cached, so
// by default none of it is written anywhere when the process crashes.
#pragma once

namespace keelson::app {

// No core file is written and no program is handed one, and what a dump would hold of memory is nothing. The
// hard limit stays, so that prlimit(1) and /proc/PID/coredump_filter can allow dumps of a running server
// again. What the system refuses is logged.
void ForbidCoreDumps();

}  // namespace keelson::app
