#include "api/validation/conditions.h"

#include <algorithm>
#include <set>
#include <string>

#include "api/validation/labels.h"
#include "api/validation/names.h"
#include "base/ascii.h"

namespace keelson::api {
namespace {

using base::IsDigit;
using base::IsLetter;

constexpr size_t kMaxReasonBytes = 1024;
constexpr size_t kMaxMessageBytes = 32 * 1024;

bool IsWord(char c) { return IsLetter(c) || IsDigit(c) || c == '_'; }

bool IsReason(std::string_view reason) {
  return IsLetter(reason.front()) && (reason.size() == 1 || IsWord(reason.back())) &&
         std::ranges::all_of(reason, [](char c) { return IsWord(c) || c == ',' || c == ':'; });
}

void CheckReason(std::string_view reason, const field::Path& path, field::ErrorList& errors) {
  if (reason.empty()) return errors.Add(field::Required(path, ""));
  constexpr std::string_view kExamples[] = {"my_name", "MY_NAME", "MyName", "ReasonA,ReasonB",
                                            "ReasonA:ReasonB"};
  if (!IsReason(reason))
    errors.Add(field::Invalid(
        path, field::RenderValue(reason),
        RegexMessage("a condition reason must start with alphabetic character, optionally followed by a "
                     "string of alphanumeric characters or '_,:', and must end with an alphanumeric "
                     "character or '_'",
                     "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?", kExamples)));
  if (reason.size() > kMaxReasonBytes) errors.Add(field::TooLong(path, kMaxReasonBytes));
}

void CheckCondition(meta_v1::ConditionView condition, const field::Path& path, field::ErrorList& errors) {
  constexpr std::string_view kStatuses[] = {"False", "True", "Unknown"};
  errors.Append(ValidateLabelName(condition.type(), path.Child("type")));
  if (std::ranges::find(kStatuses, condition.status()) == std::end(kStatuses))
    errors.Add(field::NotSupported(path.Child("status"), field::RenderValue(condition.status()), kStatuses));
  if (condition.observed_generation() < 0)
    errors.Add(field::Invalid(path.Child("observedGeneration"),
                              field::RenderValue(condition.observed_generation()),
                              "must be greater than or equal to zero"));
  if (!condition.has_last_transition_time())
    errors.Add(field::Required(path.Child("lastTransitionTime"), ""));
  CheckReason(condition.reason(), path.Child("reason"), errors);
  if (condition.message().size() > kMaxMessageBytes)
    errors.Add(field::TooLong(path.Child("message"), kMaxMessageBytes));
}

}  // namespace

field::ErrorList ValidateConditions(ListView<meta_v1::ConditionView> conditions, const field::Path& path) {
  field::ErrorList errors;
  std::set<std::string_view> types;
  size_t i = 0;
  for (auto condition : conditions) {
    const field::Path at = path.Index(i++);
    if (!types.insert(condition.type()).second)
      errors.Add(field::Duplicate(at.Child("type"), field::RenderValue(condition.type())));
    CheckCondition(condition, at, errors);
  }
  return errors;
}

}  // namespace keelson::api
