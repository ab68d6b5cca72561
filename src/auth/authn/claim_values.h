// Claims and users as values of the expression language.
#pragma once

#include "auth/authn/claim_rules.h"
#include "cel/value.h"

namespace keelson::auth {

// A map by the names of the claims. Numbers are doubles, as JSON has no others. A key may be written with
// escapes, as in claims.acme__dot__com. Borrows `claims`.
cel::Value ClaimsValue(const RawClaims& claims);
// A map with username, uid, groups and extra.
cel::Value UserValue(const User& user);

// The strings of a string or a list of them, without empty ones; null is none.
base::Result<std::vector<std::string>, std::string> TextsOf(const cel::Value& value);

}  // namespace keelson::auth
