#include "storage/testing/test_objects.h"

#include <stdexcept>

#include "api/codec/json.h"
#include "api/codec/protobuf.h"

namespace keelson::storage {

const api::ResourceDesc& ResourceNamed(std::string_view plural) {
  for (const auto& resource : api::BuiltinResources())
    if (resource.group.empty() && resource.plural == plural) return resource;
  throw std::logic_error("no such resource: " + std::string(plural));
}

base::Slice Stored(std::string_view kind, std::string_view json) {
  const api::TypeDesc* type = api::FindKind("", "v1", kind);
  api::Arena arena;
  auto root = api::json::Decode(json, *type, arena, nullptr);
  if (!root) throw std::logic_error(root.error().message);
  base::BufferBuilder out;
  api::protobuf::EncodeObject("v1", kind, **root, out);
  return out.Take();
}

base::Slice StoredPod(const PodSpecForTest& pod) {
  std::string labels;
  for (const auto& [key, value] : pod.labels) {
    if (!labels.empty()) labels += ",";
    labels += "\"" + key + "\":\"" + value + "\"";
  }
  return Stored("Pod", R"({"metadata":{"name":")" + pod.name + R"(","namespace":")" + pod.ns +
                           R"(","uid":")" + pod.uid + R"(","labels":{)" + labels +
                           R"(},"annotations":{"p":")" + std::string(pod.padding, 'x') +
                           R"("}},"spec":{"nodeName":")" + pod.node +
                           R"(","containers":[{"name":"c","image":")" + pod.image +
                           R"("}]},"status":{"phase":")" + pod.phase + R"("}})");
}

}  // namespace keelson::storage
