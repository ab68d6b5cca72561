// OwnerGraph: which object depends on which, by uid. It knows the objects that have owners
// and those whose dependents must be looked after; all others cost nothing here.
//
// Threads: one at a time.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/string_hash.h"
#include "controllers/collected_objects.h"

namespace keelson::controllers {

class OwnerGraph {
 public:
  struct Edge {
    std::string owner;  // uid
    bool blocks = false;
    bool operator==(const Edge&) const = default;
  };
  struct Node {
    ObjectRef object;
    std::vector<Edge> owners;
    bool deleting_dependents = false;  // deleted in the foreground, waiting for them
    bool swept = false;                // see MarkSwept
  };

  // Null: it has neither owners nor anything to wait for, or is not there.
  const Node* Find(std::string_view uid) const;

  // Takes the object's state; gives the uids of the owners that it has anew.
  std::vector<std::string> Set(const ObjectChange& change);
  // The object is gone; what depends on it stays known.
  void Remove(std::string_view uid);

  // Valid until the graph changes.
  std::vector<const Node*> DependentsOf(std::string_view uid) const;
  size_t CountDependents(std::string_view uid) const;
  // Those that their owner waits for.
  size_t CountBlocking(std::string_view uid) const;
  // Notes that the dependents there are now have been looked at, so that an owner with many
  // goes over them once. True the first time.
  bool MarkSwept(std::string_view uid);

  template <class F>
  void ForEach(F&& see) const {
    for (const auto& [uid, node] : nodes_) see(*node);
  }

  size_t size() const { return nodes_.size(); }

 private:
  struct Dependents {
    std::unordered_set<const Node*> nodes;
    size_t blocking = 0;
  };

  template <class T>
  using ByUid = std::unordered_map<std::string, T, base::StringHash, std::equal_to<>>;

  void Unlink(const Node& node);

  ByUid<std::unique_ptr<Node>> nodes_;
  ByUid<Dependents> dependents_;  // by the owner's uid
};

}  // namespace keelson::controllers
