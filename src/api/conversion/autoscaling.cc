// HorizontalPodAutoscaler v1 and v2. What v1 has no field for travels in annotations: other
// metrics than CPU, their current values, the behavior, the conditions.
#include <cctype>
#include <string>
#include <vector>

#include "api/codec/json.h"
#include "api/codec/json_writer.h"
#include "api/codec/quantity.h"
#include "api/conversion/mapping.h"
#include "api/generated/autoscaling_v1.h"
#include "api/generated/autoscaling_v2.h"
#include "api/types/builtin_types.h"

namespace keelson::api {
namespace {

constexpr std::string_view kMetrics = "autoscaling.alpha.kubernetes.io/metrics";
constexpr std::string_view kCurrentMetrics = "autoscaling.alpha.kubernetes.io/current-metrics";
constexpr std::string_view kConditions = "autoscaling.alpha.kubernetes.io/conditions";
constexpr std::string_view kBehavior = "autoscaling.alpha.kubernetes.io/behavior";
constexpr std::string_view kRoundTrip[] = {kMetrics,
                                           kCurrentMetrics,
                                           kConditions,
                                           kBehavior,
                                           "autoscaling.alpha.kubernetes.io/scale-down-tolerance",
                                           "autoscaling.alpha.kubernetes.io/scale-up-tolerance"};
constexpr std::string_view kUtilization = "Utilization", kValue = "Value", kAverageValue = "AverageValue";
constexpr int32_t kDefaultCpuUtilization = 80;

bool Present(const StructNode& node, std::string_view path) { return !ReadPath(node, path).absent(); }

void SetTargetType(StructNode& to, std::string_view type, Arena& arena) {
  MutablePath(to, "target.type", arena) = Value::String(type);
}

// A field that v1 always has and v2 may leave out.
void FillZero(StructNode& to, std::string_view path, Arena& arena) {
  Value& value = MutablePath(to, path, arena);
  if (value.absent()) value = Value::String("0");
}

void UtilizationToV2(const StructNode& from, StructNode& to, Arena& arena) {
  SetTargetType(to, Present(from, "targetAverageUtilization") ? kUtilization : kAverageValue, arena);
}
void ObjectSourceToV2(const StructNode& from, StructNode& to, Arena& arena) {
  if (!Present(from, "averageValue")) {
    SetTargetType(to, kValue, arena);
    return FillZero(to, "target.value", arena);
  }
  SetTargetType(to, kAverageValue, arena);
  // v1 cannot leave the value out: zero next to an average means that there is none.
  Value& value = MutablePath(to, "target.value", arena);
  const auto quantity = Quantity::Parse(value.string());
  if (quantity && quantity->IsZero()) value = {};
}
void PodsSourceToV2(const StructNode&, StructNode& to, Arena& arena) {
  SetTargetType(to, kAverageValue, arena);
  FillZero(to, "target.averageValue", arena);
}
void ExternalSourceToV2(const StructNode& from, StructNode& to, Arena& arena) {
  SetTargetType(to, Present(from, "targetValue") ? kValue : kAverageValue, arena);
}
void ValueStatusToV2(const StructNode&, StructNode& to, Arena& arena) {
  FillZero(to, "current.value", arena);
}
void AverageStatusToV2(const StructNode&, StructNode& to, Arena& arena) {
  FillZero(to, "current.averageValue", arena);
}

// --- the whole object

bool IsCpuUtilization(const autoscaling_v2::MetricSpecView& metric) {
  return metric.type() == "Resource" && metric.resource() && metric.resource().name() == "cpu" &&
         metric.resource().target().has_average_utilization();
}

void DropRoundTrip(meta_v1::ObjectMetaEditor metadata) {
  if (metadata.annotations().empty()) return;
  for (const std::string_view key : kRoundTrip) metadata.mutable_annotations().Erase(key);
}

// The two versions share one metadata until one of them changes it.
meta_v1::ObjectMetaEditor OwnMetadata(Value& slot, Arena& arena) {
  slot = slot.node() ? DeepCopy(slot, arena) : Value::Of(StructNode::New(meta_v1::kObjectMetaType, arena));
  return meta_v1::ObjectMetaEditor(slot.node(), &arena);
}

// The elements as a JSON array, each converted to `element`.
template <class List>
std::string ArrayJson(const List& list, const TypeDesc& element, Arena& arena) {
  base::BufferBuilder out;
  out.Append('[');
  for (size_t i = 0; i < list.size(); ++i) {
    if (i > 0) out.Append(',');
    json::Encode(*ConvertStruct(*list[i].node(), element, arena), out);
  }
  out.Append(']');
  return std::string(out.view());
}

void WriteRules(const autoscaling_v2::HPAScalingRulesView& rules, json::JsonWriter& out) {
  if (!rules) {
    out.Raw("null");
    return;
  }
  out.BeginObject().Key("StabilizationWindowSeconds");
  rules.has_stabilization_window_seconds() ? out.Int(rules.stabilization_window_seconds()) : out.Raw("null");
  out.Key("SelectPolicy");
  rules.has_select_policy() ? out.String(rules.select_policy()) : out.Raw("null");
  out.Key("Policies");
  if (rules.policies().empty()) {
    out.Raw("null");
  } else {
    out.BeginArray();
    for (const auto policy : rules.policies()) {
      out.BeginObject().Member("Type", policy.type()).Key("Value").Int(policy.value());
      out.Key("PeriodSeconds").Int(policy.period_seconds()).EndObject();
    }
    out.EndArray();
  }
  out.Key("Tolerance");
  rules.has_tolerance() ? out.String(rules.tolerance()) : out.Raw("null");
  out.EndObject();
}

// Upstream writes its internal type here, whose members have Go's names.
std::string BehaviorJson(const autoscaling_v2::HorizontalPodAutoscalerBehaviorView& behavior) {
  base::BufferBuilder out;
  json::JsonWriter json(out);
  json.BeginObject().Key("ScaleUp");
  WriteRules(behavior.scale_up(), json);
  json.Key("ScaleDown");
  WriteRules(behavior.scale_down(), json);
  json.EndObject();
  return std::string(out.view());
}

void HpaToV1(const StructNode& from, StructNode& to, Arena& arena) {
  const autoscaling_v2::HorizontalPodAutoscalerView in(&from);
  autoscaling_v1::HorizontalPodAutoscalerEditor out(&to, &arena);
  auto metadata = OwnMetadata(to.slot(2), arena);
  DropRoundTrip(metadata);

  std::vector<autoscaling_v2::MetricSpecView> others;
  for (const auto metric : in.spec().metrics()) {
    if (!IsCpuUtilization(metric)) {
      others.push_back(metric);
    } else if (!out.spec().has_target_cpu_utilization_percentage()) {
      out.mutable_spec().set_target_cpu_utilization_percentage(
          metric.resource().target().average_utilization());
    }
  }
  for (const auto metric : in.status().current_metrics())
    if (metric.type() == "Resource" && metric.resource() && metric.resource().name() == "cpu" &&
        metric.resource().current().has_average_utilization())
      out.mutable_status().set_current_cpu_utilization_percentage(
          metric.resource().current().average_utilization());

  if (!others.empty())
    metadata.put_annotations(kMetrics, ArrayJson(others, autoscaling_v1::kMetricSpecType, arena));
  if (const auto current = in.status().current_metrics(); !current.empty())
    metadata.put_annotations(kCurrentMetrics, ArrayJson(current, autoscaling_v1::kMetricStatusType, arena));
  if (in.spec().behavior()) metadata.put_annotations(kBehavior, BehaviorJson(in.spec().behavior()));
  if (const auto conditions = in.status().conditions(); !conditions.empty())
    metadata.put_annotations(
        kConditions, ArrayJson(conditions, autoscaling_v1::kHorizontalPodAutoscalerConditionType, arena));
}

// The elements of a JSON array of `element`, or null when the text is none.
ListNode* ReadArray(std::string_view text, const TypeDesc& element, Arena& arena) {
  auto tree = json::DecodeAny(arena.CopyString(text), arena);
  if (!tree || (!tree->list() && !tree->is(Value::Tag::kNull))) return nullptr;
  ListNode* list = ListNode::New(&element, arena);
  if (!tree->list()) return list;
  for (const Value& item : tree->list()->items()) {
    base::BufferBuilder one;
    json::EncodeAny(item, one);
    auto node = json::Decode(arena.CopyString(one.view()), element, arena, nullptr);
    if (!node) return nullptr;
    list->Append(Value::Of(*node), arena);
  }
  return list;
}

// Go's names as those of JSON: their first letter in lower case, at every level.
Value LowerNames(const Value& tree, Arena& arena) {
  if (tree.list()) {
    for (Value& item : tree.list()->items()) item = LowerNames(item, arena);
    return tree;
  }
  if (!tree.map()) return tree;
  MapNode* map = MapNode::New(nullptr, arena);
  for (const MapNode::Entry& entry : tree.map()->entries()) {
    std::string name(entry.key);
    if (!name.empty()) name[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(name[0])));
    map->Set(arena.CopyString(name), LowerNames(entry.value, arena), arena);
  }
  return Value::Of(map);
}

void ReadBehavior(std::string_view text, autoscaling_v2::HorizontalPodAutoscalerEditor out, Arena& arena) {
  auto tree = json::DecodeAny(arena.CopyString(text), arena);
  if (!tree || !tree->map()) return;
  base::BufferBuilder lowered;
  json::EncodeAny(LowerNames(*tree, arena), lowered);
  auto node = json::Decode(arena.CopyString(lowered.view()),
                           autoscaling_v2::kHorizontalPodAutoscalerBehaviorType, arena, nullptr);
  if (!node) return;
  const autoscaling_v2::HorizontalPodAutoscalerBehaviorView behavior(*node);
  if (!behavior.scale_up() && !behavior.scale_down()) return;
  MutablePath(*out.node(), "spec.behavior", arena) = Value::Of(*node);
}

void AddCpuUtilization(autoscaling_v2::HorizontalPodAutoscalerEditor out, int32_t percentage) {
  auto metric = out.mutable_spec().add_metrics();
  metric.set_type_static("Resource");
  auto resource = metric.mutable_resource();
  resource.set_name_static("cpu");
  resource.mutable_target().set_type_static(kUtilization);
  resource.mutable_target().set_average_utilization(percentage);
}

void HpaToV2(const StructNode& from, StructNode& to, Arena& arena) {
  const autoscaling_v1::HorizontalPodAutoscalerView in(&from);
  autoscaling_v2::HorizontalPodAutoscalerEditor out(&to, &arena);
  const MapView annotations = in.metadata().annotations();

  if (const Value* text = annotations.Find(kMetrics))
    if (const ListNode* metrics = ReadArray(text->string(), autoscaling_v1::kMetricSpecType, arena))
      for (const Value& metric : metrics->items())
        out.mutable_spec().mutable_metrics().Append(
            Value::Of(ConvertStruct(*metric.node(), autoscaling_v2::kMetricSpecType, arena)), arena);
  if (in.spec().has_target_cpu_utilization_percentage())
    AddCpuUtilization(out, in.spec().target_cpu_utilization_percentage());
  if (out.spec().metrics().empty()) AddCpuUtilization(out, kDefaultCpuUtilization);
  if (const Value* text = annotations.Find(kBehavior)) ReadBehavior(text->string(), out, arena);

  const Value* const text = annotations.Find(kCurrentMetrics);
  if (const ListNode* current =
          text ? ReadArray(text->string(), autoscaling_v1::kMetricStatusType, arena) : nullptr) {
    for (const Value& metric : current->items())
      out.mutable_status().mutable_current_metrics().Append(
          Value::Of(ConvertStruct(*metric.node(), autoscaling_v2::kMetricStatusType, arena)), arena);
  } else if (in.status().has_current_cpu_utilization_percentage()) {
    auto metric = out.mutable_status().add_current_metrics();
    metric.set_type_static("Resource");
    auto resource = metric.mutable_resource();
    resource.set_name_static("cpu");
    resource.mutable_current().set_average_utilization(in.status().current_cpu_utilization_percentage());
  }
  if (const Value* conditions = annotations.Find(kConditions))
    if (const ListNode* list =
            ReadArray(conditions->string(), autoscaling_v1::kHorizontalPodAutoscalerConditionType, arena))
      for (const Value& condition : list->items())
        out.mutable_status().mutable_conditions().Append(
            Value::Of(ConvertStruct(*condition.node(), autoscaling_v2::kHorizontalPodAutoscalerConditionType,
                                    arena)),
            arena);
  DropRoundTrip(OwnMetadata(to.slot(2), arena));
}

constexpr FieldPair kObjectSource[] = {{"target", "describedObject"},
                                       {"metricName", "metric.name"},
                                       {"selector", "metric.selector"},
                                       {"targetValue", "target.value"},
                                       {"averageValue", "target.averageValue"}};
constexpr FieldPair kPodsSource[] = {{"metricName", "metric.name"},
                                     {"selector", "metric.selector"},
                                     {"targetAverageValue", "target.averageValue"}};
constexpr FieldPair kResourceSource[] = {{"targetAverageUtilization", "target.averageUtilization"},
                                         {"targetAverageValue", "target.averageValue"}};
constexpr FieldPair kExternalSource[] = {{"metricName", "metric.name"},
                                         {"metricSelector", "metric.selector"},
                                         {"targetValue", "target.value"},
                                         {"targetAverageValue", "target.averageValue"}};
constexpr FieldPair kObjectStatus[] = {{"target", "describedObject"},
                                       {"metricName", "metric.name"},
                                       {"selector", "metric.selector"},
                                       {"currentValue", "current.value"},
                                       {"averageValue", "current.averageValue"}};
constexpr FieldPair kPodsStatus[] = {{"metricName", "metric.name"},
                                     {"selector", "metric.selector"},
                                     {"currentAverageValue", "current.averageValue"}};
constexpr FieldPair kResourceStatus[] = {{"currentAverageUtilization", "current.averageUtilization"},
                                         {"currentAverageValue", "current.averageValue"}};
constexpr FieldPair kExternalStatus[] = {{"metricName", "metric.name"},
                                         {"metricSelector", "metric.selector"},
                                         {"currentValue", "current.value"},
                                         {"currentAverageValue", "current.averageValue"}};

}  // namespace

