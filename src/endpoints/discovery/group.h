// Group: an API group at one moment, as discovery tells of it. Its documents, and what it adds to the
// documents of all groups, are made when first asked for and kept with it. A group that has not changed is
// the same object in the next set of what is served, so nothing of it is written again.
//
// Threads: immutable, any.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/intrusive_ptr.h"
#include "base/slice.h"
#include "endpoints/discovery/registered.h"
#include "endpoints/served_resource.h"

namespace keelson::endpoints::discovery {

// Which lists of versions are in the order of their priorities; the others are in the order of the tables,
// custom versions after them, the best first.
struct Order {
  bool listed_by_priority = false;      // something is registered
  bool aggregated_by_priority = false;  // backends serve something
};

class Group final : public base::RefCounted<Group> {
 public:
  struct Parts {
    std::string name;
    std::vector<const ServedResource*> built_in = {};  // in the order of the tables; outlive the group
    std::vector<ServedResourcePtr> custom = {};        // in any order
    std::vector<RegisteredVersion> registered = {};    // of this group
    Order order = {};
  };
  explicit Group(Parts parts);

  static uint64_t HashOf(std::string_view name);
  uint64_t hash() const { return hash_; }
  const std::string& name() const { return parts_.name; }
  const std::vector<ServedResourcePtr>& custom() const { return parts_.custom; }
  // The custom resource; null: there is none.
  const ServedResource* FindCustom(std::string_view version, std::string_view plural) const;
  // Whether a backend serves one of its versions.
  bool remote() const { return remote_; }

  // Where it stands among the groups: in the aggregated form by priority, highest first, then by name; in the
  // classic one by priority and name of one of its APIServices.
  int32_t priority() const { return priority_; }
  struct Place {
    int32_t priority;
    std::string name;
    bool operator<(const Place& o) const {
      return priority != o.priority ? priority > o.priority : name < o.name;
    }
  };
  const Place& place() const { return place_; }

  // The names of its versions in the classic order.
  std::vector<std::string_view> Versions() const;
  // APIGroup: what "/apis/NAME" says.
  base::Slice Document() const;
  // APIResourceList of a version that is served here; nullopt: there is none.
  std::optional<base::Slice> VersionDocument(std::string_view version) const;
  // Its item in the list of groups, and in the aggregated list. JSON.
  const base::Slice& ListedItem() const { return Items().listed; }
  const base::Slice& AggregatedItem() const { return Items().aggregated; }

 private:
  struct Version {
    std::string_view name;
    std::vector<const ServedResource*> resources = {};  // by name
    const RegisteredVersion* registered = nullptr;      // null: there is no APIService for it
    mutable std::once_flag made = {};
    mutable base::Slice document = {};

    bool remote() const { return registered && registered->remote; }
    int32_t group_priority() const;
    int32_t priority() const;
  };
  struct AllItems {
    base::Slice listed, aggregated;
  };

  Version& VersionNamed(std::string_view name);
  void AddVersions();
  // The versions in the order of the tables, or by priority.
  std::vector<const Version*> Ordered(bool by_priority) const;
  const AllItems& Items() const;
  base::Slice WriteListed() const;
  base::Slice WriteAggregated() const;

  const Parts parts_;
  const uint64_t hash_;
  std::deque<Version> versions_;  // borrow from parts_
  bool remote_ = false;
  int32_t priority_ = 0;
  Place place_{};
  mutable std::once_flag items_made_;
  mutable AllItems items_;
};
using GroupPtr = base::IntrusivePtr<const Group>;

}  // namespace keelson::endpoints::discovery
