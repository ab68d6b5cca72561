// Any bytes as a protobuf message: never a crash, and the transcoder says the same as
// decoding and encoding does.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "api/codec/json.h"
#include "api/codec/protobuf.h"
#include "api/codec/transcode.h"
#include "api/types/resource_desc.h"

using namespace keelson;
using namespace keelson::api;

namespace {

std::string Normal(std::string_view json) {
  Arena arena;
  auto value = json::DecodeAny(json, arena);
  if (!value) std::abort();
  base::BufferBuilder out;
  json::EncodeAny(*value, out);
  return std::string(out.view());
}

void Check(std::string_view bytes, const TypeDesc& type) {
  Arena arena;
  base::BufferBuilder transcoded;
  const bool ok = transcode::ProtobufToJson(bytes, type, "", transcoded);
  if (!ok && transcoded.size() != 0) std::abort();
  auto node = protobuf::Decode(bytes, type, arena);
  if (!node) return;
  if (!ok) std::abort();
  base::BufferBuilder encoded, message;
  json::Encode(**node, encoded);
  if (Normal(transcoded.view()) != Normal(encoded.view())) std::abort();
  protobuf::Encode(**node, message);
  if (!protobuf::Decode(message.view(), type, arena)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (std::string_view name :
       {"core_v1.Pod", "core_v1.Secret", "core_v1.Event", "core_v1.Node", "meta_v1.APIResource"})
    if (const TypeDesc* type = FindType(name)) Check(bytes, *type);
  (void)protobuf::ParseEnvelope(bytes);
  (void)protobuf::FindBytes(bytes, {1, 6});
  base::BufferBuilder out;
  (void)protobuf::SpliceResourceVersion(bytes, "42", out);
  return 0;
}
