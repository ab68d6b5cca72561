// What a DirectStore reads: objects, lists and watches, straight from the backend.
#include <algorithm>
#include <utility>

#include "base/executor.h"
#include "base/log.h"
#include "base/request_notes.h"
#include "storage/direct/direct_store.h"
#include "storage/direct/direct_watch_stream.h"
#include "storage/failed_watch.h"
#include "storage/messages.h"
#include "storage/resource_version.h"

namespace keelson::storage {

using base::Err;

base::Task<Result<void>> DirectStore::WaitUntil(Revision revision) {
  if (backend_.CurrentRevision() >= revision) co_return Result<void>();
  const auto reached = co_await backend_.CatchUp(revision);
  if (reached) co_return Result<void>();
  co_return Err(Error{.code = Code::kTooLarge,
                      .detail = TooLarge(revision, backend_.CurrentRevision()),
                      .revision = revision});
}

Result<ObjectPtr> DirectStore::ReadObject(const std::string& full_key, base::RequestNotes* notes) {
  const auto start = options_.clock->SteadyNow();
  auto read = backend_.Get(full_key, 0);
  if (notes) notes->storage += options_.clock->SteadyNow() - start;
  const auto stored = TRY(std::move(read));
  if (!stored) return ObjectPtr();
  return factory_->Make(stored->key, stored->value.view(), stored->create_revision, stored->mod_revision,
                        stored->seal);
}

base::Task<Result<ObjectPtr>> DirectStore::Get(std::string key, GetOptions options) {
  if (!options.resource_version.empty()) {
    auto revision = ParseResourceVersion(options.resource_version);
    if (!revision) co_return Err(InvalidOption(std::move(revision.error())));
    CO_TRY(co_await WaitUntil(*revision));
  }
  const std::string full = FullKey(key);
  auto object = CO_TRY(co_await worker_.Call([&] { return ReadObject(full, options.notes); }));
  if (!object) co_return Err(Error{.code = Code::kNotFound, .key = full});
  co_return object;
}

int64_t DirectStore::Count() const {
  const std::string start = factory_->prefix() + "/";
  const auto range = backend_.Range(start, PrefixEnd(start), {.limit = 1, .keys_only = true});
  if (range) return range->count;
  base::Log(base::LogLevel::kWarning, "stored objects cannot be counted",
            {{"prefix", factory_->prefix()}, {"error", range.error().detail}});
  return 0;
}

Result<int64_t> DirectStore::ReadStoredBytes() {
  int64_t bytes = 0;
  std::string start = factory_->prefix() + "/";
  const std::string end = PrefixEnd(start);
  for (;;) {
    const auto page = TRY(backend_.Range(start, end, {.limit = options_.page, .counted = false}));
    for (const KeyValue& kv : page.items) bytes += static_cast<int64_t>(kv.value.size());
    if (!page.more || page.items.empty()) return bytes;
    start = page.items.back().key + '\0';
  }
}

base::Task<Result<ListResult>> DirectStore::List(ListOptions options) {
  const auto plan = CO_TRY(PlanList(options));
  if (plan.revision > 0) {
    auto reached = co_await WaitUntil(plan.revision);
    if (!reached) {
      // Who wants one version, and no newer one, need not ask again.
      if (plan.version == ListPlan::Version::kExact) reached.error().revision = 0;
      co_return Err(std::move(reached.error()));
    }
  }
  co_return co_await worker_.Call([&] { return ReadList(plan, options.selection, options.notes); });
}

// Reads page by page, all of one revision, until enough objects are selected.
Result<ListResult> DirectStore::ReadList(const ListPlan& plan, const Selection& selection,
                                         base::RequestNotes* notes) {
  const std::string below = factory_->prefix() + "/";
  const std::string scope = below + plan.path;
  const std::string end = PrefixEnd(scope);
  std::string start = scope + plan.continue_start;
  const bool everything = selection.everything();
  RangeOptions range;
  if (plan.version == ListPlan::Version::kExact) range.revision = plan.revision;
  auto held = std::make_shared<HeldObjects>();
  ListResult result;
  result.revision = range.revision;
  bool more = true;
  while (more) {
    const size_t wanted = plan.limit == 0 ? options_.page : plan.limit - held->objects.size();
    range.limit = everything ? std::min(wanted, options_.page) : options_.page;
    range.counted = everything && plan.limit > 0;
    const auto asked = options_.clock->SteadyNow();
    auto page = backend_.Range(start, end, range);
    const auto answered = options_.clock->SteadyNow();
    if (notes) notes->storage += answered - asked;
    if (!page) {
      if (page.error().code == Code::kExpired) return Err(plan.Expired());
      return Err(std::move(page.error()));
    }
    if (range.revision == 0) range.revision = result.revision = page->revision;
    more = page->more && !page->items.empty();
    for (size_t i = 0; i < page->items.size(); ++i) {
      const KeyValue& kv = page->items[i];
      auto object =
          TRY(factory_->Make(kv.key, kv.value.view(), kv.create_revision, kv.mod_revision, kv.seal));
      if (!everything && !selection.Matches(*object)) continue;
      held->objects.push_back(std::move(object));
      if (held->objects.size() != plan.limit) continue;
      if (i + 1 < page->items.size() || more) {
        result.continue_token = plan.ContinueAfter(result.revision, kv.key.substr(below.size()));
        if (everything) result.remaining = page->count - static_cast<int64_t>(i + 1);
      }
      more = false;
      break;
    }
    if (more) start = page->items.back().key + '\0';
    if (notes) notes->decoding += options_.clock->SteadyNow() - answered;
  }
  result.items.reserve(held->objects.size());
  for (const ObjectPtr& object : held->objects) result.items.push_back(object.get());
  result.holder = std::move(held);
  return result;
}

base::Task<Result<std::unique_ptr<WatchStream>>> DirectStore::Watch(WatchOptions options) {
  const auto plan = CO_TRY(PlanWatch(options));
  if (plan.after > 0) {
    auto reached = co_await WaitUntil(plan.after);
    if (!reached) {
      // A version that does not come is of another store, or of a future that was lost: the client must list
      // again, and 410 is what every client does that on.
      if (!plan.initial_at_least)
        reached.error() = {.code = Code::kExpired, .detail = std::move(reached.error().detail)};
      co_return FailedWatch(std::move(reached.error()));
    }
  } else if (backend_.shared()) {
    auto caught_up = co_await backend_.CatchUp(0);
    if (!caught_up) co_return FailedWatch(std::move(caught_up.error()));
  }
  base::Executor* const executor = base::Executor::Current();
  auto opened = co_await worker_.Call([&] { return OpenWatch(plan, std::move(options), executor); });
  if (!opened) co_return FailedWatch(std::move(opened.error()));
  co_return std::move(*opened);
}

Result<std::unique_ptr<WatchStream>> DirectStore::OpenWatch(const WatchPlan& plan, WatchOptions options,
                                                            base::Executor* executor) {
  DirectWatchStream::Start start{.backend = &backend_,
                                 .factory = factory_,
                                 .worker = &worker_,
                                 .executor = executor,
                                 .ns = options.ns,
                                 .initial_bookmark = plan.initial_bookmark};
  if (plan.initial) {
    const ListPlan all{.path = options.ns.empty() ? "" : options.ns + "/"};
    auto list = TRY(ReadList(all, options.selection, options.notes));
    start.after = list.revision;
    start.initial.emplace();
    for (const Object* object : list.items) start.initial->push_back(ObjectPtr(object));
  } else {
    start.after = plan.after > 0 ? plan.after : backend_.CurrentRevision();
  }
  start.selection = std::move(options.selection);
  const Revision after = start.after;
  auto watch = DirectWatchStream::Open(std::move(start));
  if (!watch && watch.error().code == Code::kExpired)
    watch.error().detail = TooOldForWatch(after, backend_.CompactedRevision());
  return watch;
}

}  // namespace keelson::storage
