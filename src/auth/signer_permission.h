// Whether a user may approve or sign certificates in the name of a signer: a permission on the resource
// `signers`, which exists for that question only.
#pragma once

#include <string_view>

#include "auth/authorizer.h"
#include "auth/user.h"
#include "base/task.h"

namespace keelson::auth {

// Asks for `verb` on the signer itself ("example.com/a"), then on all of its domain ("example.com/*"). An
// answer that comes with an error allows nothing, and neither does a null authorizer. Borrows its arguments
// until the task is done.
base::Task<bool> MayActForSigner(Authorizer* authorizer, const User* user, std::string_view verb,
                                 std::string_view signer);

}  // namespace keelson::auth
