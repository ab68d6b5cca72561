// Evaluator: what the objects of one resource count against a ResourceQuota. Admission
// charges by it and the controller adds up by it.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/codec/quantity.h"
#include "api/generated/core_v1.h"
#include "api/meta/status.h"
#include "api/types/doc.h"

namespace keelson::quota {

// By the names under which quotas limit it.
using Usage = std::map<std::string, api::Quantity, std::less<>>;

// The resource whose objects a quota limits under `name` ("cpu", "services.nodeports",
// "count/jobs.batch"). The views point into `name` or are constant; `resource` is empty for
// a name that nothing counts.
api::GroupResource CountedBy(std::string_view name);

// No quota limits it.
bool IsIgnored(api::GroupResource resource);

// Has a deadline of its own.
bool IsTerminating(api::core_v1::PodView pod);
// Uses nothing any more, though it is still there. `now` is in Unix seconds.
bool HasEnded(api::core_v1::PodView pod, int64_t now);
// What a claim may use has changed, though not by its specification.
bool StatusChangesUsage(api::core_v1::PersistentVolumeClaimView now,
                        api::core_v1::PersistentVolumeClaimView was);

// One of the conditions under which a quota limits an object.
struct Scope {
  std::string_view name, op;
  api::ScalarList values;
};

// Threads: any; it has no state. `resource` outlives it.
class Evaluator {
 public:
  explicit Evaluator(api::GroupResource resource);

  bool Counts(std::string_view name) const;
  // Each object counts one, whatever it is like.
  bool counts_objects() const { return usage_ == nullptr; }
  // Requires: `object` is of the resource. `now` is in Unix seconds.
  Usage UsageOf(const api::Doc& object, int64_t now) const;
  // A quota with scopes limits only what all of them match.
  bool InScope(api::core_v1::ResourceQuotaSpecView quota, const api::Doc& object) const;
  // Whether one scope alone matches an object.
  bool Matches(const Scope& scope, const api::Doc& object) const {
    return matches_ && matches_(scope, object);
  }
  // The names of a quota's scopes that match an object, whether or not all of them do.
  std::set<std::string_view> MatchingScopes(api::core_v1::ResourceQuotaSpecView quota,
                                            const api::Doc& object) const;
  // What is wrong with an object that asks for nothing of what is limited under `names`;
  // empty: nothing.
  std::string Objection(const std::vector<std::string_view>& names, const api::Doc& object) const;

 private:
  using UsageFn = Usage (*)(const api::Doc& object, int64_t now);
  using ScopeFn = bool (*)(const Scope& scope, const api::Doc& object);

  const api::GroupResource resource_;
  UsageFn usage_ = nullptr;
  ScopeFn matches_ = nullptr;  // null: no scope matches any object
};

}  // namespace keelson::quota
