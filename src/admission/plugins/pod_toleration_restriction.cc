#include "admission/plugins/pod_toleration_restriction.h"

#include <algorithm>

#include "admission/configuration.h"
#include "admission/plugins/namespace_of.h"
#include "admission/plugins/resources.h"
#include "admission/plugins/tolerations.h"
#include "api/codec/json.h"
#include "api/generated/admission_config.h"
#include "api/meta/object_meta.h"
#include "api/validation/core/qos.h"
#include "api/validation/core/scheduling.h"
#include "api/validation/field.h"

namespace keelson::admission {
namespace {

using api::admission_config::PodTolerationRestrictionConfigurationView;
using api::core_v1::PodQOSClass;
using api::core_v1::PodView;
using api::core_v1::TolerationView;

constexpr ConfigurationKind kTolerationRestrictionKinds[] = {
    {"podtolerationrestriction.admission.k8s.io/v1alpha1", "Configuration"},
};
constexpr std::string_view kDefaultTolerations = "scheduler.alpha.kubernetes.io/defaultTolerations";
constexpr std::string_view kTolerationsWhitelist = "scheduler.alpha.kubernetes.io/tolerationsWhitelist";

// The tolerations in an annotation, under `default` of a configuration. Empty: the namespace has no such
// annotation.
base::Result<api::Doc, api::Status> Annotated(const api::Doc& ns, std::string_view annotation) {
  const api::Value* const text = api::MetadataOf(ns).annotations().Find(annotation);
  if (!text) return api::Doc();
  const auto& type = PodTolerationRestrictionConfigurationView::Type();
  if (text->string().empty()) return api::Doc(type);
  api::Arena arena;
  const auto list = api::json::DecodeAny(text->string(), arena);
  if (!list) return base::Err(Fail(list.error().message).error());
  const std::string_view wrapped =
      arena.Hold(base::Slice::Copy("{\"default\":" + std::string(text->string()) + "}"));
  const auto root = api::json::Decode(wrapped, type, arena, nullptr);
  if (!root) return base::Err(Fail(root.error().message).error());
  return api::Doc(std::move(arena), *root);
}

api::ListView<TolerationView> TolerationsIn(const api::Doc& configuration) {
  return PodTolerationRestrictionConfigurationView(configuration).default_();
}

}  // namespace

base::Result<TolerationRestrictions, std::string> ParseTolerationRestrictions(
    const std::optional<std::string>& text) {
  if (!text) return TolerationRestrictions();
  auto decoded = DecodeConfiguration(*text, {.type = PodTolerationRestrictionConfigurationView::Type(),
                                             .kinds = kTolerationRestrictionKinds});
  const std::string failed = "couldn't init admission plugin \"PodTolerationRestriction\": ";
  if (!decoded) return base::Err(failed + decoded.error().message);
  const PodTolerationRestrictionConfigurationView view(*decoded);
  const api::field::Path path("podtolerationrestriction");
  api::field::ErrorList errors;
  api::core::CheckTolerations(view.default_(), path.Child("default"), errors);
  api::core::CheckTolerations(view.whitelist(), path.Child("whitelist"), errors);
  if (!errors.empty()) {
    std::string all;
    for (const api::field::Error& error : errors) all.append(all.empty() ? "" : " ").append(error.ToString());
    return base::Err(failed + "invalid config: [" + all + "]");
  }
  return std::make_shared<const api::Doc>(*std::move(decoded));
}

Concern PodTolerationRestriction::ConcernWith(const api::ResourceDesc& resource,
                                              std::string_view subresource) const {
  const bool pods = Is(resource, subresource, kPods);
  return {.mutates = pods, .validates = pods};
}

base::Task<Verdict> PodTolerationRestriction::Mutate(Attributes request) const {
  if (!request.object) co_return Verdict();
  std::vector<TolerationView> more;
  api::Doc annotated;  // `more` points into it
  if (request.operation == Operation::kCreate) {
    const api::Doc ns = CO_TRY(co_await NamespaceOf(objects_, std::string(request.ns)));
    annotated = CO_TRY(Annotated(ns, kDefaultTolerations));
    if (annotated)
      more = AllOf(TolerationsIn(annotated));
    else if (restrictions_)
      more = AllOf(TolerationsIn(*restrictions_));
  }
  api::Doc pressure(TolerationView::Type());
  if (api::core::QosClassOf(PodView(*request.object)) != PodQOSClass::kBestEffort) {
    api::core_v1::TolerationEditor toleration(pressure);
    toleration.set_key_static("node.kubernetes.io/memory-pressure");
    toleration.set_operator_static("Exists");
    toleration.set_effect_static("NoSchedule");
    more.push_back(toleration);
  }
  if (!more.empty()) MergeTolerations(api::core_v1::PodEditor(*request.object).mutable_spec(), more);
  co_return co_await Validate(request);
}

base::Task<Verdict> PodTolerationRestriction::Validate(Attributes request) const {
  if (!request.object) co_return Verdict();
  const auto tolerations = PodView(*request.object).spec().tolerations();
  if (tolerations.empty()) co_return Verdict();
  const api::Doc ns = CO_TRY(co_await NamespaceOf(objects_, std::string(request.ns)));
  const api::Doc annotated = CO_TRY(Annotated(ns, kTolerationsWhitelist));
  std::vector<TolerationView> allowed;
  if (annotated)
    allowed = AllOf(TolerationsIn(annotated));
  else if (restrictions_)
    allowed = AllOf(PodTolerationRestrictionConfigurationView(*restrictions_).whitelist());
  if (allowed.empty()) co_return Verdict();
  for (const TolerationView toleration : tolerations) {
    const auto covers = [&](TolerationView one) { return Covers(one, toleration); };
    if (!std::ranges::any_of(allowed, covers))
      co_return Fail(
          std::string(
              "pod tolerations (possibly merged with namespace default tolerations) conflict with its ") +
          (annotated ? "namespace" : "cluster") + " whitelist");
  }
  co_return Verdict();
}

}  // namespace keelson::admission
