// Any bytes as JSON: never a crash, and what is accepted stays the same when written and
// read again.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "api/codec/json.h"
#include "api/types/resource_desc.h"

using namespace keelson;
using namespace keelson::api;

namespace {

void Typed(std::string_view text, const TypeDesc& type) {
  Arena arena;
  json::StrictErrors strict;
  auto node = json::Decode(text, type, arena, &strict);
  if (!node) return;
  base::BufferBuilder once, twice;
  json::Encode(**node, once);
  auto again = json::Decode(once.view(), type, arena, nullptr);
  if (!again) std::abort();
  json::Encode(**again, twice);
  if (once.view() != twice.view()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (std::string_view name : {"core_v1.Pod", "core_v1.Secret", "core_v1.Service", "core_v1.Node"})
    Typed(text, *FindType(name));

  (void)json::PeekTypeMeta(text);
  Arena arena;
  auto any = json::DecodeAny(text, arena);
  if (any.has_value() != json::IsValid(text) &&
      !(any.error().message.starts_with("json: cannot unmarshal number")))
    std::abort();
  if (!any) return 0;
  base::BufferBuilder out;
  json::EncodeAny(*any, out);
  if (!json::IsValid(out.view()) || !json::IsValid(json::Indent(out.view()))) std::abort();
  return 0;
}
