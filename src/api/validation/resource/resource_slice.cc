#include "api/validation/resource/resource_slice.h"

#include <set>
#include <vector>

#include "api/codec/quantity.h"
#include "api/validation/core/checks.h"
#include "api/validation/core/fields.h"
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

constexpr size_t kMaxDevices = 128, kMaxAdvancedDevices = 64, kMaxCounterSets = 8, kMaxCounters = 32;

Quantity Amount(const Value& value) {
  auto parsed = Quantity::Parse(value.string());
  return parsed ? *std::move(parsed) : Quantity();
}
Quantity Amount(std::string_view text) { return Amount(Value::String(text)); }

// How many of the ways to say which nodes are used, and their names.
class NodeChoice {
 public:
  NodeChoice(const Path& path, ErrorList& errors) : path_(path), errors_(errors) {}

  template <class View>
  void Look(View view, std::string_view why_not_empty, bool one_term) {
    if (view.has_node_name()) {
      if (view.node_name().empty()) {
        errors_.Add(field::Invalid(path_.Child("nodeName"), RenderValue(""), why_not_empty));
      } else {
        Used("`nodeName`");
        errors_.AddInvalid(path_.Child("nodeName"), view.node_name(),
                           NameIsDnsSubdomain(view.node_name(), false));
      }
    }
    if (const auto selector = view.node_selector()) {
      Used("`nodeSelector`");
      const Path at = path_.Child("nodeSelector");
      core::CheckNodeSelector(selector, at, errors_);
      if (one_term && selector.node_selector_terms().size() != 1)
        errors_.Add(field::Invalid(at.Child("nodeSelectorTerms"),
                                   field::RenderUnversionedField(selector.node(), "nodeSelectorTerms"),
                                   "must have exactly one node selector term"));
    }
    if (view.has_all_nodes()) TrueOnly(view.all_nodes(), "allNodes");
  }
  void TrueOnly(bool value, std::string_view member) {
    if (value) return Used("`" + std::string(member) + "`");
    errors_.Add(
        field::Invalid(path_.Child(member), RenderValue(false), "must be either unset or set to true"));
  }
  void Decide(std::string_view none, std::string_view several) {
    if (count_ == 0) errors_.Add(field::Required(path_, none));
    if (count_ > 1) errors_.Add(field::Invalid(path_, RenderValue("{" + used_ + "}"), several));
  }

 private:
  void Used(std::string_view member) { used_.append(count_++ == 0 ? "" : ", ").append(member); }
  const Path& path_;
  ErrorList& errors_;
  std::string used_;
  size_t count_ = 0;
};

void CheckAttribute(DeviceAttributeView attribute, const Path& path, ErrorList& errors) {
  constexpr size_t kMaxValue = 64;
  const size_t values =
      attribute.has_int() + attribute.has_bool() + attribute.has_string() + attribute.has_version();
  if (attribute.has_string() && attribute.string().size() > kMaxValue)
    errors.Add(field::TooLong(path.Child("string"), kMaxValue));
  if (attribute.has_version()) {
    const Path at = path.Child("version");
    CheckSemanticVersion(attribute.version(), at, errors);
    if (attribute.version().size() > kMaxValue) errors.Add(field::TooLong(at, kMaxValue));
  }
  if (values == 1) return;
  errors.Add(field::Invalid(path, values == 0 ? RenderValue("") : field::RenderUnversioned(attribute.node()),
                            "exactly one value must be specified"));
}

void CheckRange(const Quantity& wanted, const Quantity& most, CapacityRequestPolicyRangeView range,
                const Path& path, ErrorList& errors) {
  const auto refuse = [&](std::string_view member, const Quantity& value, const std::string& why) {
    errors.Add(field::Invalid(path.Child(member), RenderValue(value.ToString()), why));
  };
  if (!range.has_min()) {
    errors.Add(field::Required(path.Child("min"), "required when validRange is defined"));
    return;
  }
  const Quantity min = Amount(range.min()), max = Amount(range.max()), step = Amount(range.step());
  if (most < min) refuse("min", min, "min is larger than capacity value: " + most.ToString());
  if (wanted < min) refuse("min", wanted, "default is less than min: " + min.ToString());
  if (range.has_max()) {
    if (max < min) refuse("max", min, "min is larger than max: " + max.ToString());
    if (most < max) refuse("max", max, "max is larger than capacity value: " + most.ToString());
    if (max < wanted) refuse("max", wanted, "default is more than max: " + max.ToString());
  }
  if (!range.has_step() || step.Value() == 0) return;
  Quantity one_step = min;
  one_step.Add(step);
  if (most < one_step)
    refuse("step", step,
           "one step " + one_step.ToString() + " is larger than capacity value: " + most.ToString());
  const auto check_step = [&](const Quantity& value) {
    if ((value.Value() - min.Value()) % step.Value() != 0)
      refuse(
          "step", value,
          "value is not a multiple of a given step (" + step.ToString() + ") from (" + min.ToString() + ")");
  };
  check_step(wanted);
  if (range.has_max()) check_step(max);
}

