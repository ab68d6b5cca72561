// Who may have administrative access to devices, bind claims to them and tell their status: questions about
// the namespace of a claim and to the authorizer.
#pragma once

#include "registry/group.h"

namespace keelson::registry::resource {

// Of claims and templates that are created: adminAccess needs a label on their namespace.
std::unique_ptr<WriteCheck> MakeClaimCheck(const Dependencies& dependencies);
std::unique_ptr<WriteCheck> MakeClaimTemplateCheck(const Dependencies& dependencies);
// Of resourceclaims/status: the same for what is allocated; changes of the allocation and of whom it is
// reserved for need the verb on `resourceclaims/binding`, changes of the status of devices a verb on
// `resourceclaims/driver` for each driver.
std::unique_ptr<WriteCheck> MakeClaimStatusCheck(const Dependencies& dependencies);

}  // namespace keelson::registry::resource
