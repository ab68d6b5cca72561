#include "registry/namespace_store.h"

#include "api/meta/object_meta.h"
#include "registry/errors.h"

namespace keelson::registry {
namespace {

std::string PreconditionFailed(const std::string& what, const std::string& wanted, std::string_view found) {
  return "Precondition failed: " + what + " in precondition: " + wanted + ", " + what +
         " in object meta: " + std::string(found);
}

}  // namespace

struct NamespaceStore::Termination {
  rest::WriteRequest request;
  std::string name;
  DeleteOptions options;
  rest::Encoded unstored;
};

base::Task<rest::Result<rest::Deleted>> NamespaceStore::Delete(rest::WriteRequest request, std::string name,
                                                               DeleteOptions options) {
  auto current = CO_TRY(co_await Get("", name, {}));
  const rest::Object& object = *current;
  std::string version = std::to_string(object.revision());
  if (options.uid && *options.uid != object.uid())
    co_return base::Err(
        api::Conflict(group_resource(), name, PreconditionFailed("UID", *options.uid, object.uid())));
  if (options.resource_version && *options.resource_version != version)
    co_return base::Err(api::Conflict(
        group_resource(), name, PreconditionFailed("ResourceVersion", *options.resource_version, version)));
  options.uid = object.uid();

  auto doc = CO_TRY(Decode(object));
  if (!api::MetadataOf(doc).has_deletion_timestamp())
    co_return co_await Terminate(std::move(request), std::move(name), std::move(options));
  if (options_.strategy->HasOwnFinalizers(doc)) {
    std::string uid(object.uid());
    co_return rest::Deleted{rest::Encoded::Of(std::move(current)), std::move(uid)};
  }
  co_return co_await Store::Delete(std::move(request), std::move(name), std::move(options));
}

base::Task<Store::UpdateResult> NamespaceStore::ApplyTermination(std::shared_ptr<Termination> termination,
                                                                 rest::ObjectPtr current) {
  auto decoded = Decode(*current);
  if (!decoded) co_return Abort(std::move(decoded.error()));
  api::Doc doc = *std::move(decoded);
  if (auto admitted =
          co_await AdmitDelete(termination->request, termination->name, termination->options, doc);
      !admitted)
    co_return Abort(std::move(admitted.error()));
  auto metadata = api::MutableMetadataOf(doc);
  if (!metadata.has_deletion_timestamp()) metadata.set_deletion_timestamp(api::NowSeconds(*options_.clock));
  options_.strategy->PrepareForDeletion(ContextOf(termination->request), doc);
  if (propagates_) UpdateFinalizers(doc, termination->options);
  storage::Update update;
  if (termination->request.dry_run) {
    termination->unstored = Unstored(Encode(doc));
  } else {
    update.stored = EncodeForStorage(doc);
    update.unchanged = IsStored(*current, update.stored);
  }
  co_return update;
}

base::Task<rest::Result<rest::Deleted>> NamespaceStore::Terminate(rest::WriteRequest request,
                                                                  std::string name, DeleteOptions options) {
  auto termination =
      std::make_shared<Termination>(Termination{std::move(request), std::move(name), std::move(options)});
  if (termination->request.dry_run) {
    auto current = co_await options_.storage->Get(termination->name, {});
    if (!current)
      co_return base::Err(
          ToStatus(current.error(), StorageVerb::kDelete, group_resource(), termination->name));
    auto applied = co_await ApplyTermination(termination, *std::move(current));
    if (!applied) co_return base::Err(api::Status(*applied.error()));
    co_return rest::Deleted{std::move(termination->unstored), *termination->options.uid};
  }
  storage::ChangeOptions change{.uid = termination->options.uid,
                                .resource_version = termination->options.resource_version,
                                .occupancy = termination->request.occupancy,
                                .trace = termination->request.trace(),
                                .notes = termination->request.notes};
  storage::UpdateFn apply = [this, termination](rest::ObjectPtr current) {
    return ApplyTermination(termination, std::move(current));
  };
  auto stored = co_await options_.storage->GuaranteedUpdate(termination->name, false, std::move(change),
                                                            std::move(apply));
  if (!stored)
    co_return base::Err(ToStatus(stored.error(), StorageVerb::kUpdate, group_resource(), termination->name));
  co_return rest::Deleted{rest::Encoded::Of(*std::move(stored)), *termination->options.uid};
}

}  // namespace keelson::registry
