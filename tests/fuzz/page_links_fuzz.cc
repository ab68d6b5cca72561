// Pages that pass through a proxy: pieces of any size give the same page, no more of it is kept than a tag,
// and no tag comes out that did not go in.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "registry/core/page_links.h"

namespace {

using keelson::registry::core::PageLinks;
using keelson::registry::core::ProxiedLinks;

std::string Through(std::string_view page, size_t step) {
  static const ProxiedLinks kLinks{
      .prefix = "/api/v1/pods/p/proxy", .backend = "10.0.0.1:80", .host = "api:6443"};
  PageLinks links(kLinks);
  std::string out;
  size_t given = 0;
  while (!page.empty()) {
    const std::string_view piece = page.substr(0, step);
    links.Push(piece, out);
    page.remove_prefix(piece.size());
    given += piece.size();
    if (out.empty() && given > PageLinks::kLongestTag + step) std::abort();
  }
  links.Finish(out);
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view page(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string whole = Through(page, page.size() + 1);
  if (Through(page, 1 + data[0] % 64) != whole) std::abort();
  const auto count = [](std::string_view text, char c) { return std::count(text.begin(), text.end(), c); };
  if (count(whole, '<') > count(page, '<') || count(whole, '>') > count(page, '>')) std::abort();
  return 0;
}
