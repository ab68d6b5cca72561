// NamespaceStore: a namespace is emptied before it goes. The first delete only marks it as
// terminating; it is removed once its own finalizers (spec.finalizers) are gone.
#pragma once

#include "registry/store.h"

namespace keelson::registry {

class NamespaceStore final : public Store {
 public:
  using Store::Store;
  base::Task<rest::Result<rest::Deleted>> Delete(rest::WriteRequest request, std::string name,
                                                 DeleteOptions options) override;

 private:
  struct Termination;
  base::Task<UpdateResult> ApplyTermination(std::shared_ptr<Termination> termination,
                                            rest::ObjectPtr current);
  base::Task<rest::Result<rest::Deleted>> Terminate(rest::WriteRequest request, std::string name,
                                                    DeleteOptions options);
};

}  // namespace keelson::registry
