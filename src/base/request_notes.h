// RequestNotes: what is found out about a request deep down while it is served, and reported at its end.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace keelson::base {

class Trace;

// Threads: those of the request, one at a time.
struct RequestNotes {
  Trace* trace = nullptr;  // the request's; null: requests are not traced
  // Spent on what the server is not answerable for: webhooks of others, which validate at the same time, and
  // waiting for a seat.
  std::chrono::nanoseconds mutating_webhooks{0}, validating_webhooks{0}, queued{0};
  // Spent in the store, all calls together, and on making objects of what a list read there.
  std::chrono::nanoseconds storage{0}, decoding{0};
  // When the answer began to be written; set where the request is audited.
  std::optional<std::chrono::steady_clock::time_point> answering;
  bool deprecated = false;           // what was asked for should be asked for no more
  std::string_view removed_release;  // the release without it, which is a constant; empty: not decided
};

}  // namespace keelson::base
