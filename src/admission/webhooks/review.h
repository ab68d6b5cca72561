// AdmissionReview: what a webhook is asked, and what its answer says. Versions v1 and v1beta1 of
// admission.k8s.io.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "admission/attributes.h"
#include "admission/webhooks/review_document.h"
#include "base/result.h"
#include "base/slice.h"

namespace keelson::admission {

// The JSON of the review of `request`, whose resource and objects are in the version that is asked about.
// `version`: "v1" or "v1beta1"; `uid` stands for the review.
base::Slice WriteReview(std::string_view version, std::string_view uid, const Attributes& request);

// An object as a review shows it, with its kind and apiVersion; null without one.
void AppendObject(const api::Doc* object, const Attributes& request, base::BufferBuilder& out);

struct ReviewAnswer {
  bool allowed = false;
  std::optional<api::Status> result;  // of a denial
  std::string patch, patch_type;      // of a mutating webhook; empty: none
  std::vector<std::string> warnings;
  std::vector<std::pair<std::string, std::string>> audit_annotations;  // keys without the webhook's name
};
// `body`: the answer to a review of that version and uid. v1 is read strictly, v1beta1 as leniently as ever.
base::Result<ReviewAnswer, AnswerError> ReadAnswer(std::string_view body, std::string_view version,
                                                   std::string_view uid, bool mutating);

// What a client is told of a denial.
api::Status DenialOf(std::string_view webhook, std::optional<api::Status> result);

}  // namespace keelson::admission
