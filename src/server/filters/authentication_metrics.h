// How often requests say who they are, with which result, and how long it takes to find out; by upstream's
// names.
//
// Threads: any.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string_view>

#include "auth/authenticator.h"
#include "base/metrics.h"
#include "net/http/message.h"

namespace keelson::server {

class AuthenticationMetrics {
 public:
  explicit AuthenticationMetrics(base::Metrics& metrics);

  void Finished(const auth::Authenticator::Outcome& outcome, std::chrono::nanoseconds took);
  // How long the client's certificate is still good for, at every request that comes with one.
  void Seen(const net::http::PeerCertificate& certificate, int64_t now);

 private:
  enum Result : uint8_t { kSuccess, kFailure, kError, kResults };
  // Names of users are not told: they are as many as clients like.
  enum UserKind : uint8_t {
    kAdmin,
    kClient,
    kKubeProxy,
    kKubelet,
    kDefaultAccount,
    kEmail,
    kOther,
    kUserKinds
  };
  static UserKind KindOf(std::string_view name);

  std::array<base::Counter*, kResults> attempts_;
  std::array<base::Histogram*, kResults> durations_;
  std::array<base::Counter*, kUserKinds> users_;
  base::Histogram& expirations_;
};

}  // namespace keelson::server
