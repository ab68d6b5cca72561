// AuthorizationField: what this server proves itself with to a webhook: the field "authorization" of its
// requests. A token from a file is read again when the file changes.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "auth/pki/kubeconfig_reader.h"
#include "base/clock.h"
#include "base/mutex.h"

namespace keelson::auth {

// Threads: any.
class AuthorizationField {
 public:
  // How long a change of the file may go unnoticed.
  static constexpr std::chrono::seconds kPause{10};

  // Borrows `clock`.
  explicit AuthorizationField(const pki::KubeconfigClient& config,
                              const base::Clock& clock = base::Clock::Real());

  // Empty: there is none. A file that cannot be read, or is empty, is told of, and what it held before stays.
  std::string Value();

 private:
  void ReadAgain() REQUIRES_LOCK(mu_);

  const std::filesystem::path token_file_;  // empty: none
  const base::Clock& clock_;
  base::Mutex mu_;
  std::string value_ GUARDED_BY(mu_);
  base::Clock::SteadyTime next_read_ GUARDED_BY(mu_);
};

}  // namespace keelson::auth