void CheckValues(const Quantity& wanted, const Quantity& most, ScalarList values, const Path& path,
                 ErrorList& errors) {
  constexpr size_t kMaxOptions = 10;
  for (size_t i = 0; i + 1 < values.size(); ++i)
    if (Amount(values[i + 1]) < Amount(values[i]))
      errors.Add(field::Invalid(path.Index(i + 1), RenderValue(values[i + 1].string()),
                                "values must be sorted in ascending order"));
  bool found = false;
  if (CheckSize(values.size(), kMaxOptions, path, errors)) {
    for (size_t i = 0; i < values.size(); ++i) {
      const Quantity value = Amount(values[i]);
      if (most < value)
        errors.Add(field::Invalid(path.Index(i), RenderValue(value.ToString()),
                                  "option is larger than capacity value: " + most.ToString()));
      found = found || value == wanted;
    }
    std::set<int64_t> seen;
    for (size_t i = 0; i < values.size(); ++i)
      if (const int64_t value = Amount(values[i]).Value(); !seen.insert(value).second)
        errors.Add(field::Duplicate(path.Index(i), RenderValue(std::to_string(value))));
  }
  if (!found)
    errors.Add(field::Invalid(path, RenderValue(wanted.ToString()),
                              "default value is not valid according to the requestPolicy"));
}

void CheckCapacity(DeviceCapacityView capacity, bool shared, const Path& path, ErrorList& errors) {
  const auto policy = capacity.request_policy();
  if (!policy) return;
  const Path at = path.Child("requestPolicy");
  if (!shared) {
    errors.Add(field::Forbidden(at, "allowMultipleAllocations must be true"));
    return;
  }
  const bool listed = !policy.valid_values().empty();
  if (listed && policy.valid_range()) {
    errors.Add(field::Forbidden(at,
                                "exactly one policy can be specified, cannot specify \"validValues\" and "
                                "\"validRange\" at the same time"));
    return;
  }
  if (!listed && !policy.valid_range()) return;
  if (!policy.has_default()) {
    errors.Add(field::Required(at.Child("default"), listed ? "required when validValues is defined"
                                                           : "required when validRange is defined"));
    return;
  }
  const Quantity wanted = Amount(policy.default_()), most = Amount(capacity.value());
  if (listed) {
    CheckValues(wanted, most, policy.valid_values(), at.Child("validValues"), errors);
  } else {
    CheckRange(wanted, most, policy.valid_range(), at.Child("validRange"), errors);
  }
}

void CheckTaint(DeviceTaintView taint, const Path& path, ErrorList& errors) {
  static constexpr std::string_view kEffects[] = {"NoExecute", "NoSchedule", "None"};
  errors.Append(ValidateLabelName(taint.key(), path.Child("key")));
  if (!taint.value().empty())
    errors.AddInvalid(path.Child("value"), taint.value(), IsLabelValue(taint.value()));
  core::CheckRequiredSupported(taint.effect(), kEffects, path.Child("effect"), errors);
}

// Of counter sets and of what devices take from them.
void CheckCounters(std::string_view name, const Path& name_path, MapView counters, const Path& path,
                   ErrorList& errors) {
  if (name.empty()) {
    errors.Add(field::Required(name_path, ""));
  } else {
    core::CheckDnsLabel(name, name_path, errors);
  }
  if (counters.empty()) {
    errors.Add(field::Required(path, ""));
  } else if (CheckSize(counters.size(), kMaxCounters, path, errors)) {
    for (const auto& [key, value] : counters) core::CheckDnsLabel(key, path, errors);
  }
}

void CheckDeviceNodes(DeviceView device, bool per_device, const Path& path, ErrorList& errors) {
  constexpr std::string_view kOne =
      "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is "
      "set "
      "to true in the ResourceSlice spec";
  if (per_device) {
    NodeChoice choice(path, errors);
    choice.Look(device, "must not be empty", false);
    choice.Decide(kOne, kOne);
  } else if (device.has_node_name() || device.node_selector() || device.has_all_nodes()) {
    errors.Add(field::Invalid(path, "null",
                              "`nodeName`, `nodeSelector` and `allNodes` can only be set if "
                              "`perDeviceNodeSelection` is set to true in the ResourceSlice spec"));
  }
}

