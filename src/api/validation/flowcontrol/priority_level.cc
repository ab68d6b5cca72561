#include "api/validation/flowcontrol/priority_level.h"

#include <cmath>

#include "api/validation/core/checks.h"
#include "api/validation/core/fields.h"
#include "api/validation/flowcontrol/bootstrap.h"
#include "api/validation/flowcontrol/conditions.h"
#include "api/validation/unversioned.h"

namespace keelson::api::flowcontrol {
namespace {

using namespace flowcontrol_v1;
using field::ErrorList;
using field::Path;
using field::RenderValue;

constexpr std::string_view kExempt = "exempt";

// Shuffle sharding deals a hand out of the queues with bits of one hash; more than this
// many and hands would no longer be fair.
constexpr int kMaxHashBits = 60;
int RequiredEntropyBits(int32_t deck, int32_t hand) {
  return static_cast<int>(std::ceil(std::log2(static_cast<double>(deck)) * hand));
}

void CheckQueuing(QueuingConfigurationView queuing, const Path& path, ErrorList& errors) {
  constexpr int32_t kMaxQueues = 10'000'000;
  const int32_t queues = queuing.queues(), hand = queuing.hand_size(), length = queuing.queue_length_limit();
  const auto refuse = [&](std::string_view member, int32_t value, const std::string& why) {
    errors.Add(field::Invalid(path.Child(member), RenderValue(value), why));
  };
  if (length <= 0) refuse("queueLengthLimit", length, "must be positive");
  if (queues <= 0) {
    refuse("queues", queues, "must be positive");
  } else if (queues > kMaxQueues) {
    refuse("queues", queues, "must not be greater than " + std::to_string(kMaxQueues));
  }
  if (hand <= 0) {
    refuse("handSize", hand, "must be positive");
  } else if (hand > queues) {
    refuse("handSize", hand, "should not be greater than queues (" + std::to_string(queues) + ")");
  } else if (RequiredEntropyBits(queues, hand) > kMaxHashBits) {
    refuse("handSize", hand,
           "required entropy bits of deckSize " + std::to_string(queues) + " and handSize " +
               std::to_string(hand) + " should not be greater than " + std::to_string(kMaxHashBits));
  }
}

void CheckResponse(LimitResponseView response, const Path& path, ErrorList& errors) {
  constexpr std::string_view kTypes[] = {"Queue", "Reject"};
  const Path queuing = path.Child("queuing");
  if (response.type() == "Reject") {
    if (response.queuing())
      errors.Add(field::Forbidden(queuing, "must be nil if limited.limitResponse.type is not Limited"));
  } else if (response.type() == "Queue") {
    if (!response.queuing()) {
      errors.Add(field::Required(queuing, "must not be empty if limited.limitResponse.type is Limited"));
    } else {
      CheckQueuing(response.queuing(), queuing, errors);
    }
  } else {
    core::CheckRequiredSupported(response.type(), kTypes, path.Child("type"), errors);
  }
}

template <class View>
void CheckLendablePercent(View level, const Path& path, ErrorList& errors) {
  if (!level.has_lendable_percent()) return;
  if (level.lendable_percent() >= 0 && level.lendable_percent() <= 100) return;
  errors.Add(field::Invalid(path.Child("lendablePercent"), RenderValue(level.lendable_percent()),
                            "must be between 0 and 100, inclusive"));
}

template <class View>
void CheckShares(View level, const Path& path, ErrorList& errors) {
  if (level.nominal_concurrency_shares() >= 0) return;
  errors.Add(field::Invalid(path.Child("nominalConcurrencyShares"),
                            RenderValue(level.nominal_concurrency_shares()),
                            "must be a non-negative integer"));
}

void CheckLimited(LimitedPriorityLevelConfigurationView limited, const Path& path, ErrorList& errors) {
  CheckShares(limited, path, errors);
  CheckResponse(limited.limit_response(), path.Child("limitResponse"), errors);
  CheckLendablePercent(limited, path, errors);
  if (limited.has_borrowing_limit_percent() && limited.borrowing_limit_percent() < 0) {
    errors.Add(field::Invalid(path.Child("borrowingLimitPercent"),
                              RenderValue(limited.borrowing_limit_percent()),
                              "if specified, must be a non-negative integer"));
  }
}

void CheckSpec(PriorityLevelConfigurationView level, const Path& path, ErrorList& errors) {
  constexpr std::string_view kTypes[] = {"Exempt", "Limited"};
  const auto spec = level.spec();
  const Path type = path.Child("type"), limited = path.Child("limited"), exempt = path.Child("exempt");
  if ((level.metadata().name() == kExempt) != (spec.type() == "Exempt"))
    errors.Add(
        field::Invalid(type, RenderValue(spec.type()), "must be 'Exempt' if and only if `name` is 'exempt'"));
  if (spec.type() == "Exempt") {
    if (spec.limited()) errors.Add(field::Forbidden(limited, "must be nil if the type is not Limited"));
    if (!spec.exempt()) return;
    CheckShares(spec.exempt(), exempt, errors);
    CheckLendablePercent(spec.exempt(), exempt, errors);
  } else if (spec.type() == "Limited") {
    if (spec.exempt()) errors.Add(field::Forbidden(exempt, "must be nil if the type is Limited"));
    if (!spec.limited()) {
      errors.Add(field::Required(limited, "must not be empty when type is Limited"));
    } else {
      CheckLimited(spec.limited(), limited, errors);
    }
  } else {
    core::CheckRequiredSupported(spec.type(), kTypes, type, errors);
  }
}

// The mandatory levels stay as they are, but for how much the exempt one may lend.
void CheckMandatory(PriorityLevelConfigurationView level, const Path& path, ErrorList& errors) {
  for (const BootstrapObject& own : BootstrapPriorityLevels()) {
    if (!own.mandatory || own.name != level.metadata().name()) continue;
    const auto fixed = PriorityLevelConfigurationView(own.doc).spec();
    const bool is_exempt = own.name == kExempt;
    const bool same =
        is_exempt ? level.spec().type() == fixed.type() && core::SameField(level.spec(), fixed, "limited")
                  : core::SameStruct(level.spec(), fixed);
    if (same) continue;
    errors.Add(field::Invalid(path, field::RenderUnversioned(level.spec().node()),
                              "spec of '" + std::string(own.name) +
                                  (is_exempt ? "' except the 'spec.exempt' field" : "'") +
                                  " must equal the fixed value"));
  }
}

}  // namespace

ErrorList ValidatePriorityLevel(PriorityLevelConfigurationView level) {
  constexpr std::string_view kPreserveZero = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares";
  ErrorList errors;
  // Only the conversion of older versions may carry it.
  if (level.metadata().annotations().Find(kPreserveZero)) {
    const Path metadata("metadata");
    errors.Add(field::Forbidden(metadata.Child("annotations"),
                                "annotation '" + std::string(kPreserveZero) + "' is forbidden"));
  }
  const Path path("spec");
  CheckSpec(level, path, errors);
  CheckMandatory(level, path, errors);
  errors.Append(ValidatePriorityLevelStatus(level.status()));
  return errors;
}

ErrorList ValidatePriorityLevelStatus(PriorityLevelConfigurationStatusView status) {
  return ValidateConditions(status.conditions());
}

}  // namespace keelson::api::flowcontrol
