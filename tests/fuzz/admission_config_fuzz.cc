// Files that configure admission: whatever they say, there are settings or an error that says why not.
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "admission/settings.h"

namespace {

void Check(const auto& parsed) {
  if (!parsed && parsed.error().empty()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace keelson::admission;
  const std::optional<std::string> text(std::in_place, reinterpret_cast<const char*>(data), size);
  Check(Configuration::Parse(*text, "/nowhere"));
  Check(ParsePodSecurityConfig(text));
  Check(LimitedResources::Parse(text));
  Check(ParseNodeSelectors(text));
  Check(ParseTolerationRestrictions(text));
  Check(ParseImagePolicyConfig(text));
  const auto limits = ParseEventLimits(text);
  Check(limits);
  if (limits && limits->empty()) std::abort();
  return 0;
}
