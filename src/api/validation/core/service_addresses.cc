#include "api/validation/core/service_addresses.h"

#include <set>
#include <string>

#include "api/validation/core/service.h"
#include "api/validation/ip.h"
#include "api/validation/render.h"

namespace keelson::api::core {
namespace {

using namespace core_v1;
using field::RenderValue;

constexpr std::string_view kNoChange = "may not change once set";

std::string RenderIps(ServiceSpecView spec) { return field::RenderField(spec.node(), "clusterIPs"); }
std::string RenderFamilies(ServiceSpecView spec) { return field::RenderField(spec.node(), "ipFamilies"); }

bool IsV6(std::string_view text) {
  const auto ip = ParseIp(text);
  return ip && !ip->is_v4();
}

void CheckPrimary(ServiceSpecView spec, const Path& path, ErrorList& errors) {
  const ScalarList ips = spec.cluster_ips();
  if (spec.cluster_ip().empty()) {
    if (!ips.empty())
      errors.Add(field::Invalid(path, RenderIps(spec), "must be empty when `clusterIP` is not specified"));
  } else if (ips.empty()) {
    errors.Add(field::Required(path, ""));
  } else if (ips[0].string() != spec.cluster_ip()) {
    errors.Add(field::Invalid(path, RenderIps(spec), "first value must match `clusterIP`"));
  }
}

void CheckFamilies(ServiceSpecView spec, const Path& path, ErrorList& errors) {
  constexpr std::string_view kFamilies[] = {"IPv4", "IPv6"};
  std::set<std::string_view> seen;
  size_t i = 0;
  for (const Value& family : spec.ip_families()) {
    const Path at = path.Index(i++);
    CheckSupported(family.string(), kFamilies, at, errors);
    if (!seen.insert(family.string()).second) errors.Add(field::Duplicate(at, RenderValue(family.string())));
  }
}

// Whether every address is one.
bool CheckEach(ServiceSpecView spec, ServiceSpecView was, const Path& path, ErrorList& errors) {
  const ScalarList ips = spec.cluster_ips();
  bool valid = true;
  for (size_t i = 0; i < ips.size(); ++i) {
    const std::string_view ip = ips[i].string();
    if (i == 0 && ip == "None") {
      if (ips.size() > 1) {
        valid = false;
        errors.Add(field::Invalid(path, RenderIps(spec), "'None' must be the first and only value"));
      }
      continue;
    }
    bool existed = false;
    for (const Value& old : was.cluster_ips()) existed |= old.string() == ip;
    if (existed) continue;
    ErrorList wrong = ValidateIp(path.Index(i), ip);
    valid &= wrong.empty();
    errors.Append(std::move(wrong));
  }
  return valid;
}

void CheckReleased(ServiceSpecView spec, std::string_view what, const Path& path, ErrorList& errors) {
  if (spec.ip_family_policy() == IPFamilyPolicy::kSingleStack) return;
  const std::string rendered = spec.has_ip_family_policy() ? RenderValue(spec.ip_family_policy()) : "null";
  errors.Add(
      field::Invalid(path.Child("ipFamilyPolicy"), rendered,
                     "must be set to 'SingleStack' when releasing the secondary " + std::string(what)));
}

void CheckIpUpdate(ServiceSpecView now, ServiceSpecView was, const Path& path, ErrorList& errors) {
  const ScalarList after = now.cluster_ips(), before = was.cluster_ips();
  const Path ips = path.Child("clusterIPs");
  if (after.size() == before.size()) {
    for (size_t i = 0; i < before.size(); ++i) {
      if (after[i].string() != before[i].string())
        errors.Add(field::Invalid(ips.Index(i), RenderIps(now), kNoChange));
    }
    return;
  }
  const bool released = after.size() < before.size();
  if (released && after.empty()) {
    errors.Add(field::Invalid(ips.Index(0), RenderIps(now), "primary clusterIP can not be unset"));
  }
  if (!after.empty() && !before.empty() && after[0].string() != before[0].string()) {
    errors.Add(field::Invalid(ips.Index(0), RenderIps(now), kNoChange));
  }
  if (released && after.size() == 1) CheckReleased(now, "clusterIP", path, errors);
}

void CheckFamilyUpdate(ServiceSpecView now, ServiceSpecView was, const Path& path, ErrorList& errors) {
  const ScalarList after = now.ip_families(), before = was.ip_families();
  const Path families = path.Child("ipFamilies"), first = families.Index(0);
  if (after.size() == before.size()) {
    for (size_t i = 0; i < before.size(); ++i) {
      if (after[i].string() != before[i].string())
        errors.Add(field::Invalid(first, RenderFamilies(now), kNoChange));
    }
    return;
  }
  const bool released = after.size() < before.size();
  if (released && now.cluster_ips().empty()) {
    errors.Add(field::Invalid(first, RenderFamilies(now), "primary ipFamily can not be unset"));
  }
  if (!after.empty() && !before.empty() && after[0].string() != before[0].string()) {
    errors.Add(field::Invalid(first, RenderIps(now), kNoChange));
  }
  if (released && after.size() == 1) CheckReleased(now, "ipFamily", path, errors);
}

}  // namespace

void CheckClusterIps(ServiceView service, ServiceView was, const Path& spec_path, ErrorList& errors) {
  const auto spec = service.spec();
  if (spec.type() == ServiceType::kExternalName) return;  // has none; checked with the type
  const Path path = spec_path.Child("clusterIPs");
  const ScalarList ips = spec.cluster_ips();
  CheckPrimary(spec, path, errors);
  CheckFamilies(spec, spec_path.Child("ipFamilies"), errors);
  if (spec.has_ip_family_policy()) {
    constexpr std::string_view kPolicies[] = {"PreferDualStack", "RequireDualStack", "SingleStack"};
    CheckSupported(spec.ip_family_policy(), kPolicies, spec_path.Child("ipFamilyPolicy"), errors);
  }
  const bool valid = CheckEach(spec, was.spec(), path, errors);
  if (ips.size() > 2) errors.Add(field::Invalid(path, RenderIps(spec), "may only hold up to 2 values"));
  if (!valid) return;
  if (ips.size() > 1 && IsV6(ips[0].string()) == IsV6(ips[1].string())) {
    errors.Add(field::Invalid(path, RenderIps(spec), "may specify no more than one IP for each IP family"));
  }
  if (IsHeadless(service)) return;
  for (size_t i = 0; i < ips.size() && i < spec.ip_families().size(); ++i) {
    const bool v6 = spec.ip_families()[i].string() == "IPv6";
    if (IsV6(ips[i].string()) == v6) continue;
    errors.Add(field::Invalid(path.Index(i), RenderValue(ips[i].string()),
                              std::string("expected an ") + (v6 ? "IPv6" : "IPv4") +
                                  " value as indicated by `ipFamilies[" + std::to_string(i) + "]`"));
  }
}

void CheckClusterIpUpdate(ServiceView now, ServiceView was, const Path& spec_path, ErrorList& errors) {
  if (now.spec().type() == ServiceType::kExternalName || was.spec().type() == ServiceType::kExternalName)
    return;
  const bool headless = IsHeadless(now), was_headless = IsHeadless(was);
  if (!(headless && was_headless)) CheckIpUpdate(now.spec(), was.spec(), spec_path, errors);
  if (!headless && !was_headless) CheckFamilyUpdate(now.spec(), was.spec(), spec_path, errors);
}

}  // namespace keelson::api::core
