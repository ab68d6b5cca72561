#include "api/managed_fields/field_manager.h"

#include <algorithm>

#include "api/conversion/mapping.h"
#include "api/managed_fields/reset_fields.h"
#include "api/meta/object_meta.h"
#include "api/types/custom_type.h"
#include "api/validation/quote.h"

namespace keelson::api::managed_fields {
namespace {

constexpr size_t kMaxUpdaters = 10;
constexpr size_t kMaxManagerBytes = 128;

bool IsReset(const StructNode* metadata, ListView<meta_v1::ManagedFieldsEntryView> entries) {
  if (!metadata) return false;
  const MemberRef field = meta_v1::kObjectMetaType.FindMember("managedFields");
  if (!metadata->slot(field.field->ordinal).list()) return false;
  if (entries.size() > 1) return false;
  if (entries.empty()) return true;
  auto slots = entries[0].node()->slots();
  return std::ranges::all_of(
      slots, [](const Value& v) { return v.absent() || (v.string().empty() && !v.is(Value::Tag::kInt)); });
}

GroupVersion Split(std::string_view api_version) {
  const size_t slash = api_version.find('/');
  if (slash == api_version.npos) return {"", api_version};
  return {api_version.substr(0, slash), api_version.substr(slash + 1)};
}

}  // namespace

FieldManager::FieldManager(const ResourceDesc& resource, std::string_view subresource)
    : resource_(resource),
      subresource_(subresource),
      api_version_(resource.group.empty()
                       ? std::string(resource.version)
                       : std::string(resource.group) + "/" + std::string(resource.version)),
      reset_(IsCustom(resource) ? CustomResetFields(CustomOf(*resource.type)->has_status(), subresource)
                                : ResetFields(resource.group, resource.plural, subresource)) {}

const ResourceDesc* FieldManager::OtherVersion(std::string_view api_version) const {
  const auto [group, version] = Split(api_version);
  if (ConverterOf(*resource_.type)) {
    const ResourceDesc& other = ResourceIn(resource_, {group, version});
    return other.type == resource_.type ? nullptr : &other;
  }
  const ResourceDesc* const found = FindResource(group, version, resource_.plural);
  if (!found || found->type == resource_.type) return nullptr;
  return &StoredResource(*found) == &StoredResource(resource_) ? found : nullptr;
}

bool FieldManager::Serves(std::string_view api_version) const {
  if (api_version == api_version_) return true;
  const auto [group, version] = Split(api_version);
  if (IsCustom(resource_)) return group == resource_.group && CustomOf(*resource_.type)->HasVersion(version);
  if (group == resource_.group && FindKind(group, version, resource_.kind)) return true;
  return OtherVersion(api_version) != nullptr;
}

const std::optional<FieldManager::OwnershipChanges>& FieldManager::ChangesIn(
    std::string_view api_version, const StructNode* was, const StructNode& now, Arena& arena,
    ChangesByVersion& known, Conversions* conversions) const {
  const auto [found, fresh] = known.try_emplace(api_version);
  std::optional<OwnershipChanges>& changes = found->second;
  if (!fresh || api_version == api_version_) return changes;
  const ResourceDesc* const other = OtherVersion(api_version);
  if (!other) return changes;
  const bool asks = ConverterOf(*resource_.type) != nullptr;
  if (asks && !conversions) return changes;
  const auto convert = [&](const StructNode& object) -> const StructNode* {
    return asks ? conversions->Find(object, *other) : ConvertStruct(object, *other->type, arena);
  };
  const StructNode* const before = was ? convert(*was) : nullptr;
  const StructNode* const after = convert(now);
  if (!after || (was && !before)) {  // what is made of it is void, unless nobody is asked
    if (conversions->given_up()) changes.emplace();
    return changes;
  }
  const Comparison compared = FieldManager(*other, subresource_).Changes(before, *after, arena);
  changes.emplace();
  changes->taken = Union(compared.modified, compared.added, arena);
  changes->lost = Union(changes->taken, compared.removed, arena);
  return changes;
}

Comparison FieldManager::Changes(const StructNode* was, const StructNode& now, Arena& arena,
                                 const StructNode* touched) const {
  const Comparison c = CompareObjects(was, now, arena, touched);
  if (!reset_) return c;
  return {RecursiveDifference(c.removed, reset_, arena), RecursiveDifference(c.modified, reset_, arena),
          RecursiveDifference(c.added, reset_, arena)};
}

// Of the new object if it has valid ones, else of the live one. Subresources cannot set them.
Managed FieldManager::Current(const Doc* live, const Doc& now, Arena& arena) const {
  const ListView<meta_v1::ManagedFieldsEntryView> none;
  const auto stored = live ? MetadataOf(*live).managed_fields() : none;
  if (subresource_.empty()) {
    auto metadata = MetadataOf(now);
    if (IsReset(metadata.node(), metadata.managed_fields())) return {};
    auto managed = Managed::Decode(metadata.managed_fields(), stored, arena);
    if (managed && !managed->empty()) return *std::move(managed);
  }
  auto managed = Managed::Decode(stored, stored, arena);
  return managed ? *std::move(managed) : Managed();
}

void FieldManager::Update(const Doc* live, Doc& now, std::string_view manager, int64_t time,
                          std::string_view api_version, Conversions* conversions) const {
  Arena& arena = now.arena();
  Managed managed = Current(live, now, arena);
  auto metadata = MutableMetadataOf(now);
  // An object that nobody tracked so far stays that way until someone applies it.
  if (managed.empty() && live && !MetadataOf(*live).uid().empty()) return metadata.clear_managed_fields();

  const Comparison changes = Changes(live ? live->root() : nullptr, *now.root(), arena);
  const FieldSet* taken = Union(changes.modified, changes.added, arena);
  const FieldSet* lost = Union(taken, changes.removed, arena);
  std::erase_if(managed.managers(), [&](const Manager& m) { return !Serves(m.api_version); });
  const StructNode* const was = live ? live->root() : nullptr;
  ChangesByVersion versions;
  for (Manager& m : managed.managers()) {
    const FieldSet* gone = lost;
    if (const auto& other = ChangesIn(m.api_version, was, *now.root(), arena, versions, conversions))
      gone = other->lost;
    if (!gone || !m.MayOwn(*gone)) continue;
    const FieldSet* left = Difference(m.Read(arena), gone, arena);
    if (!Equal(left, m.set)) m.Replace(left);
  }
  if (taken) {
    Manager self{manager.empty() ? "unknown" : manager, subresource_,
                 api_version.empty() ? std::string_view(api_version_) : api_version};
    Manager* mine = managed.Find(self);
    if (!mine) mine = &managed.managers().emplace_back(self);
    mine->Replace(Union(taken, mine->Read(arena), arena));
    mine->time = time;
  }
  managed.DropEmpty();
  managed.CapUpdaters(kMaxUpdaters, arena);
  managed.EncodeTo(metadata, IsCustom(resource_));
}

std::string ManagerFromUserAgent(std::string_view user_agent) {
  std::string_view product = user_agent.substr(0, user_agent.find('/'));
  std::string manager;
  while (!product.empty()) {
    const Rune rune = FirstRune(product);
    if (rune.valid && IsPrintable(rune.value)) {
      if (manager.size() + rune.size > kMaxManagerBytes) break;
      manager += product.substr(0, rune.size);
    }
    product.remove_prefix(rune.size);
  }
  return manager;
}

void KeepTimesOfUnchanged(const Doc& was, Doc& now) {
  auto before = MetadataOf(was).managed_fields(), after = MetadataOf(now).managed_fields();
  if (before.empty() || before.size() != after.size()) return;
  bool times_differ = false;
  for (size_t i = 0; i < before.size(); ++i) {
    auto a = before[i], b = after[i];
    times_differ |= a.has_time() != b.has_time() || a.time() != b.time();
    if (a.manager() != b.manager() || a.operation() != b.operation() || a.api_version() != b.api_version() ||
        a.fields_type() != b.fields_type() || a.fields_v1() != b.fields_v1() ||
        a.subresource() != b.subresource())
      return;
  }
  if (!times_differ) return;
  auto metadata = MutableMetadataOf(now);
  std::vector<std::optional<int64_t>> times;
  for (auto entry : metadata.edit_managed_fields())
    times.push_back(entry.has_time() ? std::optional(entry.time()) : std::nullopt);
  auto set_times = [&](auto&& time_of) {
    size_t i = 0;
    for (auto entry : metadata.edit_managed_fields()) {
      std::optional<int64_t> time = time_of(i++);
      time ? entry.set_time(*time) : entry.clear_time();
    }
  };
  set_times([&](size_t i) { return before[i].has_time() ? std::optional(before[i].time()) : std::nullopt; });
  if (!Equal(was.root(), now.root())) set_times([&](size_t i) { return times[i]; });
}

}  // namespace keelson::api::managed_fields
