// ConversionWebhook: converts the objects of one custom resource between its versions by asking the webhook
// that its definition names.
//
// A webhook that keeps timing out is not asked for a while (admission::Breaker): else everybody who reads the
// resource would hold one of the server's places for requests for as long as the timeout is.
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

  base::Task<base::Result<std::vector<api::Doc>, std::string>> Convert(std::vector<api::Doc> docs,
                                                                       std::string api_version,
                                                                       bool as_list) const override;
  bool Unresponsive() const override { return breaker_->LastTimedOut(); }

 private:
  // Objects that are asked about together, none of which is in the version that is asked for.
  struct Part {
    std::vector<const api::Doc*> objects;
    std::vector<std::string> texts;
  };
  using Converted = base::Result<std::vector<api::Doc>, std::string>;
  // `wanted`: which of `docs` are to be converted, one at least.
  base::Task<Converted> ConvertWanted(std::vector<api::Doc> docs, std::vector<size_t> wanted,
                                      std::string api_version, bool as_list) const;
  // What becomes of them. `subject` is what errors speak of.
  base::Task<Converted> Ask(Part part, std::string api_version, std::string subject, bool as_list) const;
  // One review. `result` is set.
  base::Task<Converted> Review(const Part& part, const std::string& api_version, const std::string& subject,
                               bool as_list, ConversionResult& result) const;

  const std::string group_, list_kind_;
  const std::string review_version_;  // empty: the webhook speaks none that is known here
  admission::WebhookTarget target_;
  const ConversionParts parts_;
  const ConversionMetrics metrics_;
  std::map<std::string, const api::TypeDesc*, std::less<>> types_;  // by "group/version"
  const std::unique_ptr<admission::Breaker> breaker_;
};

}  // namespace keelson::extensions
