#include "net/outbound/idle_links.h"

#include <chrono>

namespace keelson::net::outbound {
namespace {

constexpr size_t kMostKept = 64;              // per loop and destination
constexpr size_t kMostPlaces = 256;           // then those without a link go
constexpr std::chrono::seconds kKeepFor{90};  // as Go's client

}  // namespace

IdleLinks::~IdleLinks() {
  const base::MutexLock lock(mu_);
  // Each is closed on its own loop.
  for (auto& [key, all] : kept_)
    for (Kept& kept : all) key.first->Post([link = std::move(kept.link)] { link->Close(); });
}

std::shared_ptr<Link> IdleLinks::Take(EventLoop& loop, const std::string& where) {
  const base::MutexLock lock(mu_);
  const auto found = kept_.find(PlaceView(&loop, where));
  if (found == kept_.end()) return nullptr;
  std::vector<Kept>& all = found->second;
  std::shared_ptr<Link> taken;
  while (!all.empty() && !taken) {
    taken = std::move(all.back().link);
    const bool usable = !taken->ended() && taken->input().empty() && loop.timers().now() < all.back().until;
    all.pop_back();
    if (usable) continue;
    taken->Close();
    taken.reset();
  }
  if (taken) taken->set_on_input(nullptr);
  return taken;
}

void IdleLinks::Keep(EventLoop& loop, const std::string& where, std::shared_ptr<Link> link) {
  // Whatever comes now was not asked for: the end, or something that makes no sense.
  link->set_on_input([idle = link.get()] { idle->Close(); });  // called by the link itself
  const base::MutexLock lock(mu_);
  auto found = kept_.find(PlaceView(&loop, where));
  if (found == kept_.end()) {
    if (kept_.size() >= kMostPlaces)
      std::erase_if(kept_, [](const auto& place) { return place.second.empty(); });
    found = kept_.try_emplace({&loop, where}).first;
  }
  std::vector<Kept>& all = found->second;
  const TimePoint now = loop.timers().now();
  std::erase_if(all, [&](Kept& kept) {
    if (!kept.link->ended() && now < kept.until) return false;
    kept.link->Close();
    return true;
  });
  if (all.size() >= kMostKept) return link->Close();
  all.push_back({std::move(link), now + kKeepFor});
}

}  // namespace keelson::net::outbound
