// ConversionReview: what a conversion webhook is asked, and what its answer says. Versions v1 and v1beta1 of
// apiextensions.k8s.io.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "admission/webhooks/review_document.h"
#include "api/types/doc.h"
#include "base/result.h"

namespace keelson::extensions {

// An object as a review has it.
std::string ReviewedObject(const api::Doc& object);
// The JSON of a review that asks for `objects`, as ReviewedObject makes them, in the version `api_version`
// ("group/version"). `version`: of the review; `uid` stands for it.
std::string WriteConversionReview(std::string_view version, std::string_view uid,
                                  std::string_view api_version, std::span<const std::string> objects);

// The converted objects, each as JSON. `body`: the answer to a review of that version and uid. v1 must name
// its kind and the uid, v1beta1 need not.
base::Result<std::vector<std::string>, admission::AnswerError> ReadConversionAnswer(std::string_view body,
                                                                                    std::string_view version,
                                                                                    std::string_view uid);

// Why a converted object cannot be taken.
struct ConvertedError {
  enum class What : uint8_t {
    kUnreadable,  // it is no object
    kIdentity,    // its kind or version is not the one that was asked for
    kObject,      // it is another object
    kMetadata,    // its labels or annotations make no sense
  };
  What what = What::kUnreadable;
  std::string text;  // upstream's
};
// `text`, the JSON of what became of `original`, as an object of `type` in the version `api_version`. Its
// metadata is the original's; the labels and annotations are its own.
base::Result<api::Doc, ConvertedError> ReadConverted(std::string_view text, const api::Doc& original,
                                                     const api::TypeDesc& type, std::string_view api_version);

}  // namespace keelson::extensions
