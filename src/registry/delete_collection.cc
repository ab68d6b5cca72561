// Store: delete many: page by page, a few at a time.
#include <algorithm>

#include "registry/store.h"

namespace keelson::registry {
namespace {

constexpr int64_t kPageSize = 10'000;
constexpr size_t kWorkers = 16;

}  // namespace

// Workers take the next item until none is left or one of them fails. All of them run on
// the loop of the request, so nothing here needs a lock.
struct Store::Collection {
  rest::WriteRequest request;
  DeleteOptions options;
  rest::ListResult page;
  size_t next = 0;
  size_t running = 0;
  std::optional<api::Status> failed;
  base::Completion<bool> done;
};

base::Task<void> Store::DeleteItems(std::shared_ptr<Collection> work) {
  while (!work->failed && work->next < work->page.items.size()) {
    const rest::Object& item = *work->page.items[work->next++];
    rest::WriteRequest request = work->request;
    request.ns = item.ns();
    auto deletion = Delete(std::move(request), std::string(item.name()), work->options);
    auto deleted = co_await std::move(deletion);
    if (!deleted && deleted.error().code != 404 && !work->failed) work->failed = std::move(deleted.error());
  }
  if (--work->running == 0) work->done.Set(true);
}

base::Task<rest::Result<rest::ListResult>> Store::DeleteCollection(rest::WriteRequest request,
                                                                   DeleteOptions options,
                                                                   rest::ListOptions list) {
  // The pages stay alive as long as the answer that lists them.
  struct Pages {
    std::vector<std::shared_ptr<const void>> held;
  };
  auto pages = std::make_shared<Pages>();
  std::optional<rest::ListResult> all;
  bool limited = list.limit > 0;
  if (!limited) list.limit = kPageSize;
  for (;;) {
    auto listing = List(list);
    auto page = co_await std::move(listing);
    if (!page) co_return base::Err(std::move(page.error()));
    auto work = std::make_shared<Collection>(Collection{request, options, *std::move(page)});
    work->running = std::min(kWorkers, work->page.items.size());
    for (size_t i = work->running; i > 0; --i) base::Spawn(DeleteItems(work));
    if (!work->page.items.empty()) co_await work->done;
    if (work->failed) co_return base::Err(*std::move(work->failed));

    if (limited) co_return std::move(work->page);
    pages->held.push_back(work->page.keepalive);
    list.continue_token = work->page.continue_token;
    list.resource_version.clear();
    list.match = rest::VersionMatch::kUnset;
    if (!all) {
      all = std::move(work->page);
    } else {
      all->items.insert(all->items.end(), work->page.items.begin(), work->page.items.end());
    }
    if (!list.continue_token.empty()) continue;
    all->continue_token.clear();
    all->remaining.reset();
    all->keepalive = pages;
    co_return *std::move(all);
  }
}

}  // namespace keelson::registry
