// The query of a connection: whatever it says becomes options that encode, or an error with words.
#include <cstdint>
#include <cstdlib>

#include "api/codec/json.h"
#include "api/generated/core_v1.h"
#include "registry/core/connection.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace keelson;
  const auto query = net::http::Query::Parse({reinterpret_cast<const char*>(data), size});
  for (const api::TypeDesc* type :
       {&api::core_v1::kPodExecOptionsType, &api::core_v1::kPodAttachOptionsType,
        &api::core_v1::kPodPortForwardOptionsType, &api::core_v1::kPodProxyOptionsType}) {
    const auto options = registry::core::ReadConnectOptions(query, *type);
    if (!options) {
      if (options.error().message.empty()) std::abort();
      continue;
    }
    base::BufferBuilder json;
    api::json::Encode(*options->root(), json);
  }
  return 0;
}
