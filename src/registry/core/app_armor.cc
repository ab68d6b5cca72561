#include "registry/core/app_armor.h"

#include <string_view>

#include "api/validation/field.h"

namespace keelson::registry::core {
namespace {

using namespace api::core_v1;

constexpr std::string_view kAnnotationPrefix = "container.apparmor.security.beta.kubernetes.io/";
constexpr std::string_view kLocalhost = "localhost/";
constexpr size_t kMaxProfileBytes = 4095;

// A profile as the fields have it; no type: the annotation makes no sense.
struct Profile {
  std::string_view type, localhost;
};

Profile Parse(std::string_view annotation) {
  if (annotation == "unconfined") return {"Unconfined", {}};
  if (annotation == "runtime/default") return {"RuntimeDefault", {}};
  if (!annotation.starts_with(kLocalhost)) return {};
  const std::string_view name = annotation.substr(kLocalhost.size());
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  const bool padded = !name.empty() && (kBlanks.find(name.front()) != kBlanks.npos ||
                                        kBlanks.find(name.back()) != kBlanks.npos);
  if (name.empty() || padded || name.size() > kMaxProfileBytes) return {};
  return {"Localhost", name};
}

bool Is(AppArmorProfileView field, const Profile& profile) {
  return field && field.type() == profile.type && field.localhost_profile() == profile.localhost &&
         field.has_localhost_profile() == !profile.localhost.empty();
}

void Adopt(PodView pod, ContainerEditor container, std::vector<std::string>* warnings) {
  if (container.security_context().app_armor_profile()) return;
  const std::string key = std::string(kAnnotationPrefix).append(container.name());
  const api::Value* const annotation = pod.metadata().annotations().Find(key);
  if (!annotation) return;
  const Profile profile = Parse(annotation->string());
  if (!profile.type.empty()) {
    // What holds for the pod need not be said again.
    if (Is(pod.spec().security_context().app_armor_profile(), profile)) return;
    auto field = container.mutable_security_context().mutable_app_armor_profile();
    field.set_type(profile.type);
    if (!profile.localhost.empty()) field.set_localhost_profile(profile.localhost);
  }
  if (!warnings) return;
  const api::field::Path metadata("metadata"), annotations = metadata.Child("annotations");
  warnings->push_back(annotations.Key(key).ToString() +
                      R"(: deprecated since v1.30; use the "appArmorProfile" field instead)");
}

}  // namespace

void AdoptAppArmorAnnotations(PodEditor pod, std::vector<std::string>* warnings) {
  if (pod.metadata().annotations().empty() || pod.spec().os().name() == "windows") return;
  auto spec = pod.mutable_spec();
  const PodView view(pod.node());
  for (auto container : spec.edit_init_containers()) Adopt(view, container, warnings);
  for (auto container : spec.edit_containers()) Adopt(view, container, warnings);
}

}  // namespace keelson::registry::core
