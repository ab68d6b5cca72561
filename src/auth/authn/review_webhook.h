// ReviewWebhook: a server that answers reviews of tokens, of access or of images, found by a kubeconfig.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "auth/authn/authorization_field.h"
#include "auth/authn/remote.h"
#include "auth/pki/kubeconfig_reader.h"

namespace keelson::auth {

struct ReviewFailure {
  std::string message;
  bool may_pass = false;   // the same review may do better
  bool timed_out = false;  // the webhook's time was over
};

// Threads: any event loop.
class ReviewWebhook {
 public:
  // Waits up to `timeout` for an answer.
  static base::Result<std::unique_ptr<ReviewWebhook>, std::string> Make(const pki::KubeconfigClient& config,
                                                                        std::chrono::nanoseconds timeout,
                                                                        const MakeRemoteClient& make_client);

  // Sends `review`, JSON, once and gives the body of an answer with a status of 2xx.
  base::Task<base::Result<std::string, ReviewFailure>> Post(std::string review) const;

 private:
  ReviewWebhook(RemoteUrl url, std::chrono::nanoseconds timeout, const pki::KubeconfigClient& config,
                std::unique_ptr<net::http::Client> client)
      : url_(std::move(url)), timeout_(timeout), authorization_(config), client_(std::move(client)) {}

  const RemoteUrl url_;
  const std::chrono::nanoseconds timeout_;
  mutable AuthorizationField authorization_;
  const std::unique_ptr<net::http::Client> client_;
};

// Makes `trip()`, a task of a Result<T, ReviewFailure>, up to five times while its failures may pass. Waits
// `delay` after the first, and half as long again after each of the others.
template <class Trip>
auto WithRetries(Trip trip, std::chrono::nanoseconds delay = std::chrono::milliseconds(500))
    -> decltype(trip()) {
  constexpr int kMostTries = 5;
  for (int tries = 1;; ++tries, delay += delay / 2) {
    auto outcome = co_await trip();
    if (outcome || !outcome.error().may_pass || tries == kMostTries) co_return outcome;
    co_await WaitFor(delay);
  }
}

}  // namespace keelson::auth
