#include <set>
#include <string>

#include "api/validation/apps/workload.h"
#include "api/validation/batch/indexes.h"
#include "api/validation/batch/job.h"
#include "api/validation/core/fields.h"
#include "api/validation/render.h"
#include "api/validation/unversioned.h"

namespace keelson::api::batch {
namespace {

using namespace batch_v1;
using core::ErrorList;
using core::Path;
using field::RenderValue;

constexpr std::string_view kComplete = "Complete", kFailed = "Failed", kFailureTarget = "FailureTarget",
                           kSuccessCriteriaMet = "SuccessCriteriaMet", kSuspended = "Suspended";

// The status of a job before and after, and what changed. A rule is checked only when what
// it speaks of changes, so that a status that broke it before does not hold up the rest.
struct Transition {
  JobView now_job;
  JobStatusView now, was;
  Path path{"status"};

  bool Is(std::string_view condition) const { return HasCondition(now, condition); }
  bool Was(std::string_view condition) const { return HasCondition(was, condition); }
  bool Flipped(std::string_view condition) const { return Is(condition) != Was(condition); }
  // An absent status has no fields.
  bool Changed(std::string_view member) const {
    const size_t ordinal = kJobStatusType.FindMember(member).field->ordinal;
    const Value before = was ? was.node()->slot(ordinal) : Value();
    const Value after = now ? now.node()->slot(ordinal) : Value();
    return !Equal(before, after, *kJobStatusType.fields[ordinal].type);
  }
  bool IsFinished() const { return Is(kComplete) || Is(kFailed); }
  bool FinishFlipped() const { return IsFinished() != (Was(kComplete) || Was(kFailed)); }
  std::string Render(std::string_view member) const { return field::RenderField(now.node(), member); }

