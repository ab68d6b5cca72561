// Lists: which version of the objects a request means, and its page of them.
#include <algorithm>
#include <utility>

#include "storage/cacher/cacher.h"
#include "storage/cacher/messages.h"
#include "storage/cacher/resource_version.h"
#include "storage/continue_token.h"

namespace keelson::storage {

using base::Err;

struct Cacher::ListPlan {
  enum class Version : uint8_t { kNewest, kExact } version = Version::kNewest;
  Revision revision = 0;       // kExact: of the list; kNewest: at least this new
  std::string path;            // what all keys of the list start with: "", "ns/"
  std::string continue_start;  // relative to `path`; empty: from the start
  Scope scope;
  size_t limit = 0;  // 0: all
};

// The table of upstream: a continue token names its version; then the match rule counts;
// without one a limit makes a version exact, otherwise it is a lower bound.
Result<Cacher::ListPlan> Cacher::PlanList(const ListOptions& options) const {
  ListPlan plan{.scope = MakeScope(*cache_, options.ns, options.selection)};
  // As upstream, a list at "0" is not cut into pages.
  if (options.limit > 0 && options.resource_version != "0") plan.limit = static_cast<size_t>(options.limit);
  if (!options.ns.empty()) plan.path = options.ns + "/";
  if (!options.continue_token.empty()) {
    auto token = DecodeContinue(options.continue_token);
    if (!token) return Err(InvalidOption("invalid continue token: " + token.error()));
    if (!options.resource_version.empty() && options.resource_version != "0")
      return Err(InvalidOption("specifying resource version is not allowed when using continue"));
    plan.continue_start = std::move(token->start_key);
    if (token->revision > 0) {
      plan.version = ListPlan::Version::kExact;
      plan.revision = token->revision;
    }
    return plan;
  }
  auto revision = ParseResourceVersion(options.resource_version);
  if (!revision) return Err(InvalidOption("invalid resource version: " + revision.error()));
  plan.revision = *revision;
  const bool exact =
      options.match == VersionMatch::kExact || (options.match == VersionMatch::kUnset && options.limit > 0);
  if (exact && *revision > 0) plan.version = ListPlan::Version::kExact;
  return plan;
}

Result<Cacher::ListSource> Cacher::Source(const ListPlan& plan) const {
  const CacheReading now = cache_->Read();
  const CacheState& state = *now.state;
  if (plan.version == ListPlan::Version::kNewest)
    return ListSource{.map = plan.scope.Map(state), .revision = now.revision};
  // As upstream: what the store has compacted is gone, even if the cache could still tell.
  if (plan.revision < std::max(state.log.floor(), backend_.CompactedRevision())) {
    if (plan.continue_start.empty())
      return Err(Error{.code = Code::kExpired, .detail = std::string(kListExpired)});
    return Err(Error{.code = Code::kExpired,
                     .detail = std::string(kContinueExpired),
                     .continue_token = EncodeContinue({.revision = -1, .start_key = plan.continue_start})});
  }
  if (plan.scope.index < 0 && plan.revision >= state.revision)
    return ListSource{.map = state.objects, .revision = plan.revision};
  return ListSource{.map = state.log.ObjectsAt(plan.revision), .revision = plan.revision};
}

base::Task<Result<ListResult>> Cacher::List(ListOptions options) {
  auto plan = CO_TRY(PlanList(options));
  if (plan.revision > 0) {
    auto fresh = co_await WaitUntil(plan.revision);
    if (!fresh) {
      // Who wants one version, and no newer one, need not ask again.
      if (plan.version == ListPlan::Version::kExact) fresh.error().revision = 0;
      co_return Err(std::move(fresh.error()));
    }
  } else if (!Serves(options.resource_version.empty())) {
    CO_TRY(co_await Refresh());
  }
  // Indexes exist for the newest version only.
  if (plan.version == ListPlan::Version::kExact) {
    plan.scope.index = -1;
    // If that fails, Source says so.
    co_await ReachBack(plan.revision);
  }
  auto source = CO_TRY(Source(plan));

  ListResult result;
  result.revision = source.revision;
  const std::string from = std::max(plan.scope.from, plan.path + plan.continue_start);
  ScopeCursor objects(source.map, plan.scope, from);
  const Selection& selection = options.selection;
  const bool everything = selection.everything();
  const size_t limit = plan.limit == 0 ? objects.left() : plan.limit;
  if (everything) result.items.reserve(std::min(limit, objects.left()));
  while (result.items.size() < limit) {
    const auto run = objects.run();
    if (run.empty()) break;
    size_t taken = 0;
    for (; taken < run.size() && result.items.size() < limit; ++taken)
      if (everything || selection.Matches(*run[taken])) result.items.push_back(run[taken].get());
    objects.Advance(taken);
  }
  if (objects.left() > 0 && !result.items.empty()) {
    std::string last(result.items.back()->key().substr(prefix_.size() + 1 + plan.path.size()));
    last.push_back('\0');
    result.continue_token = EncodeContinue({.revision = result.revision, .start_key = std::move(last)});
    if (everything) result.remaining = static_cast<int64_t>(objects.left());
  }
  result.keepalive = std::make_shared<const SnapshotMap>(std::move(source.map));
  co_return result;
}

}  // namespace keelson::storage
