#include "api/validation/networking/service_cidr.h"

#include "api/validation/core/checks.h"
#include "api/validation/core/fields.h"
#include "api/validation/ip.h"
#include "api/validation/render.h"
#include "api/validation/unversioned.h"

namespace keelson::api::networking {
namespace {

using namespace networking_v1;
using field::ErrorList;
using field::Path;
using field::RenderValue;

std::string RenderCidrs(ServiceCIDRSpecView spec) { return field::RenderField(spec.node(), "cidrs"); }

ErrorList CheckCidrs(ServiceCIDRSpecView spec, const Path& path) {
  ErrorList errors;
  const ScalarList cidrs = spec.cidrs();
  if (cidrs.empty()) {
    errors.Add(field::Required(path, "at least one CIDR required"));
    return errors;
  }
  if (cidrs.size() > 2) {
    errors.Add(field::Invalid(path, field::RenderUnversioned(spec.node()), "may only hold up to 2 values"));
    return errors;
  }
  for (size_t i = 0; i < cidrs.size(); ++i)
    errors.Append(ValidateCanonicalCidr(path.Index(i), cidrs[i].string()));
  if (cidrs.size() == 1) return errors;
  const auto first = ParseCidr(cidrs[0].string()), second = ParseCidr(cidrs[1].string());
  if (first && second && first->is_v4() == second->is_v4()) {
    errors.Add(field::Invalid(
        path, RenderCidrs(spec),
        "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64"));
  }
  return errors;
}

void CheckPart(std::string_view value, const Path& path, ErrorList& errors) {
  if (value.empty()) {
    errors.Add(field::Required(path, ""));
  } else {
    errors.AddInvalid(path, value, IsPathSegmentName(value));
  }
}

}  // namespace

ErrorList ValidateServiceCidr(ServiceCIDRView cidr) {
  const Path spec("spec");
  return CheckCidrs(cidr.spec(), spec.Child("cidrs"));
}

ErrorList ValidateServiceCidrUpdate(ServiceCIDRView now, ServiceCIDRView was) {
  ErrorList errors;
  const Path spec("spec"), path = spec.Child("cidrs");
  const ScalarList after = now.spec().cidrs(), before = was.spec().cidrs();
  const auto keep = [&](size_t i) {
    if (after[i].string() != before[i].string())
      errors.Add(field::Invalid(path.Index(i), RenderValue(after[i].string()), kFieldImmutable));
  };
  if (after.size() == before.size()) {
    for (size_t i = 0; i < before.size(); ++i) keep(i);
  } else if (before.size() == 1 && after.size() == 2) {
    // A second family may be added, no more.
    keep(0);
    errors.Append(CheckCidrs(now.spec(), path));
  } else {
    errors.Add(field::Invalid(path, RenderCidrs(now.spec()), kFieldImmutable));
  }
  return errors;
}

ErrorList ValidateIpAddress(IPAddressView address) {
  ErrorList errors;
  const Path spec("spec"), path = spec.Child("parentRef");
  const auto parent = address.spec().parent_ref();
  if (!parent) {
    errors.Add(field::Required(path, ""));
    return errors;
  }
  // The group is that of services, the core group, more often than not: it may be empty.
  if (!parent.group().empty()) core::CheckDnsSubdomain(parent.group(), path.Child("group"), errors);
  CheckPart(parent.resource(), path.Child("resource"), errors);
  CheckPart(parent.name(), path.Child("name"), errors);
  if (!parent.namespace_().empty()) CheckPart(parent.namespace_(), path.Child("namespace"), errors);
  return errors;
}

ErrorList ValidateIpAddressUpdate(IPAddressView now, IPAddressView was) {
  ErrorList errors = ValidateIpAddress(now);
  const auto after = now.spec().parent_ref(), before = was.spec().parent_ref();
  if (!core::SameStruct(after, before)) {
    const Path spec("spec");
    errors.Add(
        field::Invalid(spec.Child("parentRef"), field::RenderUnversioned(after.node()), kFieldImmutable));
  }
  return errors;
}

Messages NameIsIpAddress(std::string_view name) {
  Messages messages;
  for (const field::Error& error : ValidateCanonicalIp(Path("name"), name)) messages.push_back(error.detail);
  return messages;
}

}  // namespace keelson::api::networking
