// Any bytes as YAML: never a crash, and what is accepted becomes valid JSON that survives
// being written as YAML and read again.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "api/codec/json.h"
#include "api/codec/yaml.h"

using namespace keelson::api;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto json = yaml::ToJson({reinterpret_cast<const char*>(data), size});
  if (!json) return 0;
  if (!json::IsValid(*json)) std::abort();
  auto again = yaml::ToJson(yaml::FromJson(*json));
  if (again && !json::IsValid(*again)) std::abort();
  return 0;
}
