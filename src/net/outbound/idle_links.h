// IdleLinks: connections that have served a request and may serve another one.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "net/outbound/link.h"

namespace keelson::net::outbound {

// Threads: any loop; a link is given only to the loop that it belongs to. The loops outlive this.
class IdleLinks {
 public:
  IdleLinks() = default;
  ~IdleLinks();
  IdleLinks(const IdleLinks&) = delete;
  IdleLinks& operator=(const IdleLinks&) = delete;

  // One that leads to `where`, the last that was kept; null: there is none.
  std::shared_ptr<Link> Take(EventLoop& loop, const std::string& where);
  // Keeps it for a while; one too many is closed. Requires: `link` belongs to `loop`, which calls this, and
  // nothing is under way on it.
  void Keep(EventLoop& loop, const std::string& where, std::shared_ptr<Link> link);

 private:
  struct Kept {
    std::shared_ptr<Link> link;
    TimePoint until;
  };
  using Key = std::pair<EventLoop*, std::string>;
  // Keys are looked up without a copy of the name.
  struct Before {
    using is_transparent = void;
    static std::pair<const EventLoop*, std::string_view> View(const auto& key) {
      return {key.first, key.second};
    }
    bool operator()(const auto& a, const auto& b) const { return View(a) < View(b); }
  };

  base::Mutex mu_;
  // The oldest first. A destination whose links are all in use keeps its place.
  std::map<Key, std::vector<Kept>, Before> kept_ GUARDED_BY(mu_);
};

}  // namespace keelson::net::outbound
