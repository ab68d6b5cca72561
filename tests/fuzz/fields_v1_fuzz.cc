// Any bytes as FieldsV1: never a crash, and what is accepted is canonical once written.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "api/codec/json.h"
#include "api/managed_fields/fields_v1.h"

using namespace keelson;
using namespace keelson::api;

namespace {

std::string Text(const managed_fields::FieldSet* set) {
  base::BufferBuilder out;
  managed_fields::EncodeFields(set, out);
  return std::string(out.view());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // The texts that get here are part of a JSON document that was decoded.
  if (!json::IsValid(text)) return 0;
  Arena arena;
  auto set = managed_fields::DecodeFields(text, arena);
  if (!set) return 0;
  const std::string once = Text(*set);
  auto again = managed_fields::DecodeFields(once, arena);
  if (!again || Text(*again) != once || !Equal(*set, *again)) std::abort();
  if (Difference(*set, *again, arena) || !Equal(Union(*set, *again, arena), *set)) std::abort();
  return 0;
}
