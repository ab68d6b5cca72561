#include "api/validation/label_selector_match.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "api/validation/label_selector.h"

namespace keelson::api {
namespace {

bool Holds(meta_v1::LabelSelectorRequirementView requirement, MapView labels) {
  const std::string_view op = requirement.operator_();
  const Value* label = labels.Find(requirement.key());
  if (op == "Exists") return label != nullptr;
  if (op == "DoesNotExist") return label == nullptr;
  bool listed = false;
  for (const Value& value : requirement.values()) listed |= label && value.string() == label->string();
  return op == "In" ? listed : !listed;
}

std::string TextOf(meta_v1::LabelSelectorRequirementView requirement) {
  const std::string_view op = requirement.operator_();
  std::string text(requirement.key());
  if (op == "Exists") return text;
  if (op == "DoesNotExist") return "!" + text;
  std::vector<std::string_view> values;
  for (const Value& value : requirement.values()) values.push_back(value.string());
  std::ranges::sort(values);
  text += op == "In" ? " in (" : " notin (";
  for (size_t i = 0; i < values.size(); ++i) text.append(i ? "," : "").append(values[i]);
  return text + ")";
}

}  // namespace

bool IsUsableSelector(meta_v1::LabelSelectorView selector) {
  return ValidateLabelSelector(selector, field::Path("selector")).empty();
}

bool SelectorMatches(meta_v1::LabelSelectorView selector, MapView labels) {
  if (!selector) return false;
  for (const auto& [key, value] : selector.match_labels()) {
    const Value* label = labels.Find(key);
    if (!label || label->string() != value.string()) return false;
  }
  for (const auto requirement : selector.match_expressions())
    if (!Holds(requirement, labels)) return false;
  return true;
}

std::string SelectorText(meta_v1::LabelSelectorView selector) {
  std::vector<std::pair<std::string_view, std::string>> requirements;
  for (const auto& [key, value] : selector.match_labels())
    requirements.emplace_back(key, std::string(key) + "=" + std::string(value.string()));
  for (const auto requirement : selector.match_expressions())
    requirements.emplace_back(requirement.key(), TextOf(requirement));
  std::ranges::stable_sort(requirements, {}, [](const auto& r) { return r.first; });
  std::string text;
  for (const auto& [key, requirement] : requirements)
    text.append(text.empty() ? "" : ",").append(requirement);
  return text;
}

}  // namespace keelson::api
