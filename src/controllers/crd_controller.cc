#include "controllers/crd_controller.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "api/generated/apiextensions_v1.h"
#include "api/meta/object_meta.h"
#include "api/validation/apiextensions/custom_resource_definition.h"
#include "api/validation/quote.h"
#include "controllers/conditions.h"
#include "controllers/crd_conditions.h"

namespace keelson::controllers {
namespace {

using namespace api::apiextensions_v1;

bool IsTrue(CustomResourceDefinitionView definition, std::string_view type) {
  return FindCondition(definition.status(), type).status() == "True";
}

// What the other definitions of a group are known by.
struct Taken {
  std::set<std::string, std::less<>> resources, kinds;
};

// Why names were not accepted; the last reason counts.
struct Conflict {
  std::string_view reason = {};
  std::string message = {};
};

// Gives a definition the names it asks for, as far as they are free.
class Naming {
 public:
  Naming(CustomResourceDefinitionEditor definition, const Taken& taken)
      : wanted_(definition.spec().names()),
        accepted_(definition.mutable_status().mutable_accepted_names()),
        taken_(taken) {}

  Conflict Accept() {
    if (MayHave(wanted_.plural(), accepted_.plural(), taken_.resources, "PluralConflict"))
      accepted_.set_plural(wanted_.plural());
    if (MayHave(wanted_.singular(), accepted_.singular(), taken_.resources, "SingularConflict"))
      accepted_.set_singular(wanted_.singular());
    if (MayHaveShortNames()) Copy(wanted_.short_names(), accepted_.mutable_short_names());
    if (MayHave(wanted_.kind(), accepted_.kind(), taken_.kinds, "KindConflict"))
      accepted_.set_kind(wanted_.kind());
    if (MayHave(wanted_.list_kind(), accepted_.list_kind(), taken_.kinds, "ListKindConflict"))
      accepted_.set_list_kind(wanted_.list_kind());
    Copy(wanted_.categories(), accepted_.mutable_categories());
    return std::move(conflict_);
  }

 private:
  static std::string InUse(std::string_view name) { return api::Quoted(name) + " is already in use"; }

  bool MayHave(std::string_view name, std::string_view own, const std::set<std::string, std::less<>>& used,
               std::string_view reason) {
    if (name == own || !used.contains(name)) return true;
    conflict_ = {reason, InUse(name)};
    return false;
  }
  bool MayHaveShortNames() {
    std::vector<std::string> errors;
    for (const api::Value& name : wanted_.short_names()) {
      const auto same = [&](const api::Value& own) { return own.string() == name.string(); };
      if (std::ranges::none_of(accepted_.short_names(), same) && taken_.resources.contains(name.string()))
        errors.push_back(InUse(name.string()));
    }
    if (errors.empty()) return true;
    std::string message = errors.front();
    for (size_t i = 1; i < errors.size(); ++i) message += ", " + errors[i];
    if (errors.size() > 1) message = "[" + message + "]";
    conflict_ = {"ShortNamesConflict", std::move(message)};
    return false;
  }
  void Copy(api::ScalarList from, api::ListNode& to) {
    to.size = 0;
    for (const api::Value& value : from)
      to.Append(api::Value::String(accepted_.arena().CopyString(value.string())), accepted_.arena());
  }

