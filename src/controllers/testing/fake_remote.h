// FakeRemote: one resource of another server, "gears" of example.com, which a test fills.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/generated/meta_v1.h"
#include "api/meta/object_meta.h"
#include "controllers/remote_resources.h"

namespace keelson::controllers {

class FakeRemote final : public RemoteResources {
 public:
  void Put(const std::string& name, std::vector<api::OwnerReference> owners = {},
           std::string finalizer = "") {
    auto doc = std::make_shared<api::Doc>(api::meta_v1::kPartialObjectMetadataType);
    auto metadata = api::MutableMetadataOf(*doc);
    for (const api::OwnerReference& o : owners) {
      auto owner = metadata.add_owner_references();
      owner.set_api_version(o.api_version);
      owner.set_kind(o.kind);
      owner.set_name(o.name);
      owner.set_uid(o.uid);
    }
    if (!finalizer.empty()) metadata.add_finalizers(finalizer);
    RemoteObject object{.ns = "a",
                        .name = name,
                        .uid = "uid-" + name,
                        .resource_version = std::to_string(++revision),
                        .ownership = {},
                        .doc = nullptr};
    for (const auto owner : api::MetadataOf(*doc).owner_references())
      object.ownership.owners.push_back(
          {owner.api_version(), owner.kind(), owner.name(), owner.uid(), false});
    for (const api::Value& held : api::MetadataOf(*doc).finalizers())
      object.ownership.finalizers.push_back(held.string());
    object.doc = std::move(doc);
    objects.insert_or_assign(name, std::move(object));
  }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& [name, object] : objects) names.push_back(name);
    return names;
  }

  std::vector<RemoteResource> All() const override { return {gears}; }
  std::vector<std::string> Unknown() const override { return unknown; }
  Asked<std::vector<RemoteObject>> List(RemoteResource, std::string ns) const override {
    ++lists;
    if (dead) co_return base::Err(Dead());
    if (list_code != 0) co_return base::Err(Refused(list_code));
    std::vector<RemoteObject> all;
    for (const auto& [name, object] : objects)
      if (ns.empty() || ns == object.ns) all.push_back(object);
    co_return all;
  }
  Asked<std::optional<RemoteObject>> Get(RemoteResource, std::string, std::string name) const override {
    if (dead) co_return base::Err(Dead());
    const auto found = objects.find(name);
    if (found == objects.end()) co_return std::nullopt;
    co_return found->second;
  }
  Asked<void> Delete(RemoteResource, std::string, std::string name, client::DeleteOptions) const override {
    if (dead) co_return base::Err(Dead());
    objects.erase(name);
    co_return client::Result<void>();
  }
  Asked<void> DeleteAll(RemoteResource, std::string) const override {
    if (dead) co_return base::Err(Dead());
    if (delete_all_code != 0) co_return base::Err(Refused(delete_all_code));
    std::erase_if(objects, [](const auto& item) { return item.second.ownership.finalizers.empty(); });
    co_return client::Result<void>();
  }
  Asked<void> WriteOwnership(RemoteResource, RemoteObject object) const override {
    written.push_back(std::move(object));
    co_return client::Result<void>();
  }

  RemoteResource gears{.group = "example.com",
                       .version = "v1",
                       .plural = "gears",
                       .kind = "Gear",
                       .namespaced = true,
                       .deletes_collections = true};
  bool dead = false;
  int list_code = 0, delete_all_code = 0;  // of the refusal; 0: none
  std::vector<std::string> unknown;
  mutable int lists = 0;
  mutable std::map<std::string, RemoteObject> objects;  // in the namespace "a"
  mutable std::vector<RemoteObject> written;
  int revision = 0;

 private:
  static api::Status Refused(int code) { return api::GenericServerResponse(code, "", {}, "", "refused"); }
  static api::Status Dead() { return api::GenericServerResponse(503, "", {}, "", "it is dead"); }
};

}  // namespace keelson::controllers
