#include "api/validation/autoscaling/metrics.h"

#include <algorithm>
#include <vector>

#include "api/codec/quantity.h"
#include "api/validation/core/checks.h"
#include "api/validation/core/resource_names.h"

namespace keelson::api::autoscaling {
namespace {

using namespace autoscaling_v2;
using core::ErrorList;
using core::Path;
using field::RenderValue;

void CheckPathSegment(std::string_view value, std::string_view missing, const Path& path, ErrorList& errors) {
  if (value.empty()) return errors.Add(field::Required(path, missing));
  errors.AddInvalid(path, value, IsPathSegmentName(value));
}

void CheckIdentifier(MetricIdentifierView metric, const Path& path, ErrorList& errors) {
  CheckPathSegment(metric.name(), "must specify a metric name", path.Child("name"), errors);
}

void CheckTarget(MetricTargetView target, const Path& path, ErrorList& errors) {
  const std::string_view type = target.type();
  if (type.empty()) errors.Add(field::Required(path.Child("type"), "must specify a metric target type"));
  if (type != "Utilization" && type != "Value" && type != "AverageValue")
    errors.Add(field::Invalid(path.Child("type"), RenderValue(type),
                              "must be either Utilization, Value, or AverageValue"));
  auto check_positive = [&](std::string_view text, std::string_view member) {
    const auto quantity = Quantity::Parse(text);
    if (quantity && quantity->Sign() <= 0)
      errors.Add(field::Invalid(path.Child(member), RenderValue(text), "must be positive"));
  };
  if (target.has_value()) check_positive(target.value(), "value");
  if (target.has_average_value()) check_positive(target.average_value(), "averageValue");
  if (target.has_average_utilization() && target.average_utilization() < 1)
    errors.Add(field::Invalid(path.Child("averageUtilization"), RenderValue(target.average_utilization()),
                              "must be greater than 0"));
}

void CheckObject(ObjectMetricSourceView source, const ReferenceRules& rules, const Path& path,
                 ErrorList& errors) {
  const Path target = path.Child("target");
  CheckReference(source.described_object(), rules, path.Child("describedObject"), errors);
  CheckIdentifier(source.metric(), path.Child("metric"), errors);
  CheckTarget(source.target(), target, errors);
  if (!source.target().has_value() && !source.target().has_average_value())
    errors.Add(
        field::Required(target.Child("averageValue"), "must set either a target value or averageValue"));
}

void CheckExternal(ExternalMetricSourceView source, const Path& path, ErrorList& errors) {
  const Path target = path.Child("target");
  CheckIdentifier(source.metric(), path.Child("metric"), errors);
  CheckTarget(source.target(), target, errors);
  const bool value = source.target().has_value(), average = source.target().has_average_value();
  if (!value && !average)
    errors.Add(field::Required(target.Child("averageValue"),
                               "must set either a target value for metric or a per-pod target"));
  if (value && average)
    errors.Add(field::Forbidden(target.Child("value"),
                                "may not set both a target value for metric and a per-pod target"));
}

void CheckPods(PodsMetricSourceView source, const Path& path, ErrorList& errors) {
  const Path target = path.Child("target");
  CheckIdentifier(source.metric(), path.Child("metric"), errors);
  CheckTarget(source.target(), target, errors);
  if (!source.target().has_average_value())
    errors.Add(field::Required(target.Child("averageValue"), "must specify a positive target averageValue"));
}

// Of a resource: a share of what was asked for, or an amount.
void CheckResourceTarget(MetricTargetView target, const Path& path, ErrorList& errors) {
  CheckTarget(target, path, errors);
  const bool utilization = target.has_average_utilization(), value = target.has_average_value();
  if (!utilization && !value)
    errors.Add(field::Required(path.Child("averageUtilization"),
                               "must set either a target raw value or a target utilization"));
  if (utilization && value)
    errors.Add(field::Forbidden(path.Child("averageValue"),
                                "may not set both a target raw value and a target utilization"));
}

void CheckResource(ResourceMetricSourceView source, const Path& path, ErrorList& errors) {
  if (source.name().empty()) errors.Add(field::Required(path.Child("name"), "must specify a resource name"));
  CheckResourceTarget(source.target(), path.Child("target"), errors);
}

void CheckContainerResource(ContainerResourceMetricSourceView source, const Path& path, ErrorList& errors) {
  const Path name = path.Child("name"), container = path.Child("container");
  if (source.name().empty()) {
    errors.Add(field::Required(name, "must specify a resource name"));
  } else {
    errors.Append(core::ValidateContainerResourceName(source.name(), name));
  }
  if (source.container().empty()) {
    errors.Add(field::Required(container, "must specify a container"));
  } else {
    core::CheckDnsLabel(source.container(), container, errors);
  }
  CheckResourceTarget(source.target(), path.Child("target"), errors);
}

// Only the first source is looked into.
void CheckSource(MetricSpecView metric, const ReferenceRules& objects, const Path& path, ErrorList& errors) {
  if (metric.object()) return CheckObject(metric.object(), objects, path.Child("object"), errors);
  if (metric.external()) return CheckExternal(metric.external(), path.Child("external"), errors);
  if (metric.pods()) return CheckPods(metric.pods(), path.Child("pods"), errors);
  if (metric.resource()) return CheckResource(metric.resource(), path.Child("resource"), errors);
  if (metric.container_resource())
    CheckContainerResource(metric.container_resource(), path.Child("containerResource"), errors);
}

struct SourceType {
  std::string_view name, member;
};
constexpr SourceType kSourceTypes[] = {{"Object", "object"},
                                       {"External", "external"},
                                       {"Pods", "pods"},
                                       {"Resource", "resource"},
                                       {"ContainerResource", "containerResource"}};

// The members that are there.
std::vector<std::string_view> SourcesOf(MetricSpecView metric) {
  std::vector<std::string_view> given;
  for (const SourceType& type : kSourceTypes) {
    const size_t ordinal = kMetricSpecType.FindMember(type.member).field->ordinal;
    if (metric && !metric.node()->slot(ordinal).absent()) given.push_back(type.member);
  }
  return given;
}

}  // namespace

std::optional<std::string> ApiVersionError(std::string_view api_version, const ReferenceRules& rules) {
  if (rules.any_version) return std::nullopt;
  const auto slashes = std::ranges::count(api_version, '/');
  if (slashes > 1) return "unexpected GroupVersion string: " + std::string(api_version);
  const bool has_group = slashes == 1 && !api_version.starts_with('/');
  if (!rules.core_group && !has_group) return "apiVersion must specify API group";
  return std::nullopt;
}

void CheckReference(CrossVersionObjectReferenceView reference, const ReferenceRules& rules, const Path& path,
                    ErrorList& errors) {
  CheckPathSegment(reference.kind(), "", path.Child("kind"), errors);
  CheckPathSegment(reference.name(), "", path.Child("name"), errors);
  if (const auto error = ApiVersionError(reference.api_version(), rules))
    errors.Add(field::Invalid(path.Child("apiVersion"), RenderValue(reference.api_version()), *error));
}

void CheckMetric(MetricSpecView metric, const ReferenceRules& objects, const Path& path, ErrorList& errors) {
  constexpr std::string_view kNames[] = {"ContainerResource", "External", "Object", "Pods", "Resource"};
  const auto known = std::ranges::find(kSourceTypes, metric.type(), &SourceType::name);
  const bool is_known = known != std::end(kSourceTypes);
  const Path type = path.Child("type");
  if (metric.type().empty()) errors.Add(field::Required(type, "must specify a metric source type"));
  if (!is_known) errors.Add(field::NotSupported(type, RenderValue(metric.type()), kNames));
  CheckSource(metric, objects, path, errors);

  const auto given = SourcesOf(metric);
  const std::string_view expected = is_known ? known->member : std::string_view();
  if (!is_known) {
    errors.Add(field::NotSupported(type, RenderValue(metric.type()), kNames));
  } else if (std::ranges::find(given, expected) == given.end()) {
    errors.Add(
        field::Required(path.Child(expected), "must populate information for the given metric source"));
  }
  if (given.size() == 1) return;
  for (std::string_view member : given)
    if (member != expected)
      errors.Add(field::Forbidden(path.Child(member), "must populate the given metric source only"));
}

}  // namespace keelson::api::autoscaling
