// ObjectFactory: makes Objects of one resource from stored bytes. It reads what selectors
// need off the encoded message by field number; it never builds a document.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/types/resource_desc.h"
#include "storage/object.h"
#include "storage/stored_encoding.h"

namespace keelson::storage {

// Object::stored_seal of an object that is stored in a version that is not written any more, so that its next
// update writes it again. No backend gives it out.
constexpr uint16_t kStaleSeal = 0xffff;

// Threads: immutable once made; any number of threads may use it.
class ObjectFactory {
 public:
  // `prefix`: of the resource's keys, without a slash at the end ("/registry/pods").
  // Requires: every selectable field of `resource` names a scalar of its type or has a
  // derivation (object_factory.cc); anything else is a mistake in the tables and throws.
  ObjectFactory(const api::ResourceDesc& resource, std::string prefix);
  ~ObjectFactory();

  // The object that `stored` is at `revision`: an envelope without resourceVersion, or with an
  // old one; or another encoding in the store (StoredEncoding).
  // At revision 0, of an object that is kept nowhere, it has no resourceVersion.
  // kCorrupt: the bytes are neither, or the key is not below the prefix.
  // `seal`: the backend's, of the stored value.
  Result<ObjectPtr> Make(std::string_view key, std::string_view stored, Revision create_revision,
                         Revision revision, uint16_t seal = 0) const;

  // What goes into the store for an object that is `envelope` in memory, without resourceVersion.
  base::Slice ToStored(const Draft& draft) const {
    return stored_encoding_ ? stored_encoding_->ToStored(draft.envelope, draft.settled) : draft.envelope;
  }
  // Whether objects are stored in another encoding than they have in memory.
  bool has_stored_encoding() const { return stored_encoding_.has_value(); }

  // The same object with another resourceVersion: what a deletion shows.
  ObjectPtr AtRevision(const Object& object, Revision revision) const;

  const std::string& prefix() const { return prefix_; }
  // How the resource is told of: "" and "pods", and below "/pods" are its keys, whatever the store puts
  // before.
  const std::string& group() const { return group_; }
  const std::string& resource() const { return resource_; }
  std::string_view own_prefix() const { return std::string_view(prefix_).substr(root_bytes_); }

 private:
  struct PathNode;
  class Scan;
  struct Parts {
    std::string_view key, head, message;
  };

  // The slot that scanning fills with the scalar at `path`.
  uint16_t SlotOf(std::string_view path, const api::TypeDesc& root);
  void AddCustomFields(const api::ResourceDesc& resource);
  ObjectPtr Assemble(const Parts& parts, const Scan& scan, Revision create_revision, Revision revision,
                     uint16_t seal) const;

  const std::string prefix_;
  const std::string group_, resource_;
  const size_t root_bytes_;  // of `prefix_`, before what is the resource's own
  const bool namespaced_;
  const api::TypeDesc& stored_type_;
  const std::optional<StoredEncoding> stored_encoding_;
  // Of a custom resource: its selectable fields, each as the names that lead to it.
  std::vector<std::vector<std::string>> custom_fields_;
  std::vector<PathNode> paths_;                // the tree of field numbers that lead to the slots
  std::vector<std::string_view> zeros_;        // by slot: what an absent field reads as
  std::vector<std::vector<uint16_t>> fields_;  // by selectable field: the slots to choose from
};

}  // namespace keelson::storage
