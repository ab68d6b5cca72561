#include "api/managed_fields/managed.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "api/codec/json.h"
#include "api/managed_fields/fields_v1.h"

namespace keelson::api::managed_fields {
namespace {

constexpr std::string_view kApply = "Apply";
constexpr std::string_view kUpdate = "Update";
constexpr std::string_view kFieldsV1 = "FieldsV1";

}  // namespace

const FieldSet* Manager::Read(Arena& arena) {
  if (!unread) return set;
  unread = false;
  auto decoded = DecodeFields(text, arena);
  set = decoded ? *decoded : nullptr;
  return set;
}

bool Manager::MayOwn(const FieldSet& changes) const {
  // Searching the text for many names would take longer than decoding it.
  constexpr size_t kFewNames = 16;
  if (!unread || changes.size > kFewNames) return true;
  // Names of members at the root need no escapes in JSON.
  std::string key;
  return std::ranges::any_of(changes.entries(), [&](const FieldSet::Entry& e) {
    key.assign("\"f:").append(e.element.name).append("\"");
    return text.find(key) != text.npos;
  });
}

std::string Manager::Identifier() const {
  base::BufferBuilder out;
  auto member = [&](std::string_view key, std::string_view value) {
    if (value.empty()) return;
    out.Append(out.size() == 0 ? "{\"" : ",\"");
    out.Append(key);
    out.Append("\":");
    json::EncodeString(value, out);
  };
  member("manager", name);
  member("operation", applied ? kApply : kUpdate);
  if (!applied) member("apiVersion", api_version);
  member("subresource", subresource);
  out.Append('}');
  return std::string(out.view());
}

base::Result<Managed, std::string> Managed::Decode(ListView<meta_v1::ManagedFieldsEntryView> entries,
                                                   ListView<meta_v1::ManagedFieldsEntryView> stored,
                                                   Arena& arena) {
  Managed managed;
  managed.managers_.reserve(entries.size() + 1);
  std::map<Manager::Identity, size_t> places;
  size_t i = 0;
  for (auto entry : entries) {
    if (entry.operation() != kApply && entry.operation() != kUpdate)
      return base::Err(std::string("operation must be `Apply` or `Update`"));
    if (entry.api_version().empty()) return base::Err(std::string("apiVersion must not be empty"));
    if (entry.fields_type() != kFieldsV1)
      return base::Err("invalid fieldsType in managed fields entry " + std::to_string(i));
    Manager manager{entry.manager(), entry.subresource(), entry.api_version(), entry.operation() == kApply};
    if (entry.has_time()) manager.time = entry.time();
    if (i < stored.size() && stored[i].fields_v1() == entry.fields_v1()) {
      manager.text = entry.fields_v1();
      manager.unread = true;
    } else {
      auto set = DecodeFields(entry.fields_v1(), arena);
      if (!set) return base::Err("error decoding set: " + set.error());
      manager.set = *set;
    }
    const auto [place, fresh] = places.try_emplace(manager.identity(), managed.managers_.size());
    if (fresh)
      managed.managers_.push_back(manager);
    else
      managed.managers_[place->second] = manager;
    ++i;
  }
  return managed;
}

Manager* Managed::Find(const Manager& manager) {
  auto found = std::ranges::find(managers_, manager.identity(), &Manager::identity);
  return found == managers_.end() ? nullptr : &*found;
}

void Managed::DropEmpty() {
  std::erase_if(managers_, [](const Manager& m) { return !m.unread && !m.set; });
}

void Managed::CapUpdaters(size_t most, Arena& arena) {
  size_t updaters = static_cast<size_t>(std::ranges::count(managers_, false, &Manager::applied));
  if (updaters <= most) return;
  std::vector<std::tuple<int64_t, std::string, size_t>> oldest;
  for (size_t i = 0; i < managers_.size(); ++i)
    if (!managers_[i].applied)
      oldest.emplace_back(managers_[i].time.value_or(0), managers_[i].Identifier(), i);
  std::ranges::sort(oldest);
  // The first updater of a version becomes the bucket that the next ones fall into.
  struct Bucket {
    size_t into = 0;
    std::vector<const FieldSet*> sets;
  };
  std::map<std::string_view, Bucket> buckets;
  for (const auto& [time, id, i] : oldest) {
    if (updaters <= most) break;
    Manager& manager = managers_[i];
    auto [bucket, first] = buckets.try_emplace(manager.api_version, Bucket{i, {}});
    bucket->second.sets.push_back(manager.Read(arena));
    if (first) continue;
    managers_[bucket->second.into].time = manager.time;
    manager.Replace(nullptr);
    --updaters;
  }
  for (auto& [version, bucket] : buckets) {
    if (bucket.sets.size() == 1) continue;
    Manager& into = managers_[bucket.into];
    into.name = "ancient-changes";
    into.subresource = {};
    into.Replace(UnionOf(bucket.sets, arena));
  }
  DropEmpty();
}

void Managed::EncodeTo(meta_v1::ObjectMetaEditor metadata, bool sort_keys) const {
  metadata.clear_managed_fields();
  std::vector<const Manager*> sorted;
  sorted.reserve(managers_.size());
  for (const Manager& m : managers_) sorted.push_back(&m);
  auto order = [](const Manager* m) {
    return std::tuple(!m->applied, m->time.value_or(0), m->name, m->api_version, m->subresource);
  };
  std::ranges::sort(sorted, {}, order);
  base::BufferBuilder text;
  for (const Manager* m : sorted) {
    auto entry = metadata.add_managed_fields();
    entry.set_manager(m->name);
    entry.set_operation_static(m->applied ? kApply : kUpdate);
    entry.set_api_version(m->api_version);
    if (m->time) entry.set_time(*m->time);
    entry.set_fields_type_static(kFieldsV1);
    if (m->text.empty()) {
      sort_keys ? EncodeFieldsByKey(m->set, text) : EncodeFields(m->set, text);
      entry.set_fields_v1(text.view());
      text.Truncate(0);
    } else {
      entry.set_fields_v1(m->text);
    }
    entry.set_subresource(m->subresource);
  }
}

}  // namespace keelson::api::managed_fields
