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
//
// A pod is kept as pointers to its pairs, and a pair as one text: most of the memory is one pair per pod.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "auth/authz/node/references.h"
#include "base/hash_trie.h"
#include "base/published.h"

namespace keelson::auth::node {

// An object and a node it is related to.
class Edge final : public base::RefCounted<Edge> {
 public:
  Edge(const ObjectName& object, std::string_view node, uint64_t hash);

  static uint64_t HashOf(Kind kind, std::string_view ns, std::string_view name, std::string_view node);
  uint64_t hash() const { return hash_; }
  bool Is(Kind kind, std::string_view ns, std::string_view name, std::string_view node) const {
    return IsOf(kind, ns, name) && this->node() == node;
  }
  bool IsOf(Kind kind, std::string_view ns, std::string_view name) const {
    return kind_ == kind && this->name() == name && this->ns() == ns;
  }

  Kind kind() const { return kind_; }
  std::string_view ns() const { return std::string_view(text_).substr(0, ns_size_); }
  std::string_view name() const { return std::string_view(text_).substr(ns_size_, name_size_); }
  std::string_view node() const { return std::string_view(text_).substr(ns_size_ + name_size_); }
  ObjectName object() const { return {kind_, std::string(ns()), std::string(name())}; }

 private:
  friend class Graph;

  const Kind kind_;
  mutable uint32_t paths_ = 0;  // the writer's alone; readers find an edge while there is any
  const uint32_t ns_size_, name_size_;
  const uint64_t hash_;
  const std::string text_;  // namespace, name and node, one after the other
};

// Threads: immutable; any.
struct Relations final : base::Publishable<Relations> {
  bool Related(Kind kind, std::string_view ns, std::string_view name, std::string_view node) const;
  base::HashTrie<Edge> edges;
};

// Threads: one writer; Read from any.
class Graph {
 public:
  // Relates `objects` to `node`. The first of them is their source, a pod, attachment or slice; what it
  // related before, it does no more. Requires: a node, and an object.
  void Put(std::string_view node, const std::vector<ObjectName>& objects);
  void Remove(const ObjectName& source);
  // `claim.name` empty: it is not bound.
  void PutVolume(const std::string& name, ObjectName claim, std::vector<ObjectName> secrets);
  void RemoveVolume(const std::string& name);
  // All objects of a kind are put next; FinishRelist removes those that were not, if StartRelist was called.
  void StartRelist(Kind kind);
  void FinishRelist(Kind kind);

  // What was put and removed is seen from now on.
  void Publish();
  base::Reading<Relations> Read() const { return published_.Read(); }

 private:
  using EdgePtr = base::IntrusivePtr<const Edge>;
  struct Source {
    std::vector<EdgePtr> edges;  // its own first
    uint32_t round;              // the relist of its kind that put it
  };
  struct HashSource {
    using is_transparent = void;
    size_t operator()(const Source& source) const;
    size_t operator()(const ObjectName& name) const;
  };
  struct EqualSource {
    using is_transparent = void;
    bool operator()(const Source& a, const Source& b) const;
    bool operator()(const Source& source, const ObjectName& name) const;
    bool operator()(const ObjectName& name, const Source& source) const { return (*this)(source, name); }
  };
  struct Volume {
    ObjectName claim;
    std::vector<ObjectName> objects;  // itself and its secrets
    uint32_t round;
  };

  EdgePtr Relate(const ObjectName& object, std::string_view node);
  void Unrelate(const EdgePtr& edge);
  // The volumes of a claim that is related to a node from now on, or no more.
  void RelateVolumes(const EdgePtr& claim);
  void UnrelateVolumes(const EdgePtr& claim);
  void RelateVolume(const Volume& volume, std::string_view node);
  void UnrelateVolume(const Volume& volume, std::string_view node);
  void Unbind(const std::string& name, const Volume& volume);
  struct Relist {
    uint32_t round = 0;  // counts them
    bool running = false;
  };
  Relist& RelistOf(Kind kind) { return relists_[static_cast<size_t>(kind)]; }

  std::unordered_set<Source, HashSource, EqualSource> sources_;
  std::map<std::string, Volume> volumes_;
  std::map<ObjectName, std::vector<std::string>> volumes_of_claim_;
  std::map<ObjectName, std::vector<EdgePtr>> nodes_of_claim_;
  Relist relists_[kKinds];
  base::HashTrie<Edge> edges_;
  bool changed_ = false;  // since Publish
  base::Published<Relations> published_{new Relations};
};

}  // namespace keelson::auth::node
