// NamespaceStore: a namespace is emptied before it goes. The first delete only marks it as
// terminating; it is removed once its own finalizers (spec.finalizers) are gone. The definitions of custom
// resources go in the same way, by a finalizer of theirs.
#pragma once

#include "registry/store.h"

namespace keelson::registry {

class NamespaceStore final : public Store {
 public:
  // `propagates`: the first delete leaves finalizers for the garbage collector.
  explicit NamespaceStore(StoreOptions options, bool propagates = true)
      : Store(std::move(options)), propagates_(propagates) {}
  base::Task<rest::Result<rest::Deleted>> Delete(rest::WriteRequest request, std::string name,
                                                 DeleteOptions options) override;

 private:
  struct Termination;
  base::Task<UpdateResult> ApplyTermination(std::shared_ptr<Termination> termination,
                                            rest::ObjectPtr current);
  base::Task<rest::Result<rest::Deleted>> Terminate(rest::WriteRequest request, std::string name,
                                                    DeleteOptions options);

  const bool propagates_;
};

}  // namespace keelson::registry
