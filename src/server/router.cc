#include "server/router.h"

#include <algorithm>

#include "server/text_response.h"

namespace keelson::server {

void Router::AddPage(std::string path, Page page, bool listed) {
  if (listed) listed_.push_back(path);
  pages_.insert_or_assign(std::move(path), std::move(page));
}

void Router::AddSubtree(std::string path, Subtree subtree) {
  subtrees_.emplace_back(std::move(path), std::move(subtree));
}

const Router::Subtree* Router::FindSubtree(std::string_view path) const {
  for (const auto& [root, subtree] : subtrees_)
    if (path.starts_with(root) && (path.size() == root.size() || path[root.size()] == '/')) return &subtree;
  return nullptr;
}

bool Router::Serves(std::string_view path) const {
  return pages_.contains(path) || slow_pages_.contains(path) || FindSubtree(path);
}

std::vector<std::string> Router::ListedPaths() const {
  std::vector<std::string> paths = listed_;
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  return paths;
}

base::Task<net::http::Response> Router::Route(IncomingRequest& incoming) const {
  const std::string& path = incoming.info.path;
  if (const Subtree* subtree = FindSubtree(path)) co_return co_await (*subtree)(incoming);
  const auto page = pages_.find(path);
  if (page != pages_.end()) co_return page->second(incoming);
  const auto slow = slow_pages_.find(path);
  if (slow == slow_pages_.end()) co_return PageNotFound();
  co_return co_await slow->second(incoming);
}

}  // namespace keelson::server
