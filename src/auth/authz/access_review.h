// SubjectAccessReview: how a webhook is asked whether somebody may do something.
#pragma once

#include <string>
#include <string_view>

#include "auth/attributes.h"
#include "base/result.h"

namespace keelson::auth {

// What the webhook says.
struct AccessReviewStatus {
  bool allowed = false, denied = false;
  std::string reason;
};

// The spec of a review, in JSON; `version` is v1 or v1beta1.
std::string AccessReviewSpec(const Attributes& attributes, std::string_view version);
// The review with that spec.
std::string AccessReview(std::string_view spec, std::string_view version);

// Reads an answer, which may leave out its version and kind.
base::Result<AccessReviewStatus, std::string> ParseAccessReview(std::string_view json,
                                                                std::string_view version);

}  // namespace keelson::auth
