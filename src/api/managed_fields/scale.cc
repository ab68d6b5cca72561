#include "api/managed_fields/scale.h"

#include <set>

#include "api/managed_fields/managed.h"
#include "api/meta/object_meta.h"
#include "api/types/custom_type.h"

namespace keelson::api::managed_fields {
namespace {

constexpr std::string_view kScaleVersion = "autoscaling/v1";

constexpr FieldSet::Entry kReplicasEntries[] = {{PathElement::Field("replicas"), nullptr, true}};
constexpr FieldSet kReplicasOfSpec{kReplicasEntries, 1};
constexpr FieldSet::Entry kSpecOfScale[] = {{PathElement::Field("spec"), &kReplicasOfSpec, false}};
// spec.replicas, in a Scale and in every built-in kind that can be scaled.
constexpr FieldSet kReplicas{kSpecOfScale, 1};

Managed ManagersOf(const Doc& doc, Arena& arena) {
  const auto stored = MetadataOf(doc).managed_fields();
  auto managed = Managed::Decode(stored, stored, arena);
  return managed ? *std::move(managed) : Managed();
}

bool Owns(Manager& manager, const FieldSet* replicas, Arena& arena) {
  return Intersection(manager.Read(arena), replicas, arena) != nullptr;
}

}  // namespace

void ManagersToScale(const Doc& object, Doc& scale, const FieldSet* replicas) {
  if (!replicas) replicas = &kReplicas;
  Arena& arena = scale.arena();
  Managed managed = ManagersOf(object, arena);
  std::erase_if(managed.managers(), [&](Manager& m) { return !Owns(m, replicas, arena); });
  for (Manager& m : managed.managers()) {
    m.Replace(&kReplicas);
    m.api_version = kScaleVersion;
  }
  managed.EncodeTo(MutableMetadataOf(scale));
}

void ManagersToObject(const Doc& scale, std::string_view api_version, Doc& object, const FieldSet* replicas) {
  if (!replicas) replicas = &kReplicas;
  Arena& arena = object.arena();
  Managed managed = ManagersOf(object, arena), scaled = ManagersOf(scale, arena);
  auto& owners = scaled.managers();
  std::erase_if(owners, [&](Manager& m) { return !Owns(m, &kReplicas, arena); });
  std::set<Manager::Identity> appliers;
  for (const Manager& m : owners)
    if (m.applied) appliers.insert(m.identity());
  for (Manager& m : managed.managers()) {
    if (!Owns(m, replicas, arena)) continue;
    // The version is part of what an updater is, and that of a Scale is another one. So an
    // updater's replicas become an entry of their own, as upstream has it.
    if (!m.applied || appliers.erase(m.identity()) == 0) m.Replace(Difference(m.set, replicas, arena));
  }
  managed.DropEmpty();
  // As upstream, who comes to own the replicas through a Scale has no time.
  for (const Manager& m : owners) {
    if (m.applied && !appliers.contains(m.identity())) continue;
    Manager owner{m.name, m.subresource, api_version, m.applied};
    owner.set = replicas;
    managed.managers().push_back(owner);
  }
  managed.EncodeTo(MutableMetadataOf(object), IsOpen(object.type()));
}

}  // namespace keelson::api::managed_fields
