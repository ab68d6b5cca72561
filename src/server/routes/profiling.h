// /debug/pprof: profiles of the processor and of the heap, for `go tool pprof`.
#pragma once

#include <functional>
#include <vector>

#include "base/executor.h"
#include "server/router.h"

namespace keelson::server {

// `loops`: the threads whose heaps are told apart; asked on any loop, while the server runs.
void InstallProfiling(Router& router, std::function<std::vector<base::Executor*>()> loops);

}  // namespace keelson::server
