// Stored objects for tests: the bytes that the registry would hand to storage.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/types/resource_desc.h"
#include "base/slice.h"

namespace keelson::storage {

// What the keys of pods start with.
constexpr std::string_view kPodPrefix = "/registry/pods/";

const api::ResourceDesc& ResourceNamed(std::string_view plural);  // of the core group

// `json` of a kind of the core group, in its stored form.
base::Slice Stored(std::string_view kind, std::string_view json);

struct PodSpecForTest {
  std::string ns = "default", name, uid, node, phase;
  std::vector<std::pair<std::string, std::string>> labels;
  std::string image = "image";  // something that selects nothing
  size_t padding = 0;           // bytes of annotations
};
base::Slice StoredPod(const PodSpecForTest& pod);

}  // namespace keelson::storage
