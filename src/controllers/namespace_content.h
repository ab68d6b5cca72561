// NamespaceContent: what lies in a namespace, and how it is emptied.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/executor.h"
#include "client/client.h"
#include "controllers/remote_resources.h"

namespace keelson::controllers {

// What a try to empty a namespace has left in it.
struct NamespaceRemains {
  std::map<std::string, int64_t> remaining;   // objects, by "resource.group"
  std::map<std::string, int64_t> finalizers;  // objects, by what holds them
  std::vector<std::string> failures;          // why some could not be deleted
  std::vector<std::string> undiscovered;  // versions ("group/version") of which nobody knows what they serve

  bool empty() const { return remaining.empty() && failures.empty() && undiscovered.empty(); }
};

// Threads: everything on `loop`. Borrows all; outlives the loop's running.
class NamespaceContent {
 public:
  // `gone` is told the name of a namespace where the last of what Delete left of a resource that is stored
  // here has gone. `remote`: what aggregated APIs serve; null: nothing.
  NamespaceContent(const client::Client& client, base::Executor& loop, std::function<void(std::string)> gone,
                   const RemoteResources* remote = nullptr)
      : client_(client), loop_(loop), gone_(std::move(gone)), remote_(remote) {}

  // Whether objects in a namespace change; those that controllers make in every namespace do not count.
  enum class Stir : uint8_t { kEmpty, kQuiet, kBusy };
  // kBusy: something in `ns` has changed since the last call, or this is the first; kQuiet: nothing has. What
  // is remembered for that is forgotten with Delete and Forget.
  base::Task<Stir> LookForChanges(std::string ns);

  // Deletes all that lies in `ns`: pods first, and the rest when none is left. What aggregated APIs have is
  // deleted there; while it is not known what one of them serves, the namespace is not empty.
  base::Task<NamespaceRemains> Delete(std::string ns);

  // Waits for nothing in `ns` any more, and remembers nothing of it.
  void Forget(const std::string& ns) {
    waits_.erase(ns);
    looks_.erase(ns);
  }
  // The same for all.
  void Forget();

 private:
  // Waits for the objects that a deletion has left.
  struct Wait {
    client::SourcePtr source;  // outlives the stream
    std::unique_ptr<client::WatchStream> stream;
    size_t left = 0;
  };
  using Waits = std::list<Wait>;
  // Follows what changes among the objects of one resource.
  struct Look {
    client::SourcePtr source;  // as above
    std::unique_ptr<client::WatchStream> stream;
  };
  using Looks = std::vector<Look>;

  // Begins to follow the resource if it has objects in `ns`, besides those that every namespace is given.
  base::Task<void> Follow(client::SourcePtr source, const std::string& ns, Looks& looks);
  base::Task<void> Empty(client::SourcePtr source, const std::string& ns, NamespaceRemains& remains);
  base::Task<void> EmptyRemote(RemoteResource resource, const std::string& ns, NamespaceRemains& remains);
  // None where the resource cannot be listed.
  base::Task<client::Result<std::vector<RemoteObject>>> ListRemote(RemoteResource resource,
                                                                   const std::string& ns);
  base::Task<client::Result<void>> DeleteEachRemote(RemoteResource resource, const std::string& ns);
  // Asks the objects to go, and gives how many are left; with their finalizers in `remains`.
  base::Task<client::Result<int64_t>> DeleteRemote(RemoteResource resource, const std::string& ns,
                                                   NamespaceRemains& remains);
  // Lists what is left into `remains` and waits for it to go.
  base::Task<client::Result<void>> Count(client::SourcePtr source, const std::string& ns,
                                         NamespaceRemains& remains);
  void PollWaits(const std::string& ns);

  const client::Client& client_;
  base::Executor& loop_;
  const std::function<void(std::string)> gone_;
  const RemoteResources* const remote_;
  std::map<std::string, Waits> waits_;  // by namespace
  std::map<std::string, Looks> looks_;  // of those that are given a grace
};

}  // namespace keelson::controllers
