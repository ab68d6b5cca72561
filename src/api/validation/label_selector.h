// metav1.LabelSelector inside objects.
#pragma once

#include "api/generated/meta_v1.h"
#include "api/validation/field.h"

namespace keelson::api {

struct LabelSelectorOptions {
  // For updates of objects that were stored before values were checked.
  bool allow_invalid_values = false;
  // For reviews by newer clients, whose operators this server may not know.
  bool allow_unknown_operators = false;
};

field::ErrorList ValidateLabelSelectorRequirement(meta_v1::LabelSelectorRequirementView requirement,
                                                  const field::Path& path,
                                                  const LabelSelectorOptions& options = {});

// An absent selector is valid.
field::ErrorList ValidateLabelSelector(meta_v1::LabelSelectorView selector, const field::Path& path,
                                       const LabelSelectorOptions& options = {});

}  // namespace keelson::api
