// Discovery documents of aggregated API servers and of peers: whatever they say, what is made of it is JSON.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "aggregator/discovery_document.h"
#include "aggregator/peer_documents.h"
#include "api/codec/json.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace keelson;
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  if (const auto read = aggregator::ReadGroupDiscoveryList(body)) {
    for (const auto& [version, resources] : *read)
      if (!api::json::IsValid(resources.view())) std::abort();
  } else if (read.error().empty()) {
    std::abort();
  }
  if (const auto read = aggregator::ReadResourceList(body)) {
    if (!api::json::IsValid(read->view())) std::abort();
  } else if (read.error().empty()) {
    std::abort();
  }
  if (const auto read = aggregator::ReadServedGroups(body)) {
    const aggregator::ServedGroups own = {{.name = "g", .versions = {{.name = "v", .freshness = "Current"}}}};
    const auto merged = aggregator::MergeServedGroups({&own, &*read}, 0);
    if (merged && !aggregator::ReadServedGroups(merged->view())) std::abort();
  } else if (read.error().empty()) {
    std::abort();
  }
  (void)aggregator::IsGroupDiscoveryList(body);
  const std::string url = aggregator::ReadOpenApiUrl(body, "apis/g/v");
  if (!url.empty() && !url.starts_with("/openapi/v3/")) std::abort();
  return 0;
}
