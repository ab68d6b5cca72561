// RemoteObjects: what the garbage collector sees of the objects that other servers have. They are listed
// again and again, resource by resource; a server that does not answer holds up nothing but its own
// resources, whose objects stay as they were seen last.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/executor.h"
#include "controllers/keyed_queue.h"
#include "controllers/remote_resources.h"

namespace keelson::controllers {

// Threads: everything on `loop`. Borrows both; outlives the loop's running.
class RemoteObjects {
 public:
  RemoteObjects(const RemoteResources& resources, base::Executor& loop);

  struct Observer {
    // Called for an object that came or changed, and for one that went.
    std::function<void(uint32_t resource, const RemoteObject& object)> see;
    std::function<void(uint32_t resource, const RemoteObject& object)> gone;
    std::function<void()> appeared;  // there are resources that were not there before
  };
  void Watch(Observer observer);
  void StopWatching();

  // The number of the resource with that kind; nullopt: nobody serves one.
  std::optional<uint32_t> Resolve(std::string_view group, std::string_view kind);
  // Null: it is not served any more.
  const RemoteResource* Find(uint32_t resource) const;
  const RemoteResources& resources() const { return resources_; }
  // The object is there now. If no list has it, the next one tells that it is gone.
  void Note(uint32_t resource, const RemoteObject& object);

  // How often a resource is listed.
  static constexpr std::chrono::seconds kRefresh{10};

 private:
  struct Known {
    RemoteResource resource;
    bool served = false;
    std::map<std::string, RemoteObject, std::less<>> objects;  // by uid; with metadata where that matters
  };
  void Refresh();
  std::optional<uint32_t> FindKind(std::string_view group, std::string_view kind) const;
  // Takes what is served now. Numbers of resources are not given anew; one that comes back has its old one.
  void Number();
  base::Task<bool> Sync(std::string key);

  const RemoteResources& resources_;
  base::Executor& loop_;
  std::vector<std::unique_ptr<Known>> known_;  // by number
  Observer observer_;
  uint64_t watching_ = 0;  // counts the calls of Watch; 0: nobody watches
  uint64_t watches_ = 0;
  KeyedQueue queue_;  // of numbers
};

}  // namespace keelson::controllers
