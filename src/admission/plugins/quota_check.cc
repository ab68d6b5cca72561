#include "admission/plugins/quota_check.h"

#include <algorithm>

#include "api/generated/core_v1.h"
#include "api/meta/object_meta.h"

namespace keelson::admission {
namespace {

using api::Quantity;
using api::core_v1::ResourceQuotaEditor;
using api::core_v1::ResourceQuotaView;
using quota::Usage;

Usage ReadUsage(api::MapView amounts) {
  Usage usage;
  for (const auto& [name, amount] : amounts)
    usage.emplace(name, Quantity::Parse(amount.string()).value_or(Quantity()));
  return usage;
}

// "cpu=1,pods=2": those of `names` that `usage` has.
std::string Text(const Usage& usage, const std::vector<std::string_view>& names) {
  std::string text;
  for (const std::string_view name : names)
    if (const auto it = usage.find(name); it != usage.end())
      text.append(text.empty() ? "" : ",").append(name).append("=").append(it->second.ToString());
  return text;
}

std::string Joined(const std::vector<std::string_view>& names) {
  std::string text;
  for (const std::string_view name : names) text.append(text.empty() ? "" : ",").append(name);
  return text;
}

// How much more `now` uses than `was`; what it uses less of is not given back here.
Usage More(Usage now, const Usage& was) {
  for (auto& [name, amount] : now)
    if (const auto it = was.find(name); it != was.end()) amount.Sub(it->second);
  return now;
}

}  // namespace

QuotaCheck::QuotaCheck(std::vector<api::Doc> quotas, int64_t now, LimitedResources limited)
    : now_(now), limited_(std::move(limited)) {
  quotas_.reserve(quotas.size());
  for (api::Doc& doc : quotas) {
    const auto status = ResourceQuotaView(doc).status();
    Usage hard = ReadUsage(status.hard()), used = ReadUsage(status.used());
    quotas_.push_back({std::move(doc), std::move(hard), std::move(used)});
  }
}

bool QuotaCheck::Limits(const Quota& quota, const quota::Evaluator& evaluator, const api::Doc& object) {
  const auto counts = [&](const auto& limit) { return evaluator.Counts(limit.first); };
  return std::ranges::any_of(quota.hard, counts) &&
         evaluator.InScope(ResourceQuotaView(quota.doc).spec(), object);
}

base::Result<std::vector<QuotaCheck::Charge>, api::Status> QuotaCheck::Concerned(
    const Attributes& request, const quota::Evaluator& evaluator) {
  std::vector<Charge> charges;
  const auto refuse = [&](const std::string& why) { return base::Err(Refuse(request, why).error()); };
  for (Quota& quota : quotas_) {
    if (!Limits(quota, evaluator, *request.object)) continue;
    std::vector<std::string_view> names;
    for (const auto& [name, limit] : quota.hard)
      if (evaluator.Counts(name)) names.push_back(name);
    const std::string quota_name(api::MetadataOf(quota.doc).name());
    if (const std::string objection = evaluator.Objection(names, *request.object); !objection.empty())
      return refuse("failed quota: " + quota_name + ": " + objection);
    const auto known = [&](std::string_view name) { return quota.used.contains(name); };
    if (!std::ranges::all_of(names, known))
      return refuse("status unknown for quota: " + quota_name + ", resources: " + Joined(names));
    charges.push_back({&quota, {}});
  }
  return charges;
}

// An update is charged for what it uses more than before; all of it where the quota did not
// limit the object before.
base::Result<bool, api::Status> QuotaCheck::Measure(const Attributes& request,
                                                    const quota::Evaluator& evaluator,
                                                    std::vector<Charge>& charges) {
  const Usage usage = evaluator.UsageOf(*request.object, now_);
  std::vector<std::string_view> negative;
  for (const auto& [name, amount] : usage)
    if (amount.Sign() < 0) negative.push_back(name);
  if (!negative.empty())
    return base::Err(Refuse(request, "quota usage is negative for resource(s): " + Joined(negative)).error());
  const bool updates = request.operation == Operation::kUpdate && request.old_object &&
                       !api::MetadataOf(*request.old_object).resource_version().empty();
  const Usage more = updates ? More(usage, evaluator.UsageOf(*request.old_object, now_)) : Usage();
  const auto any = [](const Usage& amounts) {
    return std::ranges::any_of(amounts, [](const auto& amount) { return amount.second.Sign() > 0; });
  };
  bool uses_more = charges.empty() && any(updates ? more : usage);
  for (Charge& charge : charges) {
    const bool limited_before = updates && Limits(*charge.quota, evaluator, *request.old_object);
    const Usage& asked = limited_before ? more : usage;
    uses_more |= any(asked);
    for (const auto& [name, amount] : asked)
      if (amount.Sign() > 0 && charge.quota->hard.contains(name)) charge.usage.emplace(name, amount);
  }
  return uses_more;
}

Verdict QuotaCheck::CheckCovered(const Attributes& request, const quota::Evaluator& evaluator,
                                 const std::vector<Charge>& charges) const {
  const Usage usage = evaluator.UsageOf(*request.object, now_);
  auto names = limited_.LimitedNames(request.group_resource(), usage);
  std::erase_if(names, [&](std::string_view name) {
    return std::ranges::any_of(charges,
                               [&](const Charge& charge) { return charge.quota->hard.contains(name); });
  });
  if (!names.empty()) return Refuse(request, "insufficient quota to consume: " + Joined(names));

  std::string uncovered;
  for (const quota::Scope& scope : limited_.LimitedScopes(evaluator, *request.object)) {
    const bool covered = std::ranges::any_of(quotas_, [&](const Quota& quota) {
      return evaluator.MatchingScopes(ResourceQuotaView(quota.doc).spec(), *request.object)
          .contains(scope.name);
    });
    if (!covered) uncovered.append(uncovered.empty() ? "" : " ").append(ScopeText(scope));
  }
  if (uncovered.empty()) return {};
  return Fail("insufficient quota to match these scopes: [" + uncovered + "]");
}

Verdict QuotaCheck::Check(const Attributes& request, const quota::Evaluator& evaluator) {
  charged_ = false;
  auto charges = TRY(Concerned(request, evaluator));
  const bool uses_more = TRY(Measure(request, evaluator, charges));
  if (uses_more && !limited_.empty()) TRY(CheckCovered(request, evaluator, charges));
  for (const auto& [quota, usage] : charges) {
    std::vector<std::string_view> exceeded;
    for (const auto& [name, amount] : usage) {
      Quantity sum = quota->used.at(name);
      sum.Add(amount);
      if (quota->hard.at(name) < sum) exceeded.push_back(name);
    }
    // What the status tells of has happened already.
    if (exceeded.empty() || request.subresource == "status") continue;
    return Refuse(request, "exceeded quota: " + std::string(api::MetadataOf(quota->doc).name()) +
                               ", requested: " + Text(usage, exceeded) + ", used: " +
                               Text(quota->used, exceeded) + ", limited: " + Text(quota->hard, exceeded));
  }
  if (request.dry_run) return {};
  for (const auto& [quota, usage] : charges) {
    for (const auto& [name, amount] : usage) quota->used.at(name).Add(amount);
    quota->changed |= !usage.empty();
    charged_ |= !usage.empty();
  }
  return {};
}

std::vector<api::Doc> QuotaCheck::Changed() const {
  std::vector<api::Doc> changed;
  for (const Quota& quota : quotas_) {
    if (!quota.changed) continue;
    api::Doc doc = quota.doc.Clone();
    auto status = ResourceQuotaEditor(doc).mutable_status();
    for (const auto& [name, amount] : quota.used) status.put_used(name, amount.ToString());
    changed.push_back(std::move(doc));
  }
  return changed;
}

}  // namespace keelson::admission
