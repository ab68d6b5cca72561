// CustomObjectsClient: who deletes definitions sees the objects of custom resources by this.
#pragma once

#include <string>

#include "client/custom_objects.h"
#include "extensions/crd/custom_resources.h"

namespace keelson::app {

// Threads: everything on the loop of the resources, which it borrows.
class CustomObjectsClient final : public client::CustomObjects {
 public:
  explicit CustomObjectsClient(const extensions::CustomResources& resources) : resources_(resources) {}
  base::Task<base::Result<int64_t, api::Status>> DeleteAll(std::string definition) override;

 private:
  const extensions::CustomResources& resources_;
};

}  // namespace keelson::app
