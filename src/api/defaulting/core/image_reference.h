// The names of container images.
#pragma once

#include <string_view>

namespace keelson::api::core {

// Whether the image is the "latest" of its name: tagged so, or neither tagged nor given by
// digest. A text that is no image reference is not.
bool IsLatestImage(std::string_view image);

}  // namespace keelson::api::core
