#include "api/validation/label_selector.h"

#include "api/validation/labels.h"
#include "api/validation/names.h"

namespace keelson::api {

field::ErrorList ValidateLabelSelectorRequirement(meta_v1::LabelSelectorRequirementView requirement,
                                                  const field::Path& path,
                                                  const LabelSelectorOptions& options) {
  field::ErrorList errors;
  const std::string_view op = requirement.operator_();
  const field::Path values = path.Child("values");
  if (op == "In" || op == "NotIn") {
    if (requirement.values().empty()) {
      errors.Add(field::Required(values, "must be specified when `operator` is 'In' or 'NotIn'"));
    }
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (!requirement.values().empty()) {
      errors.Add(
          field::Forbidden(values, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
    }
  } else if (!options.allow_unknown_operators) {
    errors.Add(
        field::Invalid(path.Child("operator"), field::RenderValue(op), "not a valid selector operator"));
  }
  errors.Append(ValidateLabelName(requirement.key(), path.Child("key")));
  if (!options.allow_invalid_values) {
    size_t i = 0;
    for (const Value& value : requirement.values()) {
      errors.AddInvalid(values.Index(i++), value.string(), IsLabelValue(value.string()));
    }
  }
  return errors;
}

field::ErrorList ValidateLabelSelector(meta_v1::LabelSelectorView selector, const field::Path& path,
                                       const LabelSelectorOptions& options) {
  field::ErrorList errors = ValidateLabels(selector.match_labels(), path.Child("matchLabels"));
  const field::Path expressions = path.Child("matchExpressions");
  size_t i = 0;
  for (const auto requirement : selector.match_expressions()) {
    errors.Append(ValidateLabelSelectorRequirement(requirement, expressions.Index(i++), options));
  }
  return errors;
}

}  // namespace keelson::api
