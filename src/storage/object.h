// Object: one stored object as it is kept in memory: immutable, shared, one allocation.
// The bytes are the canonical encoding (protobuf in its envelope for built-in types, JSON
// for custom ones) with metadata.resourceVersion set, so a protobuf client gets them as is.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/intrusive_ptr.h"
#include "base/slice.h"
#include "storage/errors.h"

namespace keelson::storage {

class Object final : public base::RefCounted<Object> {
 public:
  Revision revision() const { return revision_; }
  Revision create_revision() const { return create_revision_; }
  std::string_view key() const;          // "/registry/pods/ns/name"
  std::string_view ns() const;           // empty when cluster-scoped
  std::string_view name() const;
  std::string_view uid() const;

  std::string_view bytes() const;        // envelope and all, as a protobuf client gets it
  std::string_view message() const;      // the message inside the envelope (JSON: all)

  // The selector block: labels and selectable fields, packed beside the bytes.
  size_t label_count() const;
  std::pair<std::string_view, std::string_view> label(size_t i) const;  // sorted by key
  std::optional<std::string_view> FindLabel(std::string_view key) const;
  // The value of the i-th of ResourceDesc::selectable_fields.
  std::string_view field(size_t i) const;

  size_t memory_bytes() const;           // what the allocation takes
  static void Destroy(Object* object);

 private:
  friend class ObjectFactory;
  Object() = default;
  ~Object() = default;
  Revision revision_ = 0;
  Revision create_revision_ = 0;
  uint32_t key_size_ = 0, ns_size_ = 0, name_size_ = 0, uid_offset_ = 0, uid_size_ = 0;
  uint32_t bytes_offset_ = 0, bytes_size_ = 0, message_offset_ = 0, message_size_ = 0;
  uint32_t selector_offset_ = 0;
  uint16_t label_count_ = 0, field_count_ = 0;
};

using ObjectPtr = base::IntrusivePtr<const Object>;

}  // namespace keelson::storage
