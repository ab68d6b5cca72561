#include "base/memory.h"

#include <malloc.h>
#include <mimalloc.h>

// The server's allocator. Tests and sanitizers have others.
extern "C" {
decltype(mi_collect) mi_collect __attribute__((weak));
decltype(mi_option_set_default) mi_option_set_default __attribute__((weak));
}

namespace keelson::base {
namespace {

#if MI_MALLOC_VERSION < 210
constexpr mi_option_t kDelay = mi_option_decommit_delay;
#else
constexpr mi_option_t kDelay = mi_option_purge_delay;
#endif

}  // namespace

void GiveBackMemoryWhenFreed() {
  if (&mi_option_set_default) mi_option_set_default(kDelay, /*milliseconds*/ 1);
}

void GiveBackMemory() {
  if (&mi_collect) {
    mi_collect(/*force=*/true);
  } else {
    ::malloc_trim(0);
  }
}

}  // namespace keelson::base
