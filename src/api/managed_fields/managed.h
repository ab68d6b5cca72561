// Managed: the decoded metadata.managedFields of one object.
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

// One entry of managedFields: a manager and the fields that it owns.
struct Manager {
  std::string_view name, subresource, api_version;
  bool applied = false;         // true: the operation is Apply; false: it is Update
  std::optional<int64_t> time;  // of the manager's last change

  const FieldSet* set = nullptr;  // the owned fields; null while `unread`, and for the empty set
  std::string_view text = {};     // the stored JSON of the owned fields; empty once they have changed
  bool unread = false;            // true: `text` has the owned fields, and `set` does not have them yet

  // Returns the owned fields. Decodes `text` at the first call.
  const FieldSet* Read(Arena& arena);
  // Returns false only if the manager owns no path of `changes`. Decodes nothing; may return true where the
  // manager owns none of them.
  bool MayOwn(const FieldSet& changes) const;
  // Makes `owned` the fields that the manager owns.
  void Replace(const FieldSet* owned) {
    set = owned;
    text = {};
    unread = false;
  }

  // Two entries with equal identities are one manager. The version counts for updaters only: an applier stays
  // the same manager when it applies another version.
  using Identity = std::tuple<bool, std::string_view, std::string_view, std::string_view>;
  Identity identity() const {
    return {applied, name, subresource, applied ? std::string_view() : api_version};
  }
  // The identity as upstream writes it, in JSON. Conflicts are sorted by it.
  std::string Identifier() const;
};

class Managed {
 public:
  // Decodes `entries`. The result refers to their strings. The error says what is not valid in them.
  // `stored` are the entries that the stored object has. The fields of an entry that equals the stored one at
  // its place are valid: they are decoded at the first Read(), and EncodeTo writes their text as it is.
  static base::Result<Managed, std::string> Decode(ListView<meta_v1::ManagedFieldsEntryView> entries,
                                                   ListView<meta_v1::ManagedFieldsEntryView> stored,
                                                   Arena& arena);

  std::vector<Manager>& managers() { return managers_; }
  const std::vector<Manager>& managers() const { return managers_; }
  bool empty() const { return managers_.empty(); }
  // Returns the manager with the identity of `manager`, or null.
  Manager* Find(const Manager& manager);

  // Removes the managers that own nothing.
  void DropEmpty();
  // Merges the oldest updaters of each version into one, until no more than `most` updaters are left.
  void CapUpdaters(size_t most, Arena& arena);

  // Sorts the entries and writes them to `metadata`. They replace the entries that it has. `sort_keys`: the
  // members of new texts come in the order of their bytes, as those of stored custom objects do; else in
  // that of the paths.
  void EncodeTo(meta_v1::ObjectMetaEditor metadata, bool sort_keys = false) const;

 private:
  std::vector<Manager> managers_;
};

}  // namespace keelson::api::managed_fields
