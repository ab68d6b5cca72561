#include <map>
#include <set>

#include "api/validation/core/checks.h"
#include "api/validation/core/volume_sources.h"
#include "api/validation/storage/csi.h"
#include "api/validation/unversioned.h"

namespace keelson::api::storage_api {
namespace {

using namespace storage_v1;
using field::ErrorList;
using field::Path;
using field::RenderValue;

void CheckNodeId(std::string_view id, const Path& path, ErrorList& errors) {
  constexpr size_t kMaxLength = 256;
  if (id.empty()) errors.Add(field::Required(path, ""));
  if (id.size() > kMaxLength) {
    errors.Add(field::Invalid(path, RenderValue(id),
                              "must be " + std::to_string(kMaxLength) + " characters or less"));
  }
}

void CheckTopologyKeys(ScalarList keys, const Path& path, ErrorList& errors) {
  std::set<std::string_view> seen;
  for (const Value& key : keys) {
    if (key.string().empty()) errors.Add(field::Required(path, ""));
    if (!seen.insert(key.string()).second) errors.Add(field::Duplicate(path, RenderValue(key.string())));
    core::CheckQualifiedName(key.string(), path, errors);
  }
}

// The driver without its volume limit, the one thing of it that may change.
CSINodeDriverView WithoutAllocatable(CSINodeDriverView driver, Arena& arena) {
  StructNode* const copy = DeepCopy(Value::Of(const_cast<StructNode*>(driver.node())), arena).node();
  CSINodeDriverEditor(copy, &arena).clear_allocatable();
  return CSINodeDriverView(copy);
}

}  // namespace

ErrorList ValidateCsiNode(CSINodeView node) {
  ErrorList errors;
  const Path spec("spec"), drivers = spec.Child("drivers");
  std::set<std::string_view> names;
  size_t i = 0;
  for (const auto driver : node.spec().drivers()) {
    const Path path = drivers.Index(i++), allocatable = path.Child("allocatable");
    core::CheckCsiDriverName(driver.name(), path.Child("name"), errors);
    CheckNodeId(driver.node_id(), path.Child("nodeID"), errors);
    if (driver.allocatable().has_count())
      core::CheckNonNegative(driver.allocatable().count(), allocatable.Child("count"), errors);
    if (!names.insert(driver.name()).second)
      errors.Add(field::Duplicate(path.Child("name"), RenderValue(driver.name())));
    CheckTopologyKeys(driver.topology_keys(), path, errors);
  }
  return errors;
}

ErrorList ValidateCsiNodeUpdate(CSINodeView now, CSINodeView was) {
  ErrorList errors = ValidateCsiNode(now);
  const Path spec("spec"), path = spec.Child("drivers");
  Arena arena;
  std::map<std::string_view, CSINodeDriverView> drivers;  // of several, the first
  for (const auto driver : now.spec().drivers()) drivers.emplace(driver.name(), driver);
  for (const auto before : was.spec().drivers()) {
    const auto after = drivers.find(before.name());
    if (after == drivers.end()) continue;
    const auto kept = WithoutAllocatable(after->second, arena);
    if (core::SameStruct(kept, WithoutAllocatable(before, arena))) continue;
    errors.Add(field::Invalid(path, field::RenderUnversioned(kept.node()), kFieldImmutable));
  }
  return errors;
}

}  // namespace keelson::api::storage_api
