// Store: update, and what it shares with patch.
#include <charconv>
#include <utility>

#include "api/defaulting/defaulting.h"
#include "api/meta/object_meta.h"
#include "api/validation/object_meta.h"
#include "base/turns.h"
#include "registry/attributes.h"
#include "registry/errors.h"
#include "registry/reservation.h"
#include "registry/store.h"

namespace keelson::registry {
namespace {

// The number in a resourceVersion; empty and "0" mean none was given.
rest::Result<uint64_t> ParseVersion(std::string_view text) {
  uint64_t version = 0;
  if (text.empty()) return version;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
  if (error == std::errc() && end == text.data() + text.size()) return version;
  std::string_view why = error == std::errc::result_out_of_range ? "value out of range" : "invalid syntax";
  std::string message = "strconv.ParseUint: parsing " + api::field::RenderValue(text) + ": ";
  return base::Err(UnknownError(message.append(why)));
}

// The last finalizer of an object marked for deletion went, and its grace period is over.
bool EmptiedFinalizers(const api::Doc& now, const api::Doc& was) {
  auto metadata = api::MetadataOf(was);
  return api::MetadataOf(now).finalizers().empty() && metadata.has_deletion_timestamp() &&
         metadata.deletion_grace_period_seconds() == 0;
}

}  // namespace

std::unexpected<std::shared_ptr<const api::Status>> Store::Abort(api::Status status) {
  return std::unexpected(std::make_shared<const api::Status>(std::move(status)));
}

// One request's way through GuaranteedUpdate. Each attempt overwrites what the last left.
struct Store::Attempt {
  rest::WriteRequest request;
  std::string name;
  rest::UpdatedObject updated;
  bool creating = false;
  rest::Encoded unstored;  // the answer when the object was removed or nothing is stored
  bool removing = false;
  bool untracked = false;  // what is stored has no managedFields
  ReservationPtr reserved;
  rest::ObjectPtr current;  // what is updated; null: nothing
};

bool Store::MayCreate(const Attempt& attempt) const {
  const bool applies = attempt.updated.apply && options_.subresource.empty();
  return applies || options_.strategy->AllowCreateOnUpdate();
}

base::Task<rest::Result<api::Doc>> Store::Updated(const Attempt& attempt, const api::Doc* was) const {
  const rest::UpdatedObject& updated = attempt.updated;
  if (updated.apply) {
    api::Doc applied = CO_TRY(co_await fields_.Apply(attempt.request, attempt.name, *updated.apply, was));
    api::SetDefaults(applied);
    co_return applied;
  }
  static const api::Doc kNothing;
  api::Doc doc = CO_TRY(co_await updated.make(was ? *was : kNothing));
  api::SetDefaults(doc);
  if (!updated.tracked) co_await TrackFields(attempt.request, was, doc);
  co_return doc;
}

base::Task<void> Store::FinishReservation(Attempt& attempt, bool written) {
  const ReservationPtr reserved = std::exchange(attempt.reserved, nullptr);
  co_await reserved->Finish(written);
}

base::Task<rest::Result<rest::Written>> Store::Update(rest::WriteRequest request, std::string name,
                                                      rest::UpdatedObject updated) {
  auto attempt = std::make_shared<Attempt>(Attempt{std::move(request), std::move(name), std::move(updated)});
  std::string key = Key(attempt->request.ns, attempt->name);
  rest::Written written;
  if (attempt->request.dry_run) {
    auto tried = co_await TryUpdate(std::move(key), attempt);
    if (attempt->reserved) co_await FinishReservation(*attempt, false);
    if (!tried) co_return base::Err(std::move(tried.error()));
    written.object = attempt->unstored ? std::move(attempt->unstored) : rest::Encoded::Of(*std::move(tried));
  } else {
    auto stored = co_await StoreUpdate(key, attempt);
    // As upstream: once more without what can be large and is not the client's. Who applies depends on it.
    if (!stored && stored.error().code == storage::Code::kTooBig && !attempt->updated.tracked &&
        !attempt->updated.apply) {
      attempt->untracked = true;
      stored = co_await StoreUpdate(key, attempt);
    }
    if (attempt->reserved) co_await FinishReservation(*attempt, stored.has_value() && !attempt->removing);
    if (stored && attempt->removing && options_.reserver) co_await AfterDelete(*stored);
    if (!stored) {
      StorageVerb verb = attempt->creating ? StorageVerb::kCreate : StorageVerb::kUpdate;
      co_return base::Err(ToStatus(stored.error(), verb, group_resource(), attempt->name));
    }
    written.object = attempt->unstored ? std::move(attempt->unstored) : rest::Encoded::Of(*std::move(stored));
  }
  written.created = attempt->creating;
  co_return written;
}

base::Task<storage::Result<rest::ObjectPtr>> Store::StoreUpdate(std::string key,
                                                                std::shared_ptr<Attempt> attempt) {
  storage::ChangeOptions options{.occupancy = attempt->request.occupancy,
                                 .trace = attempt->request.trace(),
                                 .notes = attempt->request.notes};
  if (!attempt->updated.uid.empty()) options.uid = attempt->updated.uid;
  storage::UpdateFn apply = [this, attempt](rest::ObjectPtr current) {
    return ApplyUpdate(attempt, std::move(current));
  };
  return options_.storage->GuaranteedUpdate(std::move(key), MayCreate(*attempt), std::move(options),
                                            std::move(apply));
}

base::Task<rest::Result<rest::ObjectPtr>> Store::TryUpdate(std::string key,
                                                           std::shared_ptr<Attempt> attempt) {
  auto current = co_await options_.storage->Get(key, {.occupancy = attempt->request.occupancy});
  rest::ObjectPtr object;
  if (current) {
    object = *std::move(current);
  } else if (current.error().code != storage::Code::kNotFound || !MayCreate(*attempt)) {
    co_return base::Err(ToStatus(current.error(), StorageVerb::kUpdate, group_resource(), attempt->name));
  }
  if (object && !attempt->updated.uid.empty() && object->uid() != attempt->updated.uid) {
    storage::Error mismatch{storage::Code::kConflict};
    mismatch.detail =
        "StorageError: invalid object, Code: 4, Key: " + std::string(options_.resource->storage_prefix) +
        "/" + key + ", ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: " +
        attempt->updated.uid + ", UID in object meta: " + std::string(object->uid());
    co_return base::Err(ToStatus(mismatch, StorageVerb::kUpdate, group_resource(), attempt->name));
  }
  auto applied = co_await ApplyUpdate(attempt, object);
  if (!applied) co_return base::Err(api::Status(*applied.error()));
  co_return object;
}

base::Task<Store::UpdateResult> Store::ApplyUpdate(std::shared_ptr<Attempt> attempt,
                                                   rest::ObjectPtr current) {
  // What the attempt before has reserved is of no use: the object has changed.
  if (attempt->reserved) co_await FinishReservation(*attempt, false);
  attempt->unstored = {};
  attempt->removing = false;
  attempt->creating = !current;
  auto update = co_await (current ? UpdateExisting(*attempt, std::move(current)) : UpdateCreating(*attempt));
  if (!update) co_return Abort(std::move(update.error()));
  co_return *std::move(update);
}

base::Task<rest::Result<storage::Update>> Store::UpdateCreating(Attempt& attempt) {
  api::Doc doc = CO_TRY(co_await Updated(attempt, nullptr));
  api::MutableMetadataOf(doc).clear_self_link();
  CO_TRY(co_await BeforeCreate(attempt.request, doc, attempt.reserved, true));
  if (attempt.untracked) api::MutableMetadataOf(doc).clear_managed_fields();
  storage::Update update;
  update.stored = EncodeForStorage(doc);
  update.ttl = options_.strategy->TimeToLive(doc);
  if (attempt.request.dry_run) attempt.unstored = Unstored(update.stored.envelope);
  co_return update;
}

base::Task<rest::Result<storage::Update>> Store::UpdateExisting(Attempt& attempt, rest::ObjectPtr current) {
  if (current->bytes().size() >= base::kLongWorkBytes) co_await base::TakeTurn();
  auto was = CO_TRY(Decode(*current));
  api::Doc now = CO_TRY(co_await Updated(attempt, &was));
  attempt.current = current;
  CO_TRY(co_await BeforeUpdate(attempt, now, was));
  api::managed_fields::KeepTimesOfUnchanged(was, now);
  if (attempt.untracked) api::MutableMetadataOf(now).clear_managed_fields();

  storage::Update update;
  update.remove = EmptiedFinalizers(now, was) && !options_.strategy->HasOwnFinalizers(now);
  attempt.removing = update.remove;
  if (update.remove || attempt.request.dry_run) {
    attempt.unstored = Unstored(Encode(now));
    co_return update;
  }
  update.ttl = options_.strategy->TimeToLive(now);
  update.stored = EncodeForStorage(now);
  update.unchanged = IsStored(*current, update.stored);
  co_return update;
}

rest::Result<void> Store::CheckResourceVersion(api::Doc& now, const rest::Object& current,
                                               std::string_view name) const {
  auto metadata = api::MutableMetadataOf(now);
  auto version = TRY(ParseVersion(metadata.resource_version()));
  if (version == 0) {
    if (!options_.strategy->AllowUnconditionalUpdate()) {
      api::field::ErrorList errors;
      errors.Add(api::field::Invalid(api::field::Path("metadata").Child("resourceVersion"), "0",
                                     "must be specified for an update"));
      return base::Err(api::Invalid({options_.resource->group, options_.resource->plural}, name, errors));
    }
    metadata.set_resource_version(std::to_string(current.revision()));
    return {};
  }
  if (version == static_cast<uint64_t>(current.revision())) return {};
  return base::Err(api::Conflict(group_resource(), name, kOptimisticLockError));
}

base::Task<rest::Result<void>> Store::BeforeUpdate(Attempt& attempt, api::Doc& now, const api::Doc& was) {
  const rest::WriteRequest& request = attempt.request;
  const Strategy& strategy = *options_.strategy;
  std::string_view expected_ns =
      strategy.NamespaceScoped() ? std::string_view(request.ns) : std::string_view();
  CO_TRY(EnsureNamespaceMatches(expected_ns, now));

  auto before = api::MetadataOf(was);
  auto attributes = AttributesOf(request, admission::Operation::kUpdate, *options_.resource,
                                 options_.subresource, before.name());
  attributes.object = &now;
  attributes.old_object = &was;
  if (options_.admission.mutate) CO_TRY(co_await options_.admission.mutate(attributes));
  DropRepeatedOwners(request, now);
  CO_TRY(CheckResourceVersion(now, *attempt.current, attempt.name));
  if (options_.check) CO_TRY(co_await options_.check->BeforeValidation(attributes));

  // What no client may change, whatever it sent.
  api::MutableMetadataOf(now).set_generation(before.generation());
  if (options_.reserver && options_.subresource.empty())
    attempt.reserved = CO_TRY(co_await options_.reserver->BeginUpdate(request, now, was));
  const WriteContext context = ContextOf(request);
  strategy.PrepareForUpdate(context, now, was);
  auto metadata = api::MutableMetadataOf(now);
  metadata.clear_self_link();
  if (metadata.uid().empty()) metadata.set_uid(before.uid());
  if (before.has_creation_timestamp()) metadata.set_creation_timestamp(before.creation_timestamp());
  if (before.has_deletion_timestamp()) metadata.set_deletion_timestamp(before.deletion_timestamp());
  if (before.has_deletion_grace_period_seconds() && !metadata.has_deletion_grace_period_seconds())
    metadata.set_deletion_grace_period_seconds(before.deletion_grace_period_seconds());

  CO_TRY(CheckDepth(now, &was));
  auto errors = api::ValidateObjectMetaUpdate(metadata, before, strategy.NamespaceScoped(),
                                              api::field::Path("metadata"));
  if (strategy.ChecksStandardFinalizers())
    errors.Append(
        api::ValidateStandardFinalizers(metadata, api::field::Path("metadata").Child("finalizers")));
  if (options_.check) errors.Append(co_await options_.check->BesideValidation(attributes));
  errors.Append(strategy.ValidateUpdate(context, now, was));
  if (options_.check && errors.empty()) errors = co_await options_.check->AfterValidation(attributes);
  if (!errors.empty())
    co_return base::Err(api::Invalid(ClaimedKind(now, group_kind()), metadata.name(), errors));
  if (request.warnings)
    for (std::string& warning : strategy.WarningsOnUpdate(context, now, was))
      request.warnings->push_back(std::move(warning));
  strategy.Canonicalize(now);

  if (options_.admission.validate) CO_TRY(co_await options_.admission.validate(attributes));
  co_return rest::Result<void>();
}

}  // namespace keelson::registry
