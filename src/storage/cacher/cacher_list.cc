// Lists: which version of the objects a request means, and its page of them.
#include <algorithm>
#include <utility>

#include "base/trace.h"
#include "storage/cacher/cacher.h"

namespace keelson::storage {
namespace {

// A list borrows its objects from the version of the map that it was taken from.
class HeldSnapshot final : public ObjectHolder {
 public:
  explicit HeldSnapshot(SnapshotMap map) : map_(std::move(map)) {}

 private:
  const SnapshotMap map_;
};

}  // namespace

Result<Cacher::ListSource> Cacher::Source(const ListPlan& plan, const Scope& scope) const {
  const CacheReading now = cache().Read();
  const CacheState& state = *now.state;
  if (plan.version == ListPlan::Version::kNewest)
    return ListSource{.map = scope.Map(state), .revision = now.revision};
  // As upstream: what the store has compacted is gone, even if the cache could still tell.
  if (plan.revision < std::max(state.log.floor(), backend_.CompactedRevision()))
    return base::Err(plan.Expired());
  if (scope.index < 0 && plan.revision >= state.revision)
    return ListSource{.map = state.objects, .revision = plan.revision};
  return ListSource{.map = state.log.ObjectsAt(plan.revision), .revision = plan.revision};
}

base::Task<Result<ListResult>> Cacher::List(ListOptions options) {
  base::ScopedSpan span(options.trace, "cacher.GetList");
  if (span) {
    span->Set("audit-id", options.trace->facts.audit_id);
    span->Set("type", GroupResource());
  }
  const auto plan = CO_TRY(PlanList(options));
  if (plan.revision > 0) {
    auto fresh = co_await feed_.WaitUntil(plan.revision);
    if (!fresh) {
      // Who wants one version, and no newer one, need not ask again.
      if (plan.version == ListPlan::Version::kExact) fresh.error().revision = 0;
      co_return base::Err(std::move(fresh.error()));
    }
  } else if (const bool newest = options.resource_version.empty(); !feed_.Serves(newest)) {
    CO_TRY(co_await WaitUntilFresh(newest, options.notes));
  } else if (metrics_ && newest) {
    metrics_->ReadFresh({}, /*success=*/true);
  }
  span.AddEvent("Ready");
  Scope scope = MakeScope(cache(), options.ns, options.selection);
  // Indexes exist for the newest version only.
  if (plan.version == ListPlan::Version::kExact) {
    scope.index = -1;
    CO_TRY(co_await past_.ReachBack(plan.revision));  // where there is no history, Source says so
  }
  auto source = CO_TRY(Source(plan, scope));

  ListResult result;
  result.revision = source.revision;
  const std::string from = std::max(scope.from, plan.path + plan.continue_start);
  ScopeCursor objects(source.map, scope, from);
  const Selection& selection = options.selection;
  const bool everything = selection.everything();
  const size_t before = objects.left();
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
  if (metrics_) metrics_->Listed(scope.index, before - objects.left(), result.items.size());
  if (span) {
    span->AddEvent("Listed items from cache", {{"count", static_cast<int64_t>(before - objects.left())}});
    span->AddEvent("Filtered items", {{"count", static_cast<int64_t>(result.items.size())}});
  }
  if (objects.left() > 0 && !result.items.empty()) {
    const std::string_view last = result.items.back()->key();
    result.continue_token = plan.ContinueAfter(result.revision, last.substr(factory_->prefix().size() + 1));
    if (everything) result.remaining = static_cast<int64_t>(objects.left());
  }
  result.holder = std::make_shared<const HeldSnapshot>(std::move(source.map));
  co_return result;
}

}  // namespace keelson::storage
