// Decisions: what expressions ask the authorizer. An expression cannot wait, so what is not
// known yet ends its evaluation; it is found out, and the evaluation starts over.
#pragma once

#include <utility>
#include <vector>

#include "auth/authorizer.h"
#include "auth/user.h"
#include "base/task.h"
#include "cel/authorizer.h"

namespace keelson::admission {

// Belongs to one request.
class Decisions final : public cel::Authorizer {
 public:
  // Borrows both; a null authorizer has no opinion.
  Decisions(const auth::User* user, auth::Authorizer* authorizer) : user_(user), authorizer_(authorizer) {}

  // Thrown through an evaluation that needs a decision.
  struct Needed {};

  cel::AuthorizationDecision Check(const cel::AuthorizationCheck& check) const override;
  // Finds out what was asked for last.
  base::Task<void> FindOut();

 private:
  const auth::User* user_;
  auth::Authorizer* authorizer_;
  std::vector<std::pair<cel::AuthorizationCheck, cel::AuthorizationDecision>> known_;
  mutable cel::AuthorizationCheck wanted_;
};

}  // namespace keelson::admission
