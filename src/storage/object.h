// Object: one stored object as it is kept in memory: immutable, shared, one allocation.
// The bytes are protobuf in upstream's envelope with metadata.resourceVersion set: a protobuf client gets
// them as they are, unless it asks for a version with other content. A custom object is in that envelope,
// in the version that is stored, as a message of two fields: 1 the metadata, 2 the JSON of the rest. The
// store has it as JSON (StoredEncoding), and no client is given its bytes: upstream has no protobuf of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "base/intrusive_ptr.h"
#include "base/slice.h"
#include "storage/errors.h"

namespace keelson::storage {

// In memory: this header, the selector block, the key, the texts of derived fields, the
// bytes. The selector block is references into the rest, so a label costs 16 bytes
// and no copy.
class Object final : public base::RefCounted<Object> {
 public:
  Revision revision() const { return revision_; }
  Revision create_revision() const { return create_revision_; }
  std::string_view key() const { return At({key_offset_, key_size_}); }  // "/registry/pods/ns/name"
  std::string_view ns() const { return At({ns_offset_, ns_size_}); }     // empty when cluster-scoped
  std::string_view name() const { return At({name_offset_, key_offset_ + key_size_ - name_offset_}); }
  std::string_view uid() const { return At(uid_); }

  std::string_view bytes() const { return At(bytes_); }      // envelope and all
  std::string_view message() const { return At(message_); }  // the message inside the envelope

  // The selector block: labels and selectable fields.
  size_t label_count() const { return label_count_; }
  std::pair<std::string_view, std::string_view> label(size_t i) const {  // sorted by key
    return {At(refs()[2 * i]), At(refs()[2 * i + 1])};
  }
  std::optional<std::string_view> FindLabel(std::string_view key) const;
  // The value of the i-th of ResourceDesc::selectable_fields.
  std::string_view field(size_t i) const { return At(refs()[size_t{2} * label_count_ + i]); }
  size_t field_count() const { return field_count_; }

  size_t memory_bytes() const { return size_; }          // what the allocation takes
  uint16_t stored_seal() const { return stored_seal_; }  // Backend's SealId, when it was read
  static void Destroy(Object* object);

 private:
  friend class ObjectFactory;
  // A run of bytes, counted from the start of the object.
  struct Ref {
    uint32_t offset = 0, size = 0;
  };

  Object() = default;
  ~Object() = default;
  std::string_view At(Ref r) const { return {reinterpret_cast<const char*>(this) + r.offset, r.size}; }
  const Ref* refs() const { return reinterpret_cast<const Ref*>(this + 1); }

  uint32_t size_ = 0;
  uint16_t stored_seal_ = 0;
  Revision revision_ = 0;
  Revision create_revision_ = 0;
  Ref bytes_, message_, uid_;
  uint32_t key_offset_ = 0, key_size_ = 0, ns_offset_ = 0, ns_size_ = 0, name_offset_ = 0;
  uint16_t label_count_ = 0, field_count_ = 0;
};

using ObjectPtr = base::IntrusivePtr<const Object>;

// An object that is to be stored.
struct Draft {
  Draft() = default;
  Draft(base::Slice bytes) : envelope(std::move(bytes)) {}

  base::Slice envelope;  // without resourceVersion
  // Reading it back from its stored encoding (StoredEncoding) would give this envelope. The cache then takes
  // it as it is.
  bool settled = false;
};

// Whether `stored`, an envelope, differs from `current` in its resourceVersion at most.
bool SameContent(const Object& current, std::string_view stored);

}  // namespace keelson::storage
