#include "api/validation/core/container_status.h"

#include <array>
#include <map>
#include <set>
#include <string>

namespace keelson::api::core {
namespace {

using namespace core_v1;
using field::RenderValue;

constexpr size_t kMaxHealthMessageBytes = 1024;

void CheckClaimName(std::string_view name, const Path& path, ErrorList& errors) {
  errors.AddInvalid(path, name, NameIsDnsSubdomain(name, false));
}

void CheckResourceClaims(PodView pod, const Path& path, ErrorList& errors) {
  std::set<std::string_view> seen, known;
  for (auto claim : pod.spec().resource_claims()) known.insert(claim.name());
  size_t i = 0;
  for (auto status : pod.status().resource_claim_statuses()) {
    const Path at = path.Index(i++);
    if (!known.contains(status.name())) {
      errors.Add(field::Invalid(at.Child("name"), RenderValue(status.name()),
                                "must match the name of an entry in `spec.resourceClaims`"));
    }
    if (!seen.insert(status.name()).second)
      errors.Add(field::Duplicate(at.Child("name"), RenderValue(status.name())));
    if (status.has_resource_claim_name())
      CheckClaimName(status.resource_claim_name(), at.Child("resourceClaimName"), errors);
  }
}

using ContainersByName = std::map<std::string_view, ContainerView>;

void CheckExtendedClaim(PodView pod, const Path& path, ErrorList& errors) {
  const auto status = pod.status().extended_resource_claim_status();
  if (!status) return;
  const Path mappings = path.Child("requestMappings");
  if (status.request_mappings().empty())
    errors.Add(field::Required(mappings, "at least one request mapping is required"));
  std::set<std::array<std::string_view, 3>> seen;
  ContainersByName containers;  // of several, the last; those that are no init containers first
  for (auto container : pod.spec().init_containers())
    containers.insert_or_assign(container.name(), container);
  for (auto container : pod.spec().containers()) containers.insert_or_assign(container.name(), container);
  size_t i = 0;
  for (auto mapping : status.request_mappings()) {
    const Path at = mappings.Index(i++);
    const auto found = containers.find(mapping.container_name());
    const ContainerView container = found == containers.end() ? ContainerView() : found->second;
    if (!container) {
      errors.Add(field::Invalid(
          at.Child("containerName"), RenderValue(mapping.container_name()),
          "must match the name of an entry in spec.initContainers.name or spec.containers.name"));
    } else if (!container.resources().requests().Find(mapping.resource_name())) {
      errors.Add(
          field::Invalid(at.Child("resourceName"), RenderValue(mapping.resource_name()),
                         "must match the extended resource name of an entry in "
                         "spec.initContainers.resources.requests or spec.containers.resources.requests"));
    }
    CheckDnsLabel(mapping.request_name(), path.Child("requestName"), errors);
    if (!seen.insert({mapping.container_name(), mapping.resource_name(), mapping.request_name()}).second) {
      errors.Add(field::Duplicate(at.Child("containerName"), RenderValue(mapping.container_name())));
      errors.Add(field::Duplicate(at.Child("resourceName"), RenderValue(mapping.resource_name())));
      errors.Add(field::Duplicate(at.Child("requestName"), RenderValue(mapping.request_name())));
    }
  }
  const Path name = path.Child("resourceClaimName");
  if (status.resource_claim_name().empty()) return errors.Add(field::Required(name, ""));
  CheckClaimName(status.resource_claim_name(), name, errors);
}

void CheckUsers(ListView<ContainerStatusView> statuses, std::string_view os, const Path& path,
                ErrorList& errors) {
  size_t i = 0;
  for (auto status : statuses) {
    const Path at = path.Index(i++);
    const auto user = status.user().linux();
    if (!user) continue;
    const Path user_path = at.Child("user"), own = user_path.Child("linux");
    if (os == "windows") errors.Add(field::Forbidden(own, "cannot be set for a windows pod"));
    if (os != "linux") continue;
    AddMessages(own.Child("uid"), RenderValue(user.uid()), IsUserId(user.uid()), errors);
    AddMessages(own.Child("gid"), RenderValue(user.gid()), IsGroupId(user.gid()), errors);
    size_t g = 0;
    for (const Value& gid : user.supplemental_groups()) {
      AddMessages(own.Child("supplementalGroups").Index(g++), RenderValue(gid.integer()),
                  IsGroupId(gid.integer()), errors);
    }
  }
}

// The resources that the container asks for, and its claims as "claim:name/request".
std::set<std::string> AskedFor(ContainerView container) {
  std::set<std::string> names;
  for (const auto& [name, amount] : container.resources().requests())
    if (!name.starts_with("claim:")) names.emplace(name);
  for (auto claim : container.resources().claims()) {
    std::string own = "claim:" + std::string(claim.name());
    if (!claim.request().empty()) own += "/" + std::string(claim.request());
    names.insert(std::move(own));
  }
  return names;
}

void CheckHealth(ListView<ResourceHealthView> resources, const Path& path, ErrorList& errors) {
  constexpr std::string_view kHealth[] = {"Healthy", "Unhealthy", "Unknown"};
  std::set<std::string_view> seen;
  size_t i = 0;
  for (auto resource : resources) {
    const Path at = path.Index(i++);
    CheckSupported(resource.health(), kHealth, at.Child("health"), errors);
    if (resource.has_message()) {
      if (resource.message().empty())
        errors.Add(field::Required(at.Child("message"), "must be non-empty if specified"));
      if (resource.message().size() > kMaxHealthMessageBytes)
        errors.Add(field::TooLong(at.Child("message"), kMaxHealthMessageBytes));
    }
    if (!seen.insert(resource.resource_id()).second)
      errors.Add(field::Duplicate(at.Child("resourceID"), RenderValue(resource.resource_id())));
  }
}

void CheckAllocated(ListView<ContainerStatusView> statuses, ListView<ContainerView> containers,
                    const Path& path, ErrorList& errors) {
  ContainersByName by_name;  // of several, the first
  for (auto container : containers) by_name.emplace(container.name(), container);
  size_t i = 0;
  for (auto status : statuses) {
    const Path container_path = path.Index(i++), all = container_path.Child("allocatedResourcesStatus");
    const auto found = by_name.find(status.name());
    const std::set<std::string> asked =
        found == by_name.end() ? std::set<std::string>() : AskedFor(found->second);
    size_t j = 0;
    for (auto allocated : status.allocated_resources_status()) {
      const Path at = all.Index(j++);
      if (found != by_name.end() && !asked.contains(std::string(allocated.name()))) {
        errors.Add(
            field::Invalid(at.Child("name"), RenderValue(allocated.name()),
                           allocated.name().starts_with("claim:")
                               ? "must match one of the container's resource claims in a format "
                                 "'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty"
                               : "must match one of the container's resource requests"));
      }
      CheckHealth(allocated.resources(), at.Child("resources"), errors);
    }
  }
}

}  // namespace

void CheckClaimStatuses(PodView pod, const Path& path, ErrorList& errors) {
  CheckResourceClaims(pod, path.Child("resourceClaimStatuses"), errors);
  CheckExtendedClaim(pod, path.Child("extendedResourceClaimStatus"), errors);
}

void CheckContainerUsers(PodView pod, const Path& path, ErrorList& errors) {
  const auto status = pod.status();
  const std::string_view os = pod.spec().os() ? pod.spec().os().name() : "linux";
  CheckUsers(status.container_statuses(), os, path.Child("containerStatuses"), errors);
  CheckUsers(status.init_container_statuses(), os, path.Child("initContainerStatuses"), errors);
  CheckUsers(status.ephemeral_container_statuses(), os, path.Child("ephemeralContainerStatuses"), errors);
}

void CheckAllocatedResources(PodView pod, const Path& path, ErrorList& errors) {
  const auto status = pod.status();
  CheckAllocated(status.container_statuses(), pod.spec().containers(), path.Child("containerStatuses"),
                 errors);
  CheckAllocated(status.init_container_statuses(), pod.spec().init_containers(),
                 path.Child("initContainerStatuses"), errors);
  const Path ephemeral = path.Child("ephemeralContainerStatuses");
  size_t i = 0;
  for (auto container : status.ephemeral_container_statuses()) {
    const Path at = ephemeral.Index(i++);
    if (!container.allocated_resources_status().empty()) {
      errors.Add(field::Forbidden(at.Child("allocatedResourcesStatus"),
                                  "must not be specified in container status"));
    }
  }
}

}  // namespace keelson::api::core
