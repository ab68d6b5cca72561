#include "base/handoff.h"

namespace keelson::base {
namespace {
thread_local Handoff* current_handoff = nullptr;
}  // namespace

Handoff* Handoff::Current() { return current_handoff; }
void Handoff::SetCurrent(Handoff* handoff) { current_handoff = handoff; }

}  // namespace keelson::base
