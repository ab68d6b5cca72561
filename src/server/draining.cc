#include "server/draining.h"

#include <algorithm>

#include "server/text_response.h"

namespace keelson::server {
namespace {

// Load balancers ask how the server is until it ends, and parts of this server still work.
constexpr std::string_view kExemptPaths[] = {"/readyz", "/livez", "/healthz", "/metrics"};

bool IsExempt(const IncomingRequest& incoming) {
  const auto agent = incoming.request.headers.Get("user-agent");
  if (agent && agent->starts_with("kube-apiserver/")) return true;
  return std::ranges::any_of(
      kExemptPaths, [&](std::string_view beginning) { return incoming.request.path.starts_with(beginning); });
}

}  // namespace

std::optional<CountedSlot> Draining::Take(const IncomingRequest& incoming) {
  if (incoming.long_running || !counts_) {
    if (begun_.load(std::memory_order_seq_cst) && !IsExempt(incoming)) return std::nullopt;
    return CountedSlot();
  }
  if (IsExempt(incoming)) return CountedSlot();
  // First counted, then looked: who waits for none under way after Begin misses nobody.
  under_way_.fetch_add(1, std::memory_order_seq_cst);
  CountedSlot slot(under_way_);
  if (begun_.load(std::memory_order_seq_cst)) return std::nullopt;
  return slot;
}

net::http::Response Draining::TurnedAway() {
  net::http::Response response = TextError(429, "The apiserver is shutting down, please try again later.");
  response.headers.Set("retry-after", "5");
  response.headers.Set("connection", "close");
  return response;
}

}  // namespace keelson::server
