// PodStore: pods, which the server itself also changes: it binds them to nodes.
#pragma once

#include "registry/store.h"

namespace keelson::registry::core {

class PodStore final : public Store {
 public:
  explicit PodStore(StoreOptions options);

  // For the server's own changes: the rules of what clients may change do not apply.
  Store& own_writes() { return own_writes_; }

 private:
  Store own_writes_;
};

}  // namespace keelson::registry::core