void CheckDevice(DeviceView device, DeviceView was, bool per_device, const Path& path, ErrorList& errors) {
  constexpr size_t kMaxTaints = 16, kMaxConsumptions = 2, kMaxAttributes = 32;
  core::CheckDnsLabel(device.name(), path.Child("name"), errors);
  const size_t attributes = device.attributes().size() + device.capacity().size();
  if (attributes > kMaxAttributes)
    errors.Add(field::Invalid(path, RenderValue(attributes),
                              "the total number of attributes and capacities must not exceed 32"));
  const Path attribute = path.Child("attributes"), capacity = path.Child("capacity"),
             taints = path.Child("taints"), counters = path.Child("consumesCounters");
  for (const auto& [name, value] : device.attributes()) {
    CheckQualifiedName(name, attribute, errors);
    CheckAttribute(DeviceAttributeView(value.node()), attribute.Key(name), errors);
  }
  for (const auto& [name, value] : device.capacity()) {
    CheckQualifiedName(name, capacity, errors);
    CheckCapacity(DeviceCapacityView(value.node()), device.allow_multiple_allocations(), capacity.Key(name),
                  errors);
  }
  const bool new_taints = !was || !core::SameField(device, was, "taints");
  if (new_taints && CheckSize(device.taints().size(), kMaxTaints, taints, errors))
    for (size_t i = 0; i < device.taints().size(); ++i)
      CheckTaint(device.taints()[i], taints.Index(i), errors);
  const auto consumed = device.consumes_counters();
  if (CheckSize(consumed.size(), kMaxConsumptions, counters, errors)) {
    for (size_t i = 0; i < consumed.size(); ++i) {
      const Path at = counters.Index(i);
      CheckCounters(consumed[i].counter_set(), at.Child("counterSet"), consumed[i].counters(),
                    at.Child("counters"), errors);
    }
    std::set<std::string_view> seen;
    for (size_t i = 0; i < consumed.size(); ++i)
      if (!seen.insert(consumed[i].counter_set()).second)
        errors.Add(field::Duplicate(counters.Index(i), RenderValue(consumed[i].counter_set())));
  }
  CheckDeviceNodes(device, per_device, path, errors);
  CheckBindingConditions(device.node(), device.binding_conditions(), device.binding_failure_conditions(),
                         path, errors);
}

DeviceView FindDevice(ResourceSliceView slice, std::string_view name) {
  for (const auto device : slice.spec().devices())
    if (device.name() == name) return device;
  return {};
}

void CheckDevices(ResourceSliceView now, ResourceSliceView was, const Path& path, ErrorList& errors) {
  const auto devices = now.spec().devices();
  bool advanced = false;
  for (const auto device : devices)
    advanced = advanced || !device.taints().empty() || !device.consumes_counters().empty();
  if (!CheckSize(devices.size(), advanced ? kMaxAdvancedDevices : kMaxDevices, path, errors)) return;
  for (size_t i = 0; i < devices.size(); ++i)
    CheckDevice(devices[i], FindDevice(was, devices[i].name()), now.spec().per_device_node_selection(),
                path.Index(i), errors);
  std::set<std::string_view> seen;
  for (size_t i = 0; i < devices.size(); ++i)
    if (!seen.insert(devices[i].name()).second)
      errors.Add(field::Duplicate(path.Index(i), RenderValue(devices[i].name())));
}

void CheckPool(ResourcePoolView pool, const Path& path, ErrorList& errors) {
  CheckPoolName(pool.name(), path.Child("name"), errors);
  core::CheckPositive(pool.resource_slice_count(), path.Child("resourceSliceCount"), errors);
  if (pool.generation() < 0)
    errors.Add(field::Invalid(path.Child("generation"), RenderValue(pool.generation()),
                              "must be greater than or equal to zero"));
}

}  // namespace

ErrorList ValidateResourceSlice(ResourceSliceView now, ResourceSliceView was) {
  ErrorList errors;
  const auto spec = now.spec(), old = was.spec();
  const Path path("spec"), pool = path.Child("pool"), counters = path.Child("sharedCounters");
  CheckDriverName(spec.driver(), path.Child("driver"), errors);
  CheckPool(spec.pool(), pool, errors);
  if (was) {
    const auto keep = [&](bool same, std::string value, const Path& at) {
      if (!same) errors.Add(field::Invalid(at, std::move(value), kFieldImmutable));
    };
    keep(spec.pool().name() == old.pool().name(), RenderValue(spec.pool().name()), pool.Child("name"));
    keep(spec.driver() == old.driver(), RenderValue(spec.driver()), path.Child("driver"));
    keep(core::SameField(spec, old, "nodeName"), field::RenderField(spec.node(), "nodeName"),
         path.Child("nodeName"));
  }
  NodeChoice choice(path, errors);
  choice.Look(spec, "must be either unset or set to a non-empty string", true);
  if (spec.has_per_device_node_selection())
    choice.TrueOnly(spec.per_device_node_selection(), "perDeviceNodeSelection");
  constexpr std::string_view kNone =
      "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";
  choice.Decide(kNone, std::string(kNone) + ", but multiple fields are set");
  if (!spec.shared_counters().empty() && !spec.devices().empty())
    errors.Add(field::Invalid(path, RenderValue(""), "only one of `sharedCounters` or `devices` is allowed"));
  CheckDevices(now, was, path.Child("devices"), errors);
  const auto sets = spec.shared_counters();
  if (CheckSize(sets.size(), kMaxCounterSets, counters, errors)) {
    for (size_t i = 0; i < sets.size(); ++i) {
      const Path at = counters.Index(i);
      CheckCounters(sets[i].name(), at.Child("name"), sets[i].counters(), at.Child("counters"), errors);
    }
    std::set<std::string_view> seen;
    for (size_t i = 0; i < sets.size(); ++i)
      if (!seen.insert(sets[i].name()).second)
        errors.Add(field::Duplicate(counters.Index(i), RenderValue(sets[i].name())));
  }
  return errors;
}

}  // namespace keelson::api::resource
