// FieldManager: server-side apply.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "api/codec/json.h"
#include "api/managed_fields/field_manager.h"
#include "api/managed_fields/merge.h"
#include "api/meta/object_meta.h"
#include "api/types/custom_type.h"
#include "api/validation/quote.h"

namespace keelson::api::managed_fields {
namespace {

constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";
// Its applies go on from where its client-side ones left off.
constexpr std::string_view kKubectl = "kubectl";
constexpr size_t kMaxAnnotationBytes = 256 * 1024;

// What upstream makes of an error it has no words for.
Status Unknown(std::string message) {
  Status status;
  status.code = 500;
  status.message = std::move(message);
  return status;
}

std::string_view MemberText(const Value& object, std::string_view name) {
  const Value* v = object.map() ? object.map()->Find(name) : nullptr;
  return v ? v->string() : std::string_view();
}
const Value* MetadataMember(const Value& object, std::string_view name) {
  const Value* metadata = object.map() ? object.map()->Find("metadata") : nullptr;
  return metadata && metadata->map() ? metadata->map()->Find(name) : nullptr;
}

// "group/version, Kind=kind", of what an object says it is.
std::string KindText(std::string_view api_version, std::string_view kind) {
  const size_t slashes = static_cast<size_t>(std::ranges::count(api_version, '/'));
  if (slashes > 1) return "/, Kind=";
  std::string text = slashes == 0 ? "/" : "";
  return text.append(api_version).append(", Kind=").append(kind);
}

// The members of metadata that nobody owns.
const FieldSet* WithoutIdentity(const FieldSet* set, Arena& arena) {
  static constexpr FieldSet::Entry kEntries[] = {
      {PathElement::Field("clusterName"), nullptr, true},
      {PathElement::Field("creationTimestamp"), nullptr, true},
      {PathElement::Field("generation"), nullptr, true},
      {PathElement::Field("managedFields"), nullptr, true},
      {PathElement::Field("name"), nullptr, true},
      {PathElement::Field("namespace"), nullptr, true},
      {PathElement::Field("resourceVersion"), nullptr, true},
      {PathElement::Field("selfLink"), nullptr, true},
      {PathElement::Field("uid"), nullptr, true},
  };
  static constexpr FieldSet kMembers{kEntries, std::size(kEntries)};
  static constexpr FieldSet::Entry kMetadata[] = {{PathElement::Field("metadata"), &kMembers, true}};
  static constexpr FieldSet kIdentity{kMetadata, 1};
  return Difference(set, &kIdentity, arena);
}

std::string Describe(const Manager& manager) {
  std::string text = Quoted(manager.name);
  if (!manager.subresource.empty()) text += " with subresource " + Quoted(manager.subresource);
  if (!manager.applied) text += " using " + std::string(manager.api_version);
  return text;
}

// The configuration as the annotation of client-side apply holds it.
std::string LastAppliedText(const Value& config, Arena& arena) {
  Value copy = DeepCopy(config, arena);
  if (const Value* annotations = MetadataMember(copy, "annotations"); annotations && annotations->map())
    annotations->map()->Erase(kLastApplied);
  base::BufferBuilder text;
  json::EncodeAny(copy, text);
  text.Append('\n');
  return std::string(text.view());
}

void SetLastApplied(Doc& doc, std::string_view text) {
  auto metadata = MutableMetadataOf(doc);
  metadata.put_annotations(kLastApplied, text);
  size_t bytes = 0;
  for (const MapNode::Entry& e : metadata.annotations()) bytes += e.key.size() + e.value.string().size();
  if (bytes > kMaxAnnotationBytes) metadata.mutable_annotations().Erase(kLastApplied);
}

std::string_view LastAppliedOf(const Doc& doc) {
  const Value* v = MetadataOf(doc).annotations().Find(kLastApplied);
  return v ? v->string() : std::string_view();
}

// What a configuration has and the object it was laid over does not show.
struct Hidden {
  const FieldSet* set = nullptr;  // what of it counts as set, whatever it was before
  bool is_new = false;            // the object changes by it, though it looks the same
};
// `set` is what `config` claims.
Hidden HiddenOf(const StructNode& config, const FieldSet* set, const StructNode* was, const StructNode& now,
                Arena& arena) {
  Hidden hidden;
  hidden.set = Difference(set, ToNamedFieldSet(now, Presence::kJson, arena), arena);
  if (hidden.set && was) {
    // A map that has only lost what it held is still the same one.
    const FieldSet* filled =
        Difference(AllOf(*was, Presence::kJson, arena), ToFieldSet(*was, Presence::kJson, arena), arena);
    hidden.set = Difference(hidden.set, filled, arena);
  }
  // What is owned as a whole is compared as it was written.
  const FieldSet* wholes = Intersection(set, WholesThatHide(config, arena), arena);
  hidden.set = Union(hidden.set, wholes, arena);
  hidden.is_new = wholes || Difference(AllOf(config, Presence::kExplicit, arena),
                                       AllOf(now, Presence::kJson, arena), arena) != nullptr;
  return hidden;
}

}  // namespace

// One way through an apply.
struct FieldManager::Attempt {
  const Doc* live = nullptr;
  std::string_view manager;
  int64_t time = 0;
  Conversions* conversions = nullptr;

