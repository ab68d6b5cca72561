#include "endpoints/custom_set.h"

#include <algorithm>
#include <utility>

namespace keelson::endpoints {
namespace {

using discovery::Document;
using discovery::Group;
using discovery::GroupPtr;

// "widgets" and "example.com" of "widgets.example.com".
std::pair<std::string_view, std::string_view> SplitDefinition(std::string_view definition) {
  const size_t dot = definition.find('.');
  return {definition.substr(0, dot), dot == definition.npos ? "" : definition.substr(dot + 1)};
}

auto Named(std::string_view name) {
  return [name](const Group& group) { return group.name() == name; };
}

}  // namespace

CustomSet::CustomSet(std::span<const ServedResource> built_in, std::string server_address)
    : CustomSet(
          [&] {
            auto made = std::make_shared<BuiltIn>();
            made->server_address = std::move(server_address);
            for (const ServedResource& resource : built_in) {
              const std::string_view name = resource.desc->group;
              auto group = std::ranges::find(made->groups, name, &BuiltIn::Group::name);
              if (group == made->groups.end()) group = made->groups.insert(group, {name, {}});
              group->resources.push_back(&resource);
            }
            return made;
          }(),
          Groups(), std::make_shared<const discovery::Registered>(), nullptr) {}

CustomSet::CustomSet(std::shared_ptr<const BuiltIn> built_in, Groups custom,
                     discovery::RegisteredPtr registered, std::shared_ptr<const MixedGroups> mixed)
    : built_in_(std::move(built_in)),
      custom_(std::move(custom)),
      registered_(std::move(registered)),
      mixed_(std::move(mixed)) {
  if (!mixed_) mixed_ = MakeAllMixed();
}

CustomSet::~CustomSet() = default;

discovery::Order CustomSet::order() const {
  return {.listed_by_priority = !registered_->empty(),
          .aggregated_by_priority = std::ranges::any_of(
              *registered_, [](const auto& version) { return version.remote.has_value(); })};
}

GroupPtr CustomSet::MakeMixed(std::string_view name) const {
  Group::Parts parts{.name = std::string(name), .order = order()};
  const auto built_in = std::ranges::find(built_in_->groups, name, &BuiltIn::Group::name);
  if (built_in != built_in_->groups.end()) parts.built_in = built_in->resources;
  if (const Group* const custom = FindCustomGroup(name)) parts.custom = custom->custom();
  bool remote = false;
  for (const discovery::RegisteredVersion& version : *registered_) {
    if (version.group != name) continue;
    parts.registered.push_back(version);
    remote = remote || version.remote;
  }
  // An APIService of this server for what it does not serve.
  if (parts.built_in.empty() && parts.custom.empty() && !remote) return nullptr;
  return GroupPtr(new Group(std::move(parts)));
}

std::shared_ptr<const CustomSet::MixedGroups> CustomSet::MakeAllMixed() const {
  auto all = std::make_shared<MixedGroups>();
  const auto add = [&](std::string_view name) {
    if (!all->contains(name)) all->emplace(name, MakeMixed(name));
  };
  for (const BuiltIn::Group& group : built_in_->groups) add(group.name);
  for (const discovery::RegisteredVersion& version : *registered_) add(version.group);
  return all;
}

const CustomSet* CustomSet::With(std::vector<CustomChange> changes) const {
  // Of each group that changes, the resources that it has in the end.
  std::map<std::string, std::vector<ServedResourcePtr>, std::less<>> changed;
  for (CustomChange& change : changes) {
    const auto [plural, group] = SplitDefinition(change.definition);
    auto found = changed.find(group);
    if (found == changed.end()) {
      const Group* const before = FindCustomGroup(group);
      found = changed.emplace(group, before ? before->custom() : std::vector<ServedResourcePtr>()).first;
    }
    std::vector<ServedResourcePtr>& resources = found->second;
    std::erase_if(resources, [&](const ServedResourcePtr& r) { return r->desc->plural == plural; });
    for (ServedResource& served : change.served) {
      served.DescribeBodies();
      resources.push_back(std::make_shared<const ServedResource>(std::move(served)));
    }
  }
  Groups groups = custom_;
  bool mixed = false;
  for (auto& [name, resources] : changed) {
    mixed = mixed || mixed_->contains(name);
    if (resources.empty())
      groups.Remove(Group::HashOf(name), Named(name));
    else
      groups.Put(GroupPtr(new Group({.name = name, .custom = std::move(resources)})), Named(name));
  }
  auto* const next = new CustomSet(built_in_, std::move(groups), registered_, mixed_);
  if (!mixed) return next;
  auto remade = std::make_shared<MixedGroups>(*mixed_);
  for (const auto& [name, resources] : changed)
    if (const auto found = remade->find(name); found != remade->end()) found->second = next->MakeMixed(name);
  next->mixed_ = std::move(remade);
  return next;
}

const CustomSet* CustomSet::With(discovery::RegisteredPtr registered) const {
  return new CustomSet(built_in_, custom_, std::move(registered), nullptr);
}

const Group* CustomSet::FindCustomGroup(std::string_view name) const {
  return custom_.Find(Group::HashOf(name), Named(name));
}

const ServedResource* CustomSet::Find(std::string_view group, std::string_view version,
                                      std::string_view plural) const {
  const Group* const found = FindCustomGroup(group);
  return found ? found->FindCustom(version, plural) : nullptr;
}

bool CustomSet::HasGroup(std::string_view group) const {
  if (FindCustomGroup(group)) return true;
  const auto mixed = mixed_->find(group);
  return mixed != mixed_->end() && mixed->second && mixed->second->remote();
}

const Group* CustomSet::FindGroup(std::string_view name) const {
  const auto mixed = mixed_->find(name);
  return mixed != mixed_->end() ? mixed->second.get() : FindCustomGroup(name);
}

const discovery::Roots& CustomSet::roots() const {
  std::call_once(roots_made_, [this] {
    std::vector<GroupPtr> all, others;
    for (const BuiltIn::Group& group : built_in_->groups) all.push_back(mixed_->find(group.name)->second);
    custom_.ForEach([&](const Group& group) {
      if (!mixed_->contains(group.name())) others.emplace_back(&group);
    });
    for (const auto& [name, group] : *mixed_)
      if (group && std::ranges::find(all, group) == all.end()) others.push_back(group);
    std::ranges::sort(others, {}, [](const GroupPtr& group) { return std::string_view(group->name()); });
    all.insert(all.end(), std::make_move_iterator(others.begin()), std::make_move_iterator(others.end()));
    roots_ = std::make_unique<const discovery::Roots>(std::move(all), order(), built_in_->server_address);
  });
  return *roots_;
}

std::optional<Document> CustomSet::FindDocument(std::string_view path) const {
  if (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  if (path == "/api") return roots().core;
  if (path == "/apis") return roots().groups;
  const bool core = path.starts_with("/api/");
  if (!core && !path.starts_with("/apis/")) return std::nullopt;
  path.remove_prefix(core ? 4 : 6);
  const size_t slash = path.find('/');
  const Group* const group = FindGroup(path.substr(0, slash));
  if (!group || core != group->name().empty()) return std::nullopt;
  if (slash == path.npos) return Document{group->Document(), "APIGroup"};
  auto version = group->VersionDocument(path.substr(slash + 1));
  if (!version) return std::nullopt;
  return Document{*std::move(version), "APIResourceList"};
}

}  // namespace keelson::endpoints
