// CustomSet: what comes and goes while the server runs, at one moment: the custom resources, the versions
// that backends serve, and discovery, which is made of these and of what is built in.
//
// A set is made from the one before it. It shares with that all groups but those that changed, and with them
// their documents: a change costs what the changed group does, however many others there are. The documents
// of all groups together are put together from parts when somebody asks for them.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash_trie.h"
#include "base/published.h"
#include "endpoints/discovery/documents.h"
#include "endpoints/discovery/group.h"
#include "endpoints/discovery/registered.h"
#include "endpoints/served_resource.h"

namespace keelson::endpoints {

// What a definition serves from now on; nothing: it is gone, or serves nothing.
struct CustomChange {
  std::string definition;  // its name: "PLURAL.GROUP"
  std::vector<ServedResource> served;
};

// Threads: immutable, any.
class CustomSet final : public base::Publishable<CustomSet> {
 public:
  // Nothing custom. The resources are those that are built in, in the order of discovery; they outlive it.
  CustomSet(std::span<const ServedResource> built_in, std::string server_address);
  ~CustomSet();

  // The set that comes after this one, owned by the caller.
  const CustomSet* With(std::vector<CustomChange> changes) const;
  const CustomSet* With(discovery::RegisteredPtr registered) const;

  // A custom resource; null: there is none.
  const ServedResource* Find(std::string_view group, std::string_view version, std::string_view plural) const;
  // Whether there are custom resources of the group, or backends serve a version of it.
  bool HasGroup(std::string_view group) const;
  // The group as discovery has it, built-in ones too; null: there is none.
  const discovery::Group* FindGroup(std::string_view name) const;
  // "/api", "/api/v1", "/apis", "/apis/GROUP", "/apis/GROUP/VERSION", with or without a slash at the end;
  // nullopt: there is no such document.
  std::optional<discovery::Document> FindDocument(std::string_view path) const;

 private:
  // What stays the same in all sets.
  struct BuiltIn {
    struct Group {
      std::string_view name;
      std::vector<const ServedResource*> resources;
    };
    std::vector<Group> groups;  // in the order of discovery
    std::string server_address;
  };
  using Groups = base::HashTrie<discovery::Group>;
  // Groups of which something is built in or registered, with their custom resources.
  using MixedGroups = std::map<std::string, discovery::GroupPtr, std::less<>>;

  CustomSet(std::shared_ptr<const BuiltIn> built_in, Groups custom, discovery::RegisteredPtr registered,
            std::shared_ptr<const MixedGroups> mixed);
  const discovery::Group* FindCustomGroup(std::string_view name) const;
  discovery::Order order() const;
  discovery::GroupPtr MakeMixed(std::string_view name) const;
  std::shared_ptr<const MixedGroups> MakeAllMixed() const;
  const discovery::Roots& roots() const;

  const std::shared_ptr<const BuiltIn> built_in_;
  const Groups custom_;  // with nothing but their custom resources
  const discovery::RegisteredPtr registered_;
  std::shared_ptr<const MixedGroups> mixed_;  // constant once this is made
  mutable std::once_flag roots_made_;
  mutable std::unique_ptr<const discovery::Roots> roots_;
};

}  // namespace keelson::endpoints
