// Store: the generic life of a resource. Every create, update and delete goes through the
// steps here; what differs between resources is asked of their Strategy.
//
// Threads: any loop; holds no state of its own.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "admission/hooks.h"
#include "api/generated/meta_v1.h"
#include "api/types/resource_desc.h"
#include "auth/authorizer.h"
#include "base/clock.h"
#include "registry/decode.h"
#include "registry/features.h"
#include "registry/field_tracking.h"
#include "registry/rest/storage.h"
#include "registry/strategy.h"
#include "registry/write_check.h"
#include "storage/interface.h"

namespace keelson::registry {

class Reservation;
class Reserver;

// All pointers are borrowed and outlive the store.
// Deletions share commits: few at a time would wait for the disk most of the time, many would hold up the
// loop between two commits.
inline constexpr size_t kCollectionWorkers = 256;

struct StoreOptions {
  const api::ResourceDesc* resource = nullptr;
  const api::ResourceDesc* served_as = nullptr;  // what messages call it; null: resource
  storage::Interface* storage = nullptr;
  const Strategy* strategy = nullptr;
  std::string subresource;              // "status": a view of the same objects
  bool returns_deleted_object = false;  // a finished delete answers with the object
  bool garbage_collected = true;        // deletion may leave finalizers for the collector
  bool asks_converters = true;          // for fields that are managed in other versions
  admission::Hooks admission;
  const WriteCheck* check = nullptr;       // null: nothing more is asked
  auth::Authorizer* authorizer = nullptr;  // asked before an update or apply creates; null: all may
  Reserver* reserver = nullptr;            // takes what objects need besides their place; null: nothing
  const base::Clock* clock = &base::Clock::Real();
  Features features = {};
  size_t collection_workers = kCollectionWorkers;  // objects of a collection that are deleted at a time
};

class Store : public rest::Getter,
              public rest::Lister,
              public rest::Watcher,
              public rest::Creater,
              public rest::Updater,
              public rest::GracefulDeleter,
              public rest::CollectionDeleter {
 public:
  explicit Store(StoreOptions options);

  base::Task<rest::Result<rest::ObjectPtr>> Get(std::string ns, std::string name,
                                                rest::GetOptions options) override;
  base::Task<rest::Result<rest::ListResult>> List(rest::ListOptions options) override;
  base::Task<rest::Result<std::unique_ptr<rest::WatchStream>>> Watch(rest::WatchOptions options) override;
  base::Task<rest::Result<rest::Written>> Create(rest::WriteRequest request, api::Doc doc) override;
  base::Task<rest::Result<rest::Written>> Update(rest::WriteRequest request, std::string name,
                                                 rest::UpdatedObject updated) override;
  std::vector<std::string> WarningsOnDelete(const DeleteOptions& options) const override {
    return options_.strategy->WarningsOnDelete(options);
  }
  base::Task<rest::Result<rest::Deleted>> Delete(rest::WriteRequest request, std::string name,
                                                 DeleteOptions options) override;
  base::Task<rest::Result<rest::ListResult>> DeleteCollection(rest::WriteRequest request,
                                                              DeleteOptions options,
                                                              rest::ListOptions list) override;

  // The verbs of a whole resource, and those of a subresource that shows and changes it.
  rest::Verbs AllVerbs() { return {this, this, this, this, this, this, this}; }
  rest::Verbs SubresourceVerbs() { return {.get = this, .update = this}; }

  const api::ResourceDesc& resource() const { return *options_.resource; }
  const StoreOptions& options() const { return options_; }
  bool garbage_collected() const { return options_.garbage_collected; }

  // A document that is to be stored. Changes it to what that is: no resourceVersion, and of a custom kind
  // nothing that the stored version does not know.
  static storage::Draft EncodeForStorage(api::Doc& doc);

 protected:
  // What a storage update carries from attempt to attempt.
  struct Attempt;

  api::GroupResource group_resource() const {
    const api::ResourceDesc& named = *(options_.served_as ? options_.served_as : options_.resource);
    return {named.group, named.plural};
  }
  api::GroupKind group_kind() const { return {options_.resource->group, options_.resource->kind}; }
  static std::string Key(std::string_view ns, std::string_view name);
  WriteContext ContextOf(const rest::WriteRequest& request) const;

  rest::Result<api::Doc> Decode(const rest::Object& object) const {
    return DecodeStored(object, *options_.resource->type);
  }
  // In its envelope. Stored bytes carry no resourceVersion; answers do.
  static base::Slice Encode(const api::Doc& doc);
  // Whether `draft` is what is stored already, in the form in which it would be written now.
  bool IsStored(const rest::Object& current, const storage::Draft& draft) const {
    return storage::SameContent(current, draft.envelope.view()) && !options_.storage->Stale(current);
  }
  // An answer that was never stored. Requires: `bytes` come from Encode.
  static rest::Encoded Unstored(base::Slice bytes);

  // 400 for a document that nests deeper than objects may (api::kMaxObjectDepth) and deeper
  // than `was`, what is stored of it; null: nothing.
  static rest::Result<void> CheckDepth(const api::Doc& doc, const api::Doc* was);

  // --- create
  using ReservationPtr = std::shared_ptr<Reservation>;
  base::Task<rest::Result<rest::Written>> CreateOnce(rest::WriteRequest request, api::Doc doc);
  // The same; what it has reserved is left in `reserved`, also when it fails.
  base::Task<rest::Result<rest::Written>> CreateReserving(const rest::WriteRequest& request, api::Doc& doc,
                                                          ReservationPtr& reserved);
  // Sets what the server sets: a name made from the prefix, uid, creation time.
  void CompleteMetadata(api::Doc& doc) const;
  // Steps from the client's document to one that may be stored. `by_update`: the request is an update or an
  // apply, so nobody has asked yet whether the user may create.
  base::Task<rest::Result<void>> BeforeCreate(const rest::WriteRequest& request, api::Doc& doc,
                                              ReservationPtr& reserved, bool by_update);
  base::Task<rest::Result<void>> AuthorizeCreate(const rest::WriteRequest& request,
                                                 std::string_view name) const;
  base::Task<api::Status> CreateRefused(const rest::WriteRequest& request, storage::Error error,
                                        std::string key, std::string name, bool generated);

  // --- update
  bool MayCreate(const Attempt& attempt) const;  // what is absent
  // The object that the request asks for, with defaults and its fields tracked. `was`: null when there is
  // none.
  base::Task<rest::Result<api::Doc>> Updated(const Attempt& attempt, const api::Doc* was) const;
  using UpdateResult = base::Result<storage::Update, std::shared_ptr<const api::Status>>;
  // Ends an update with this answer.
  static std::unexpected<std::shared_ptr<const api::Status>> Abort(api::Status status);
  base::Task<UpdateResult> ApplyUpdate(std::shared_ptr<Attempt> attempt, rest::ObjectPtr current);
  base::Task<rest::Result<storage::Update>> UpdateExisting(Attempt& attempt, rest::ObjectPtr current);
  base::Task<rest::Result<storage::Update>> UpdateCreating(Attempt& attempt);
  base::Task<rest::Result<void>> BeforeUpdate(Attempt& attempt, api::Doc& now, const api::Doc& was);
  // Settles what an attempt has reserved. Requires: it has.
  static base::Task<void> FinishReservation(Attempt& attempt, bool written);
  rest::Result<void> CheckResourceVersion(api::Doc& now, const rest::Object& current,
                                          std::string_view name) const;
  base::Task<storage::Result<rest::ObjectPtr>> StoreUpdate(std::string key, std::shared_ptr<Attempt> attempt);
  // The same as GuaranteedUpdate up to the write, which it leaves out.
  base::Task<rest::Result<rest::ObjectPtr>> TryUpdate(std::string key, std::shared_ptr<Attempt> attempt);

  // --- delete
  struct Grace {
    bool graceful = false;  // the object was given a deadline and must be written
    bool pending = false;   // an earlier delete stands; nothing changes
  };
  rest::Result<void> CheckPreconditions(const api::Doc& doc, const DeleteOptions& options) const;
  // Requires: its preconditions hold.
  Grace BeforeDelete(api::Doc& doc, DeleteOptions& options) const;
  // The finalizers the object must have for the garbage collector; true when they changed.
  bool UpdateFinalizers(api::Doc& doc, const DeleteOptions& options) const;
  bool ShouldOrphanDependents(api::meta_v1::ObjectMetaView metadata, const DeleteOptions& options) const;
  bool ShouldDeleteDependents(api::meta_v1::ObjectMetaView metadata, const DeleteOptions& options) const;
  void MarkAsDeleting(api::Doc& doc) const;
  // Gives back what an object that is gone had reserved. Requires: there is a reserver.
  base::Task<void> AfterDelete(rest::ObjectPtr gone);
  // What marking an object as being deleted leaves behind.
  struct Marking;
  base::Task<UpdateResult> ApplyMarking(std::shared_ptr<Marking> marking, rest::ObjectPtr current);
  base::Task<rest::Result<void>> Mark(std::shared_ptr<Marking> marking);
  base::Task<rest::Result<rest::Deleted>> Remove(std::shared_ptr<Marking> marking);
  rest::Deleted Finished(rest::Encoded object, std::string uid, bool gone) const;
  // Asks admission about the end of `doc`.
  base::Task<rest::Result<void>> AdmitDelete(const rest::WriteRequest& request, std::string_view name,
                                             const DeleteOptions& options, const api::Doc& doc) const;
  // Deletes items of `list` from `next` on, with the others that do so at the same time.
  struct Collection;
  base::Task<void> DeleteItems(std::shared_ptr<Collection> collection);

  // Records in `doc` what the request's manager owns from now on. `was`: null on create.
  base::Task<void> TrackFields(const rest::WriteRequest& request, const api::Doc* was, api::Doc& doc) const;

  const StoreOptions options_;
  const FieldTracking fields_;
};

// Removes owner references that are there twice once mutating admission is through, with a warning.
void DropRepeatedOwners(const rest::WriteRequest& request, api::Doc& doc);

// A document as an answer that was never stored. Requires: its type has a protobuf form.
rest::Encoded EncodeUnstored(const api::Doc& doc);

// Sets the object's namespace to the request's, or refuses one that differs. `expected` is
// empty for cluster-scoped resources.
rest::Result<void> EnsureNamespaceMatches(std::string_view expected, api::Doc& doc);

}  // namespace keelson::registry
