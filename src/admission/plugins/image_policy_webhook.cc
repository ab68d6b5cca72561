#include "admission/plugins/image_policy_webhook.h"

#include <limits>

#include "admission/audit_annotations.h"
#include "admission/configuration.h"
#include "admission/plugins/resources.h"
#include "api/codec/json.h"
#include "api/codec/time_format.h"
#include "api/generated/admission_config.h"
#include "api/generated/core_v1.h"
#include "api/meta/object_meta.h"
#include "base/log.h"

namespace keelson::admission {
namespace {

using api::admission_config::ImagePolicyConfigurationView;
using api::admission_config::ImageReviewEditor;
using api::admission_config::ImageReviewView;
using std::chrono::nanoseconds;

constexpr std::string_view kEphemeral = "ephemeralcontainers";
constexpr std::string_view kReviewVersion = "imagepolicy.k8s.io/v1alpha1";
constexpr std::string_view kAuditPrefix = "imagepolicywebhook.image-policy.k8s.io/";
constexpr size_t kMostAnswers = 1024;

std::string GoText(nanoseconds duration) {
  char text[api::kMaxDurationSize];
  return {text, api::FormatDuration(duration.count(), text)};
}

// -1 switches off, 0 leaves the default that `out` has; else it is a number of `scale`.
base::Result<void, std::string> Normalize(int64_t given, nanoseconds scale, nanoseconds least,
                                          nanoseconds most, nanoseconds& out) {
  if (given == -1) out = nanoseconds(0);
  if (given == -1 || given == 0) return {};
  int64_t scaled = 0;
  if (__builtin_mul_overflow(given, scale.count(), &scaled))
    scaled = given < 0 ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
  out = nanoseconds(scaled);
  if (out >= least && out <= most) return {};
  return base::Err("valid value is between " + GoText(least) + " and " + GoText(most) + ", got " +
                   GoText(out));
}

// The review of a pod's images, without an answer.
api::Doc ReviewOf(const Attributes& request) {
  api::Doc doc(ImageReviewView::Type());
  ImageReviewEditor review(doc);
  review.set_kind_static("ImageReview");
  review.set_api_version_static(kReviewVersion);
  auto spec = review.mutable_spec();
  const api::core_v1::PodView pod(*request.object);
  if (request.subresource.empty()) {
    for (const auto container : pod.spec().containers()) spec.add_containers().set_image(container.image());
    for (const auto container : pod.spec().init_containers())
      spec.add_containers().set_image(container.image());
  } else {
    for (const auto container : pod.spec().ephemeral_containers())
      spec.add_containers().set_image(container.ephemeral_container_common().image());
  }
  for (const auto& [key, value] : pod.metadata().annotations())
    if (key.find(".image-policy.k8s.io/") != std::string_view::npos)
      spec.put_annotations(key, value.string());
  spec.set_namespace(request.ns);
  return doc;
}

std::string JsonOf(const api::StructNode& node) {
  base::BufferBuilder out;
  api::json::Encode(node, out);
  return std::string(out.view());
}

}  // namespace

base::Result<ImagePolicyConfig, std::string> ParseImagePolicyConfig(const std::optional<std::string>& text) {
  const std::string failed = "couldn't init admission plugin \"ImagePolicyWebhook\": ";
  if (!text) return base::Err(failed + "no config specified");
  const auto decoded = DecodeConfiguration(*text, {.type = ImagePolicyConfigurationView::Type()});
  if (!decoded) return base::Err(failed + decoded.error().message);
  const auto given = ImagePolicyConfigurationView(*decoded).image_policy();
  ImagePolicyConfig config{.kubeconfig_file = std::string(given.kube_config_file()),
                           .default_allow = given.default_allow()};
  using std::chrono::minutes, std::chrono::milliseconds, std::chrono::seconds;
  const auto normalize = [&]() -> base::Result<void, std::string> {
    TRY(Normalize(given.retry_backoff(), milliseconds(1), nanoseconds(1), minutes(5), config.retry_backoff));
    TRY(Normalize(given.allow_ttl(), seconds(1), seconds(1), minutes(30), config.allow_ttl));
    return Normalize(given.deny_ttl(), seconds(1), seconds(1), minutes(30), config.deny_ttl);
  };
  if (auto normal = normalize(); !normal) return base::Err(failed + normal.error());
  return config;
}

ImagePolicyWebhook::ImagePolicyWebhook(const ImagePolicyConfig& config, ImageReviewer& reviewer,
                                       const base::Clock& clock)
    : config_(config), reviewer_(reviewer), clock_(clock), answers_(kMostAnswers) {}

Concern ImagePolicyWebhook::ConcernWith(const api::ResourceDesc& resource,
                                        std::string_view subresource) const {
  return {.validates = Is(resource, "", kPods) && (subresource.empty() || subresource == kEphemeral)};
}

std::optional<ImagePolicyWebhook::Answer> ImagePolicyWebhook::Remembered(const base::SipDigest& spec) const {
  const base::MutexLock lock(mu_);
  const Answer* const answer = answers_.Find(spec);
  if (!answer || clock_.SteadyNow() >= answer->until) return std::nullopt;
  return *answer;
}

base::Task<base::Result<ImagePolicyWebhook::Answer, std::string>> ImagePolicyWebhook::Ask(
    std::string review) const {
  const std::string body = CO_TRY(co_await reviewer_.Review(std::move(review)));
  constexpr ConfigurationKind kAnswerKinds[] = {{kReviewVersion, "ImageReview"}};
  const auto answer = DecodeConfiguration(body, {.type = ImageReviewView::Type(), .kinds = kAnswerKinds});
  if (!answer) co_return base::Err(answer.error().message);
  const auto status = ImageReviewView(*answer).status();
  Answer said{status.allowed(), std::string(status.reason()), {}, {}};
  for (const auto& [key, value] : status.audit_annotations())
    said.annotations.emplace_back(key, value.string());
  co_return said;
}

base::Task<Verdict> ImagePolicyWebhook::Validate(Attributes request) const {
  if (!request.object) co_return Verdict();
  const api::Doc review = ReviewOf(request);
  const base::SipDigest spec = base::SipHash128(digest_key_, JsonOf(*ImageReviewView(review).spec().node()));
  std::optional<Answer> answer = Remembered(spec);
  if (!answer) {
    std::optional<base::Absence> absence(std::in_place, request.occupancy);
    auto asked = co_await Ask(JsonOf(*review.root()));
    absence.reset();
    if (!asked) {
      base::Log(base::LogLevel::kError, "the image policy webhook cannot be asked", {{"why", asked.error()}});
      if (!config_.default_allow) co_return Refuse(request, asked.error());
      AddAuditAnnotation(request, std::string(kAuditPrefix) + "failed-open", "true");
      co_return Verdict();
    }
    answer = *std::move(asked);
    answer->until = clock_.SteadyNow() + (answer->allowed ? config_.allow_ttl : config_.deny_ttl);
    const base::MutexLock lock(mu_);
    answers_.Put(spec, *answer);
  }
  for (const auto& [key, value] : answer->annotations)
    AddAuditAnnotation(request, std::string(kAuditPrefix) + key, value);
  if (answer->allowed) co_return Verdict();
  co_return Refuse(request,
                   answer->reason.empty()
                       ? "one or more images rejected by webhook backend"
                       : "image policy webhook backend denied one or more images: " + answer->reason);
}

}  // namespace keelson::admission
