#include "admission/plugins/always_pull_images.h"

#include <set>
#include <string>
#include <vector>

#include "admission/plugins/resources.h"
#include "api/generated/core_v1.h"
#include "api/pods/pod_spec.h"
#include "api/validation/core/pod_os.h"

namespace keelson::admission {
namespace {

using api::core_v1::PodEditor;
using api::core_v1::PodSpecView;
using api::core_v1::PodView;
using api::field::Path;

constexpr std::string_view kAlways = "Always";

// An update that names no other image in a container than before cannot gain anything. The images of volumes
// are not looked at, since no update may change them.
bool AddsImages(const Attributes& request) {
  if (request.operation != Operation::kUpdate) return true;
  std::set<std::string_view> before;
  api::pods::EachContainer(PodView(*request.old_object).spec(),
                           [&](auto container) { before.insert(container.image()); });
  bool adds = false;
  api::pods::EachContainer(PodView(*request.object).spec(),
                           [&](auto container) { adds = adds || !before.contains(container.image()); });
  return adds;
}

bool IsConcerned(const Attributes& request) {
  const bool writes = request.operation == Operation::kCreate || request.operation == Operation::kUpdate;
  return writes && AddsImages(request);
}

// In the order of upstream: containers, then volumes.
std::vector<std::string> PolicyObjections(const Attributes& request, PodSpecView spec) {
  std::vector<std::string> objections;
  const auto check = [&](std::string_view policy, const Path& path) {
    if (policy == kAlways) return;
    const auto error = api::field::NotSupported(path, api::field::RenderValue(policy), {&kAlways, 1});
    objections.push_back(Refuse(request, error.ToString()).error().message);
  };
  const Path path("spec"), volumes = path.Child("volumes");
  api::core::ForEachContainer(spec, path, [&](auto container, const Path& at) {
    check(container.image_pull_policy(), at.Child("imagePullPolicy"));
  });
  size_t i = 0;
  for (const auto volume : spec.volumes()) {
    const Path at = volumes.Index(i++);
    if (const auto image = volume.volume_source().image())
      check(image.pull_policy(), at.Child("image").Child("pullPolicy"));
  }
  return objections;
}

}  // namespace

Concern AlwaysPullImages::ConcernWith(const api::ResourceDesc& resource, std::string_view subresource) const {
  const bool pods = Is(resource, subresource, kPods);
  return {.mutates = pods, .validates = pods};
}

base::Task<Verdict> AlwaysPullImages::Mutate(Attributes request) const {
  if (!IsConcerned(request)) co_return Verdict();
  auto spec = PodEditor(*request.object).mutable_spec();
  api::pods::EditEachContainer(spec, [](auto container) { container.set_image_pull_policy_static(kAlways); });
  for (auto volume : spec.edit_volumes())
    if (auto image = volume.mutable_volume_source().edit_image()) image.set_pull_policy_static(kAlways);
  co_return Verdict();
}

base::Task<Verdict> AlwaysPullImages::Validate(Attributes request) const {
  if (!IsConcerned(request)) co_return Verdict();
  const auto objections = PolicyObjections(request, PodView(*request.object).spec());
  if (objections.empty()) co_return Verdict();
  std::string message = objections[0];
  for (size_t i = 1; i < objections.size(); ++i) message += ", " + objections[i];
  if (objections.size() > 1) message = "[" + message + "]";
  // Upstream puts its refusals together into an error without a status of its own.
  co_return base::Err(api::Status{.code = 500, .message = std::move(message)});
}

}  // namespace keelson::admission
