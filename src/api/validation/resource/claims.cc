#include "api/validation/resource/claims.h"

#include <map>
#include <set>

#include "api/validation/conditions.h"
#include "api/validation/core/checks.h"
#include "api/validation/core/resource_names.h"
#include "api/validation/core/scheduling.h"
#include "api/validation/labels.h"
#include "api/validation/names.h"
#include "api/validation/render.h"
#include "api/validation/resource/device_names.h"
#include "api/validation/unversioned.h"

namespace keelson::api::resource {
namespace {

using field::RenderValue;
using namespace resource_v1;

constexpr size_t kMaxRequests = 32, kMaxConstraints = 32, kMaxConfig = 32, kMaxSelectors = 32;

// The requests of a claim with their subrequests, if they have some.
using RequestNames = std::map<std::string_view, std::set<std::string_view>>;

RequestNames NamesOf(DeviceClaimView claim) {
  RequestNames names;
  for (const auto request : claim.requests()) {
    auto& subrequests = names[request.name()];
    for (const auto subrequest : request.first_available()) subrequests.insert(subrequest.name());
  }
  return names;
}

bool Has(const RequestNames& names, std::string_view ref) {
  const size_t slash = ref.find('/');
  const auto found = names.find(ref.substr(0, slash));
  return found != names.end() &&
         (slash == std::string_view::npos || found->second.contains(ref.substr(slash + 1)));
}

void CheckRequestRef(std::string_view ref, const RequestNames& names, const Path& path, ErrorList& errors) {
  const auto refuse = [&] {
    errors.Add(field::Invalid(path, RenderValue(ref),
                              "must be the name of a request in the claim or the name of a request and a "
                              "subrequest separated by '/'"));
  };
  const size_t slash = ref.find('/');
  if (slash != std::string_view::npos && ref.find('/', slash + 1) != std::string_view::npos) return refuse();
  core::CheckDnsLabel(ref.substr(0, slash), path, errors);
  if (slash != std::string_view::npos) core::CheckDnsLabel(ref.substr(slash + 1), path, errors);
  if (!Has(names, ref)) refuse();
}

void CheckRequestRefs(ScalarList refs, const RequestNames& names, const Path& path, ErrorList& errors) {
  if (!CheckSize(refs.size(), kMaxRequests, path, errors)) return;
  for (size_t i = 0; i < refs.size(); ++i) CheckRequestRef(refs[i].string(), names, path.Index(i), errors);
  std::set<std::string_view> seen;
  for (size_t i = 0; i < refs.size(); ++i)
    if (!seen.insert(refs[i].string()).second)
      errors.Add(field::Duplicate(path.Index(i), RenderValue(refs[i].string())));
}

void CheckSelectors(ListView<DeviceSelectorView> selectors, const ExpressionRules& rules, const Path& path,
                    ErrorList& errors) {
  constexpr size_t kMaxExpression = 10 * 1024;
  if (!CheckSize(selectors.size(), kMaxSelectors, path, errors)) return;
  for (size_t i = 0; i < selectors.size(); ++i) {
    const Path at = path.Index(i), cel = at.Child("cel");
    if (!selectors[i].cel()) {
      errors.Add(field::Required(cel, ""));
    } else if (selectors[i].cel().expression().size() > kMaxExpression) {
      errors.Add(field::TooLong(cel.Child("expression"), kMaxExpression));
    } else {
      const std::string_view expression = selectors[i].cel().expression();
      AddProblem(rules.DeviceSelector(expression), expression, cel.Child("expression"), errors);
    }
  }
}

void CheckConfiguration(DeviceConfigurationView config, const Path& path, ErrorList& errors) {
  const Path opaque = path.Child("opaque");
  if (!config.opaque()) {
    errors.Add(field::Required(opaque, ""));
    return;
  }
  CheckDriverName(config.opaque().driver(), opaque.Child("driver"), errors);
  CheckParameters(config.opaque().parameters(), kOpaqueDataMaxBytes, opaque.Child("parameters"), errors);
}

void CheckToleration(DeviceTolerationView toleration, const Path& path, ErrorList& errors) {
  static constexpr std::string_view kOperators[] = {"Equal", "Exists"};
  static constexpr std::string_view kEffects[] = {"NoExecute", "NoSchedule", "None"};
  if (!toleration.key().empty()) errors.Append(ValidateLabelName(toleration.key(), path.Child("key")));
  const Path value = path.Child("value");
  if (toleration.operator_() == "Exists" && !toleration.value().empty())
    errors.Add(field::Invalid(value, RenderValue(toleration.value()), "must be empty for operator `Exists`"));
  if (toleration.operator_() == "Equal")
    errors.AddInvalid(value, toleration.value(), IsLabelValue(toleration.value()));
  core::CheckRequiredSupported(toleration.operator_(), kOperators, path.Child("operator"), errors);
  if (!toleration.effect().empty())
    core::CheckSupported(toleration.effect(), kEffects, path.Child("effect"), errors);
}

// What requests and subrequests have in common.
template <class RequestView>
void CheckRequest(RequestView request, const ExpressionRules& rules, const Path& path, ErrorList& errors) {
  static constexpr std::string_view kModes[] = {"All", "ExactCount"};
  const Path name = path.Child("deviceClassName"), count = path.Child("count");
  if (request.device_class_name().empty()) {
    errors.Add(field::Required(name, ""));
  } else {
    core::CheckDnsSubdomain(request.device_class_name(), name, errors);
  }
  CheckSelectors(request.selectors(), rules, path.Child("selectors"), errors);
  if (request.allocation_mode() == "All") {
    if (request.count() != 0)
      errors.Add(field::Invalid(count, RenderValue(request.count()),
                                "must not be specified when allocationMode is 'All'"));
  } else if (request.allocation_mode() == "ExactCount") {
    core::CheckPositive(request.count(), count, errors);
  } else {
    core::CheckSupported(request.allocation_mode(), kModes, path.Child("allocationMode"), errors);
  }
  const Path tolerations = path.Child("tolerations");
  for (size_t i = 0; i < request.tolerations().size(); ++i)
    CheckToleration(request.tolerations()[i], tolerations.Index(i), errors);
}

void CheckDeviceRequest(DeviceRequestView request, const ExpressionRules& rules, const Path& path,
                        ErrorList& errors) {
  constexpr size_t kMaxAlternatives = 8;
  core::CheckDnsLabel(request.name(), path.Child("name"), errors);
  const auto alternatives = request.first_available();
  if (!request.exactly() && alternatives.empty()) {
    errors.Add(field::Required(path, "exactly one of `exactly` or `firstAvailable` is required"));
  } else if (request.exactly() && !alternatives.empty()) {
    errors.Add(field::Invalid(
        path, "null",
        "exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set"));
  } else if (request.exactly()) {
    CheckRequest(request.exactly(), rules, path.Child("exactly"), errors);
  } else {
    const Path all = path.Child("firstAvailable");
    if (!CheckSize(alternatives.size(), kMaxAlternatives, all, errors)) return;
    for (size_t i = 0; i < alternatives.size(); ++i) {
      const Path at = all.Index(i);
      core::CheckDnsLabel(alternatives[i].name(), at.Child("name"), errors);
      CheckRequest(alternatives[i], rules, at, errors);
    }
    std::set<std::string_view> seen;
    for (size_t i = 0; i < alternatives.size(); ++i)
      if (!seen.insert(alternatives[i].name()).second)
        errors.Add(field::Duplicate(all.Index(i), RenderValue(alternatives[i].name())));
  }
}

void CheckConstraint(DeviceConstraintView constraint, const RequestNames& names, const Path& path,
                     ErrorList& errors) {
  CheckRequestRefs(constraint.requests(), names, path.Child("requests"), errors);
  if (constraint.has_match_attribute()) {
    CheckFullyQualifiedName(constraint.match_attribute(), path.Child("matchAttribute"), errors);
  } else if (constraint.has_distinct_attribute()) {
    CheckFullyQualifiedName(constraint.distinct_attribute(), path.Child("distinctAttribute"), errors);
  } else {
    errors.Add(field::Required(path,
                               "exactly one of \"matchAttribute\" or \"distinctAttribute\" is required, but "
                               "multiple fields are set"));
  }
}

void CheckClaimSpec(ResourceClaimSpecView spec, const ExpressionRules& rules, const Path& path,
                    ErrorList& errors) {
  const DeviceClaimView claim = spec.devices();
  const RequestNames names = NamesOf(claim);
  const Path devices = path.Child("devices"), requests = devices.Child("requests"),
             constraints = devices.Child("constraints"), config = devices.Child("config");
  if (CheckSize(claim.requests().size(), kMaxRequests, requests, errors)) {
    for (size_t i = 0; i < claim.requests().size(); ++i)
      CheckDeviceRequest(claim.requests()[i], rules, requests.Index(i), errors);
    std::set<std::string_view> seen;
    for (size_t i = 0; i < claim.requests().size(); ++i)
      if (!seen.insert(claim.requests()[i].name()).second)
        errors.Add(field::Duplicate(requests.Index(i), RenderValue(claim.requests()[i].name())));
  }
  if (CheckSize(claim.constraints().size(), kMaxConstraints, constraints, errors))
    for (size_t i = 0; i < claim.constraints().size(); ++i)
      CheckConstraint(claim.constraints()[i], names, constraints.Index(i), errors);
  if (CheckSize(claim.config().size(), kMaxConfig, config, errors))
    for (size_t i = 0; i < claim.config().size(); ++i) {
      const Path at = config.Index(i);
      CheckRequestRefs(claim.config()[i].requests(), names, at.Child("requests"), errors);
      CheckConfiguration(claim.config()[i].device_configuration(), at, errors);
    }
}

void CheckAllocation(AllocationResultView allocation, const RequestNames& names, const Path& path,
                     ErrorList& errors) {
  static constexpr std::string_view kSources[] = {"FromClaim", "FromClass"};
  const Path devices = path.Child("devices"), results = devices.Child("results"),
             config = devices.Child("config");
  const auto result_list = allocation.devices().results();
  if (CheckSize(result_list.size(), kMaxRequests, results, errors))
    for (size_t i = 0; i < result_list.size(); ++i) {
      const Path at = results.Index(i);
      const auto result = result_list[i];
      CheckRequestRef(result.request(), names, at.Child("request"), errors);
      CheckDriverName(result.driver(), at.Child("driver"), errors);
      CheckPoolName(result.pool(), at.Child("pool"), errors);
      core::CheckDnsLabel(result.device(), at.Child("device"), errors);
      CheckBindingConditions(result.node(), result.binding_conditions(), result.binding_failure_conditions(),
                             at, errors);
      if (result.has_share_id()) CheckUuid(result.share_id(), at.Child("shareID"), errors);
    }
  const auto configs = allocation.devices().config();
  if (CheckSize(configs.size(), 2 * kMaxConfig, config, errors))
    for (size_t i = 0; i < configs.size(); ++i) {
      const Path at = config.Index(i);
      core::CheckRequiredSupported(configs[i].source(), kSources, at.Child("source"), errors);
      CheckRequestRefs(configs[i].requests(), names, at.Child("requests"), errors);
      CheckConfiguration(configs[i].device_configuration(), at, errors);
    }
  if (allocation.node_selector())
    core::CheckNodeSelector(allocation.node_selector(), path.Child("nodeSelector"), errors);
}

// A device, or a share of one, in words.
template <class View>
std::string DeviceId(View view) {
  std::string id(view.driver());
  id.append("/").append(view.pool()).append("/").append(view.device());
  if (view.has_share_id()) id.append("/").append(view.share_id());
  return id;
}

void CheckNetworkData(NetworkDeviceDataView data, const Path& path, ErrorList& errors) {
  constexpr size_t kMaxInterface = 256, kMaxAddress = 128, kMaxIps = 16;
  if (!data) return;
  if (data.interface_name().size() > kMaxInterface)
    errors.Add(field::TooLong(path.Child("interfaceName"), kMaxInterface));
  if (data.hardware_address().size() > kMaxAddress)
    errors.Add(field::TooLong(path.Child("hardwareAddress"), kMaxAddress));
  const Path ips = path.Child("ips");
  if (!CheckSize(data.ips().size(), kMaxIps, ips, errors)) return;
  std::set<std::string_view> seen;
  for (size_t i = 0; i < data.ips().size(); ++i)
    if (!seen.insert(data.ips()[i].string()).second)
      errors.Add(field::Duplicate(ips.Index(i), RenderValue(data.ips()[i].string())));
}

void CheckDeviceStatuses(ResourceClaimStatusView status, const Path& path, ErrorList& errors) {
  constexpr size_t kMaxConditions = 8;
  std::set<std::string> allocated, seen;
  for (const auto result : status.allocation().devices().results()) allocated.insert(DeviceId(result));
  for (size_t i = 0; i < status.devices().size(); ++i) {
    const Path at = path.Index(i);
    const auto device = status.devices()[i];
    CheckDriverName(device.driver(), at.Child("driver"), errors);
    CheckPoolName(device.pool(), at.Child("pool"), errors);
    core::CheckDnsLabel(device.device(), at.Child("device"), errors);
    if (device.has_share_id()) CheckUuid(device.share_id(), at.Child("shareID"), errors);
    const std::string id = DeviceId(device);
    if (!allocated.contains(id))
      errors.Add(field::Invalid(at, RenderValue(id), "must be an allocated device in the claim"));
    CheckSize(device.conditions().size(), kMaxConditions, at.Child("conditions"), errors);
    errors.Append(ValidateConditions(device.conditions(), at.Child("conditions")));
    if (device.has_data()) CheckParameters(device.data(), kOpaqueDataMaxBytes, at.Child("data"), errors);
    CheckNetworkData(device.network_data(), at.Child("networkData"), errors);
  }
  for (size_t i = 0; i < status.devices().size(); ++i)
    if (const std::string id = DeviceId(status.devices()[i]); !seen.insert(id).second)
      errors.Add(field::Duplicate(path.Index(i), RenderValue(id)));
}

void CheckReservations(ResourceClaimStatusView now, ResourceClaimStatusView was, bool being_deleted,
                       const Path& path, ErrorList& errors) {
  constexpr size_t kMaxReservations = 256;
  const auto list = now.reserved_for();
  if (!CheckSize(list.size(), kMaxReservations, path, errors)) return;
  for (size_t i = 0; i < list.size(); ++i) {
    const Path at = path.Index(i);
    core::CheckRequired(list[i].resource(), at.Child("resource"), errors);
    core::CheckRequired(list[i].name(), at.Child("name"), errors);
    core::CheckRequired(list[i].uid(), at.Child("uid"), errors);
  }
  std::set<std::string_view> seen;
  for (size_t i = 0; i < list.size(); ++i)
    if (!seen.insert(list[i].uid()).second)
      errors.Add(field::Duplicate(path.Index(i), RenderValue(list[i].uid())));
  if (list.empty()) return;
  if (!now.allocation()) {
    errors.Add(field::Forbidden(path, "may not be specified when `allocated` is not set"));
    return;
  }
  if (!being_deleted) return;
  const auto had = [&](ResourceClaimConsumerReferenceView reference) {
    for (const auto old : was.reserved_for())
      if (core::SameStruct(old, reference)) return true;
    return false;
  };
  for (const auto reference : list) {
    if (had(reference)) continue;
    errors.Add(field::Forbidden(
        path, "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set"));
    return;
  }
}

}  // namespace

ErrorList ValidateDeviceClass(DeviceClassView device_class, const ExpressionRules& rules) {
  ErrorList errors;
  const auto spec = device_class.spec();
  const Path path("spec"), config = path.Child("config");
  CheckSelectors(spec.selectors(), rules, path.Child("selectors"), errors);
  if (CheckSize(spec.config().size(), kMaxConfig, config, errors))
    for (size_t i = 0; i < spec.config().size(); ++i)
      CheckConfiguration(spec.config()[i].device_configuration(), config.Index(i), errors);
  if (spec.has_extended_resource_name() && !core::IsExtendedResourceName(spec.extended_resource_name()))
    errors.Add(field::Invalid(path.Child("extendedResourceName"), RenderValue(spec.extended_resource_name()),
                              "must be a valid extended resource name"));
  return errors;
}

ErrorList ValidateResourceClaim(ResourceClaimView claim, const ExpressionRules& rules) {
  ErrorList errors;
  CheckClaimSpec(claim.spec(), rules, Path("spec"), errors);
  return errors;
}

ErrorList ValidateResourceClaimUpdate(ResourceClaimView now, ResourceClaimView was) {
  ErrorList errors;
  if (!core::SameStruct(now.spec(), was.spec()))
    errors.Add(
        field::Invalid(Path("spec"), field::RenderUnversionedField(now.node(), "spec"), kFieldImmutable));
  return errors;
}

ErrorList ValidateResourceClaimStatusUpdate(ResourceClaimView now, ResourceClaimView was) {
  ErrorList errors;
  const Path path("status"), allocation = path.Child("allocation");
  const bool being_deleted = now.metadata().has_deletion_timestamp();
  CheckReservations(now.status(), was.status(), being_deleted, path.Child("reservedFor"), errors);
  CheckDeviceStatuses(now.status(), path.Child("devices"), errors);
  const auto is = now.status().allocation(), had = was.status().allocation();
  if (is && had) {
    if (!core::SameStruct(is, had))
      errors.Add(field::Invalid(allocation, field::RenderUnversioned(is.node()), kFieldImmutable));
  } else if (is) {
    CheckAllocation(is, NamesOf(now.spec().devices()), allocation, errors);
  }
  return errors;
}

ErrorList ValidateResourceClaimTemplate(ResourceClaimTemplateView claim_template,
                                        const ExpressionRules& rules) {
  ErrorList errors;
  const Path path("spec"), metadata = path.Child("metadata");
  const auto spec = claim_template.spec();
  errors.Append(ValidateLabels(spec.metadata().labels(), metadata.Child("labels")));
  errors.Append(ValidateAnnotations(spec.metadata().annotations(), metadata.Child("annotations")));
  CheckClaimSpec(spec.spec(), rules, path.Child("spec"), errors);
  return errors;
}

ErrorList ValidateResourceClaimTemplateUpdate(ResourceClaimTemplateView now, ResourceClaimTemplateView was,
                                              const ExpressionRules& rules) {
  ErrorList errors = ValidateResourceClaimTemplate(now, rules);
  if (!core::SameStruct(now.spec(), was.spec()))
    errors.Add(
        field::Invalid(Path("spec"), field::RenderUnversionedField(now.node(), "spec"), kFieldImmutable));
  return errors;
}

}  // namespace keelson::api::resource
