#include "api/validation/core/field_refs.h"

#include <algorithm>
#include <cctype>

#include "api/validation/core/checks.h"

namespace keelson::api::core {
namespace {

using field::RenderValue;

constexpr std::string_view kPodFields[] = {
    "metadata.annotations", "metadata.labels",    "metadata.name",
    "metadata.namespace",   "metadata.uid",       "spec.nodeName",
    "spec.restartPolicy",   "spec.schedulerName", "spec.serviceAccountName",
    "status.hostIP",        "status.hostIPs",     "status.phase",
    "status.podIP",         "status.podIPs"};

constexpr std::string_view kResourceFields[] = {
    "limits.cpu",   "limits.ephemeral-storage",   "limits.memory",
    "requests.cpu", "requests.ephemeral-storage", "requests.memory"};

// "metadata.labels['key']" in its two parts; without a subscript, the whole path and false.
struct Subscripted {
  std::string_view path, key;
  bool subscripted = false;
};
Subscripted Split(std::string_view field_path) {
  if (!field_path.ends_with("']")) return {field_path, {}};
  const std::string_view body = field_path.substr(0, field_path.size() - 2);
  const size_t open = body.find("['");
  if (open == body.npos || open == 0) return {field_path, {}};
  return {body.substr(0, open), body.substr(open + 2), true};
}

// Why the path is none of a pod; empty: it is one.
std::string ConversionError(std::string_view version, std::string_view field_path, const Subscripted& parts) {
  if (version != "v1") return "unsupported pod version: " + std::string(version);
  if (parts.subscripted) {
    const bool is_map = parts.path == "metadata.annotations" || parts.path == "metadata.labels";
    return is_map ? "" : "field label does not support subscript: " + std::string(field_path);
  }
  if (Contains(kPodFields, field_path) || field_path == "spec.host") return "";
  return "field label not supported: " + std::string(field_path);
}

void CheckDivisor(std::string_view resource, std::string_view divisor, const Path& path, ErrorList& errors) {
  if (divisor.empty() || divisor == "0") return;
  constexpr std::string_view kCpu[] = {"1", "1m"};
  constexpr std::string_view kBytes[] = {"1",   "1k",  "1M",  "1G",  "1T",  "1P", "1E",
                                         "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"};
  const std::string_view name = resource.substr(resource.find('.') + 1);
  if (name == "cpu") {
    if (Contains(kCpu, divisor)) return;
    errors.Add(field::Invalid(path.Child("divisor"), RenderValue(resource),
                              "only divisor's values 1m and 1 are supported with the cpu resource"));
    return;
  }
  std::string_view what;
  if (name == "memory") what = "memory";
  if (name == "ephemeral-storage") what = "local ephemeral storage";
  if (name.starts_with("hugepages-")) what = "hugepages";
  if (what.empty() || Contains(kBytes, divisor)) return;
  errors.Add(field::Invalid(path.Child("divisor"), RenderValue(resource),
                            "only divisor's values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei "
                            "are supported with the " +
                                std::string(what) + " resource"));
}

}  // namespace

void CheckFieldRef(core_v1::ObjectFieldSelectorView ref, std::span<const std::string_view> allowed,
                   const Path& path, ErrorList& errors) {
  if (ref.api_version().empty()) return errors.Add(field::Required(path.Child("apiVersion"), ""));
  const std::string_view field_path = ref.field_path();
  if (field_path.empty()) return errors.Add(field::Required(path.Child("fieldPath"), ""));
  const Subscripted parts = Split(field_path);
  if (std::string why = ConversionError(ref.api_version(), field_path, parts); !why.empty()) {
    return errors.Add(field::Invalid(path.Child("fieldPath"), RenderValue(field_path),
                                     "error converting fieldPath: " + why));
  }
  if (parts.subscripted) {
    std::string key(parts.key);
    if (parts.path == "metadata.annotations")
      std::ranges::transform(key, key.begin(), [](unsigned char c) { return std::tolower(c); });
    CheckQualifiedName(key, path, errors);
  } else {
    const std::string_view meant = field_path == "spec.host" ? "spec.nodeName" : field_path;
    CheckSupported(meant, allowed, path.Child("fieldPath"), errors);
  }
}

void CheckResourceFieldRef(core_v1::ResourceFieldSelectorView ref, bool in_volume, const Path& path,
                           ErrorList& errors) {
  const std::string_view resource = ref.resource();
  const bool huge_pages =
      resource.starts_with("limits.hugepages-") || resource.starts_with("requests.hugepages-");
  if (in_volume && ref.container_name().empty()) {
    errors.Add(field::Required(path.Child("containerName"), ""));
  } else if (resource.empty()) {
    errors.Add(field::Required(path.Child("resource"), ""));
  } else if (!huge_pages) {
    CheckSupported(resource, kResourceFields, path.Child("resource"), errors);
  }
  CheckDivisor(resource, ref.divisor(), path, errors);
}

}  // namespace keelson::api::core
