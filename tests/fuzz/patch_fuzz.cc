// Any bytes as a patch of each kind: never a crash, and what is accepted leaves a document
// that can be written and read again.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "api/codec/json.h"
#include "api/patch/json_patch.h"
#include "api/patch/lazy_json.h"
#include "api/patch/merge_patch.h"
#include "api/patch/strategic_merge.h"
#include "api/types/resource_desc.h"

using namespace keelson;
using namespace keelson::api;

namespace {

constexpr std::string_view kPod =
    R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","labels":{"a":"b","c":"d"},)"
    R"("finalizers":["x.io/a","x.io/b"]},"spec":{"containers":[{"name":"a","image":"i",)"
    R"("ports":[{"containerPort":80}],"env":[{"name":"E","value":"1"}]},{"name":"b"}],)"
    R"("volumes":[{"name":"v","emptyDir":{}}]}})";

void CheckText(const Value& patched) {
  base::BufferBuilder out;
  LazyJson::Encode(patched, out);
  if (!json::IsValid(out.view()) && out.size() < 10'000) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Arena arena;
  std::vector<std::string> strict;
  if (auto patch = JsonPatch::Parse(text, arena, &strict))
    if (auto patched = patch->Apply(LazyJson::FromText(kPod), arena)) CheckText(*patched);
  if (json::IsValid(text)) CheckText(MergePatch(LazyJson::FromText(kPod), LazyJson::FromText(text), arena));

  auto tree = json::DecodeAny(text, arena);
  if (!tree || !tree->map()) return 0;
  auto pod = json::Decode(kPod, *FindType("core_v1.Pod"), arena, nullptr);
  if (!StrategicMerge(**pod, *tree->map(), arena, &strict)) return 0;
  base::BufferBuilder out;
  json::Encode(**pod, out);
  if (!json::Decode(out.view(), *FindType("core_v1.Pod"), arena, nullptr)) std::abort();
  return 0;
}
