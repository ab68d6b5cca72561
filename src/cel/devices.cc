#include "cel/devices.h"

#include "cel/estimate.h"
#include "cel/functions/functions.h"
#include "cel/kubernetes.h"

namespace keelson::cel {
namespace {

constexpr uint64_t kMaxDomain = 63, kMaxId = 32, kMaxDriver = 63, kMaxEntries = 32, kMaxAttributeValue = 64;

const DeclaredStructs& DeviceStructs() {
  static const DeclaredStructs structs = [] {
    using namespace types;
    DeclaredStructs all;
    all.Declare("kubernetes.DRADevice", {{"driver", String()},
                                         {"allowMultipleAllocations", Bool()},
                                         {"attributes", MapOf(String(), MapOf(String(), Any()))},
                                         {"capacity", MapOf(String(), MapOf(String(), QuantityType()))}});
    return all;
  }();
  return structs;
}

const Environment& DeviceEnvironment() {
  static const Environment environment = [] {
    Environment::Options options = KubernetesOptions();
    const auto bind = BindMacros();
    options.parser.macros.insert(options.parser.macros.end(), bind.begin(), bind.end());
    options.structs.push_back(&DeviceStructs());
    options.variables = {{"device", types::Struct("kubernetes.DRADevice")}};
    return Environment(std::move(options));
  }();
  return environment;
}

// What is at a path from the device, by how many entries or characters it can have.
enum class At { kDevice, kDriver, kFlag, kOuter, kInner, kDomain, kId, kAttribute, kQuantity };

std::optional<Range> SizeAt(const EstimateNode& node) {
  if (node.path.empty() || node.path[0] != "device") return std::nullopt;
  At at = At::kDevice;
  bool attributes = false;
  for (size_t i = 1; i < node.path.size(); ++i) {
    const std::string& part = node.path[i];
    if (part == "@items" || part == "@values") {
      if (at != At::kOuter && at != At::kInner) return std::nullopt;
      at = at == At::kOuter ? At::kInner : attributes ? At::kAttribute : At::kQuantity;
    } else if (part == "@keys") {
      if (at != At::kOuter && at != At::kInner) return std::nullopt;
      at = at == At::kOuter ? At::kDomain : At::kId;
    } else if (at == At::kDevice) {
      if (part == "driver") {
        at = At::kDriver;
      } else if (part == "allowMultipleAllocations") {
        at = At::kFlag;
      } else if (part == "attributes" || part == "capacity") {
        at = At::kOuter;
        attributes = part == "attributes";
      } else {
        return std::nullopt;
      }
    } else if (at == At::kInner && attributes) {
      at = At::kAttribute;
    } else {
      return std::nullopt;
    }
  }
  switch (at) {
    case At::kDevice: return Range{0, std::numeric_limits<uint64_t>::max()};
    case At::kDriver: return Range{0, kMaxDriver};
    case At::kFlag: return Range{0, 1};
    case At::kOuter:
    case At::kInner: return Range{0, kMaxEntries};
    case At::kDomain: return Range{0, kMaxDomain};
    case At::kId: return Range{0, kMaxId};
    case At::kAttribute: return Range{0, kMaxAttributeValue};
    case At::kQuantity: return Range{0, 0};
  }
  return std::nullopt;
}

}  // namespace

base::Result<DeviceSelector, CompileError> CompileDeviceSelector(std::string_view expression) {
  const Environment& environment = DeviceEnvironment();
  const auto checked = environment.Compile(expression);
  if (!checked) return base::Err(CompileError{false, "compilation failed: " + checked.error()});
  const Type& type = *checked->type();
  if (!type.is(Type::Kind::kBool) && type.name() != "any")
    return base::Err(CompileError{false, "must evaluate to bool or the unknown type, not " + TypeText(type)});
  auto program = Program::Plan(*checked, environment);
  if (!program) return base::Err(CompileError{true, "program instantiation failed: " + program.error()});
  return DeviceSelector{std::move(*program), EstimateCost(*checked, SizeAt).max};
}

}  // namespace keelson::cel
