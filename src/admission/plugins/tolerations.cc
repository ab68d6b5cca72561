#include "admission/plugins/tolerations.h"

#include <algorithm>

namespace keelson::admission {

using api::core_v1::PodSpecEditor;
using api::core_v1::TolerationView;

bool Covers(TolerationView wide, TolerationView narrow) {
  if (api::Equal(wide.node(), narrow.node())) return true;
  const bool exists = wide.operator_() == "Exists";
  if (narrow.key() != wide.key() && !(wide.key().empty() && exists)) return false;
  if (!wide.effect().empty() && narrow.effect() != wide.effect()) return false;
  if (wide.effect() == "NoExecute" && wide.has_toleration_seconds() &&
      (!narrow.has_toleration_seconds() || narrow.toleration_seconds() > wide.toleration_seconds()))
    return false;
  if (exists) return true;
  return (wide.operator_().empty() || wide.operator_() == "Equal") && narrow.operator_() == "Equal" &&
         narrow.value() == wide.value();
}

namespace {

// More tolerations than anybody writes are not compared with each other.
constexpr size_t kMostCompared = 1000;

}  // namespace

void MergeTolerations(PodSpecEditor spec, const std::vector<TolerationView>& more) {
  std::vector<TolerationView> all = AllOf(spec.tolerations());
  for (const TolerationView one : more)
    all.emplace_back(
        api::DeepCopy(api::Value::Of(const_cast<api::StructNode*>(one.node())), spec.arena()).node());
  std::vector<TolerationView> merged;
  for (size_t i = 0; i < all.size(); ++i) {
    const TolerationView one = all[i];
    const auto covers = [one](TolerationView other) { return Covers(other, one); };
    const auto replaces = [one](TolerationView later) {
      return !api::Equal(later.node(), one.node()) && Covers(later, one);
    };
    const bool redundant = all.size() <= kMostCompared &&
                           (std::ranges::any_of(merged, covers) ||
                            std::any_of(all.begin() + static_cast<ptrdiff_t>(i) + 1, all.end(), replaces));
    if (!redundant) merged.push_back(one);
  }
  spec.clear_tolerations();
  for (const TolerationView one : merged)
    spec.mutable_tolerations().Append(api::Value::Of(const_cast<api::StructNode*>(one.node())), spec.arena());
}

}  // namespace keelson::admission
