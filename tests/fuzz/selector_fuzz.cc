// Label and field selectors and continue tokens, as they come in a query.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "storage/continue_token.h"
#include "storage/selection.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace keelson::storage;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string_view fields[] = {"spec.nodeName", "status.phase"};

  auto labels = LabelSelector::Parse(text);
  if (labels) {
    const auto any = [&](std::string_view key) -> std::optional<std::string_view> {
      if (key.size() % 2) return std::nullopt;
      return text.substr(0, key.size());
    };
    labels->MatchesLabels(any);
  } else if (labels.error().empty()) {
    std::abort();
  }
  const auto requirements = LabelSelector::ParseRequirements(text);
  if (requirements.error.empty() != labels.has_value()) std::abort();
  if (labels && requirements.requirements.empty() != labels->empty()) std::abort();
  auto selector = FieldSelector::Parse(text);
  if (FieldSelector::ParseRequirements(text).error.empty() != selector.has_value()) std::abort();
  if (selector) {
    auto bound = Selection::Bind({}, *selector, fields);
    if (bound && bound->everything() != selector->empty()) std::abort();
  } else if (selector.error().empty()) {
    std::abort();
  }
  // What authorization takes from the text is what the verb parses from it.
  const auto exact = FieldSelector::FindExactMatch(text, "metadata.name");
  const auto parsed = selector ? selector->RequiresExactMatch("metadata.name") : std::nullopt;
  if (exact != parsed) std::abort();
  // What decodes must survive the way back.
  if (auto token = DecodeContinue(text)) {
    auto again = DecodeContinue(EncodeContinue(*token));
    if (!again || again->revision != token->revision || again->start_key != token->start_key) std::abort();
  }
  return 0;
}
