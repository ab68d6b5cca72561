// OpenAPI v2 documents of aggregated API servers: whatever they say, the document that they become a part of
// is JSON, and refers to nothing that it does not have.
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/codec/json.h"
#include "endpoints/openapi/document.h"
#include "endpoints/openapi/gnostic.h"
#include "endpoints/openapi/remote_spec.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace keelson::endpoints::openapi;
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  auto read = ReadRemoteSpec(body, "/apis/g/v/");
  if (!read) {
    if (read.error().empty()) std::abort();
    return 0;
  }
  const std::vector<RemoteSpecPtr> specs = {std::make_shared<const RemoteSpec>(*std::move(read)),
                                            std::make_shared<const RemoteSpec>(RemoteSpec())};
  const Document document({}, Dialect::kV2, {}, {}, specs);
  if (!keelson::api::json::IsValid(document.Json().view())) std::abort();
  (void)EncodeGnostic(document);
  // Every definition conflicts with one that is here.
  std::map<std::string, std::string, std::less<>> local;
  for (const auto& [name, definition] : specs.front()->definitions) local.emplace(name, "another");
  const MergedSpecs merged(specs, std::move(local));
  std::set<std::string, std::less<>> names;
  merged.ForEachDefinition([&](std::string_view name, std::string_view json) {
    if (!names.emplace(name).second || !keelson::api::json::IsValid(json)) std::abort();
  });
  merged.ForEachPath([](std::string_view) { return false; },
                     [](std::string_view, std::string_view item) {
                       if (!keelson::api::json::IsValid(item)) std::abort();
                     });
  return 0;
}
