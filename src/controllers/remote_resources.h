// RemoteResources: what other servers serve, as controllers see it: the metadata of objects that can be
// listed and deleted there. The aggregator implements it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/meta/ownership.h"
#include "api/types/doc.h"
#include "base/task.h"
#include "client/client.h"

namespace keelson::controllers {

// One resource in one version.
struct RemoteResource {
  std::string group, version, plural, kind;
  bool namespaced = false;
  bool deletes_collections = false;  // all objects of a namespace at once
  auto operator<=>(const RemoteResource&) const = default;
};

// An object's metadata. The ownership's views live as long as this.
struct RemoteObject {
  std::string ns, name;
  std::string uid;  // empty: its server gives objects none
  std::string resource_version;
  api::Ownership ownership;
  std::shared_ptr<const api::Doc> doc;  // a PartialObjectMetadata
};

// Threads: everything on one loop, that of the controllers. Every call that asks a server ends within a few
// seconds; where the server is known to be away, or is busy with many questions already, it fails at once.
class RemoteResources {
 public:
  virtual ~RemoteResources() = default;

  // Every resource that can be listed and deleted, each in one version, in order.
  virtual std::vector<RemoteResource> All() const = 0;
  // The versions ("group/version") of which it is not known what they serve now.
  virtual std::vector<std::string> Unknown() const = 0;

  template <class T>
  using Asked = base::Task<client::Result<T>>;
  // `ns` is empty for all namespaces.
  virtual Asked<std::vector<RemoteObject>> List(RemoteResource resource, std::string ns) const = 0;
  // nullopt: there is none.
  virtual Asked<std::optional<RemoteObject>> Get(RemoteResource resource, std::string ns,
                                                 std::string name) const = 0;
  virtual Asked<void> Delete(RemoteResource resource, std::string ns, std::string name,
                             client::DeleteOptions options) const = 0;
  // Requires: it deletes collections.
  virtual Asked<void> DeleteAll(RemoteResource resource, std::string ns) const = 0;
  // Writes the owners and finalizers that the object's document has now. 409: it has changed since it was
  // read.
  virtual Asked<void> WriteOwnership(RemoteResource resource, RemoteObject object) const = 0;
};

}  // namespace keelson::controllers
