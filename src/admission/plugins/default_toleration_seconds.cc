#include "admission/plugins/default_toleration_seconds.h"

#include <utility>

#include "api/generated/core_v1.h"

namespace keelson::admission {
namespace {

constexpr std::string_view kNoExecute = "NoExecute";

bool Tolerates(api::core_v1::PodSpecView spec, std::string_view taint) {
  for (const auto toleration : spec.tolerations()) {
    const bool key = toleration.key().empty() || toleration.key() == taint;
    if (key && (toleration.effect().empty() || toleration.effect() == kNoExecute)) return true;
  }
  return false;
}

void Add(api::core_v1::PodSpecEditor spec, std::string_view taint, int64_t seconds) {
  auto toleration = spec.add_tolerations();
  toleration.set_key_static(taint);
  toleration.set_operator_static("Exists");
  toleration.set_effect_static(kNoExecute);
  toleration.set_toleration_seconds(seconds);
}

}  // namespace

Concern DefaultTolerationSeconds::ConcernWith(const api::ResourceDesc& resource,
                                              std::string_view subresource) const {
  return {.mutates = Is(resource, subresource, {"", "pods"})};
}

base::Task<Verdict> DefaultTolerationSeconds::Mutate(Attributes request) const {
  if (request.operation == Operation::kDelete) co_return Verdict();
  auto spec = api::core_v1::PodEditor(*request.object).mutable_spec();
  for (const auto& [taint, seconds] : {std::pair{"node.kubernetes.io/not-ready", not_ready_seconds_},
                                       std::pair{"node.kubernetes.io/unreachable", unreachable_seconds_}})
    if (!Tolerates(spec, taint)) Add(spec, taint, seconds);
  co_return Verdict();
}

}  // namespace keelson::admission
