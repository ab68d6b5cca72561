#include "storage/embedded/observer_table.h"

#include <algorithm>

namespace keelson::storage {
namespace {
constexpr auto kByPrefix = [](const auto& group, std::string_view prefix) { return group->prefix < prefix; };
}  // namespace

void ObserverTable::Add(std::string_view prefix, Observer& observer) {
  base::MutexLock lock(mu_);
  AddLocked(prefix, observer);
}

bool ObserverTable::AddIf(std::string_view prefix, Observer& observer, Revision revision,
                          const std::function<bool()>& nothing_newer) {
  base::MutexLock lock(mu_);
  if (!nothing_newer()) return false;
  observer.OnChanges({}, revision);
  AddLocked(prefix, observer);
  return true;
}

void ObserverTable::AddLocked(std::string_view prefix, Observer& observer) {
  auto at = std::lower_bound(groups_.begin(), groups_.end(), prefix, kByPrefix);
  if (at == groups_.end() || (*at)->prefix != prefix) {
    at = groups_.insert(at, std::make_unique<Group>());
    Group& group = **at;
    group.prefix = prefix;
    // The group before has every candidate above it.
    group.parent = at == groups_.begin() ? nullptr : std::prev(at)->get();
    while (group.parent && !prefix.starts_with(group.parent->prefix)) group.parent = group.parent->parent;
    Adopt(at, group.parent, &group);
  }
  (*at)->observers.push_back(&observer);
}

void ObserverTable::Remove(std::string_view prefix, Observer& observer) {
  base::MutexLock lock(mu_);
  auto at = std::lower_bound(groups_.begin(), groups_.end(), prefix, kByPrefix);
  if (at == groups_.end() || (*at)->prefix != prefix) return;
  std::erase((*at)->observers, &observer);
  if (!(*at)->observers.empty()) return;
  Adopt(at, at->get(), (*at)->parent);
  groups_.erase(at);
}

void ObserverTable::Adopt(Groups::iterator at, const Group* from, Group* to) {
  const std::string& prefix = (*at)->prefix;
  for (auto below = std::next(at); below != groups_.end() && (*below)->prefix.starts_with(prefix); ++below)
    if ((*below)->parent == from) (*below)->parent = to;
}

// The longest prefix of `key`; the others are its parents. A prefix P of the key sorts
// before the key, and what sorts between P and the key starts with P too. So the last
// group not after the key is P itself or below it, and P is found going up from there.
ObserverTable::Group* ObserverTable::Match(std::string_view key) {
  auto after = std::upper_bound(groups_.begin(), groups_.end(), key,
                                [](std::string_view k, const auto& group) { return k < group->prefix; });
  if (after == groups_.begin()) return nullptr;
  Group* group = std::prev(after)->get();
  while (group && !key.starts_with(group->prefix)) group = group->parent;
  return group;
}

void ObserverTable::Publish(std::span<const Change> changes, Revision revision) {
  base::MutexLock lock(mu_);
  for (const Change& change : changes) {
    for (Group* group = Match(change.key); group; group = group->parent) {
      if (group->pending.empty()) touched_.push_back(group);
      group->pending.push_back(change);
    }
  }
  for (Group* group : touched_) {
    for (Observer* observer : group->observers) observer->OnChanges(group->pending, revision);
    group->pending.clear();
  }
  touched_.clear();
}

void ObserverTable::BreakAll(const Error& error, bool history_lost) {
  base::MutexLock lock(mu_);
  for (const auto& group : groups_)
    for (Observer* observer : group->observers)
      history_lost ? observer->OnHistoryLost(error) : observer->OnBroken(error);
  groups_.clear();
}

}  // namespace keelson::storage
