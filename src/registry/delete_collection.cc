// Store: delete many, a few at a time.
#include <algorithm>

#include "registry/store.h"

namespace keelson::registry {

// Workers take the next item until none is left or one of them fails. All of them run on
// the loop of the request, so nothing here needs a lock.
struct Store::Collection {
  rest::WriteRequest request;
  DeleteOptions options;
  rest::ListResult list;
  size_t next = 0;
  size_t running = 0;
  std::optional<api::Status> failed;
  base::Completion<bool> done;
};

base::Task<void> Store::DeleteItems(std::shared_ptr<Collection> work) {
  while (!work->failed && work->next < work->list.items.size()) {
    const rest::Object& item = *work->list.items[work->next++];
    rest::WriteRequest request = work->request;
    request.ns = item.ns();
    request.of_collection = true;
    auto deleted = co_await Delete(std::move(request), std::string(item.name()), work->options);
    if (!deleted && deleted.error().code != 404 && !work->failed) work->failed = std::move(deleted.error());
  }
  if (--work->running == 0) work->done.Set(true);
}

base::Task<rest::Result<rest::ListResult>> Store::DeleteCollection(rest::WriteRequest request,
                                                                   DeleteOptions options,
                                                                   rest::ListOptions list) {
  // One list, which holds a snapshot and copies nothing: pages would expire while the
  // deletions go on.
  auto listed = CO_TRY(co_await List(std::move(list)));
  auto work =
      std::make_shared<Collection>(Collection{std::move(request), std::move(options), std::move(listed)});
  work->running = std::min(options_.collection_workers, work->list.items.size());
  for (size_t i = work->running; i > 0; --i) base::Spawn(DeleteItems(work));
  if (!work->list.items.empty()) co_await work->done;
  if (work->failed) co_return base::Err(*std::move(work->failed));
  co_return std::move(work->list);
}

}  // namespace keelson::registry