std::span<const Mapping> AutoscalingMappings() {
  static constexpr Mapping mappings[] = {
      {&autoscaling_v1::kHorizontalPodAutoscalerType,
       &autoscaling_v2::kHorizontalPodAutoscalerType,
       {},
       HpaToV2,
       HpaToV1},
      {&autoscaling_v1::kObjectMetricSourceType, &autoscaling_v2::kObjectMetricSourceType, kObjectSource,
       ObjectSourceToV2},
      {&autoscaling_v1::kPodsMetricSourceType, &autoscaling_v2::kPodsMetricSourceType, kPodsSource,
       PodsSourceToV2},
      {&autoscaling_v1::kResourceMetricSourceType, &autoscaling_v2::kResourceMetricSourceType,
       kResourceSource, UtilizationToV2},
      {&autoscaling_v1::kContainerResourceMetricSourceType,
       &autoscaling_v2::kContainerResourceMetricSourceType, kResourceSource, UtilizationToV2},
      {&autoscaling_v1::kExternalMetricSourceType, &autoscaling_v2::kExternalMetricSourceType,
       kExternalSource, ExternalSourceToV2},
      {&autoscaling_v1::kObjectMetricStatusType, &autoscaling_v2::kObjectMetricStatusType, kObjectStatus,
       ValueStatusToV2},
      {&autoscaling_v1::kPodsMetricStatusType, &autoscaling_v2::kPodsMetricStatusType, kPodsStatus,
       AverageStatusToV2},
      {&autoscaling_v1::kResourceMetricStatusType, &autoscaling_v2::kResourceMetricStatusType,
       kResourceStatus, AverageStatusToV2},
      {&autoscaling_v1::kContainerResourceMetricStatusType,
       &autoscaling_v2::kContainerResourceMetricStatusType, kResourceStatus, AverageStatusToV2},
      {&autoscaling_v1::kExternalMetricStatusType, &autoscaling_v2::kExternalMetricStatusType,
       kExternalStatus, ValueStatusToV2},
  };
  return mappings;
}

}  // namespace keelson::api
