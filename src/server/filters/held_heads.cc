#include "server/filters/held_heads.h"

#include "server/text_response.h"

namespace keelson::server {
namespace {

size_t HeadBytes(const net::http::Request& request) {
  size_t bytes = request.path.size() + request.query.size();
  for (const auto& field : request.headers) bytes += field.name.size() + field.value.size() + sizeof(field);
  return bytes;
}

}  // namespace

std::optional<net::http::Response> HeldHeadsFilter::Apply(IncomingRequest& incoming) {
  const size_t bytes = HeadBytes(incoming.request);
  if (bytes <= kUncountedBytes) return std::nullopt;
  const std::string& user = incoming.user->name;
  {
    base::MutexLock lock(mu_);
    const auto held = held_.find(user);
    if (bytes > limit_bytes_ - (held == held_.end() ? 0 : held->second)) return TooManyRequests();
    held_[user] += bytes;
  }
  incoming.held_head = std::shared_ptr<void>(nullptr, [this, user, bytes](void*) { GiveBack(user, bytes); });
  return std::nullopt;
}

void HeldHeadsFilter::GiveBack(const std::string& user, size_t bytes) {
  base::MutexLock lock(mu_);
  const auto held = held_.find(user);
  held->second -= bytes;
  if (held->second == 0) held_.erase(held);
}

}  // namespace keelson::server
