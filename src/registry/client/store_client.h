// StoreClient: client::Client over the stores.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "auth/user.h"
#include "client/client.h"
#include "registry/client/store_catalog.h"
#include "registry/server_user.h"

namespace keelson::registry {

// Borrows the catalog.
class StoreClient final : public client::Client {
 public:
  // Who writes, and who owns the fields that are written.
  struct Identity {
    auth::User user;
    std::string field_manager;
  };
  // Writes as the server itself.
  explicit StoreClient(const StoreCatalog& stores, std::string field_manager = "kube-apiserver")
      : StoreClient(stores, Identity{ServerUser(), std::move(field_manager)}) {}
  StoreClient(const StoreCatalog& stores, Identity identity)
      : stores_(stores), identity_(std::move(identity)) {}

  client::SourcePtr Find(client::Resource resource) const override;
  std::vector<client::SourcePtr> Sources() const override;
  bool Serves(const api::ResourceDesc& version) const override { return stores_.Serves(version); }
  void ObserveSources(SourceObserver see) const override { stores_.Observe(std::move(see)); }

  base::Task<client::Result<client::ObjectPtr>> GetObject(client::Resource resource, std::string ns,
                                                          std::string name,
                                                          client::Fresh fresh) const override;
  base::Task<client::Result<std::optional<api::Doc>>> Get(client::Resource resource, std::string ns,
                                                          std::string name,
                                                          client::Fresh fresh) const override;
  base::Task<client::Result<Docs>> List(client::Resource resource, std::string ns) const override;
  base::Task<client::Result<client::ListResult>> ListObjects(client::Resource resource,
                                                             client::ListOptions options) const override;
  base::Task<client::Result<int64_t>> Count(client::Resource resource, std::string ns) const override;
  base::Task<client::Result<std::unique_ptr<client::WatchStream>>> Watch(
      client::Resource resource, client::WatchOptions options) const override;

  base::Task<client::Result<client::Written>> Create(client::Resource resource, std::string ns,
                                                     api::Doc doc) const override;
  base::Task<client::Result<client::Written>> Update(client::Resource resource, std::string ns,
                                                     std::string name, Edit edit,
                                                     std::string uid) const override;
  base::Task<client::Result<client::Written>> Replace(client::Resource resource, api::Doc doc) const override;
  base::Task<client::Result<client::Written>> Apply(client::Resource resource, std::string ns,
                                                    std::string name, std::string config) const override;
  base::Task<client::Result<void>> Delete(client::Resource resource, std::string ns, std::string name,
                                          client::DeleteOptions options) const override;
  base::Task<client::Result<int64_t>> DeleteAll(client::Resource resource, std::string ns,
                                                client::Propagation propagation) const override;

 private:
  // A store that is served, with what keeps it.
  struct Target {
    StoreCatalog::EntryPtr entry;
    Store* store = nullptr;
    const api::TypeDesc& type() const { return *entry->desc->storage_type; }
  };
  client::Result<Target> Resolve(client::Resource resource) const;
  rest::WriteRequest RequestIn(std::string ns) const;

  // The calls, once their resource is found: its name may be gone when they run.
  using Resolved = client::Result<Target>;
  static base::Task<client::Result<client::ObjectPtr>> GetFrom(Resolved target, std::string ns,
                                                               std::string name, client::Fresh fresh);
  static base::Task<client::Result<std::optional<api::Doc>>> GetDocFrom(Resolved target, std::string ns,
                                                                        std::string name,
                                                                        client::Fresh fresh);
  static base::Task<client::Result<Docs>> ListFrom(Resolved target, std::string ns);
  static base::Task<client::Result<client::ListResult>> ListObjectsFrom(Resolved target,
                                                                        client::ListOptions options);
  static base::Task<client::Result<int64_t>> CountIn(Resolved target, std::string ns);
  static base::Task<client::Result<std::unique_ptr<client::WatchStream>>> WatchIn(
      Resolved target, client::WatchOptions options);
  base::Task<client::Result<client::Written>> CreateIn(Resolved target, std::string ns, api::Doc doc) const;
  base::Task<client::Result<client::Written>> UpdateIn(Resolved target, std::string ns, std::string name,
                                                       rest::UpdatedObject updated) const;
  base::Task<client::Result<client::Written>> ApplyIn(Resolved target, std::string ns, std::string name,
                                                      std::string config) const;
  base::Task<client::Result<void>> DeleteIn(Resolved target, std::string ns, std::string name,
                                            client::DeleteOptions options) const;
  base::Task<client::Result<int64_t>> DeleteAllIn(Resolved target, std::string ns,
                                                  client::Propagation propagation) const;

  const StoreCatalog& stores_;
  const Identity identity_;
};

}  // namespace keelson::registry
