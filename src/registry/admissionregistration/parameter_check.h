// Whoever makes a policy read parameters must be allowed to read them: a policy tells what it reads by what
// it refuses.
#pragma once

#include "registry/group.h"

namespace keelson::registry::admissionregistration {

// Of policies: `get` on all objects of spec.paramKind.
std::unique_ptr<WriteCheck> MakeValidatingPolicyCheck(const Environment& environment);
std::unique_ptr<WriteCheck> MakeMutatingPolicyCheck(const Environment& environment);
// Of bindings: `get` on the object that spec.paramRef names, or `list` on those it selects.
std::unique_ptr<WriteCheck> MakeValidatingBindingCheck(const Environment& environment);
std::unique_ptr<WriteCheck> MakeMutatingBindingCheck(const Environment& environment);

}  // namespace keelson::registry::admissionregistration
