// Any bytes as CBOR: never a crash, and what is accepted stays the same when written and
// read again.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "api/codec/cbor.h"
#include "api/types/resource_desc.h"

using namespace keelson;
using namespace keelson::api;

namespace {

void Typed(std::string_view bytes, const TypeDesc& type) {
  Arena arena;
  cbor::StrictErrors strict;
  auto node = cbor::Decode(bytes, type, arena, &strict);
  if (!node) return;
  base::BufferBuilder once, twice;
  cbor::Encode(**node, "", "", once);
  auto again = cbor::Decode(once.view(), type, arena, nullptr);
  if (!again) std::abort();
  cbor::Encode(**again, "", "", twice);
  if (once.view() != twice.view()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (std::string_view name : {"core_v1.Pod", "core_v1.Secret", "core_v1.Service", "core_v1.Node"})
    Typed(bytes, *FindType(name));

  (void)cbor::PeekTypeMeta(bytes);
  Arena arena;
  auto any = cbor::DecodeAny(bytes, arena);
  if (!any) return 0;
  base::BufferBuilder once, twice;
  cbor::EncodeAny(*any, once);
  auto again = cbor::DecodeAny(once.view(), arena);
  if (!again) std::abort();
  cbor::EncodeAny(*again, twice);
  if (once.view() != twice.view()) std::abort();
  base::BufferBuilder json;
  json::EncodeAny(*any, json);
  if (!json::IsValid(json.view())) std::abort();
  return 0;
}
