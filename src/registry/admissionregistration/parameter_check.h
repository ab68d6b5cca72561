// Whoever makes a policy read parameters must be allowed to read them: a policy tells what it reads by what
// it refuses.
#pragma once

#include "registry/group.h"

namespace keelson::registry::admissionregistration {

// Of policies: `get` on all objects of spec.paramKind.
std::unique_ptr<WriteCheck> MakeValidatingPolicyCheck(const Dependencies& dependencies);
std::unique_ptr<WriteCheck> MakeMutatingPolicyCheck(const Dependencies& dependencies);
// Of bindings: `get` on the object that spec.paramRef names, or `list` on those it selects.
std::unique_ptr<WriteCheck> MakeValidatingBindingCheck(const Dependencies& dependencies);
std::unique_ptr<WriteCheck> MakeMutatingBindingCheck(const Dependencies& dependencies);

}  // namespace keelson::registry::admissionregistration