  const CustomResourceDefinitionNamesView wanted_;
  CustomResourceDefinitionNamesEditor accepted_;
  const Taken& taken_;
  Conflict conflict_;
};

void AcceptNames(CustomResourceDefinitionEditor definition, const Taken& taken, int64_t now) {
  const Conflict conflict = Naming(definition, taken).Accept();
  auto status = definition.mutable_status();
  const bool accepted = conflict.reason.empty();
  SetCondition(status,
               accepted ? Condition{kNamesAccepted, "True", "NoConflicts", "no conflicts found"}
                        : Condition{kNamesAccepted, "False", conflict.reason, conflict.message},
               now);
  if (!FindCondition(CustomResourceDefinitionStatusView(status.node()), kEstablished))
    SetCondition(status, {kEstablished, "False", "NotAccepted", "not all names are accepted"}, now);
}

bool NamesAreAccepted(CustomResourceDefinitionView definition) {
  return api::Equal(definition.spec().names().node(), definition.status().accepted_names().node());
}

// Whether a definition in one of the community's groups has its approval. `message` outlives the condition.
Condition Conformance(CustomResourceDefinitionView definition, const std::string& message) {
  using api::apiextensions::Approval;
  switch (api::apiextensions::ApprovalOf(definition)) {
    case Approval::kMissing: return {kConformant, "False", "MissingAnnotation", message};
    case Approval::kBypassed: return {kConformant, "False", "UnapprovedAnnotation", message};
    case Approval::kApproved: return {kConformant, "True", "ApprovedAnnotation", message};
    case Approval::kInvalid: break;
  }
  return {kConformant, "False", "InvalidAnnotation", message};
}

bool SaysWhetherItConforms(CustomResourceDefinitionView definition) {
  return !api::apiextensions::IsProtectedGroup(definition.spec().group()) ||
         Says(FindCondition(definition.status(), kConformant),
              Conformance(definition, api::apiextensions::DescribeApproval(definition)));
}

// There is nothing to do about it, whatever the others are called.
bool IsSettled(CustomResourceDefinitionView definition) {
  return NamesAreAccepted(definition) && IsTrue(definition, kNamesAccepted) &&
         IsTrue(definition, kEstablished) && SaysWhetherItConforms(definition);
}

// The status as it should be.
void Revise(api::Doc& doc, const Taken& taken, const CrdController::Serving& serving, int64_t now) {
  CustomResourceDefinitionEditor definition(doc);
  if (!NamesAreAccepted(definition)) AcceptNames(definition, taken, now);
  const auto metadata = definition.metadata();
  if (IsTrue(definition, kNamesAccepted) && !IsTrue(definition, kEstablished) &&
      (!serving.ready || serving.ready(metadata.name(), metadata.uid())))
    SetCondition(definition.mutable_status(),
                 {kEstablished, "True", "InitialNamesAccepted", "the initial names have been accepted"}, now);
  if (!SaysWhetherItConforms(definition)) {
    const std::string message = api::apiextensions::DescribeApproval(definition);
    SetCondition(definition.mutable_status(), Conformance(definition, message), now);
  }
}

}  // namespace

CrdController::CrdController(const client::Client& client, base::Executor& loop, Serving serving,
                             const base::Clock& clock)
    : client_(client),
      definitions_(client, kDefinitions, loop),
      serving_(std::move(serving)),
      clock_(clock),
      queue_(loop, [this](std::string) { return SyncPending(); }) {}

void CrdController::Start() {
  queue_.Start();
  definitions_.Start(client::Informer::Handler{
      .changed = [this](const client::Change& change) { Add(std::string(change.object.name())); },
      .relisting =
          [this](bool again) {
            // Definitions may have gone meanwhile, and their names are free.
            if (!again) return;
            for (const auto& [name, known] : known_) Add(name);
          }});
}

void CrdController::Stop() {
  definitions_.Stop();
  queue_.Stop();
  pending_.clear();
  known_.clear();
  groups_.clear();
  learned_ = false;
}

void CrdController::Add(std::string name) {
  pending_.insert(std::move(name));
  queue_.Add("all");
}

base::Task<bool> CrdController::SyncPending() {
  while (!pending_.empty()) {
    std::string name = std::move(pending_.extract(pending_.begin()).value());
    if (co_await Sync(name)) continue;
    pending_.insert(std::move(name));
    co_return false;
  }
  co_return true;
}

CrdController::Known CrdController::KnownOf(const api::Doc& doc) {
  const CustomResourceDefinitionView definition(doc);
  const auto names = definition.status().accepted_names();
  Known known{.group = std::string(definition.spec().group()), .waits = !NamesAreAccepted(definition)};
  for (const std::string_view name : {names.plural(), names.singular()}) known.resources.emplace_back(name);
  for (const api::Value& name : names.short_names()) known.resources.emplace_back(name.string());
  for (const std::string_view name : {names.kind(), names.list_kind()}) known.kinds.emplace_back(name);
  return known;
}

void CrdController::Learn(const std::string& name, Known known) {
  groups_[known.group].insert(name);
  known_[name] = std::move(known);
}

base::Task<bool> CrdController::LearnAll() {
  const auto all = co_await client_.ListObjects(kDefinitions, {.resource_version = "0"});
  if (!all) co_return false;
  for (const client::Object* const object : all->items) {
    const auto outline = client::DecodeOutline(*object);
    if (!outline) co_return false;
    Learn(std::string(object->name()), KnownOf(*outline));
  }
  learned_ = true;
  co_return true;
}

void CrdController::LookAtWaiting(std::string_view group, std::string_view except) {
  const auto found = groups_.find(group);
  if (found == groups_.end()) return;
  for (const std::string& name : found->second)
    if (name != except && known_[name].waits) pending_.insert(name);
}

base::Task<bool> CrdController::Sync(std::string name) {
  if (!learned_ && !co_await LearnAll()) co_return false;
  const auto found = co_await client_.GetObject(kDefinitions, "", name, client::Fresh::kNewest);
  if (!found) co_return false;
  if (!*found) {
    const auto known = known_.find(name);
    if (known == known_.end()) co_return true;
    const std::string group = known->second.group;
    groups_[group].erase(name);
    if (groups_[group].empty()) groups_.erase(group);
    known_.erase(known);
    LookAtWaiting(group, name);
    co_return true;
  }
  const auto outline = client::DecodeOutline(**found);
  if (!outline) co_return false;
  const CustomResourceDefinitionView definition(*outline);
  Learn(name, KnownOf(*outline));
  if (IsSettled(definition)) co_return true;
  const std::string group(definition.spec().group());
  Taken taken;
  for (const std::string& other : groups_[group]) {
    if (other == name) continue;
    const Known& known = known_[other];
    taken.resources.insert(known.resources.begin(), known.resources.end());
    taken.kinds.insert(known.kinds.begin(), known.kinds.end());
  }
  bool changed = false, establishes = false, begun = false;
  std::string uid;
  Known now;
  const auto updated = co_await client_.Update(kDefinitions.Sub("status"), "", name, [&](api::Doc& doc) {
    CustomResourceDefinitionEditor revised(doc);
    api::StructNode* const status = revised.mutable_status().node();
    api::Arena scratch;
    const api::StructNode* const was = api::DeepCopy(api::Value::Of(status), scratch).node();
    const bool was_established = IsTrue(revised, kEstablished);
    Revise(doc, taken, serving_, api::NowSeconds(clock_));
    changed = !api::Equal(was, status);
    establishes = !was_established && IsTrue(revised, kEstablished);
    if (establishes && serving_.begin && !std::exchange(begun, true)) serving_.begin(name);
    uid = revised.metadata().uid();
    now = KnownOf(doc);
    return changed;
  });
  if (begun) serving_.end(name, uid, updated && establishes);
  if (!updated) co_return updated.error().code == 404;
  Learn(name, std::move(now));
  if (changed) LookAtWaiting(group, name);
  co_return true;
}

}  // namespace keelson::controllers
