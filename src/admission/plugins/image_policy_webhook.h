// ImagePolicyWebhook: a webhook says whether the images of a pod may run.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "admission/plugin.h"
#include "base/clock.h"
#include "base/lru_map.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/siphash.h"

namespace keelson::admission {

// The webhook. The composition root knows how it is reached.
//
// Threads: any loop.
class ImageReviewer {
 public:
  virtual ~ImageReviewer() = default;
  // Sends the JSON of an ImageReview and returns the JSON of the answer; the error says why there is none.
  virtual base::Task<base::Result<std::string, std::string>> Review(std::string review) = 0;
};

struct ImagePolicyConfig {
  std::string kubeconfig_file;
  std::chrono::nanoseconds allow_ttl = std::chrono::minutes(5);  // how long an approval is remembered
  std::chrono::nanoseconds deny_ttl = std::chrono::seconds(30);  // how long a denial is remembered
  std::chrono::nanoseconds retry_backoff = std::chrono::milliseconds(500);  // before the second try
  bool default_allow = false;  // while the webhook cannot be asked
};
// nullopt: there is no configuration, which is an error. Errors are in upstream's words.
base::Result<ImagePolicyConfig, std::string> ParseImagePolicyConfig(const std::optional<std::string>& text);

class ImagePolicyWebhook final : public Plugin {
 public:
  // Borrows `reviewer`.
  ImagePolicyWebhook(const ImagePolicyConfig& config, ImageReviewer& reviewer,
                     const base::Clock& clock = base::Clock::Real());

  Concern ConcernWith(const api::ResourceDesc& resource, std::string_view subresource) const override;
  base::Task<Verdict> Validate(Attributes request) const override;

 private:
  struct Answer {
    bool allowed = false;
    std::string reason;
    base::Clock::SteadyTime until;
    std::vector<std::pair<std::string, std::string>> annotations = {};  // for the audit log
  };
  base::Task<base::Result<Answer, std::string>> Ask(std::string review) const;
  std::optional<Answer> Remembered(const base::SipDigest& spec) const;

  const ImagePolicyConfig config_;
  ImageReviewer& reviewer_;
  const base::Clock& clock_;
  const base::SipKey digest_key_ = base::RandomSipKey();
  mutable base::Mutex mu_;
  // By the digest of what was asked.
  mutable base::LruMap<base::SipDigest, Answer, base::SipDigestHash> answers_ GUARDED_BY(mu_);
};

}  // namespace keelson::admission
