// IdleLinks: connections that have served a request and may serve another one.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "net/outbound/link.h"
#include "net/outbound/place.h"

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

  base::Mutex mu_;
  // The oldest first. A destination whose links are all in use keeps its place.
  std::map<Place, std::vector<Kept>, PlaceBefore> kept_ GUARDED_BY(mu_);
};

}  // namespace keelson::net::outbound
