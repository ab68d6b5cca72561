#include "base/executor.h"

namespace keelson::base {
namespace {
thread_local Executor* current = nullptr;
}  // namespace

Executor* Executor::Current() { return current; }
void Executor::SetCurrent(Executor* executor) { current = executor; }

}  // namespace keelson::base
