// ConvertingDeleter: deletes in one version of a custom resource. Deletion looks at metadata, which no
// version changes, so objects are deleted as they are stored and the webhook is not asked: it may be gone
// with the namespace that is being deleted. Only the answer is converted; if that fails, or if the webhook
// did not answer when it was last asked, the client is told of the success alone.
#pragma once

#include <string>
#include <vector>

#include "extensions/conversion/converting_storage.h"
#include "registry/store.h"

namespace keelson::extensions {

// Threads: any loop.
class ConvertingDeleter final : public registry::rest::GracefulDeleter,
                                public registry::rest::CollectionDeleter {
 public:
  // `stored`: the objects as they are stored; `converted`: in the version of `storage`. Borrows all.
  ConvertingDeleter(registry::Store& stored, registry::Store& converted, ConvertingStorage& storage)
      : stored_(stored), converted_(converted), storage_(storage) {}

  std::vector<std::string> WarningsOnDelete(const registry::DeleteOptions& options) const override {
    return stored_.WarningsOnDelete(options);
  }
  base::Task<registry::rest::Result<registry::rest::Deleted>> Delete(
      registry::rest::WriteRequest request, std::string name, registry::DeleteOptions options) override;
  base::Task<registry::rest::Result<registry::rest::ListResult>> DeleteCollection(
      registry::rest::WriteRequest request, registry::DeleteOptions options,
      registry::rest::ListOptions list) override;

 private:
  registry::Store &stored_, &converted_;
  ConvertingStorage& storage_;
};

}  // namespace keelson::extensions
