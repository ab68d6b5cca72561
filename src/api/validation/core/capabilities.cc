#include "api/validation/core/capabilities.h"

#include <atomic>

namespace keelson::api::core {
namespace {

// A setting of the process, as upstream's: every kind that has pods in it asks for it, and
// nothing else of a server's configuration reaches validation.
std::atomic<bool> privileged_allowed = true;

}  // namespace

void SetPrivilegedAllowed(bool allowed) { privileged_allowed.store(allowed, std::memory_order_relaxed); }
bool PrivilegedAllowed() { return privileged_allowed.load(std::memory_order_relaxed); }

}  // namespace keelson::api::core
