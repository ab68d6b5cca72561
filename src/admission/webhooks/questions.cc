#include "admission/webhooks/questions.h"

#include <algorithm>

#include "admission/audit_annotations.h"
#include "admission/policies/inquiry.h"
#include "admission/webhooks/breaker_events.h"
#include "api/meta/labels.h"
#include "api/meta/object_meta.h"
#include "api/validation/quote.h"
#include "base/log.h"

namespace keelson::admission {
namespace {

// Renewals have seconds; those of kubelets ten.
constexpr std::chrono::seconds kLeaseTimeout{2};
// The user that this server's own writes have.
constexpr std::string_view kServerUser = "system:apiserver";

bool IsLease(const Attributes& request) {
  return request.resource->group == "coordination.k8s.io" && request.resource->plural == "leases";
}

// Whether the request writes the Service that a webhook is reached by, its Endpoints or an EndpointSlice of
// it.
bool IsOwnService(const Attributes& request, const WebhookTarget& target) {
  if (target.service_name.empty() || request.ns != target.service_namespace) return false;
  const api::ResourceDesc& resource = *request.resource;
  if (resource.group.empty() && (resource.plural == "services" || resource.plural == "endpoints"))
    return request.name == target.service_name;
  if (resource.group != "discovery.k8s.io" || resource.plural != "endpointslices") return false;
  const api::Doc* const object = request.object ? request.object : request.old_object;
  if (!object) return false;
  const api::Value* const of = api::MetadataOf(*object).labels().Find(api::kServiceNameLabel);
  return of && of->string() == target.service_name;
}

// Whether the server itself tells of something, a webhook that does not answer for one: asking webhooks about
// that could go on and on.
bool IsServersEvent(const Attributes& request) {
  const api::ResourceDesc& resource = *request.resource;
  return resource.plural == "events" && (resource.group.empty() || resource.group == "events.k8s.io") &&
         request.user && request.user->name == kServerUser;
}

// The name that a webhook's certificate must have, or its address.
std::string HostOf(const WebhookTarget& target) {
  if (target.url.empty()) return target.service_name + "." + target.service_namespace + ".svc";
  std::string_view host = target.url;
  if (const size_t scheme = host.find("://"); scheme != host.npos) host.remove_prefix(scheme + 3);
  host = host.substr(0, host.find_first_of("/?"));
  if (host.starts_with('[')) return std::string(host.substr(1, host.find(']') - 1));
  return std::string(host.substr(0, host.find(':')));
}

}  // namespace

WebhookSet::MakeBreaker MakeBreakers(const WebhookParts& parts, const WebhookMetrics& metrics,
                                     WebhookSet::Kind kind) {
  return [&parts, &metrics, kind](const std::string& configuration, const std::string& name) {
    return std::make_shared<Breaker>(
        *parts.clock, metrics.BreakerOpen(configuration, name),
        TellEvents(parts.events, {.group = std::string(WebhookSet::kGroup),
                                  .plural = std::string(WebhookSet::PluralOf(kind)),
                                  .name = configuration,
                                  .what = "Webhook " + api::Quoted(name),
                                  .consequence = "its failurePolicy decides"}));
  };
}

base::Task<base::Result<std::unique_ptr<VersionedRequest>, api::Status>> Questions::ShouldAsk(
    const Webhook& webhook) {
  std::unique_ptr<VersionedRequest> asked;
  if (IsServersEvent(request_)) co_return asked;
  const api::ResourceDesc* const version = MatchedVersion(webhook.rules(), matched_, webhook.exactly());
  if (!version || !ObjectMatches(webhook.object_selector(), request_)) co_return asked;
  if (!CO_TRY(co_await NamespaceMatches(webhook.namespace_selector(), matched_))) co_return asked;
  asked = CO_TRY(co_await VersionedRequest::Make(request_, *version));
  if (!webhook.conditions().empty() && !CO_TRY(co_await ConditionsHold(webhook, *asked))) asked.reset();
  co_return std::move(asked);
}

base::Task<base::Result<bool, api::Status>> Questions::ConditionsHold(const Webhook& webhook,
                                                                      const VersionedRequest& versioned) {
  const MatchedRequest matched(versioned.request, *parts_.objects);
  const RequestValues values(matched, nullptr, decisions_);
  static const std::vector<CompiledVariable> kNoVariables;
  const auto holds = co_await AskWithDecisions(decisions_, [&] {
    return admission::ConditionsHold(webhook.conditions(), values, cel::Value(), kNoVariables,
                                     !webhook.ignores_failures());
  });
  if (!holds) {
    metrics_.ConditionsFailed(webhook.name(), request_.operation);
    co_return base::Err(api::Forbidden(request_.group_resource(), request_.name, holds.error()));
  }
  if (!*holds) metrics_.Excluded(webhook.name(), request_.operation);
  co_return *holds;
}

std::optional<CallOutcome> Questions::WhyNotAsked(const Webhook& webhook) const {
  if (request_.dry_run && !webhook.supports_dry_run())
    return CallOutcome::Error(
        api::BadRequest("admission webhook " + api::Quoted(webhook.name()) + " does not support dry run"));
  if (webhook.review_version().empty())
    return CallOutcome::Failed(
        "could not create admission objects: webhook does not accept known AdmissionReview versions (v1, "
        "v1beta1)",
        400);
  if (webhook.breaker()->MayAsk()) return std::nullopt;
  metrics_.Spared(webhook.name());
  auto spared = CallOutcome::Failed("it keeps timing out, and is not asked until it answers again", 503);
  spared.spared = true;
  return spared;
}

void Questions::Describe(const Webhook& webhook, std::string_view uid, base::Span& span) const {
  const api::ResourceDesc& resource = *request_.resource;
  span.Set("configuration", webhook.configuration());
  span.Set("webhook", webhook.name());
  span.Set("resource", std::string(resource.group)
                           .append("/")
                           .append(resource.version)
                           .append(", Resource=")
                           .append(resource.plural));
  span.Set("subresource", request_.subresource);
  span.Set("operation", NameOf(request_.operation));
  span.Set("UID", uid);
}

void Questions::TellOfCertificate(const WebhookTarget& target, std::string_view cause) const {
  const auto tell = [&](std::string_view what, std::string_view why) {
    AddAuditAnnotation(request_, std::string(what) + ".invalid-cert.kubernetes.io/" + HostOf(target),
                       std::string(why));
  };
  if (cause.find("x509: certificate relies on legacy Common Name field") != cause.npos) {
    metrics_.MissesNames();
    tell("missing-san",
         "relies on a legacy Common Name field instead of the SAN extension for subject validation");
  }
  const size_t weak = cause.find("x509: cannot verify signature: insecure algorithm");
  if (weak != cause.npos && cause.substr(weak).find("SHA1") != cause.npos) {
    metrics_.SignedWithSha1();
    tell("insecure-sha1", "uses an insecure SHA-1 signature");
  }
}

std::chrono::nanoseconds Questions::LongestFor(const Webhook& webhook) const {
  return IsLease(request_) ? std::min(webhook.timeout(), kLeaseTimeout) : webhook.timeout();
}

base::Task<CallOutcome> Questions::Ask(const Webhook& webhook, const VersionedRequest& versioned) {
  const auto left = base::TimeLeft(request_.occupancy, parts_.clock->SteadyNow());
  const auto longest = LongestFor(webhook);
  if (left <= std::chrono::nanoseconds(0)) {
    auto late = CallOutcome::Failed("failed to call webhook: context deadline exceeded", 503);
    late.late = true;
    co_return late;
  }
  if (auto why = WhyNotAsked(webhook)) co_return *std::move(why);
  const std::string uid = api::NewUid();
  const std::string_view version = webhook.review_version();
  const auto timeout = std::min(left, longest);
  base::ScopedSpan span(base::SpanParent{.trace = request_.notes ? request_.notes->trace : nullptr},
                        mutating_ ? "Call mutating webhook" : "Call validating webhook");
  if (span) Describe(webhook, uid, *span);
  base::Slice review = WriteReview(version, uid, versioned.request);
  std::optional<base::Absence> absence(std::in_place, request_.occupancy);
  auto body = co_await parts_.sender->Post(webhook.target(), std::move(review), timeout, kMostReviewBytes,
                                           span.AsParent());
  absence.reset();
  if (body) span.AddEvent("Request completed");
  span.End();
  // A webhook that is too slow for leases, or for a client in haste, may be well all the same.
  if (body || !body.error().timed_out)
    webhook.breaker()->Answered();
  else if (timeout == webhook.timeout())
    webhook.breaker()->TimedOut();
  if (!body) {
    TellOfCertificate(webhook.target(), body.error().cause);
    auto failed = CallOutcome::Failed(body.error().message(), body.error().code);
    failed.late = body.error().timed_out && left <= longest;
    co_return failed;
  }
  auto answer = ReadAnswer(*body, version, uid, mutating_);
  if (!answer)
    co_return CallOutcome::Failed(
        (answer.error().decoded ? "received invalid webhook response: " : "failed to call webhook: ") +
            answer.error().message,
        503);
  for (std::string& warning : answer->warnings) AddWarning(request_.warnings, std::move(warning));
  for (auto& [key, value] : answer->audit_annotations)
    AddAuditAnnotation(request_, webhook.name() + "/" + key, std::move(value));
  if (answer->allowed)
    co_return CallOutcome{.patch = std::move(answer->patch), .patch_type = std::move(answer->patch_type)};
  api::Status denial = DenialOf(webhook.name(), std::move(answer->result));
  co_return CallOutcome{.kind = CallOutcome::Kind::kDenied, .status = denial, .code = denial.code};
}

bool Questions::CannotWait(const Webhook& webhook) const {
  return IsLease(request_) || IsOwnService(request_, webhook.target());
}

Verdict Questions::Settle(const Webhook& webhook, const CallOutcome& outcome, std::chrono::nanoseconds took,
                          WebhookPlace place) {
  using Kind = CallOutcome::Kind;
  if (request_.notes && mutating_)
    request_.notes->mutating_webhooks += took;
  else if (request_.notes)
    request_.notes->validating_webhooks = std::max(request_.notes->validating_webhooks, took);
  const bool failed = outcome.kind == Kind::kFailed;
  const bool open = failed && (webhook.ignores_failures() || CannotWait(webhook));
  const bool rejected = outcome.kind != Kind::kAllowed && !open;
  metrics_.Called(webhook.name(), webhook.series(), request_.operation, took, outcome.code, rejected);
  if (rejected)
    metrics_.Rejected(webhook.name(), request_.operation,
                      failed                          ? "calling_webhook_error"
                      : outcome.kind == Kind::kDenied ? "no_error"
                                                      : "apiserver_internal_error",
                      outcome.code);
  if (!failed) return rejected ? Verdict(base::Err(outcome.status)) : Verdict();

  const std::string text = "failed calling webhook " + api::Quoted(webhook.name()) + ": " + outcome.why;
  if (!outcome.spared)
    base::Log(
        base::LogLevel::kWarning,
        open && !outcome.late ? "an admission webhook failed, the request goes on"
                              : "an admission webhook failed, and the request with it",
        {{"configuration", webhook.configuration()}, {"webhook", webhook.name()}, {"why", outcome.why}});
  // Nothing is written after the deadline, whatever the failurePolicy is.
  if (!open) return base::Err(outcome.late ? api::RequestTimedOut() : api::InternalError(text));
  metrics_.FailedOpen(webhook.name());
  const std::string_view kind = mutating_ ? "mutation" : "validating";
  AddAuditAnnotation(request_,
                     "failed-open." + std::string(kind) + ".webhook.admission.k8s.io/" + place.ToString(),
                     webhook.name());
  if (outcome.late) return base::Err(api::RequestTimedOut());
  if (outcome.spared || !webhook.ignores_failures())
    AddWarning(request_.warnings, text + "; the request goes on without it");
  return {};
}

}  // namespace keelson::admission
