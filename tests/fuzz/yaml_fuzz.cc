// Any bytes as YAML: never a crash, and what is accepted becomes valid JSON that survives
// being written as YAML and read again. Nothing that is short takes long.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "api/codec/json.h"
#include "api/codec/yaml.h"

using namespace keelson::api;

constexpr size_t kMostJson = 11 << 20;  // what aliases may add

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // Work by the length of the text: what takes longer is caught by the fuzzer's own limit of time.
  std::vector<std::string> duplicates;
  [[maybe_unused]] const auto strict = yaml::ToJson({reinterpret_cast<const char*>(data), size}, &duplicates);
  auto json = yaml::ToJson({reinterpret_cast<const char*>(data), size});
  if (!json) return 0;
  if (json->size() > kMostJson + 6 * size) std::abort();
  if (!json::IsValid(*json)) std::abort();
  auto again = yaml::ToJson(yaml::FromJson(*json));
  if (again && !json::IsValid(*again)) std::abort();
  return 0;
}
