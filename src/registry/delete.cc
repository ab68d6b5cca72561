// Store: delete: grace periods, finalizers and the last write.
#include "api/meta/object_meta.h"
#include "api/meta/ownership.h"
#include "registry/attributes.h"
#include "registry/errors.h"
#include "registry/reservation.h"
#include "registry/store.h"

namespace keelson::registry {
namespace {

using api::kForegroundFinalizer;
using api::kOrphanFinalizer;

std::string Differs(const std::string& what, const std::string& wanted, std::string_view found) {
  return "the " + what + " in the precondition (" + wanted + ") does not match the " + what + " in record (" +
         std::string(found) + "). ";
}

// How long a deletion that stands leaves the object, in seconds.
int64_t StandingGrace(api::meta_v1::ObjectMetaView metadata) {
  const int64_t standing = metadata.deletion_grace_period_seconds();
  return standing < 0 ? 1 : standing;
}

// An earlier deletion stands, and this one does not shorten it.
bool IsPending(api::meta_v1::ObjectMetaView metadata, const DeleteOptions& options) {
  if (!metadata.has_deletion_timestamp() || StandingGrace(metadata) == 0) return false;
  if (!options.grace_period_seconds) return true;
  const int64_t asked = *options.grace_period_seconds < 0 ? 1 : *options.grace_period_seconds;
  return asked >= StandingGrace(metadata);
}

}  // namespace

struct Store::Marking {
  enum class Outcome : uint8_t {
    kMarked,   // written; something must happen before the object may go
    kExpired,  // written; its grace period is over, so it goes at once
    kRemove,   // nothing holds it: remove it without a write
    kPending,  // an earlier delete stands
  };

