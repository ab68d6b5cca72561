// Managed: metadata.managedFields of one object, taken apart.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "api/generated/meta_v1.h"
#include "api/managed_fields/field_set.h"
#include "base/result.h"

namespace keelson::api::managed_fields {

// One entry: a manager with what it owns.
struct Manager {
  std::string_view name, subresource, api_version;
  bool applied = false;  // by apply; else by update
  std::optional<int64_t> time;

  const FieldSet* set = nullptr;  // once Read() was called
  // How the set is written, as long as it is as it was stored; else empty.
  std::string_view text = {};
  bool unread = false;

  // Decodes `text` if that was not done yet.
  const FieldSet* Read(Arena& arena);
  // False for certain when no path of `changes` is owned; found without decoding.
  bool MayOwn(const FieldSet& changes) const;
  void Replace(const FieldSet* owned) {
    set = owned;
    text = {};
    unread = false;
  }

  // What makes it one manager: appliers are the same whatever the version they use.
  using Identity = std::tuple<bool, std::string_view, std::string_view, std::string_view>;
  Identity identity() const {
    return {applied, name, subresource, applied ? std::string_view() : api_version};
  }
  // What upstream sorts by and prints in conflicts.
  std::string Identifier() const;
};

class Managed {
 public:
  // Decodes `entries`; strings are shared with them. The error is why they are not valid.
  // `stored`: entries as they are stored. They are known to be valid, so they are decoded
  // only when someone looks, and need not be written anew.
  static base::Result<Managed, std::string> Decode(ListView<meta_v1::ManagedFieldsEntryView> entries,
                                                   ListView<meta_v1::ManagedFieldsEntryView> stored,
                                                   Arena& arena);

  std::vector<Manager>& managers() { return managers_; }
  const std::vector<Manager>& managers() const { return managers_; }
  bool empty() const { return managers_.empty(); }
  Manager* Find(const Manager& manager);

  void DropEmpty();
  // Merges the oldest updaters until no more than `most` are left.
  void CapUpdaters(size_t most, Arena& arena);

  // Writes the entries, sorted, in place of those that `metadata` has.
  void EncodeTo(meta_v1::ObjectMetaEditor metadata) const;

 private:
  std::vector<Manager> managers_;
};

}  // namespace keelson::api::managed_fields
