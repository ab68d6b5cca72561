#include "api/validation/core/container_status.h"

#include <array>
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
  std::set<std::string_view> seen;
  size_t i = 0;
  for (auto status : pod.status().resource_claim_statuses()) {
    const Path at = path.Index(i++);
    bool known = false;
    for (auto claim : pod.spec().resource_claims()) known |= claim.name() == status.name();
    if (!known) {
      errors.Add(field::Invalid(at.Child("name"), RenderValue(status.name()),
                                "must match the name of an entry in `spec.resourceClaims`"));
    }
    if (!seen.insert(status.name()).second)
      errors.Add(field::Duplicate(at.Child("name"), RenderValue(status.name())));
    if (status.has_resource_claim_name())
      CheckClaimName(status.resource_claim_name(), at.Child("resourceClaimName"), errors);
  }
}

ContainerView FindContainer(ListView<ContainerView> containers, std::string_view name) {
  ContainerView found;
  for (auto container : containers)
    if (container.name() == name) found = container;
  return found;
}

void CheckExtendedClaim(PodView pod, const Path& path, ErrorList& errors) {
  const auto status = pod.status().extended_resource_claim_status();
  if (!status) return;
  const Path mappings = path.Child("requestMappings");
  if (status.request_mappings().empty())
    errors.Add(field::Required(mappings, "at least one request mapping is required"));
  std::set<std::array<std::string_view, 3>> seen;
  size_t i = 0;
  for (auto mapping : status.request_mappings()) {
    const Path at = mappings.Index(i++);
    ContainerView container = FindContainer(pod.spec().containers(), mapping.container_name());
    if (!container) container = FindContainer(pod.spec().init_containers(), mapping.container_name());
    if (!container) {
      errors.Add(
          field::Invalid(at.Child("containerName"), RenderValue(mapping.container_name()),
                         "must match the name of an entry in spec.initContainers.name or spec.containers.name"));
    } else if (!container.resources().requests().Find(mapping.resource_name())) {
      errors.Add(field::Invalid(at.Child("resourceName"), RenderValue(mapping.resource_name()),
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

// Whether the container asks for the resource, or for the claim that "claim:name/request" names.
bool AsksFor(ContainerView container, std::string_view name) {
  if (!name.starts_with("claim:")) return container.resources().requests().Find(name);
  for (auto claim : container.resources().claims()) {
    std::string own = "claim:" + std::string(claim.name());
    if (!claim.request().empty()) own += "/" + std::string(claim.request());
    if (own == name) return true;
  }
  return false;
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
  size_t i = 0;
  for (auto status : statuses) {
    const Path container_path = path.Index(i++), all = container_path.Child("allocatedResourcesStatus");
    size_t j = 0;
    for (auto allocated : status.allocated_resources_status()) {
      const Path at = all.Index(j++);
      ContainerView container;
      for (auto one : containers)
        if (!container && one.name() == status.name()) container = one;
      if (container && !AsksFor(container, allocated.name())) {
        errors.Add(field::Invalid(at.Child("name"), RenderValue(allocated.name()),
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
  CheckAllocated(status.container_statuses(), pod.spec().containers(), path.Child("containerStatuses"), errors);
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
