// A bound on what the heads of one user's requests under way take together: over it the answer is 429. The
// network layer bounds what all of them take; this keeps one user from taking all of that.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "base/mutex.h"
#include "server/incoming_request.h"

namespace keelson::server {

// Threads: any. Heads of usual size are not counted, and take no lock.
class HeldHeadsFilter {
 public:
  static constexpr size_t kUncountedBytes = 4096;

  // The filter outlives every request.
  explicit HeldHeadsFilter(size_t limit_bytes) : limit_bytes_(limit_bytes) {}

  // Counts the request's head until it is shed, or gives the answer. Requires: incoming.user.
  std::optional<net::http::Response> Apply(IncomingRequest& incoming);

 private:
  void GiveBack(const std::string& user, size_t bytes);

  const size_t limit_bytes_;
  base::Mutex mu_;
  std::unordered_map<std::string, size_t> held_ GUARDED_BY(mu_);  // by user, of those who hold something
};

}  // namespace keelson::server
