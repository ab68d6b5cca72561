// Objects: what the garbage collector reads and writes: the metadata of every object of
// every resource. The composition root implements it over the stores.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/generated/meta_v1.h"
#include "api/meta/ownership.h"
#include "api/meta/status.h"
#include "base/result.h"
#include "base/task.h"

namespace keelson::client {

// Where an object lives, and which one it is: a name may be given anew, a uid never.
struct ObjectRef {
  uint32_t resource = 0;  // as Objects::Resolve counts them
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
  std::string uid, resource_version;
  api::Ownership ownership;
  std::shared_ptr<const void> keepalive;
};

enum class Propagation : uint8_t { kBackground, kForeground, kOrphan };

// Threads: every call comes on the collector's loop and resumes there.
class Objects {
 public:
  template <class T>
  using Result = base::Result<T, api::Status>;

  struct Resource {
    uint32_t index = 0;
    bool namespaced = false;
  };

  virtual ~Objects() = default;

  struct Observer {
    std::function<void(const ObjectChange&)> see;
    std::function<void()> missed;  // some changes went by unseen
  };
  // Calls `see` with every object there is, then with each change.
  virtual void Watch(Observer observer) = 0;
  virtual void StopWatching() = 0;
  // Hands out every change that is committed by now.
  virtual void CatchUp() = 0;

  // nullopt: nothing of that kind is served.
  virtual std::optional<Resource> Resolve(std::string_view api_version, std::string_view kind) const = 0;

  // nullopt: there is none of that name.
  virtual base::Task<Result<std::optional<ObjectState>>> Get(ObjectRef object) = 0;
  // Whether the object with that uid is in any namespace; false too when that cannot be told.
  // Goes over all objects of the resource.
  virtual base::Task<bool> ExistsAnywhere(uint32_t resource, std::string name, std::string uid) = 0;
  // Records an event of type Warning about the object. A failure is logged.
  virtual base::Task<void> Warn(ObjectRef object, std::string_view reason, std::string message) = 0;
  // Requires that the object is still the one with that uid and, unless that is empty, with
  // that `resource_version`.
  virtual base::Task<Result<void>> Delete(ObjectRef object, std::string resource_version,
                                          Propagation propagation) = 0;
  // `edit` changes the metadata; false: there is nothing to change. Requires that the object
  // is still the one with that uid.
  using Edit = std::function<bool(api::meta_v1::ObjectMetaEditor)>;
  virtual base::Task<Result<void>> EditMetadata(ObjectRef object, Edit edit) = 0;
};

}  // namespace keelson::client
