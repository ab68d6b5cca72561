#include "admission/webhooks/review_document.h"

#include "api/codec/yaml.h"
#include "api/validation/quote.h"

namespace keelson::admission {
namespace {

std::string ApiVersion(const ReviewKind& kind) {
  return std::string(kind.group) + "/" + std::string(kind.version);
}

// The error of upstream's decoder for a document whose kind or apiVersion is not the expected one; empty: the
// document is of that kind.
std::string WhyNotDecoded(const api::json::TypeMeta& meta, const ReviewKind& expected) {
  const std::string wanted = ApiVersion(expected);
  const std::string& given = meta.api_version.empty() ? wanted : meta.api_version;
  const std::string kind = meta.kind.empty() ? std::string(expected.kind) : meta.kind;
  if (kind == expected.kind && given == wanted) return {};
  const std::string prefix = std::string(expected.group) + "/";
  if (kind == expected.kind && given.starts_with(prefix)) {
    const std::string other = given.substr(prefix.size());
    if (other == "v1" || other == "v1beta1")
      return "converting (" + other + "." + kind + ") to (" + std::string(expected.version) + "." + kind +
             "): unknown conversion";
  }
  return "no kind " + api::Quoted(kind) + " is registered for version " + api::Quoted(given) +
         " in scheme \"pkg/runtime/scheme.go:111\"";
}

std::string KindText(std::string_view api_version, std::string_view kind) {
  if (api_version.empty()) return "/, Kind=" + std::string(kind);
  std::string text(api_version);
  if (text.find('/') == std::string::npos) text.insert(0, "/");
  return text + ", Kind=" + std::string(kind);
}

}  // namespace

base::Result<ReviewDocument, std::string> OpenReview(std::string_view body, const ReviewKind& expected) {
  const std::string failed = "couldn't get version/kind; json parse error: ";
  ReviewDocument review;
  if (const size_t first = body.find_first_not_of(" \t\r\n"); first != body.npos && body[first] != '{') {
    auto json = api::yaml::ToJson(body, nullptr);
    if (!json) return base::Err(failed + json.error().message);
    review.json = *std::move(json);
  } else {
    review.json = body;
  }
  auto meta = api::json::PeekTypeMeta(review.json);
  if (!meta) return base::Err(failed + meta.error().message);
  if (std::string why = WhyNotDecoded(*meta, expected); !why.empty()) return base::Err(std::move(why));
  review.meta = *std::move(meta);
  return review;
}

std::string WhyOtherKind(const api::json::TypeMeta& meta, const ReviewKind& expected) {
  const std::string wanted = ApiVersion(expected);
  if (meta.api_version == wanted && meta.kind == expected.kind) return {};
  return "expected webhook response of " + KindText(wanted, expected.kind) + ", got " +
         KindText(meta.api_version, meta.kind);
}

std::string WhyOtherUid(std::string_view given, std::string_view uid) {
  if (given == uid) return {};
  return "expected response.uid=" + api::Quoted(uid) + ", got " + api::Quoted(given);
}

std::string_view FirstKnownVersion(api::ScalarList offered) {
  for (const api::Value& version : offered)
    for (const std::string_view known : {"v1", "v1beta1"})
      if (version.string() == known) return known;
  return {};
}

}  // namespace keelson::admission
