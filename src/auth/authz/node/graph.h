// Graph: which objects a node has to do with, through the pods that are bound to it.
//
// Upstream walks from an object over pods to nodes when it is asked. Here the end of each path is kept: a
// pair of an object and a node, counted by the paths between them, so that an answer is one look-up and a
// change costs what it adds and takes away. Say pod demo/a on node n1 mounts secret demo/s and claim demo/c,
// and volume v is bound to demo/c and needs secret demo/t:
//
//   (pod demo/a, n1) 1    (secret demo/s, n1) 1    (claim demo/c, n1) 1
//   (volume v, n1)   1    (secret demo/t, n1) 1      by way of the claim
//
// With a second pod on n1 that uses demo/s its count is 2. When demo/a goes, the claim's count falls to 0 and
// takes the volume and its secret along; (secret demo/s, n1) stays.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "auth/authz/node/references.h"
#include "base/hash_trie.h"
#include "base/published.h"

namespace keelson::auth::node {

// An object and a node it is related to.
class Edge final : public base::RefCounted<Edge> {
 public:
  Edge(const ObjectName& object, std::string_view node);

  static uint64_t HashOf(Kind kind, std::string_view ns, std::string_view name, std::string_view node);
  uint64_t hash() const { return hash_; }
  bool Is(Kind kind, std::string_view ns, std::string_view name, std::string_view node) const {
    return object_.kind == kind && object_.name == name && object_.ns == ns && node_ == node;
  }

 private:
  const ObjectName object_;
  const std::string node_;
  const uint64_t hash_;
};

// Threads: immutable; any.
struct Relations final : base::Publishable<Relations> {
  bool Related(Kind kind, std::string_view ns, std::string_view name, std::string_view node) const;
  base::HashTrie<Edge> edges;
};

// Threads: one writer; Read from any.
class Graph {
 public:
  // What `source`, a pod, attachment or slice, relates to `node`; replaces what it did before. An empty node
  // relates nothing.
  void Put(const ObjectName& source, std::string node, std::vector<ObjectName> objects);
  void Remove(const ObjectName& source);
  // `claim.name` empty: it is not bound.
  void PutVolume(const std::string& name, ObjectName claim, std::vector<ObjectName> secrets);
  void RemoveVolume(const std::string& name);
  // All objects of a kind are put next; FinishRelist removes those that were not.
  void StartRelist(Kind kind);
  void FinishRelist(Kind kind);

  // What was put and removed is seen from now on.
  void Publish();
  base::Reading<Relations> Read() const { return published_.Read(); }

 private:
  struct Source {
    std::string node;
    std::vector<ObjectName> objects;
  };
  struct Volume {
    ObjectName claim;
    std::vector<ObjectName> objects;  // itself and its secrets
  };
  using Counts = std::map<std::string, int>;  // by node

  void Count(const ObjectName& object, const std::string& node, int by);
  void CountVolume(const Volume& volume, const std::string& node, int by);
  void Unrelate(const Source& source);
  void Unbind(const std::string& name, const Volume& volume);

  std::map<ObjectName, Source> sources_;
  std::map<std::string, Volume> volumes_;
  std::map<ObjectName, std::vector<std::string>> volumes_of_claim_;
  std::map<ObjectName, Counts> counts_;
  std::map<ObjectName, bool> missing_;  // of a relist: not put yet
  base::HashTrie<Edge> edges_;
  bool changed_ = false;  // since Publish
  base::Published<Relations> published_{new Relations};
};

}  // namespace keelson::auth::node
