// MatchConditions: expressions over a SubjectAccessReview that say which requests a webhook is asked about.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/validation/field.h"
#include "auth/attributes.h"
#include "base/result.h"
#include "cel/program.h"

namespace keelson::auth {

// Threads: any.
class MatchConditions {
 public:
  // Compiles `expressions`; `path` is that of their list. Adds what is wrong to `errors`, in upstream's
  // words. Null: there is no condition.
  static std::shared_ptr<const MatchConditions> Compile(const std::vector<std::string>& expressions,
                                                        const api::field::Path& path,
                                                        api::field::ErrorList& errors);

  // Whether all conditions hold. One that does not hold outweighs errors of the others.
  base::Result<bool, std::string> Match(const Attributes& attributes) const;

 private:
  struct Condition {
    cel::Program program;
    std::string expression;
  };
  std::vector<Condition> conditions_;
};

}  // namespace keelson::auth
