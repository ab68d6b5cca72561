// CustomFixture: requests for custom objects through a handler over real stores in memory.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "endpoints/testing/api_fixture.h"
#include "extensions/crd/custom_storage.h"

namespace keelson::extensions {

constexpr char kWidgets[] = "/apis/example.com/v1/namespaces/default/widgets";

// Serves widgets of example.com: v1, which is stored; v2, whose schema has one field more; and v3, which is
// v1 under another name. All have a status.
class CustomFixture : public endpoints::ApiFixture {
 public:
  CustomFixture();

  // A widget `name` that says most of what its schema knows; `image` is its container's.
  static std::string Widget(std::string_view name, std::string_view image,
                            std::string_view api_version = "example.com/v1");
  Reply Apply(std::string target, std::string config, std::string_view manager = "ci");

  CustomStorage& widgets() { return *widgets_; }
  // The same resource, its objects read from the store anew.
  std::unique_ptr<CustomStorage> Reopened();

 private:
  std::shared_ptr<CustomStorage> widgets_;
};

}  // namespace keelson::extensions
