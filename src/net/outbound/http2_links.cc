#include "net/outbound/http2_links.h"

#include <utility>

namespace keelson::net::outbound {
namespace {

constexpr size_t kMostKnown = 256;  // then places without connections are forgotten

}  // namespace

base::Task<void> Http2Links::Wait::Over() { co_await over_; }

void Http2Links::Wait::Fail(std::string) {
  if (!std::exchange(told_, true)) over_.Set(true);
}

Http2Links::Opening::Opening(std::shared_ptr<Http2Links> links, EventLoop& loop, std::string where)
    : links_(std::move(links)), loop_(loop), where_(std::move(where)) {
  const base::MutexLock lock(links_->mu_);
  auto& known = links_->known_;
  if (known.size() >= kMostKnown)
    std::erase_if(known, [](const auto& place) { return place.second.unused(); });
  ++known[Place(&loop_, where_)].opening;
}

Http2Links::Opening::~Opening() {
  std::vector<std::shared_ptr<Wait>> waiting;
  {
    const base::MutexLock lock(links_->mu_);
    Known& known = links_->known_.find(PlaceView(&loop_, where_))->second;
    --known.opening;
    waiting.swap(known.waiting);
  }
  for (const auto& wait : waiting) wait->Fail({});
}

void Http2Links::Opening::Share(std::shared_ptr<Http2Link> link) {
  const base::MutexLock lock(links_->mu_);
  // Those that have closed themselves go; another loop's are its own business.
  for (auto& [place, known] : links_->known_)
    if (place.first == &loop_) std::erase_if(known.links, [](const auto& other) { return other->closed(); });
  Known& known = links_->known_.find(PlaceView(&loop_, where_))->second;
  known.declined = false;
  known.links.push_back(std::move(link));
}

void Http2Links::Opening::Decline() {
  const base::MutexLock lock(links_->mu_);
  links_->known_.find(PlaceView(&loop_, where_))->second.declined = true;
}

Http2Links::~Http2Links() {
  const base::MutexLock lock(mu_);
  // Each is closed on its own loop, after its calls.
  for (auto& [place, known] : known_)
    for (auto& link : known.links) place.first->Post([link = std::move(link)] { link->Retire(); });
}

std::shared_ptr<Http2Link> Http2Links::Find(EventLoop& loop, const std::string& where) {
  const base::MutexLock lock(mu_);
  const auto found = known_.find(PlaceView(&loop, where));
  if (found == known_.end()) return nullptr;
  for (const auto& link : found->second.links)
    if (link->CanBegin()) return link;
  return nullptr;
}

std::shared_ptr<Http2Links::Wait> Http2Links::Join(EventLoop& loop, const std::string& where) {
  const base::MutexLock lock(mu_);
  const auto found = known_.find(PlaceView(&loop, where));
  if (found == known_.end() || found->second.opening == 0 || found->second.declined) return nullptr;
  auto wait = std::make_shared<Wait>();
  found->second.waiting.push_back(wait);
  return wait;
}

}  // namespace keelson::net::outbound
