#include "base/memory.h"

#include <malloc.h>

// The server's allocator (mimalloc). Tests and sanitizers have others.
extern "C" void mi_collect(bool force) noexcept __attribute__((weak));

namespace keelson::base {

void GiveBackMemory() {
  if (mi_collect) {
    mi_collect(/*force=*/true);
  } else {
    ::malloc_trim(0);
  }
}

}  // namespace keelson::base
