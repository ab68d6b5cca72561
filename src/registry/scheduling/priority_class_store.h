// PriorityClassStore: the classes of the system cannot be deleted.
#pragma once

#include "registry/store.h"

namespace keelson::registry::scheduling {

class PriorityClassStore final : public Store {
 public:
  using Store::Store;
  base::Task<rest::Result<rest::Deleted>> Delete(rest::WriteRequest request, std::string name,
                                                 DeleteOptions options) override;
};

}  // namespace keelson::registry::scheduling