  Doc doc;       // the result; its arena holds everything
  Value config;  // as sent
  Managed managed;
  std::vector<Conflict> conflicts;
};

std::string FieldManager::ObjectName(const Value& config) const {
  auto text = [&](std::string_view name) {
    const Value* v = MetadataMember(config, name);
    return std::string(v ? v->string() : std::string_view());
  };
  return text("namespace") + "/" + text("name") + "; " +
         KindText(MemberText(config, "apiVersion"), MemberText(config, "kind"));
}

base::Result<void, Status> FieldManager::CheckKind(const Value& config) const {
  const std::string_view version = MemberText(config, "apiVersion"), kind = MemberText(config, "kind");
  if (version != api_version_ || kind != resource_.kind)
    return base::Err(BadRequest("invalid object type: " + KindText(version, kind)));
  if (const Value* managed = MetadataMember(config, "managedFields"); managed && managed->list())
    return base::Err(BadRequest("metadata.managedFields must be nil"));
  return {};
}

base::Result<Config, Status> FieldManager::TypedConfig(const Value& config, Arena& arena) const {
  auto typed = ReadConfig(config, *resource_.type, arena);
  if (typed) return *typed;
  if (!typed.error().conversion)
    return base::Err(Unknown("failed to create typed patch object (" + ObjectName(config) +
                             "): " + typed.error().message));
  return base::Err(Unknown("failed to convert new object (" + ObjectName(config) +
                           ") to proper version: unable to convert unstructured object to " +
                           KindText(api_version_, resource_.kind) + ": " + typed.error().message));
}

// An object that nobody tracked so far gets an owner for what it has.
base::Result<Managed, Status> FieldManager::LiveManagers(const Doc* live, int64_t time, Arena& arena) const {
  if (!live) return Managed();
  const auto stored = MetadataOf(*live).managed_fields();
  auto managed = Managed::Decode(stored, stored, arena);
  if (!managed) return base::Err(Unknown("failed to decode managed fields: " + managed.error()));
  if (managed->empty()) {
    const Comparison changes = Changes(nullptr, *live->root(), arena);
    Manager before{"before-first-apply", subresource_, api_version_, false, time};
    before.set = Union(changes.modified, changes.added, arena);
    if (before.set) managed->managers().push_back(before);
  }
  std::erase_if(managed->managers(), [&](const Manager& m) { return !Serves(m.api_version); });
  return *std::move(managed);
}

// Takes out what `self` applied before (`last`), applies no more, and no one else claims;
// gives what that was.
const FieldSet* FieldManager::Prune(Attempt& attempt, const Manager& self, const FieldSet* last) const {
  Arena& arena = attempt.doc.arena();
  const TypeDesc& type = attempt.doc.type();
  // The common case: everything is applied again.
  if (!Difference(last, self.set, arena)) return nullptr;
  const FieldSet* last_named = WithNamedFields(last, type, arena);
  const FieldSet* self_named = WithNamedFields(self.set, type, arena);
  if (!Difference(last_named, self_named, arena)) return nullptr;

  const Value merged = Value::Of(attempt.doc.root());
  auto named_set = [&](StructNode* root) { return ToNamedFieldSet(*root, Presence::kJson, arena); };
  // What is taken out is not there, though JSON may show null in its place.
  auto set_without = [&](const FieldSet* items) {
    StructNode* copy = DeepCopy(merged, arena).node();
    RemoveItems(*copy, items, arena);
    return Difference(named_set(copy), items, arena);
  };
  std::vector<const FieldSet*> others;
  for (Manager& m : attempt.managed.managers())
    if (&m != &self) others.push_back(m.Read(arena));
  const FieldSet* all = named_set(attempt.doc.root());
  const FieldSet* claimed = Union(self_named, WithNamedFields(UnionOf(others, arena), type, arena), arena);
  const FieldSet* kept = Union(set_without(last_named), claimed, arena);
  const FieldSet* left = set_without(Difference(all, kept, arena));
  const FieldSet* gone =
      Difference(Intersection(Difference(all, left, arena), last_named, arena), claimed, arena);
  RemoveItems(*attempt.doc.root(), gone, arena);
  return gone;
}

// A field that a manager owns in one version can be a part of a field that another manager owns in another
// version: v1 has host and port, v2 has an address. A manager of v1 that gives up the port does not take the
// address away from its owner. So what is to be taken out is found in each version in turn, and what it
// leaves is converted to the next.
const FieldSet* FieldManager::PruneAsking(Attempt& attempt, const FieldSet* last,
                                          std::string_view last_version) const {
  Arena& arena = attempt.doc.arena();
  const auto desc_of = [&](std::string_view api_version) -> const ResourceDesc& {
    const ResourceDesc* const other = api_version == api_version_ ? nullptr : OtherVersion(api_version);
    return other ? *other : resource_;
  };
  // Null: it is not there yet.
  const auto convert = [&](StructNode* object, const ResourceDesc& version) -> StructNode* {
    if (!object || object->type == version.type) return object;
    const StructNode* const found = attempt.conversions->Find(*object, version);
    return found ? DeepCopy(Value::Of(const_cast<StructNode*>(found)), arena).node() : nullptr;
  };
  const auto named_set = [&](StructNode* root) { return ToNamedFieldSet(*root, Presence::kJson, arena); };
  const auto without = [&](StructNode* object, const FieldSet* items) {
    StructNode* const copy = DeepCopy(Value::Of(object), arena).node();
    RemoveItems(*copy, items, arena);
    (void)CustomOf(*copy->type)->Coerce(*copy, arena, nullptr);
    return copy;
  };
  std::map<std::string_view, std::vector<const FieldSet*>> claims;
  for (Manager& m : attempt.managed.managers()) claims[m.api_version].push_back(m.Read(arena));
  std::vector<std::string_view> versions = {last_version};  // first where it was applied
  for (const auto& [version, sets] : claims)
    if (version != last_version) versions.push_back(version);

  const ResourceDesc& first = desc_of(last_version);
  const FieldSet* const before = named_set(attempt.doc.root());
  StructNode* const applied = convert(attempt.doc.root(), first);
  if (!applied) return nullptr;
  const FieldSet* const last_named = WithNamedFields(last, *first.type, arena);
  StructNode *merged = applied, *pruned = without(applied, last_named);
  for (const std::string_view version : versions) {
    const ResourceDesc& desc = desc_of(version);
    merged = convert(merged, desc);
    pruned = convert(pruned, desc);
    if (!merged || !pruned) return nullptr;
    const FieldSet* const claimed = WithNamedFields(UnionOf(claims[version], arena), *desc.type, arena);
    pruned = without(merged, Difference(named_set(merged), Union(named_set(pruned), claimed, arena), arena));
  }
  pruned = convert(pruned, first);
  if (!pruned) return nullptr;
  // Only fields that this manager applied before are taken out.
  const FieldSet* const gone =
      Intersection(Difference(named_set(applied), named_set(pruned), arena), last_named, arena);
  StructNode* const left = convert(without(applied, gone), resource_);
  if (!left) return nullptr;
  attempt.doc = Doc(std::move(arena), left);
  return Difference(before, ToNamedFieldSet(*left, Presence::kJson, attempt.doc.arena()),
                    attempt.doc.arena());
}

base::Result<void, Status> FieldManager::TryApply(Attempt& attempt, bool force) const {
  Arena& arena = attempt.doc.arena();
  auto config = TRY(TypedConfig(attempt.config, arena));
  attempt.managed = TRY(LiveManagers(attempt.live, attempt.time, arena));
  attempt.conflicts.clear();

  const FieldSet* set = ToFieldSet(*config.root, Presence::kExplicit, arena);
  if (reset_) set = RecursiveDifference(set, reset_, arena);
  MergeConfig(*attempt.doc.root(), *config.root, arena);

  Manager self{attempt.manager, subresource_, api_version_, true};
  Manager* mine = attempt.managed.Find(self);
  if (!mine) mine = &attempt.managed.managers().emplace_back(self);
  const FieldSet* last = mine->Read(arena);
  const std::string_view last_version = std::exchange(mine->api_version, api_version_);
  // What is claimed as before keeps its stored text.
  if (!Equal(last, WithoutIdentity(set, arena))) mine->Replace(set);
  const bool asks =
      attempt.conversions && std::ranges::any_of(attempt.managed.managers(), [&](const Manager& m) {
        return m.api_version != api_version_ || last_version != api_version_;
      });
  const FieldSet* pruned = nullptr;
  if (last) pruned = asks ? PruneAsking(attempt, last, last_version) : Prune(attempt, *mine, last);

  const StructNode* was = attempt.live ? attempt.live->root() : nullptr;
  // Merging changes nothing but what the configuration has.
  const Comparison changes = Changes(was, *attempt.doc.root(), arena, pruned ? nullptr : config.root);
  const Hidden hidden =
      config.hides ? HiddenOf(*config.root, set, was, *attempt.doc.root(), arena) : Hidden();
  const FieldSet* taken = Union(Union(changes.modified, changes.added, arena), hidden.set, arena);
  // Merging removes nothing. What pruning has emptied shows no more, but is still there for
  // those who claim it as such.
  const FieldSet* emptied = RecursiveDifference(changes.removed, pruned, arena);
  const FieldSet* lost = Union(taken, Difference(changes.removed, emptied, arena), arena);
  ChangesByVersion versions;
  for (Manager& m : attempt.managed.managers()) {
    if (&m == mine) continue;
    const FieldSet *set_now = taken, *gone = lost;
    if (const auto& other =
            ChangesIn(m.api_version, was, *attempt.doc.root(), arena, versions, attempt.conversions)) {
      set_now = other->taken;
      gone = other->lost;
    }
    if (!gone || !m.MayOwn(*gone)) continue;
    if (const FieldSet* conflict = Intersection(m.Read(arena), set_now, arena))
      attempt.conflicts.push_back({m, conflict});
    const FieldSet* left = Difference(m.set, gone, arena);
    if (!Equal(left, m.set)) m.Replace(left);
  }
  if (!force && !attempt.conflicts.empty()) return {};
  attempt.conflicts.clear();

  const FieldSet* owned = WithoutIdentity(mine->set, arena);
  if (!Equal(owned, mine->set)) mine->Replace(owned);
  if (!was || hidden.is_new || !Equal(was, attempt.doc.root())) mine->time = attempt.time;
  attempt.managed.DropEmpty();
  return {};
}

// What client-side apply set last and is still so: kubectl may take it over without a
// conflict. Null: nothing.
const FieldSet* FieldManager::AllowedByLastApplied(const Doc& live, Arena& arena) const {
  const std::string_view text = LastAppliedOf(live);
  if (text.empty()) return nullptr;
  auto tree = json::DecodeAny(text, arena);
  if (!tree || MemberText(*tree, "apiVersion") != api_version_) return nullptr;
  auto config = ReadConfig(*tree, *resource_.type, arena);
  if (!config) return nullptr;
  const FieldSet* set = ToFieldSet(*config->root, Presence::kExplicit, arena);
  StructNode* applied = StructNode::New(*resource_.type, arena);
  MergeConfig(*applied, *config->root, arena);
  const Comparison c = CompareObjects(applied, *live.root(), arena);
  return Difference(Difference(Difference(set, c.modified, arena), c.added, arena), c.removed, arena);
}

namespace {

// The conflicts of an apply, as a Status tells of them. It keeps as much text as a field::ErrorList, the
// first conflict in any case, and counts the rest: the paths of an object may be many times as long as the
// object.
class ConflictList {
 public:
  // The conflicts that are added next are with this manager.
  void Begin(std::string manager) {
    manager_ = std::move(manager);
    named_ = false;
  }
  void Add(const std::string& path) {
    const size_t bytes = sizeof(StatusCause) + manager_.size() + path.size();
    if (omitted_ > 0 || (!causes_.empty() && bytes_ + bytes > field::ErrorList::kMostBytes)) {
      ++omitted_;
      return;
    }
    bytes_ += bytes;
    if (!std::exchange(named_, true))
      text_ += (text_.empty() ? "" : "\n") + std::string("conflicts with ") + manager_ + ":";
    text_ += "\n- " + path;
    causes_.push_back({"FieldManagerConflict", "conflict with " + manager_, path});
  }
  bool empty() const { return causes_.empty(); }

