// QuotaCheck: whether writes fit into the quotas of a namespace, and what these say of
// their use when all that fit are done.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "admission/plugin.h"
#include "admission/plugins/limited_resources.h"
#include "api/types/doc.h"
#include "quota/evaluator.h"

namespace keelson::admission {

// Threads: one at a time.
class QuotaCheck {
 public:
  // `now` is in Unix seconds. `limited` must be covered by the quotas.
  QuotaCheck(std::vector<api::Doc> quotas, int64_t now, LimitedResources limited = {});

  // Refuses a write that does not fit. One that does is charged, so that the next has that
  // much less; not a dry run.
  Verdict Check(const Attributes& request, const quota::Evaluator& evaluator);
  // Whether the last write that fit was charged to any quota.
  bool charged() const { return charged_; }

  // The quotas whose status has to be written, with what they were charged.
  std::vector<api::Doc> Changed() const;

 private:
  struct Quota {
    api::Doc doc;
    quota::Usage hard, used;  // by the status
    bool changed = false;
  };
  // What a write asks of one quota.
  struct Charge {
    Quota* quota = nullptr;
    quota::Usage usage;
  };

  // The quotas that limit the object, or why it cannot be told.
  base::Result<std::vector<Charge>, api::Status> Concerned(const Attributes& request,
                                                           const quota::Evaluator& evaluator);
  // True: the write uses more of anything, whether or not a quota limits it.
  base::Result<bool, api::Status> Measure(const Attributes& request, const quota::Evaluator& evaluator,
                                          std::vector<Charge>& charges);
  // Refuses a write whose use must be limited by a quota, but is not.
  Verdict CheckCovered(const Attributes& request, const quota::Evaluator& evaluator,
                       const std::vector<Charge>& charges) const;
  static bool Limits(const Quota& quota, const quota::Evaluator& evaluator, const api::Doc& object);

  std::vector<Quota> quotas_;
  const int64_t now_;
  const LimitedResources limited_;
  bool charged_ = false;
};

}  // namespace keelson::admission
