#include "auth/authn/authorization_field.h"

#include "base/ascii.h"
#include "base/base64.h"
#include "base/file.h"
#include "base/log.h"

namespace keelson::auth {
namespace {

std::string FieldOf(const pki::KubeconfigClient& config) {
  if (!config.bearer_token.empty()) return "Bearer " + config.bearer_token;
  if (!config.username.empty()) return "Basic " + base::Base64(config.username + ":" + config.password);
  return {};
}

}  // namespace

AuthorizationField::AuthorizationField(const pki::KubeconfigClient& config, const base::Clock& clock)
    : token_file_(config.token_file),
      clock_(clock),
      value_(FieldOf(config)),
      next_read_(clock.SteadyNow() + kPause) {}

std::string AuthorizationField::Value() {
  base::MutexLock lock(mu_);
  if (!token_file_.empty() && clock_.SteadyNow() >= next_read_) ReadAgain();
  return value_;
}

void AuthorizationField::ReadAgain() {
  next_read_ = clock_.SteadyNow() + kPause;
  const auto text = base::ReadFile(token_file_);
  const std::string_view token = text ? base::Trimmed(*text) : std::string_view();
  if (token.empty()) {
    base::Log(base::LogLevel::kWarning, "a webhook's token cannot be read again; the old one stays",
              {{"file", token_file_.string()}, {"why", text ? "the file is empty" : text.error()}});
    return;
  }
  value_ = "Bearer " + std::string(token);
}

}  // namespace keelson::auth
