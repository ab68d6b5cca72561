// One small interface per verb. A resource offers those it has; endpoints ask for no more.
//
// Threads: any loop; every call resumes where it was awaited. Errors are the answer to
// the client, complete. Coroutine parameters are taken by value; what is borrowed (user,
// clock) lives as long as the request.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/types/doc.h"
#include "api/types/resource_desc.h"
#include "auth/user.h"
#include "base/occupancy.h"
#include "base/request_notes.h"
#include "base/task.h"
#include "registry/rest/apply.h"
#include "registry/rest/connect.h"
#include "registry/rest/options.h"
#include "registry/rest/types.h"

namespace keelson::audit {
struct Event;
}

namespace keelson::registry::rest {

// Who writes, and where.
struct WriteRequest {
  const auth::User* user = nullptr;  // never null
  std::string ns;                    // empty for cluster-scoped resources
  bool dry_run = false;
  bool of_collection = false;     // one deletion of many: the request names no object
  bool is_patch = false;          // a PATCH, whatever it comes to
  std::string parent;             // a subresource's create: the name of the object it belongs to
  api::GroupVersion api_version;  // in which the client speaks
  // Who owns what the write sets, in metadata.managedFields; by default this server.
  std::string field_manager = "kube-apiserver";
  bool manager_given = false;         // by the client, rather than made from its name
  std::string_view field_validation;  // as the client gave it: "Strict"; empty: not given
  // What the client should be warned of, whether or not the write succeeds; null: nobody reads it.
  // Outlives the write.
  std::vector<std::string>* warnings = nullptr;
  audit::Event* audit = nullptr;  // the request's; null: it is not audited. Outlives the write.
  // The request's deadline and seats; null: nobody waits for the write. Outlives it.
  base::Occupancy* occupancy = nullptr;
  base::RequestNotes* notes = nullptr;  // the request's; null: nobody reads them. Outlive the write.

  // Null: nothing is traced. Objects of a collection are deleted side by side, and have no spans of their
  // own.
  base::Trace* trace() const { return notes && !of_collection ? notes->trace : nullptr; }
  std::string_view given_manager() const { return manager_given ? field_manager : std::string_view(); }
};

// What a write left behind.
struct Written {
  Encoded object;
  bool created = false;
  std::optional<api::Status> status;  // answered with instead of the object
};

class Getter {
 public:
  virtual ~Getter() = default;
  virtual base::Task<Result<ObjectPtr>> Get(std::string ns, std::string name, GetOptions options) = 0;
};

// An object that is not stored in this form but made when asked for (scale).
class Shower {
 public:
  virtual ~Shower() = default;
  virtual base::Task<Result<Encoded>> Show(std::string ns, std::string name, GetOptions options) = 0;
};

class Lister {
 public:
  virtual ~Lister() = default;
  virtual base::Task<Result<ListResult>> List(ListOptions options) = 0;
};

class Watcher {
 public:
  virtual ~Watcher() = default;
  virtual base::Task<Result<std::unique_ptr<WatchStream>>> Watch(WatchOptions options) = 0;
};

class Creater {
 public:
  virtual ~Creater() = default;
  // The name is the one in the metadata, or is made from generateName.
  virtual base::Task<Result<Written>> Create(WriteRequest request, api::Doc doc) = 0;
};

// The object to be, made from the current one: by a function, for a document that replaces it or a patch; or
// by a configuration to apply.
struct UpdatedObject {
  // Called again after each conflict. `current` has no root when there is no object and
  // the resource may be created by update.
  std::function<base::Task<Result<api::Doc>>(const api::Doc& current)> make;
  // The uid the current object must have; empty: any.
  std::string uid;
  bool tracked = false;  // `make` sees to managedFields
  // In place of `make`. What is absent is created, whatever the resource's rule, but not by way of a
  // subresource.
  std::optional<ApplyConfiguration> apply = std::nullopt;
};

class Updater {
 public:
  virtual ~Updater() = default;
  virtual base::Task<Result<Written>> Update(WriteRequest request, std::string name,
                                             UpdatedObject updated) = 0;
};

// The object as it is after the call: gone, or marked and waiting for its grace period
// or its finalizers.
struct Deleted {
  Encoded object;
  std::string uid;
  bool answer_with_status = false;  // the client gets a Status rather than the object
  bool gone = false;                // nothing is left to wait for
};

class GracefulDeleter {
 public:
  virtual ~GracefulDeleter() = default;
  // What the client should be told whether or not there is anything to delete.
  virtual std::vector<std::string> WarningsOnDelete(const DeleteOptions& options) const = 0;
  virtual base::Task<Result<Deleted>> Delete(WriteRequest request, std::string name,
                                             DeleteOptions options) = 0;
};

class CollectionDeleter {
 public:
  virtual ~CollectionDeleter() = default;
  // As that of GracefulDeleter.
  virtual std::vector<std::string> WarningsOnDelete(const DeleteOptions& options) const = 0;
  // Deletes what `list` selects; gives what was deleted, as listed.
  virtual base::Task<Result<ListResult>> DeleteCollection(WriteRequest request, DeleteOptions options,
                                                          ListOptions list) = 0;
};

// The verbs a resource or subresource offers; null: not offered. Borrowed.
struct Verbs {
  Getter* get = nullptr;
  Lister* list = nullptr;
  Watcher* watch = nullptr;
  Creater* create = nullptr;
  Updater* update = nullptr;
  GracefulDeleter* remove = nullptr;
  CollectionDeleter* remove_collection = nullptr;
  Shower* show = nullptr;        // in place of `get`
  Connecter* connect = nullptr;  // answers every verb by itself
};

}  // namespace keelson::registry::rest
