#include "controllers/namespace_conditions.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace keelson::controllers {
namespace {

struct ContentCondition {
  std::string_view type, reason;
  std::string message;
  bool holds = false;
};

std::string Joined(std::vector<std::string> parts) {
  std::ranges::sort(parts);  // equal contents give equal messages
  std::string all;
  for (const std::string& part : parts) all.append(all.empty() ? "" : ", ").append(part);
  return all;
}

std::string Counted(const std::map<std::string, int64_t>& counts, std::string_view between,
                    std::string_view after) {
  std::vector<std::string> parts;
  for (const auto& [name, count] : counts)
    parts.push_back(name + std::string(between) + std::to_string(count) + std::string(after));
  return Joined(std::move(parts));
}

// Names, reasons and messages are what clients know from kube-controller-manager.
std::vector<ContentCondition> ConditionsOf(const NamespaceRemains& remains) {
  std::vector<ContentCondition> all = {
      {"NamespaceDeletionDiscoveryFailure", "ResourcesDiscovered", "All resources successfully discovered"},
      {"NamespaceDeletionGroupVersionParsingFailure", "ParsedGroupVersions",
       "All legacy kube types successfully parsed"},
      {"NamespaceDeletionContentFailure", "ContentDeleted",
       "All content successfully deleted, may be waiting on finalization"},
      {"NamespaceContentRemaining", "ContentRemoved", "All content successfully removed"},
      {"NamespaceFinalizersRemaining", "ContentHasNoFinalizers",
       "All content-preserving finalizers finished"}};
  const auto hold = [&](size_t i, std::string_view reason, std::string message) {
    all[i] = {all[i].type, reason, std::move(message), true};
  };
  if (!remains.undiscovered.empty()) {
    std::vector<std::string> why;
    for (const std::string& version : remains.undiscovered)
      why.push_back(version + ": stale GroupVersion discovery: " + version);
    hold(0, "DiscoveryFailed",
         "Discovery failed for some groups, " + std::to_string(why.size()) +
             " failing: unable to retrieve the complete list of server APIs: " + Joined(std::move(why)));
  }
  if (!remains.failures.empty())
    hold(2, "ContentDeletionFailed",
         "Failed to delete all resource types, " + std::to_string(remains.failures.size()) +
             " remaining: " + Joined(remains.failures));
  if (!remains.remaining.empty())
    hold(3, "SomeResourcesRemain",
         "Some resources are remaining: " + Counted(remains.remaining, " has ", " resource instances"));
  if (!remains.finalizers.empty())
    hold(4, "SomeFinalizersRemain",
         "Some content in the namespace has finalizers remaining: " +
             Counted(remains.finalizers, " in ", " resource instances"));
  return all;
}

api::core_v1::NamespaceConditionEditor FindOrAdd(api::core_v1::NamespaceStatusEditor status,
                                                 std::string_view type) {
  for (auto condition : status.edit_conditions())
    if (condition.type() == type) return condition;
  auto added = status.add_conditions();
  added.set_type_static(type);
  return added;
}

}  // namespace

bool SetContentConditions(api::core_v1::NamespaceStatusEditor status, const NamespaceRemains& remains,
                          int64_t now) {
  bool changed = false;
  for (const ContentCondition& wanted : ConditionsOf(remains)) {
    auto condition = FindOrAdd(status, wanted.type);
    const std::string_view value = wanted.holds ? "True" : "False";
    const bool turned = condition.status() != value;
    if (!turned && condition.reason() == wanted.reason && condition.message() == wanted.message) continue;
    if (turned) condition.set_last_transition_time(now);
    condition.set_status_static(value);
    condition.set_reason_static(wanted.reason);
    condition.set_message(wanted.message);
    changed = true;
  }
  return changed;
}

}  // namespace keelson::controllers
