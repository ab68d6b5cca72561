// What a list or a watch asks for, once its options are read by upstream's rules. Both storages follow these
// plans, so that a client cannot tell which of them answers.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "storage/interface.h"

namespace keelson::storage {

struct ListPlan {
  enum class Version : uint8_t { kNewest, kExact } version = Version::kNewest;
  Revision revision = 0;       // kExact: of the list; kNewest: at least this new
  std::string path;            // what all keys of the list start with: "", "ns/"
  std::string continue_start;  // the first key of the page, relative to `path`; empty: from the start
  size_t limit = 0;            // 0: all

  // The error of a list whose version is not kept any more. A page can go on from now, with the token in it.
  Error Expired() const;
  // The token of the page after the one of `revision` whose last object has `key`, relative to the resource.
  std::string ContinueAfter(Revision revision, std::string_view key) const;
};
// kInvalidOption: the options contradict each other, or one of them is malformed.
Result<ListPlan> PlanList(const ListOptions& options);

struct WatchPlan {
  Revision after = 0;             // 0: from now on
  bool initial = false;           // first what there is, as additions
  bool initial_bookmark = false;  // and then a bookmark that ends it
  bool initial_at_least = false;  // what there is has to be as new as `after`
  bool newest = false;            // what there is has to include everything that was acknowledged
};
// kInvalidOption: the version is malformed.
Result<WatchPlan> PlanWatch(const WatchOptions& options);

}  // namespace keelson::storage
