#include "server/filters/authentication_metrics.h"

#include <algorithm>

#include "server/filters/filter_durations.h"

namespace keelson::server {
namespace {

constexpr std::string_view kResultNames[] = {"success", "failure", "error"};
constexpr std::string_view kUserNames[] = {
    "admin",    "client", "kube_proxy", "kubelet", "system:serviceaccount:kube-system:default",
    "email_id", "other"};

constexpr double kHour = 3600, kDay = 24 * kHour;
constexpr double kExpirationBounds[] = {0,          kHour / 2, kHour,      2 * kHour, 6 * kHour,
                                        12 * kHour, kDay,      2 * kDay,   4 * kDay,  7 * kDay,
                                        30 * kDay,  90 * kDay, 180 * kDay, 360 * kDay};

}  // namespace

AuthenticationMetrics::AuthenticationMetrics(base::Metrics& metrics)
    : expirations_(metrics.GetHistogram(
          "apiserver_client_certificate_expiration_seconds",
          "Distribution of the remaining lifetime on the certificate used to authenticate a request.",
          kExpirationBounds)) {
  for (size_t i = 0; i < kResults; ++i) {
    const base::Labels labels = {{"result", std::string(kResultNames[i])}};
    attempts_[i] =
        &metrics.GetCounter("authentication_attempts", "Counter of authenticated attempts.", labels);
    durations_[i] = &metrics.GetHistogram("authentication_duration_seconds",
                                          "Authentication duration in seconds broken out by result.",
                                          kFilterDurationBounds, labels);
  }
  for (size_t i = 0; i < kUserKinds; ++i)
    users_[i] = &metrics.GetCounter("authenticated_user_requests",
                                    "Counter of authenticated requests broken out by username.",
                                    {{"username", std::string(kUserNames[i])}});
}

AuthenticationMetrics::UserKind AuthenticationMetrics::KindOf(std::string_view name) {
  for (size_t i = 0; i < kEmail; ++i)
    if (name == kUserNames[i]) return static_cast<UserKind>(i);
  return name.find('@') == std::string_view::npos ? kOther : kEmail;
}

void AuthenticationMetrics::Finished(const auth::Authenticator::Outcome& outcome,
                                     std::chrono::nanoseconds took) {
  const Result result = !outcome ? kError : *outcome ? kSuccess : kFailure;
  attempts_[result]->Add();
  durations_[result]->Observe(std::chrono::duration<double>(took).count());
  if (result == kSuccess) users_[KindOf((*outcome)->name)]->Add();
}

void AuthenticationMetrics::Seen(const net::http::PeerCertificate& certificate, int64_t now) {
  if (certificate.not_after != 0) expirations_.Observe(static_cast<double>(certificate.not_after - now));
}

}  // namespace keelson::server