  rest::WriteRequest request;
  std::string name;
  DeleteOptions options;
  Outcome outcome = Outcome::kRemove;
  rest::Encoded object;  // as marked
  std::string uid;
  storage::Revision revision = 0;  // of the object that was decided on
  bool written = false;            // this delete has marked the object
  bool raced = false;              // it changed before it could be removed
};

rest::Deleted Store::Finished(rest::Encoded object, std::string uid, bool gone) const {
  return {std::move(object), std::move(uid), !options_.returns_deleted_object, gone};
}

base::Task<rest::Result<void>> Store::AdmitDelete(const rest::WriteRequest& request, std::string_view name,
                                                  const DeleteOptions& options, const api::Doc& doc) const {
  auto attributes = AttributesOf(request, options, *options_.resource, name);
  attributes.old_object = &doc;
  for (const admission::Hook* admit : {&options_.admission.mutate, &options_.admission.validate})
    if (*admit) CO_TRY(co_await (*admit)(attributes));
  co_return rest::Result<void>();
}

rest::Result<void> Store::CheckPreconditions(const api::Doc& doc, const DeleteOptions& options) const {
  const auto metadata = api::MetadataOf(doc);
  api::GroupResource kind{options_.resource->group, options_.resource->kind};
  if (options.uid && *options.uid != metadata.uid())
    return base::Err(api::Conflict(kind, metadata.name(),
                                   Differs("UID", *options.uid, metadata.uid()) +
                                       "The object might have been deleted and then recreated"));
  if (options.resource_version && *options.resource_version != metadata.resource_version())
    return base::Err(
        api::Conflict(kind, metadata.name(),
                      Differs("ResourceVersion", *options.resource_version, metadata.resource_version()) +
                          "The object might have been modified"));
  return {};
}

Store::Grace Store::BeforeDelete(api::Doc& doc, DeleteOptions& options) const {
  auto metadata = api::MutableMetadataOf(doc);
  if (options.grace_period_seconds && *options.grace_period_seconds < 0) options.grace_period_seconds = 1;
  if (metadata.has_deletion_timestamp()) {
    const int64_t standing = StandingGrace(metadata);
    if (standing == 0) return Grace{};
    if (IsPending(metadata, options)) return Grace{.pending = true};
    // Only ever shorter: counted from the moment of the first delete, but not into the past.
    int64_t period = *options.grace_period_seconds;
    int64_t deadline = metadata.deletion_timestamp() - standing + period;
    int64_t now = api::NowSeconds(*options_.clock);
    if (deadline < now) {
      deadline = now;
      if (period != 0) period = 1;
    }
    metadata.set_deletion_timestamp(deadline);
    metadata.set_deletion_grace_period_seconds(period);
    options.grace_period_seconds = period;
    return Grace{.graceful = true};
  }

  auto period = options_.strategy->GracePeriodSeconds(doc, options);
  if (!period) return Grace{};
  options.grace_period_seconds = period;
  metadata.set_deletion_timestamp(api::NowSeconds(*options_.clock) + *period);
  metadata.set_deletion_grace_period_seconds(*period);
  if (metadata.generation() > 0) metadata.set_generation(metadata.generation() + 1);
  return Grace{.graceful = true};
}

bool Store::ShouldOrphanDependents(api::meta_v1::ObjectMetaView metadata,
                                   const DeleteOptions& options) const {
  if (options.orphan_dependents) return *options.orphan_dependents;
  if (options.propagation_policy) return *options.propagation_policy == "Orphan";
  if (api::HasFinalizer(metadata, kOrphanFinalizer)) return true;
  if (api::HasFinalizer(metadata, kForegroundFinalizer)) return false;
  return options_.strategy->OrphanDependentsByDefault();
}

bool Store::ShouldDeleteDependents(api::meta_v1::ObjectMetaView metadata,
                                   const DeleteOptions& options) const {
  if (options.orphan_dependents) return false;
  if (options.propagation_policy) return *options.propagation_policy == "Foreground";
  return api::HasFinalizer(metadata, kForegroundFinalizer);
}

bool Store::UpdateFinalizers(api::Doc& doc, const DeleteOptions& options) const {
  if (!options_.garbage_collected) return false;
  auto metadata = api::MutableMetadataOf(doc);
  const std::pair<std::string_view, bool> wanted[] = {
      {kOrphanFinalizer, ShouldOrphanDependents(metadata, options)},
      {kForegroundFinalizer, ShouldDeleteDependents(metadata, options)}};
  bool changed = false;
  for (auto [finalizer, want] : wanted) {
    if (api::HasFinalizer(metadata, finalizer) == want) continue;
    changed = true;
    if (want) {
      metadata.add_finalizers(finalizer);
      continue;
    }
    api::ListNode& list = metadata.mutable_finalizers();
    for (size_t i = list.size; i-- > 0;)
      if (list.items()[i].string() == finalizer) list.Erase(i);
  }
  return changed;
}

void Store::MarkAsDeleting(api::Doc& doc) const {
  auto metadata = api::MutableMetadataOf(doc);
  if (!metadata.has_deletion_timestamp() && metadata.generation() > 0)
    metadata.set_generation(metadata.generation() + 1);
  int64_t now = api::NowSeconds(*options_.clock);
  if (!metadata.has_deletion_timestamp() || metadata.deletion_timestamp() > now)
    metadata.set_deletion_timestamp(now);
  metadata.set_deletion_grace_period_seconds(0);
}

base::Task<void> Store::AfterDelete(rest::ObjectPtr gone) {
  auto doc = Decode(*gone);
  if (!doc) co_return;
  co_await options_.reserver->AfterDelete(*doc);
}

// Decides from the object as it is now, so that a delete that races with updates or other
// deletes follows the newest state.
base::Task<Store::UpdateResult> Store::ApplyMarking(std::shared_ptr<Marking> marking,
                                                    rest::ObjectPtr current) {
  using Outcome = Marking::Outcome;
  storage::Update update{.unchanged = true};
  auto decoded = Decode(*current);
  if (!decoded) co_return Abort(std::move(decoded.error()));
  api::Doc doc = *std::move(decoded);
  if (auto holds = CheckPreconditions(doc, marking->options); !holds)
    co_return Abort(std::move(holds.error()));
  if (!IsPending(api::MetadataOf(doc), marking->options)) {
    auto admitted = co_await AdmitDelete(marking->request, marking->name, marking->options, doc);
    if (!admitted) co_return Abort(std::move(admitted.error()));
  }

  DeleteOptions options = marking->options;
  const Grace grace = BeforeDelete(doc, options);
  marking->uid = current->uid();
  marking->revision = current->revision();
  marking->object = {};
  if (grace.pending) {
    marking->outcome = Outcome::kPending;
    marking->object = rest::Encoded::Of(std::move(current));
    co_return update;
  }
  UpdateFinalizers(doc, options);
  bool held = !api::MetadataOf(doc).finalizers().empty();
  if (!grace.graceful && !held) {
    marking->outcome = Outcome::kRemove;
    marking->object = rest::Encoded::Of(std::move(current));
    co_return update;
  }
  if (!grace.graceful) {
    MarkAsDeleting(doc);
    options_.strategy->PrepareForDeletion(ContextOf(marking->request), doc);
  }
  marking->outcome =
      held || options.grace_period_seconds.value_or(0) > 0 ? Outcome::kMarked : Outcome::kExpired;
  if (marking->request.dry_run) {
    marking->object = Unstored(Encode(doc));
    co_return update;
  }
  update.stored = EncodeForStorage(doc);
  update.unchanged = IsStored(*current, update.stored);
  if (update.unchanged) marking->object = rest::Encoded::Of(std::move(current));
  co_return update;
}

base::Task<rest::Result<void>> Store::Mark(std::shared_ptr<Marking> marking) {
  std::string key = Key(marking->request.ns, marking->name);
  if (marking->request.dry_run) {
    auto current = co_await options_.storage->Get(std::move(key), {.occupancy = marking->request.occupancy});
    if (!current)
      co_return base::Err(ToStatus(current.error(), StorageVerb::kDelete, group_resource(), marking->name));
    auto applied = co_await ApplyMarking(marking, *std::move(current));
    if (!applied) co_return base::Err(api::Status(*applied.error()));
    co_return rest::Result<void>();
  }
  storage::UpdateFn apply = [this, marking](rest::ObjectPtr current) {
    return ApplyMarking(marking, std::move(current));
  };
  // Preconditions are checked on what is about to be replaced: see BeforeDelete.
  auto stored = co_await options_.storage->GuaranteedUpdate(std::move(key), false,
                                                            {.occupancy = marking->request.occupancy,
                                                             .trace = marking->request.trace(),
                                                             .notes = marking->request.notes},
                                                            std::move(apply));
  if (!stored)
    co_return base::Err(ToStatus(stored.error(), StorageVerb::kDelete, group_resource(), marking->name));
  if (!marking->object) {
    marking->written = true;
    marking->options.resource_version.reset();  // it held; the mark has changed the version
    marking->revision = (*stored)->revision();
    marking->object = rest::Encoded::Of(*std::move(stored));
  }
  co_return rest::Result<void>();
}

base::Task<rest::Result<rest::Deleted>> Store::Delete(rest::WriteRequest request, std::string name,
                                                      DeleteOptions options) {
  using Outcome = Marking::Outcome;
  auto marking = std::make_shared<Marking>(Marking{std::move(request), std::move(name), std::move(options)});
  for (;;) {
    CO_TRY(co_await Mark(marking));
    bool dry_run = marking->request.dry_run;
    switch (marking->outcome) {
      case Outcome::kPending: co_return Finished(std::move(marking->object), std::move(marking->uid), false);
      case Outcome::kMarked: co_return rest::Deleted{std::move(marking->object), std::move(marking->uid)};
      case Outcome::kExpired:
        if (dry_run)
          co_return rest::Deleted{std::move(marking->object), std::move(marking->uid), false, true};
        break;
      case Outcome::kRemove:
        if (dry_run) co_return Finished(std::move(marking->object), std::move(marking->uid), true);
        break;
    }
    auto removed = co_await Remove(marking);
    if (removed || !marking->raced) co_return std::move(removed);
  }
}

base::Task<rest::Result<rest::Deleted>> Store::Remove(std::shared_ptr<Marking> marking) {
  storage::ChangeOptions options{.uid = marking->options.uid,
                                 .occupancy = marking->request.occupancy,
                                 .trace = marking->request.trace(),
                                 .notes = marking->request.notes};
  // What was decided holds for the object it was decided on; a newer one is looked at again.
  marking->raced = false;
  storage::DeleteCheckFn check =
      [marking](const rest::Object& current) -> base::Result<void, std::shared_ptr<const api::Status>> {
    marking->raced = current.revision() != marking->revision;
    if (marking->raced) return Abort(api::InternalError("the object changed while it was deleted"));
    return {};
  };
  std::string key = Key(marking->request.ns, marking->name);
  auto removed = co_await options_.storage->Delete(std::move(key), std::move(options), std::move(check));
  if (removed) {
    if (options_.reserver) co_await AfterDelete(*removed);
    std::string uid((*removed)->uid());
    co_return Finished(rest::Encoded::Of(*std::move(removed)), std::move(uid), true);
  }
  // Others race to remove a pod whose grace period is over; whoever wins, it is gone.
  if (marking->written && removed.error().code == storage::Code::kNotFound)
    co_return Finished(std::move(marking->object), std::move(marking->uid), true);
  co_return base::Err(ToStatus(removed.error(), StorageVerb::kDelete, group_resource(), marking->name));
}

}  // namespace keelson::registry
