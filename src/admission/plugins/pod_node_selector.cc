#include "admission/plugins/pod_node_selector.h"

#include <algorithm>

#include "admission/configuration.h"
#include "admission/plugins/namespace_of.h"
#include "admission/plugins/resources.h"
#include "api/generated/admission_config.h"
#include "api/generated/core_v1.h"
#include "api/meta/object_meta.h"
#include "api/validation/field.h"
#include "api/validation/names.h"

namespace keelson::admission {
namespace {

using api::admission_config::PodNodeSelectorConfigurationView;
using api::core_v1::PodView;

constexpr std::string_view kNodeSelectorAnnotation = "scheduler.alpha.kubernetes.io/node-selector";
constexpr std::string_view kDefaultSelector = "clusterDefaultNodeSelector";

std::vector<std::string_view> SplitAt(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string_view TrimmedLabel(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  const size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

// "`path`: Invalid value: ..."; empty: nothing is wrong.
std::string Complaint(std::string_view path, std::string_view value, const api::Messages& messages) {
  if (messages.empty()) return {};
  std::string text = std::string(path) + ": Invalid value: " + api::field::RenderValue(value) + ": ";
  for (size_t i = 0; i < messages.size(); ++i) text.append(i > 0 ? "; " : "").append(messages[i]);
  return text;
}

// "a=b,c=d".
base::Result<std::map<std::string, std::string, std::less<>>, api::Status> ParseLabels(
    std::string_view selector) {
  std::map<std::string, std::string, std::less<>> labels;
  if (selector.empty()) return labels;
  for (const std::string_view label : SplitAt(selector, ',')) {
    const auto parts = SplitAt(label, '=');
    if (parts.size() != 2) {
      std::string shown;
      for (const std::string_view part : parts) shown.append(shown.empty() ? "" : " ").append(part);
      return base::Err(Fail("invalid selector: [" + shown + "]").error());
    }
    const std::string_view key = TrimmedLabel(parts[0]), value = TrimmedLabel(parts[1]);
    std::string wrong = Complaint("<nil>", key, api::IsQualifiedName(key));
    if (wrong.empty()) wrong = Complaint("[" + std::string(key) + "]", value, api::IsLabelValue(value));
    if (!wrong.empty()) return base::Err(Fail(std::move(wrong)).error());
    labels.insert_or_assign(std::string(key), std::string(value));
  }
  return labels;
}

Verdict RefusePod(const Attributes& request, std::string_view why) {
  return base::Err(api::Forbidden(kPods, api::MetadataOf(*request.object).name(), why));
}

}  // namespace

base::Result<NodeSelectors, std::string> ParseNodeSelectors(const std::optional<std::string>& text) {
  NodeSelectors selectors;
  if (!text) return selectors;
  const auto decoded = DecodeConfiguration(*text, {.type = PodNodeSelectorConfigurationView::Type()});
  if (!decoded)
    return base::Err("couldn't init admission plugin \"PodNodeSelector\": " + decoded.error().message);
  for (const auto& [name, selector] :
       PodNodeSelectorConfigurationView(*decoded).pod_node_selector_plugin_config())
    selectors.emplace(name, selector.string());
  return selectors;
}

Concern PodNodeSelector::ConcernWith(const api::ResourceDesc& resource, std::string_view subresource) const {
  const bool pods = Is(resource, subresource, kPods);
  return {.mutates = pods, .validates = pods};
}

std::string_view PodNodeSelector::Configured(std::string_view name) const {
  const auto found = selectors_.find(name);
  return found == selectors_.end() ? std::string_view() : std::string_view(found->second);
}

base::Task<base::Result<PodNodeSelector::Labels, api::Status>> PodNodeSelector::SelectorFor(
    Attributes request) const {
  auto found = co_await NamespaceOf(objects_, std::string(request.ns));
  if (!found && found.error().reason == "NotFound")
    co_return base::Err(api::InternalError("namespace " + std::string(request.ns) + " does not exist"));
  const api::Doc ns = CO_TRY(std::move(found));
  const api::Value* const annotation = api::MetadataOf(ns).annotations().Find(kNodeSelectorAnnotation);
  const auto selector = CO_TRY(ParseLabels(annotation ? annotation->string() : Configured(kDefaultSelector)));
  for (const auto& [key, value] : PodView(*request.object).spec().node_selector()) {
    const auto same_key = selector.find(key);
    if (same_key != selector.end() && same_key->second != value.string())
      co_return base::Err(
          RefusePod(request, "pod node label selector conflicts with its namespace node label selector")
              .error());
  }
  co_return selector;
}

Verdict PodNodeSelector::CheckAllowed(const Attributes& request) const {
  const auto allowed = TRY(ParseLabels(Configured(request.ns)));
  if (allowed.empty()) return {};
  for (const auto& [key, value] : PodView(*request.object).spec().node_selector()) {
    const auto found = allowed.find(key);
    if (found == allowed.end() || found->second != value.string())
      return RefusePod(request, "pod node label selector labels conflict with its namespace whitelist");
  }
  return {};
}

base::Task<Verdict> PodNodeSelector::Mutate(Attributes request) const {
  if (request.operation != Operation::kCreate) co_return Verdict();
  const Labels selector = CO_TRY(co_await SelectorFor(request));
  if (!selector.empty()) {
    auto spec = api::core_v1::PodEditor(*request.object).mutable_spec();
    for (const auto& [key, value] : selector) spec.put_node_selector(key, value);
  }
  co_return CheckAllowed(request);
}

base::Task<Verdict> PodNodeSelector::Validate(Attributes request) const {
  if (request.operation != Operation::kCreate) co_return Verdict();
  CO_TRY(co_await SelectorFor(request));
  co_return CheckAllowed(request);
}

}  // namespace keelson::admission
