// ConversionWebhook: converts the objects of one custom resource between its versions by asking the webhook
// that its definition names.
//
// A webhook that keeps timing out is not asked for a while (admission::Breaker): else everybody who reads the
// resource would wait for as long as the timeout is.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "admission/webhooks/breaker.h"
#include "admission/webhooks/sender.h"
#include "api/generated/apiextensions_v1.h"
#include "api/types/custom_type.h"
#include "extensions/conversion/conversion_metrics.h"
#include "extensions/conversion/conversion_parts.h"

namespace keelson::extensions {

// Threads: any.
class ConversionWebhook final : public api::CustomConverter {
 public:
  static constexpr std::chrono::seconds kTimeout{30};  // upstream's

  // `definition`: the name of the CustomResourceDefinition.
  ConversionWebhook(api::apiextensions_v1::WebhookConversionView webhook, std::string_view definition,
                    std::string_view group, std::string_view list_kind, const ConversionParts& parts);

  // A version of the resource. All are added before anything is converted; the type is borrowed.
  void AddVersion(std::string_view version, const api::TypeDesc& type);
  // Null: there is no such version. `api_version`: "group/version".
  const api::TypeDesc* TypeIn(std::string_view api_version) const;

  base::Task<base::Result<std::vector<api::Doc>, api::ConversionError>> Convert(
      std::vector<api::Doc> docs, std::string api_version, bool as_list,
      base::Occupancy* occupancy) const override;
  bool Unresponsive() const override { return breaker_->LastTimedOut(); }

 private:
  // Objects that are asked about together, none of which is in the version that is asked for.
  struct Part {
    std::vector<const api::Doc*> objects;
    std::vector<std::string> texts;
  };
  // What is asked of all parts.
  struct Question {
    std::string api_version;
    bool as_list = false;
    base::Occupancy* occupancy = nullptr;
  };
  using Converted = base::Result<std::vector<api::Doc>, api::ConversionError>;
  // `wanted`: which of `docs` are to be converted, one at least.
  base::Task<Converted> ConvertWanted(std::vector<api::Doc> docs, std::vector<size_t> wanted,
                                      const Question& question) const;
  // What becomes of them. `subject` is what errors speak of.
  base::Task<Converted> Ask(Part part, const Question& question, std::string subject) const;
  // One review. `result` is set.
  base::Task<Converted> Review(const Part& part, const Question& question, const std::string& subject,
                               ConversionResult& result) const;
  // The answer to a review. The webhook has what is left until the request's deadline, where that is less
  // than the timeout, and that is not counted against it.
  base::Task<base::Result<std::string, api::ConversionError>> Post(std::string review,
                                                                   base::Occupancy* occupancy) const;

  const std::string group_, list_kind_;
  const std::string review_version_;  // empty: the webhook speaks none that is known here
  admission::WebhookTarget target_;
  const ConversionParts parts_;
  const ConversionMetrics metrics_;
  std::map<std::string, const api::TypeDesc*, std::less<>> types_;  // by "group/version"
  const std::unique_ptr<admission::Breaker> breaker_;
};

}  // namespace keelson::extensions
