// Namespaces: what the namespace controller reads and writes. The composition root
// implements it over the stores.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "api/generated/core_v1.h"
#include "api/meta/status.h"
#include "base/result.h"
#include "base/task.h"

namespace keelson::client {

// What a try to empty a namespace has left in it.
struct NamespaceContent {
  std::map<std::string, int64_t> remaining;   // objects, by "resource.group"
  std::map<std::string, int64_t> finalizers;  // objects, by what holds them
  std::vector<std::string> failures;          // why some could not be deleted

  bool empty() const { return remaining.empty() && failures.empty(); }
};

// Threads: every call comes on the controller's loop and resumes there.
class Namespaces {
 public:
  virtual ~Namespaces() = default;

  // Calls `see` with the name of every namespace that is terminating: those there are now
  // first, then each time one changes, or the last of what DeleteContent left of a resource
  // has gone.
  virtual void WatchTerminating(std::function<void(std::string)> see) = 0;
  virtual void StopWatching() = 0;

  // Whether there is a namespace of that name that is to go. One that was made anew since
  // is not.
  virtual base::Task<base::Result<bool, api::Status>> IsTerminating(std::string ns) = 0;

  // Whether objects in a namespace change; those that controllers make in every namespace do not count.
  enum class Stir : uint8_t { kEmpty, kQuiet, kBusy };
  // kBusy: something in `ns` has changed since the last call, or this is the first; kQuiet: nothing has. What
  // is remembered for that is forgotten with DeleteContent and StopWatching.
  virtual base::Task<Stir> LookForChanges(std::string ns) = 0;

  // Deletes all that lies in `ns`: pods first, and the rest when none is left.
  virtual base::Task<NamespaceContent> DeleteContent(std::string ns) = 0;

  // `edit` changes the status; false: there is nothing to change.
  using StatusEdit = std::function<bool(api::core_v1::NamespaceStatusEditor)>;
  virtual base::Task<base::Result<void, api::Status>> EditStatus(std::string ns, StatusEdit edit) = 0;

  // Takes the finalizer "kubernetes" away, so that the namespace can go.
  virtual base::Task<base::Result<void, api::Status>> Finalize(std::string ns) = 0;
};

}  // namespace keelson::client