  Status ToStatus() && {
    Status status;
    status.code = 409;
    status.reason = "Conflict";
    const size_t count = causes_.size() + omitted_;
    if (count == 1) {
      status.message = "Apply failed with 1 conflict: " + causes_[0].message + ": " + causes_[0].field;
    } else {
      status.message = "Apply failed with " + std::to_string(count) + " conflicts: " + text_;
    }
    if (omitted_ > 0) {
      const std::string rest = std::to_string(omitted_) +
                               (omitted_ == 1 ? " more conflict is" : " more conflicts are") + " not shown";
      status.message += "\n" + rest;
      causes_.push_back({.message = rest});
    }
    status.details.emplace().causes = std::move(causes_);
    return status;
  }

 private:
  std::string manager_;
  bool named_ = false;  // text_ has the manager
  std::string text_;
  std::vector<StatusCause> causes_;
  size_t bytes_ = 0;  // of causes_
  size_t omitted_ = 0;
};

}  // namespace

base::Result<Doc, Status> FieldManager::Apply(const Doc* live, const Value& config, std::string_view manager,
                                              bool force, int64_t time, Conversions* conversions) const {
  Attempt attempt{live, manager, time, conversions};
  auto begin = [&] {
    attempt.doc = live ? live->Clone() : Doc(*resource_.type);
    Arena& arena = attempt.doc.arena();
    if (!live) {
      attempt.doc.root()->slot(0) = Value::String(arena.CopyString(resource_.kind));
      attempt.doc.root()->slot(1) = Value::String(arena.CopyString(api_version_));
    }
    attempt.config = DeepCopy(config, arena);
  };
  begin();
  TRY(CheckKind(attempt.config));
  TRY(TryApply(attempt, force));

  if (!attempt.conflicts.empty()) {
    Arena& arena = attempt.doc.arena();
    const FieldSet* allowed = manager == kKubectl && live ? AllowedByLastApplied(*live, arena) : nullptr;
    std::multimap<std::string, const Conflict*> sorted;
    for (const Conflict& c : attempt.conflicts) sorted.emplace(c.manager.Identifier(), &c);
    ConflictList left;
    for (const auto& [identifier, conflict] : sorted) {
      std::string prefix;
      left.Begin(Describe(conflict->manager));
      ForEachPath(Difference(conflict->fields, allowed, arena), prefix,
                  [&](const std::string& path) { left.Add(path); });
    }
    if (!left.empty()) return base::Err(std::move(left).ToStatus());
    begin();
    TRY(TryApply(attempt, true));
  }
  attempt.managed.EncodeTo(MutableMetadataOf(attempt.doc), IsCustom(resource_));
  if (manager == kKubectl && !LastAppliedOf(attempt.doc).empty())
    SetLastApplied(attempt.doc, LastAppliedText(attempt.config, attempt.doc.arena()));
  return std::move(attempt.doc);
}

}  // namespace keelson::api::managed_fields
