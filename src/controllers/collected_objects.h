// CollectedObjects: what the garbage collector sees of the server: the owners and finalizers of every object
// of every resource, custom ones and those of aggregated APIs included. Objects that are stored here are not
// decoded.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "api/generated/meta_v1.h"
#include "api/meta/ownership.h"
#include "base/executor.h"
#include "client/client.h"
#include "client/informer.h"
#include "controllers/remote_objects.h"

namespace keelson::controllers {

// Where an object lives, and which one it is: a name may be given anew, a uid never.
struct ObjectRef {
  uint32_t resource = 0;  // as CollectedObjects counts them
  std::string ns, name, uid;
};

// Borrowed for the call that brings it.
struct ObjectChange {
  uint32_t resource = 0;
  std::string_view ns, name, uid;
  api::Ownership ownership;  // after the change
  bool gone = false;

  ObjectRef Ref() const { return {resource, std::string(ns), std::string(name), std::string(uid)}; }
};

// An object as it is now. The ownership's views live as long as this.
struct ObjectState {
  std::string_view uid;
  std::string resource_version;
  api::Ownership ownership;
  client::ObjectPtr object;                    // of one that is stored here
  std::shared_ptr<const RemoteObject> remote;  // of one of another server
};

// Threads: everything on `loop`. Borrows both; outlives the loop's running.
class CollectedObjects {
 public:
  // `remote`: what others serve; null: nothing.
  CollectedObjects(const client::Client& client, base::Executor& loop, const RemoteResources* remote);

  struct Observer {
    std::function<void(const ObjectChange&)> see;
    std::function<void()> missed;  // some changes went by unseen; all objects have been told again
  };
  // Tells of every object there is, then of each change.
  void Watch(Observer observer);
  void StopWatching();
  // Tells of every change that is committed by now.
  void CatchUp();

  struct Resource {
    uint32_t index = 0;
    bool namespaced = false;
  };
  // nullopt: nothing of that kind is served.
  std::optional<Resource> Resolve(std::string_view api_version, std::string_view kind) const;

  // nullopt: there is none of that name.
  base::Task<client::Result<std::optional<ObjectState>>> Get(ObjectRef object) const;
  // Whether the object with that uid is in any namespace; false too when that cannot be told.
  // Goes over all objects of the resource.
  base::Task<bool> ExistsAnywhere(uint32_t resource, std::string name, std::string uid) const;
  // Records an event of type Warning about the object. A failure is logged.
  base::Task<void> Warn(ObjectRef object, std::string_view reason, std::string message) const;
  // Requires that the object is still the one with that uid and, unless that is empty, with
  // that `resource_version`.
  base::Task<client::Result<void>> Delete(ObjectRef object, std::string resource_version,
                                          client::Propagation propagation) const;
  // `edit` changes the metadata; false: there is nothing to change. Requires that the object
  // is still the one with that uid.
  using Edit = std::function<bool(api::meta_v1::ObjectMetaEditor)>;
  base::Task<client::Result<void>> EditMetadata(ObjectRef object, Edit edit) const;

 private:
  void OnSource(const client::SourcePtr& now, const client::SourcePtr& was);
  void Start(uint32_t resource);
  void Tell(uint32_t resource, const client::Change& change);
  // Null: it is not served any more.
  client::SourcePtr SourceOf(uint32_t resource) const;

  // Numbers of resources of other servers are those that `remote_` has, with this bit.
  static constexpr uint32_t kRemote = uint32_t{1} << 31;
  const RemoteResource* RemoteOf(uint32_t resource) const;
  void TellRemote(uint32_t number, const RemoteObject& object, bool gone);
  base::Task<client::Result<std::optional<ObjectState>>> GetRemote(ObjectRef object) const;
  base::Task<client::Result<void>> EditRemote(ObjectRef object, Edit edit) const;

  const client::Client& client_;
  base::Executor& loop_;
  void Number(const client::SourcePtr& source, uint32_t resource);
  void Unnumber(const client::SourcePtr& source, uint32_t resource);

  // By resource, null once it is gone; numbers are not given anew.
  std::deque<std::shared_ptr<client::Informer>> informers_;
  // The numbers of what is there, by source and by kind.
  std::unordered_map<const client::Source*, uint32_t> by_source_;
  std::unordered_map<std::string, std::set<uint32_t>> by_kind_;
  std::unique_ptr<RemoteObjects> remote_;  // null: others serve nothing
  Observer observer_;
  bool watching_ = false;
};

}  // namespace keelson::controllers
