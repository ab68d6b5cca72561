// ReviewDocument: the answer of a webhook, of whatever kind of review, as far as all kinds are alike.
#pragma once

#include <string>
#include <string_view>

#include "api/codec/json.h"
#include "api/types/view.h"
#include "base/result.h"

namespace keelson::admission {

// A kind of review, in the version in which it was sent.
struct ReviewKind {
  std::string_view group;  // "admission.k8s.io"
  std::string_view version;
  std::string_view kind;  // "AdmissionReview"
};

// Why a webhook's answer is none.
struct AnswerError {
  bool decoded = false;  // it is a review, but not an answer to this one
  std::string message;   // in upstream's words
};

struct ReviewDocument {
  std::string json;
  api::json::TypeMeta meta;  // as given
};
// Reads `body` as upstream's decoder does: what does not look like a JSON object is YAML, and what is not
// given of the kind is as `expected`. The error is upstream's text.
base::Result<ReviewDocument, std::string> OpenReview(std::string_view body, const ReviewKind& expected);

// Says that the document must name its kind, and does not; empty: it does.
std::string WhyOtherKind(const api::json::TypeMeta& meta, const ReviewKind& expected);
// Says that an answer is to another review; empty: it is to that of `uid`.
std::string WhyOtherUid(std::string_view given, std::string_view uid);

// The first of the offered versions that is known here, "v1" or "v1beta1"; empty: there is none.
std::string_view FirstKnownVersion(api::ScalarList offered);

}  // namespace keelson::admission