  void Refuse(bool wrong, std::string_view why, ErrorList& errors) const {
    if (wrong) errors.Add(Contradiction(path.Child("conditions"), why));
  }
};

void CheckUids(ScalarList uids, std::set<std::string_view>& seen, const Path& path, ErrorList& errors) {
  size_t i = 0;
  for (const Value& uid : uids) {
    const Path at = path.Index(i++);
    if (uid.string().empty()) {
      errors.Add(field::Invalid(at, "\"\"", "must not be empty"));
    } else if (!seen.insert(uid.string()).second) {
      errors.Add(field::Duplicate(at, RenderValue(uid.string())));
    }
  }
}

void CheckCounts(const Transition& t, ErrorList& errors) {
  apps::StatusCounts counts(t.path, errors);
  counts.NonNegative(t.now.active(), "active");
  counts.NonNegative(t.now.succeeded(), "succeeded");
  counts.NonNegative(t.now.failed(), "failed");
  counts.NonNegative(t.now.ready(), "ready");
  counts.NonNegative(t.now.terminating(), "terminating");
  const auto uncounted = t.now.uncounted_terminated_pods();
  const Path path = t.path.Child("uncountedTerminatedPods");
  std::set<std::string_view> seen;
  CheckUids(uncounted.succeeded(), seen, path.Child("succeeded"), errors);
  CheckUids(uncounted.failed(), seen, path.Child("failed"), errors);
}

void CheckContradictions(const Transition& t, ErrorList& errors) {
  t.Refuse((t.Flipped(kComplete) || t.Flipped(kFailed)) && t.Is(kComplete) && t.Is(kFailed),
           "cannot set Complete=True and Failed=true conditions", errors);
  t.Refuse((t.Flipped(kComplete) || t.Flipped(kFailureTarget)) && t.Is(kComplete) && t.Is(kFailureTarget),
           "cannot set Complete=True and FailureTarget=true conditions", errors);
}

// A job ends in two steps: what becomes of it is said before it is final.
void CheckSteps(const Transition& t, ErrorList& errors) {
  t.Refuse((t.Flipped(kFailed) || t.Changed("failedIndexes")) && t.Is(kFailed) && !t.Is(kFailureTarget),
           "cannot set Failed=True condition without the FailureTarget=true condition", errors);
  t.Refuse((t.Flipped(kComplete) || t.Flipped(kSuccessCriteriaMet)) && t.Is(kComplete) &&
               !t.Is(kSuccessCriteriaMet),
           "cannot set Complete=True condition without the SuccessCriteriaMet=true condition", errors);
}

void CheckSuccess(const Transition& t, ErrorList& errors) {
  const bool met = t.Is(kSuccessCriteriaMet);
  t.Refuse(met && t.Is(kFailed), "cannot set SuccessCriteriaMet=True and Failed=true conditions", errors);
  t.Refuse(met && t.Is(kFailureTarget),
           "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions", errors);
  t.Refuse(t.now_job.spec().success_policy() && !met && t.Is(kComplete),
           "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True", errors);
}

void CheckTimes(const Transition& t, ErrorList& errors) {
  const Path completion = t.path.Child("completionTime");
  const bool completion_matters = t.Flipped(kComplete) || t.Changed("completionTime");
  if (completion_matters && t.now.has_completion_time() && !t.Is(kComplete))
    errors.Add(field::Invalid(completion, t.Render("completionTime"),
                              "cannot set completionTime when there is no Complete=True condition"));
  if (completion_matters && !t.now.has_completion_time() && t.Is(kComplete))
    errors.Add(field::Required(completion, "completionTime is required for Complete jobs"));
  if ((t.Changed("startTime") || t.Changed("completionTime")) && t.now.has_start_time() &&
      t.now.has_completion_time() && t.now.completion_time() < t.now.start_time())
    errors.Add(
        field::Invalid(completion, t.Render("completionTime"), "must be equal to or after `startTime`"));
}

void CheckFinished(const Transition& t, ErrorList& errors) {
  if (!t.IsFinished()) return;
  const bool flipped = t.FinishFlipped();
  if ((flipped || t.Changed("active")) && t.now.active() > 0)
    errors.Add(field::Invalid(t.path.Child("active"), RenderValue(t.now.active()),
                              "active>0 is invalid for finished job"));
  const auto spec = t.now_job.spec();
  const bool never_ran = spec.suspend() && spec.has_completions() && spec.completions() == 0;
  if ((flipped || t.Changed("startTime")) && !never_ran && !t.now.has_start_time())
    errors.Add(field::Required(t.path.Child("startTime"), "startTime is required for finished job"));
  const auto uncounted = t.now.uncounted_terminated_pods();
  if ((flipped || t.Changed("uncountedTerminatedPods")) &&
      (!uncounted.failed().empty() || !uncounted.succeeded().empty()))
    errors.Add(field::Invalid(t.path.Child("uncountedTerminatedPods"),
                              field::RenderUnversioned(uncounted.node()), "must be empty for finished job"));
}

void CheckIndexes(const Transition& t, ErrorList& errors) {
  const auto spec = t.now_job.spec();
  const Path completed = t.path.Child("completedIndexes"), failed = t.path.Child("failedIndexes");
  const std::string_view completed_text = t.now.completed_indexes(), failed_text = t.now.failed_indexes();
  const bool completed_changed = t.Changed("completedIndexes"), failed_changed = t.Changed("failedIndexes");
  auto check_format = [&](std::string_view text, const Path& at, const std::string& member) {
    const auto count = CountIndexes(text, spec.completions());
    if (!count)
      errors.Add(field::Invalid(at, RenderValue(text), "error parsing " + member + ": " + count.error()));
  };
  if (completed_changed && spec.has_completions())
    check_format(completed_text, completed, "completedIndexes");
  if (failed_changed && spec.has_completions() && spec.has_backoff_limit_per_index() &&
      t.now.has_failed_indexes())
    check_format(failed_text, failed, "failedIndexes");
  if (completed_changed && !completed_text.empty() && spec.completion_mode() != CompletionMode::kIndexed)
    errors.Add(field::Invalid(completed, RenderValue(completed_text),
                              "cannot set non-empty completedIndexes when non-indexed completion mode"));
  if (failed_changed && !spec.has_backoff_limit_per_index() && t.now.has_failed_indexes())
    errors.Add(field::Invalid(failed, RenderValue(failed_text),
                              "cannot set non-null failedIndexes when backoffLimitPerIndex is null"));
  if ((failed_changed || completed_changed) && spec.has_completions() && t.now.has_failed_indexes()) {
    if (const auto common = FirstCommonIndex(completed_text, failed_text, spec.completions()))
      errors.Add(
          field::Invalid(failed, RenderValue(failed_text),
                         "failedIndexes and completedIndexes overlap at index: " + std::to_string(*common)));
  }
}

void CheckPods(const Transition& t, ErrorList& errors) {
  if ((t.FinishFlipped() || t.Changed("terminating")) && t.IsFinished() && t.now.terminating() > 0)
    errors.Add(field::Invalid(t.path.Child("terminating"), RenderValue(t.now.terminating()),
                              "terminating>0 is invalid for finished job"));
  if ((t.Changed("ready") || t.Changed("active")) && t.now.has_ready() && t.now.ready() > t.now.active())
    errors.Add(field::Invalid(t.path.Child("ready"), RenderValue(t.now.ready()),
                              "cannot set more ready pods than active"));
}

// Counters and times that may not go back.
void CheckProgress(const Transition& t, ErrorList& errors) {
  for (std::string_view condition : {kFailed, kComplete, kFailureTarget})
    t.Refuse(t.Was(condition) && !t.Is(condition),
             "cannot disable the terminal " + std::string(condition) + "=True condition", errors);
  if (t.now.failed() < t.was.failed())
    errors.Add(field::Invalid(t.path.Child("failed"), RenderValue(t.now.failed()),
                              "cannot decrease the failed counter"));
  // A job with as many completions as pods at a time can be made smaller.
  const auto spec = t.now_job.spec();
  const bool may_shrink = spec.completion_mode() == CompletionMode::kIndexed &&
                          spec.has_completions() == spec.has_parallelism() &&
                          spec.completions() == spec.parallelism();
  if (!may_shrink && t.now.succeeded() < t.was.succeeded())
    errors.Add(field::Invalid(t.path.Child("succeeded"), RenderValue(t.now.succeeded()),
                              "cannot decrease the succeeded counter"));
  if (t.now.has_completion_time() && t.was.has_completion_time() &&
      t.now.completion_time() != t.was.completion_time())
    errors.Add(field::Invalid(t.path.Child("completionTime"), t.Render("completionTime"), kFieldImmutable));
  bool resumes = false;
  for (auto condition : t.now.conditions())
    resumes |= t.Was(kSuspended) && condition.type() == kSuspended && condition.status() == "False";
  if (t.Changed("startTime") && !resumes && t.was.has_start_time() && !spec.suspend())
    errors.Add(field::Invalid(t.path.Child("startTime"), t.Render("startTime"),
                              "field is immutable for unsuspended job once set"));
  t.Refuse(t.Was(kSuccessCriteriaMet) && !t.Is(kSuccessCriteriaMet),
           "cannot disable the SuccessCriteriaMet=True condition", errors);
  t.Refuse(t.Was(kComplete) && !t.Was(kSuccessCriteriaMet) && t.Is(kSuccessCriteriaMet),
           "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions", errors);
}

}  // namespace

field::ErrorList ValidateJobStatusUpdate(JobView now, JobView was) {
  ErrorList errors;
  const Transition t{now, now.status(), was.status()};
  CheckCounts(t, errors);
  CheckContradictions(t, errors);
  CheckTimes(t, errors);
  CheckSteps(t, errors);
  CheckFinished(t, errors);
  CheckIndexes(t, errors);
  CheckPods(t, errors);
  CheckSuccess(t, errors);
  CheckProgress(t, errors);
  return errors;
}

}  // namespace keelson::api::batch
