// Hooks: what a registry asks before it writes or connects. It knows no plug-in: whoever makes
// it hands the hooks in.
#pragma once

#include <functional>

#include "admission/attributes.h"
#include "base/task.h"

namespace keelson::admission {

using Hook = std::function<base::Task<Verdict>(Attributes)>;

// The hooks of one resource or subresource; an empty hook admits everything.
//
// Threads: any loop, many calls at a time.
struct Hooks {
  Hook mutate;    // may change `object`
  Hook validate;  // sees what is about to be stored or done
};

}  // namespace keelson::admission
