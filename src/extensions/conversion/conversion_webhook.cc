#include "extensions/conversion/conversion_webhook.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "admission/webhooks/breaker_events.h"
#include "admission/webhooks/review_document.h"
#include "api/meta/object_meta.h"
#include "base/ascii.h"
#include "extensions/conversion/conversion_review.h"

namespace keelson::extensions {
namespace {

using What = ConvertedError::What;

// A long list is sent in parts of about this size.
constexpr size_t kPartBytes = size_t{16} << 20;
// Versions of one object differ, but not without bounds.
constexpr size_t kLeastAnswerBytes = size_t{8} << 20;
constexpr size_t kAnswerRatio = 4;

admission::WebhookTarget TargetOf(api::apiextensions_v1::WebhookClientConfigView config) {
  admission::WebhookTarget target{.url = std::string(config.url())};
  if (!base::Trimmed(config.ca_bundle()).empty()) target.ca_bundle = config.ca_bundle();
  if (const auto service = config.service()) {
    target.service_namespace = service.namespace_();
    target.service_name = service.name();
    target.service_path = service.path();
    if (service.port() > 0) target.service_port = static_cast<uint16_t>(service.port());
  }
  return target;
}

std::string_view VersionOf(const api::Doc& doc) { return doc.root()->slot(1).string(); }

// "v1" of "group/v1".
std::string_view WithoutGroup(std::string_view api_version) {
  return api_version.substr(api_version.find('/') + 1);
}

std::string KindText(std::string_view api_version, std::string_view kind) {
  return std::string(api_version) + ", Kind=" + std::string(kind);
}

// What is wrong with the object at `index`, as upstream says it of one object and of lists.
std::string InvalidText(const std::string& subject, const ConvertedError& error, size_t index, bool as_list) {
  const std::string start = "conversion webhook for " + subject + " returned invalid ";
  if (as_list)
    return start + (error.what == What::kMetadata ? "metadata in object" : "converted object") +
           " at index " + std::to_string(index) + ": " + error.text;
  switch (error.what) {
    case What::kUnreadable: return error.text;
    case What::kIdentity: return start + "object at index 0: " + error.text;
    case What::kObject: return start + "object: " + error.text;
    case What::kMetadata: return start + "metadata: " + error.text;
  }
  std::unreachable();
}

std::string CauseOf(const admission::SendFailure& failure) {
  return failure.timed_out ? failure.cause + " (Client.Timeout exceeded while awaiting headers)"
                           : failure.cause;
}

}  // namespace

ConversionWebhook::ConversionWebhook(api::apiextensions_v1::WebhookConversionView webhook,
                                     std::string_view definition, std::string_view group,
                                     std::string_view list_kind, const ConversionParts& parts)
    : group_(group),
      list_kind_(list_kind),
      review_version_(admission::FirstKnownVersion(webhook.conversion_review_versions())),
      target_(TargetOf(webhook.client_config())),
      parts_(parts),
      metrics_(parts.metrics, definition),
      breaker_(std::make_unique<admission::Breaker>(
          *parts.clock, metrics_.BreakerOpen(),
          admission::TellEvents(parts.events, {.group = "apiextensions.k8s.io",
                                               .plural = "customresourcedefinitions",
                                               .name = std::string(definition),
                                               .what = "The conversion webhook",
                                               .consequence = "objects cannot be converted"}))) {}

void ConversionWebhook::AddVersion(std::string_view version, const api::TypeDesc& type) {
  types_.emplace(group_ + "/" + std::string(version), &type);
}

const api::TypeDesc* ConversionWebhook::TypeIn(std::string_view api_version) const {
  const auto found = types_.find(api_version);
  return found == types_.end() ? nullptr : found->second;
}

base::Task<ConversionWebhook::Converted> ConversionWebhook::Convert(std::vector<api::Doc> docs,
                                                                    std::string api_version, bool as_list,
                                                                    base::Occupancy* occupancy) const {
  if (!TypeIn(api_version))
    co_return base::Err(
        api::ConversionError{"request to convert CR to an invalid group/version: " + api_version});
  std::vector<size_t> wanted;
  for (size_t i = 0; i < docs.size(); ++i) {
    const std::string_view from = VersionOf(docs[i]);
    if (from == api_version) continue;
    if (!TypeIn(from))
      co_return base::Err(
          api::ConversionError{(as_list ? "request to convert CR list failed, list index " +
                                              std::to_string(i) + " has invalid group/version: "
                                        : "request to convert CR from an invalid group/version: ") +
                               std::string(from)});
    wanted.push_back(i);
  }
  if (wanted.empty()) co_return std::move(docs);
  const std::string from(VersionOf(docs[wanted.front()]));
  const auto began = parts_.clock->SteadyNow();
  const Question question{api_version, as_list, occupancy};
  auto converted = co_await ConvertWanted(std::move(docs), std::move(wanted), question);
  metrics_.Converted(WithoutGroup(from), WithoutGroup(api_version), converted.has_value(),
                     parts_.clock->SteadyNow() - began);
  co_return std::move(converted);
}

base::Task<ConversionWebhook::Converted> ConversionWebhook::ConvertWanted(std::vector<api::Doc> docs,
                                                                          std::vector<size_t> wanted,
                                                                          const Question& question) const {
  for (size_t begin = 0; begin < wanted.size();) {
    Part part;
    size_t bytes = 0;
    for (size_t i = begin; i < wanted.size() && bytes < kPartBytes; ++i) {
      part.objects.push_back(&docs[wanted[i]]);
      part.texts.push_back(ReviewedObject(docs[wanted[i]]));
      bytes += part.texts.back().size();
    }
    const api::Doc& first = *part.objects.front();
    const std::string subject = question.as_list ? KindText(question.api_version, list_kind_)
                                                 : KindText(VersionOf(first), first.root()->slot(0).string());
    auto made = CO_TRY(co_await Ask(std::move(part), question, subject));
    for (api::Doc& doc : made) docs[wanted[begin++]] = std::move(doc);
  }
  co_return std::move(docs);
}

base::Task<ConversionWebhook::Converted> ConversionWebhook::Ask(Part part, const Question& question,
                                                                std::string subject) const {
  if (review_version_.empty())
    co_return base::Err(api::ConversionError{"no supported conversion review versions"});
  const auto began = parts_.clock->SteadyNow();
  ConversionResult result = ConversionResult::kCallFailure;
  auto converted = co_await Review(part, question, subject, result);
  metrics_.Asked(result, parts_.clock->SteadyNow() - began);
  co_return std::move(converted);
}

base::Task<base::Result<std::string, api::ConversionError>> ConversionWebhook::Post(
    std::string review, base::Occupancy* occupancy) const {
  using Error = api::ConversionError;
  if (!parts_.sender) co_return base::Err(Error{"there is no way to reach it"});
  const auto left = base::TimeLeft(occupancy, parts_.clock->SteadyNow());
  if (left <= std::chrono::nanoseconds(0))
    co_return base::Err(Error{.message = "context deadline exceeded", .late = true});
  if (!breaker_->MayAsk())
    co_return base::Err(Error{"it keeps timing out, and is not asked until it answers again"});
  const size_t limit = std::max(kLeastAnswerBytes, kAnswerRatio * review.size());
  const bool in_haste = left < kTimeout;
  std::optional<base::Absence> absence(std::in_place, occupancy);
  auto body =
      co_await parts_.sender->Post(target_, base::Slice::Copy(review), in_haste ? left : kTimeout, limit);
  absence.reset();
  if (body || !body.error().timed_out)
    breaker_->Answered();
  else if (!in_haste)
    breaker_->TimedOut();
  if (body) co_return *std::move(body);
  co_return base::Err(Error{CauseOf(body.error()), body.error().timed_out && in_haste});
}

base::Task<ConversionWebhook::Converted> ConversionWebhook::Review(const Part& part, const Question& question,
                                                                   const std::string& subject,
                                                                   ConversionResult& result) const {
  using Error = api::ConversionError;
  const auto& objects = part.objects;
  const std::string failed = "conversion webhook for " + subject + " failed: ";
  result = ConversionResult::kCallFailure;
  const std::string uid = api::NewUid();
  auto body = co_await Post(WriteConversionReview(review_version_, uid, question.api_version, part.texts),
                            question.occupancy);
  if (!body) co_return base::Err(Error{failed + body.error().message, body.error().late});
  const auto texts = ReadConversionAnswer(*body, review_version_, uid);
  if (!texts) {
    if (texts.error().decoded) result = ConversionResult::kMalformed;
    co_return base::Err(Error{failed + texts.error().message});
  }
  result = ConversionResult::kPartial;
  if (texts->size() != objects.size())
    co_return base::Err(Error{"conversion webhook for " + subject + " returned " +
                              std::to_string(texts->size()) + " objects, expected " +
                              std::to_string(objects.size())});
  result = ConversionResult::kInvalidConverted;
  std::vector<api::Doc> converted;
  converted.reserve(objects.size());
  for (size_t i = 0; i < objects.size(); ++i) {
    auto doc = ReadConverted((*texts)[i], *objects[i], *TypeIn(question.api_version), question.api_version);
    if (!doc) co_return base::Err(Error{InvalidText(subject, doc.error(), i, question.as_list)});
    converted.push_back(*std::move(doc));
  }
  result = ConversionResult::kSuccess;
  co_return std::move(converted);
}

}  // namespace keelson::extensions
