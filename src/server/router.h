// Router: from the path of a request to what serves it. Filled at the start, then read only.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/task.h"
#include "server/incoming_request.h"

namespace keelson::server {

class Router {
 public:
  using Page = std::function<net::http::Response(IncomingRequest&)>;
  using Subtree = std::function<base::Task<net::http::Response>(IncomingRequest&)>;

  // `listed`: "/" names the path.
  void AddPage(std::string path, Page page, bool listed = true);
  // A page that takes its time; "/" does not name it.
  void AddSlowPage(std::string path, Subtree page) {
    slow_pages_.insert_or_assign(std::move(path), std::move(page));
  }
  // `path` itself and everything below it. No page may lie there.
  void AddSubtree(std::string path, Subtree subtree);
  void AddListed(std::string path) { listed_.push_back(std::move(path)); }

  bool Serves(std::string_view path) const;
  std::vector<std::string> ListedPaths() const;  // sorted

  // 404 where nothing is.
  base::Task<net::http::Response> Route(IncomingRequest& incoming) const;

 private:
  const Subtree* FindSubtree(std::string_view path) const;

  std::map<std::string, Page, std::less<>> pages_;
  std::map<std::string, Subtree, std::less<>> slow_pages_;
  std::vector<std::pair<std::string, Subtree>> subtrees_;
  std::vector<std::string> listed_;
};

}  // namespace keelson::server
