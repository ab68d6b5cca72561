#include "admission/plugins/event_rate_limit.h"

#include <algorithm>

#include "admission/configuration.h"
#include "api/generated/admission_config.h"
#include "api/generated/core_v1.h"
#include "api/validation/field.h"
#include "auth/aggregate_error.h"
#include "base/lru_map.h"
#include "base/mutex.h"
#include "base/siphash.h"

namespace keelson::admission {
namespace {

namespace field = api::field;
using api::admission_config::EventRateLimitConfigurationView;

constexpr ConfigurationKind kEventRateLimitKinds[] = {
    {"eventratelimit.admission.k8s.io/v1alpha1", "Configuration"},
};
// By EventLimit::Type.
constexpr std::string_view kLimitTypes[] = {"Server", "Namespace", "User", "SourceAndObject"};

std::string KeyOf(EventLimit::Type type, const Attributes& request) {
  switch (type) {
    case EventLimit::Type::kServer: return {};
    case EventLimit::Type::kNamespace: return std::string(request.ns);
    case EventLimit::Type::kUser: return request.user ? request.user->name : std::string();
    case EventLimit::Type::kSourceAndObject: break;
  }
  const api::core_v1::EventView event(*request.object);
  const auto object = event.involved_object();
  std::string key;
  for (const std::string_view part : {event.source().component(), event.source().host(), object.kind(),
                                      object.namespace_(), object.name(), object.uid(), object.api_version()})
    key += part;
  return key;
}

EventLimit CheckLimit(api::admission_config::LimitView limit, const field::Path& path,
                      field::ErrorList& errors) {
  EventLimit checked{.qps = limit.qps(), .burst = limit.burst()};
  const auto* const type = std::ranges::find(kLimitTypes, limit.type());
  const bool known = type != std::end(kLimitTypes);
  if (known)
    checked.type = static_cast<EventLimit::Type>(type - std::begin(kLimitTypes));
  else
    errors.Add(field::NotSupported(path.Child("type"), field::RenderValue(limit.type()), kLimitTypes));
  const auto must_be_positive = [&](std::string_view member, int32_t value) {
    if (value <= 0)
      errors.Add(field::Invalid(path.Child(member), field::RenderValue(value), "must be positive"));
  };
  must_be_positive("burst", limit.burst());
  must_be_positive("qps", limit.qps());
  if (known && checked.type == EventLimit::Type::kServer) return checked;
  if (limit.cache_size() < 0)
    errors.Add(field::Invalid(path.Child("cacheSize"), field::RenderValue(limit.cache_size()),
                              "must not be negative"));
  if (limit.cache_size() > 0) checked.cache_size = static_cast<size_t>(limit.cache_size());
  return checked;
}

}  // namespace

base::Result<std::vector<EventLimit>, std::string> ParseEventLimits(const std::optional<std::string>& text) {
  const std::string failed = "couldn't init admission plugin \"EventRateLimit\": ";
  std::vector<EventLimit> limits;
  field::ErrorList errors;
  const field::Path path("limits");
  if (text) {
    const auto decoded = DecodeConfiguration(
        *text, {.type = EventRateLimitConfigurationView::Type(), .kinds = kEventRateLimitKinds});
    if (!decoded) return base::Err(failed + decoded.error().message);
    const auto given = EventRateLimitConfigurationView(*decoded).limits();
    for (size_t i = 0; i < given.size(); ++i) limits.push_back(CheckLimit(given[i], path.Index(i), errors));
  }
  if (limits.empty()) errors.Add(field::Invalid(path, "null", "must not be empty"));
  if (!errors.empty()) return base::Err(failed + errors.Aggregate());
  return limits;
}

// The buckets of one limit. They are found by a digest of their key, for keys hold as much of an event as its
// sender likes. The digest's own key is random, so that nobody can make two events share a bucket.
//
// Threads: any. The lock is held for one lookup and a little arithmetic.
class EventRateLimit::Enforcer {
 public:
  explicit Enforcer(const EventLimit& limit)
      : limit_(limit), buckets_(limit.type == EventLimit::Type::kServer ? 1 : limit.cache_size) {}

  // Takes a token; the error tells that there is none.
  base::Result<void, std::string> Accept(const Attributes& request, base::Clock::SteadyTime now) {
    const std::string key = KeyOf(limit_.type, request);
    if (Take(base::SipHash128(digest_key_, key), now)) return {};
    return base::Err("limit reached on type " + std::string(kLimitTypes[static_cast<size_t>(limit_.type)]) +
                     " for key " + key);
  }

 private:
  struct Bucket {
    double tokens = 0;
    base::Clock::SteadyTime as_of;
  };

  bool Take(const base::SipDigest& key, base::Clock::SteadyTime now) {
    const base::MutexLock lock(mu_);
    Bucket* bucket = buckets_.Find(key);
    if (!bucket) bucket = &buckets_.Put(key, {static_cast<double>(limit_.burst), now});
    if (now > bucket->as_of) {
      const std::chrono::duration<double> passed = now - bucket->as_of;
      bucket->tokens =
          std::min<double>(limit_.burst, bucket->tokens + passed.count() * static_cast<double>(limit_.qps));
      bucket->as_of = now;
    }
    if (bucket->tokens < 1) return false;
    bucket->tokens -= 1;
    return true;
  }

  const EventLimit limit_;
  const base::SipKey digest_key_ = base::RandomSipKey();
  base::Mutex mu_;
  base::LruMap<base::SipDigest, Bucket, base::SipDigestHash> buckets_ GUARDED_BY(mu_);
};

EventRateLimit::EventRateLimit(const std::vector<EventLimit>& limits, const base::Clock& clock)
    : clock_(clock) {
  for (const EventLimit& limit : limits) enforcers_.push_back(std::make_unique<Enforcer>(limit));
}
EventRateLimit::~EventRateLimit() = default;

Concern EventRateLimit::ConcernWith(const api::ResourceDesc& resource, std::string_view subresource) const {
  return {.validates = Is(resource, subresource, {"", "events"})};
}

base::Task<Verdict> EventRateLimit::Validate(Attributes request) const {
  // A dry run costs the store nothing.
  if (!request.object || request.dry_run) co_return Verdict();
  auth::AggregateError reached;
  const auto now = clock_.SteadyNow();
  for (const auto& enforcer : enforcers_)
    if (auto accepted = enforcer->Accept(request, now); !accepted) reached.Add(std::move(accepted.error()));
  if (reached.empty()) co_return Verdict();
  co_return base::Err(api::Status{
      .code = 429, .reason = "TooManyRequests", .message = "Too many requests: " + reached.ToString()});
}

}  // namespace keelson::admission
