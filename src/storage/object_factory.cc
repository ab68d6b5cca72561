#include "storage/object_factory.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <new>
#include <span>
#include <stdexcept>
#include <string>

#include "api/codec/json.h"
#include "api/codec/protobuf.h"
#include "api/codec/protobuf_wire.h"
#include "api/patch/go_format.h"
#include "api/types/custom_type.h"

namespace keelson::storage {
namespace {

using api::Kind;
namespace protobuf = api::protobuf;

// Selectable names that are no path of the type, and where their value comes from: the
// first of the paths that is not empty. No path: accepted, and always empty.
struct Derivation {
  std::string_view kind, field;
  std::array<std::string_view, 2> paths;
};
constexpr Derivation kDerivations[] = {
    {"Pod", "spec.host", {"spec.nodeName"}},
    {"Pod", "status.podIPs", {}},
    {"Event", "source", {"source.component", "reportingComponent"}},
    {"Job", "status.successful", {"status.succeeded"}},
};

// Goes over the fields of one protobuf message. Ends early, with ok() false, where the
// bytes are malformed.
class FieldReader {
 public:
  explicit FieldReader(std::string_view message) : reader_(message) {}

  bool Next() {
    if (reader_.done()) return false;
    ok_ = reader_.Tag(&number_, &type_) && Value();
    return ok_;
  }

  bool ok() const { return ok_; }
  uint32_t number() const { return number_; }
  bool length_delimited() const { return type_ == protobuf::kBytes; }
  std::string_view bytes() const { return bytes_; }  // when length_delimited()
  uint64_t value() const { return value_; }          // of a varint

 private:
  bool Value() {
    if (type_ == protobuf::kBytes) return reader_.Bytes(&bytes_);
    if (type_ == protobuf::kVarint) return reader_.Varint(&value_);
    return reader_.Skip(type_);
  }

  protobuf::WireReader reader_;
  bool ok_ = true;
  uint32_t number_ = 0;
  uint32_t type_ = 0;
  uint64_t value_ = 0;
  std::string_view bytes_;
};

constexpr uint32_t kMetadata = 1;
constexpr uint32_t kUid = 5;
constexpr uint32_t kLabels = 11;
constexpr uint32_t kContent = 2;  // of custom objects: JSON

std::string_view ZeroText(Kind kind) {
  switch (kind) {
    case Kind::kBool: return "false";
    case Kind::kInt32:
    case Kind::kInt64: return "0";
    default: return "";
  }
}

using DecimalBuffer = std::array<char, 24>;

std::string_view Decimal(int64_t number, DecimalBuffer& buffer) {
  auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr;
  return {buffer.data(), end};
}

}  // namespace

struct ObjectFactory::PathNode {
  uint32_t number = 0;
  Kind kind = Kind::kStruct;
  int slot = -1;  // where a scalar's value goes
  std::vector<PathNode> below;
};

// What one pass over a message found.
class ObjectFactory::Scan {
 public:
  // Reads `message`; false when it is malformed.
  bool Run(std::string_view message, const ObjectFactory& factory) {
    values_ = factory.zeros_;
    texts_.resize(values_.size());
    labels_.clear();
    uid_ = {};
    FieldReader r(message);
    while (r.Next()) {
      if (r.number() == kMetadata && r.length_delimited() && !Metadata(r.bytes())) return false;
      if (!Visit(r, factory.paths_)) return false;
    }
    if (!factory.custom_fields_.empty() && !CustomFields(message, factory)) return false;
    // Encoders write maps in order of the key; others need not.
    if (!std::ranges::is_sorted(labels_, {}, &Label::first))
      std::ranges::stable_sort(labels_, {}, &Label::first);
    return r.ok();
  }

  using Label = std::pair<std::string_view, std::string_view>;
  std::span<const Label> labels() const { return labels_; }
  std::string_view uid() const { return uid_; }
  // The first of `slots` that is not empty.
  std::string_view Choose(std::span<const uint16_t> slots) const {
    for (uint16_t slot : slots)
      if (!values_[slot].empty()) return values_[slot];
    return {};
  }

 private:
  // As Go prints what is there; nothing where nothing is.
  bool CustomFields(std::string_view message, const ObjectFactory& factory) {
    custom_texts_.assign(factory.custom_fields_.size(), {});
    const auto content = protobuf::FindBytes(message, {kContent});
    if (!content) return true;
    api::Arena arena;
    const auto tree = api::json::DecodeAny(*content, arena);
    if (!tree) return false;
    for (size_t i = 0; i < custom_texts_.size(); ++i) {
      const api::Value* at = &*tree;
      for (const std::string& name : factory.custom_fields_[i])
        at = at && at->map() ? at->map()->Find(name) : nullptr;
      if (at && !at->is(api::Value::Tag::kNull))
        custom_texts_[i] = at->is(api::Value::Tag::kString) ? std::string(at->string()) : api::GoFormat(*at);
      values_[factory.fields_[i].front()] = custom_texts_[i];
    }
    return true;
  }

  bool Metadata(std::string_view message) {
    FieldReader r(message);
    while (r.Next()) {
      if (!r.length_delimited()) continue;
      if (r.number() == kUid) uid_ = r.bytes();
      if (r.number() == kLabels && !AddLabel(r.bytes())) return false;
    }
    return r.ok();
  }

  bool AddLabel(std::string_view entry) {
    Label label;
    FieldReader r(entry);
    while (r.Next()) {
      if (!r.length_delimited()) continue;
      if (r.number() == 1) label.first = r.bytes();
      if (r.number() == 2) label.second = r.bytes();
    }
    labels_.push_back(label);
    return r.ok();
  }

  bool Visit(const FieldReader& r, std::span<const PathNode> paths) {
    auto node = std::ranges::find(paths, r.number(), &PathNode::number);
    if (node == paths.end()) return true;
    if (node->slot >= 0 && !Take(r, *node)) return false;
    if (node->below.empty()) return true;
    if (!r.length_delimited()) return false;
    FieldReader inner(r.bytes());
    while (inner.Next())
      if (!Visit(inner, node->below)) return false;
    return inner.ok();
  }

  bool Take(const FieldReader& r, const PathNode& node) {
    if (r.length_delimited() != (node.kind == Kind::kString)) return false;
    const auto slot = static_cast<size_t>(node.slot);
    switch (node.kind) {
      case Kind::kString: values_[slot] = r.bytes(); break;
      case Kind::kBool: values_[slot] = r.value() ? "true" : "false"; break;
      default: values_[slot] = Decimal(static_cast<int64_t>(r.value()), texts_[slot]);
    }
    return true;
  }

  std::vector<std::string_view> values_;  // by slot; into the message, texts_ or literals
  std::vector<DecimalBuffer> texts_;      // by slot
  std::vector<std::string> custom_texts_;
  std::vector<Label> labels_;
  std::string_view uid_;
};

ObjectFactory::ObjectFactory(const api::ResourceDesc& resource, std::string prefix)
    : prefix_(std::move(prefix)),
      group_(resource.group),
      resource_(resource.plural),
      root_bytes_(prefix_.ends_with(resource.storage_prefix) ? prefix_.size() - resource.storage_prefix.size()
                                                             : 0),
      namespaced_(resource.namespaced),
      stored_type_(resource.storage_type ? *resource.storage_type : *resource.type),
      stored_encoding_(StoredEncoding::Of(resource)) {
  if (api::IsCustom(resource)) {
    AddCustomFields(resource);
    return;
  }
  for (std::string_view field : resource.selectable_fields) {
    auto special = std::ranges::find_if(
        kDerivations, [&](const Derivation& d) { return d.kind == resource.kind && d.field == field; });
    std::vector<uint16_t> slots;
    if (special == std::end(kDerivations)) {
      slots.push_back(SlotOf(field, *resource.type));
    } else {
      for (std::string_view path : special->paths)
        if (!path.empty()) slots.push_back(SlotOf(path, *resource.type));
    }
    fields_.push_back(std::move(slots));
  }
}

ObjectFactory::~ObjectFactory() = default;

void ObjectFactory::AddCustomFields(const api::ResourceDesc& resource) {
  for (std::string_view path : resource.selectable_fields) {
    std::vector<std::string>& names = custom_fields_.emplace_back();
    while (!path.empty()) {
      const std::string_view name = path.substr(0, path.find('.'));
      path.remove_prefix(std::min(path.size(), name.size() + 1));
      names.emplace_back(name);
    }
    fields_.push_back({static_cast<uint16_t>(zeros_.size())});
    zeros_.emplace_back();
  }
}

uint16_t ObjectFactory::SlotOf(std::string_view path, const api::TypeDesc& root) {
  const auto bad = [&] {
    return std::logic_error("selectable field is no scalar of " + std::string(root.name) + ": " +
                            std::string(path));
  };
  const api::TypeDesc* type = &root;
  std::vector<PathNode>* level = &paths_;
  PathNode* node = nullptr;
  const auto step = [&](const api::FieldDesc& field) {
    auto at = std::ranges::find(*level, field.number, &PathNode::number);
    if (at == level->end())
      at = level->insert(at, PathNode{.number = field.number, .kind = field.type->kind});
    node = &*at;
    level = &node->below;
    type = field.type;
  };
  for (std::string_view rest = path; !rest.empty();) {
    const std::string_view name = rest.substr(0, rest.find('.'));
    rest.remove_prefix(std::min(rest.size(), name.size() + 1));
    if (type->kind != Kind::kStruct) throw bad();
    const api::MemberRef member = type->FindMember(name);
    if (!member.field) throw bad();
    if (member.outer) step(*member.outer);
    if (member.inner) step(*member.inner);
    step(*member.field);
  }
  switch (node->kind) {
    case Kind::kString:
    case Kind::kBool:
    case Kind::kInt32:
    case Kind::kInt64: break;
    default: throw bad();
  }
  if (node->slot < 0) {
    node->slot = static_cast<int>(zeros_.size());
    zeros_.push_back(ZeroText(node->kind));
  }
  return static_cast<uint16_t>(node->slot);
}

Result<ObjectPtr> ObjectFactory::Make(std::string_view key, std::string_view stored, Revision create_revision,
                                      Revision revision, uint16_t seal) const {
  const auto corrupt = [&](std::string detail) {
    return base::Err(Error{
        .code = Code::kCorrupt, .detail = std::move(detail), .key = std::string(key), .revision = revision});
  };
  if (!key.starts_with(prefix_) || key.size() <= prefix_.size() + 1)
    return corrupt("key is not below " + prefix_);
  if (stored.starts_with('{')) {
    auto envelope =
        stored_encoding_ ? stored_encoding_->FromJson(stored) : EnvelopeOfJson(stored, stored_type_);
    if (!envelope) return corrupt(std::move(envelope.error()));
    if (stored_encoding_ && stored_encoding_->IsOutdated(stored)) seal = kStaleSeal;
    return Make(key, envelope->view(), create_revision, revision, seal);
  }
  auto envelope = protobuf::ParseEnvelope(stored);
  if (!envelope) return corrupt(std::move(envelope.error().message));

  // Scratch space that this thread keeps: an object is then one allocation and one copy.
  thread_local base::BufferBuilder message, head;
  thread_local Scan scan;
  message.Clear();
  head.Clear();
  DecimalBuffer buffer;
  const std::string_view resource_version = revision > 0 ? Decimal(revision, buffer) : std::string_view();
  if (!protobuf::SpliceResourceVersion(envelope->raw, resource_version, message))
    return corrupt("metadata is malformed");
  if (!scan.Run(message.view(), *this)) return corrupt("message is malformed");
  const std::string_view version =
      stored_encoding_ ? stored_encoding_->VersionInMemory(envelope->api_version) : envelope->api_version;
  protobuf::AppendEnvelopeHead(version, envelope->kind, message.size(), head);
  ObjectPtr object = Assemble({key, head.view(), message.view()}, scan, create_revision, revision, seal);
  message.Clear();
  return object;
}

ObjectPtr ObjectFactory::Assemble(const Parts& parts, const Scan& scan, Revision create_revision,
                                  Revision revision, uint16_t seal) const {
  const std::string_view tail = protobuf::EnvelopeTail();
  const auto labels = scan.labels();
  const size_t refs = 2 * labels.size() + fields_.size();
  const auto inside = [&](std::string_view text) {
    return text.data() >= parts.message.data() &&
           text.data() + text.size() <= parts.message.data() + parts.message.size();
  };
  size_t texts_size = 0;
  for (const auto& slots : fields_)
    if (auto text = scan.Choose(slots); !inside(text)) texts_size += text.size();
  const size_t key_at = sizeof(Object) + refs * sizeof(Object::Ref);
  const size_t texts_at = key_at + parts.key.size();
  const size_t bytes_at = texts_at + texts_size;
  const size_t bytes_size = parts.head.size() + parts.message.size() + tail.size();
  const size_t size = bytes_at + bytes_size;
  void* memory = std::malloc(size);
  if (!memory) throw std::bad_alloc();
  auto* object = new (memory) Object();
  char* base = static_cast<char*>(memory);
  const auto ref = [](size_t offset, size_t length) {
    return Object::Ref{static_cast<uint32_t>(offset), static_cast<uint32_t>(length)};
  };
  const auto put = [&](size_t offset, std::string_view text) {
    std::char_traits<char>::copy(base + offset, text.data(), text.size());
    return ref(offset, text.size());
  };
  const size_t message_at = bytes_at + parts.head.size();
  const auto in_message = [&](std::string_view text) {
    if (text.empty()) return ref(message_at, 0);
    return ref(message_at + static_cast<size_t>(text.data() - parts.message.data()), text.size());
  };

  object->size_ = static_cast<uint32_t>(size);
  object->stored_seal_ = seal;
  object->revision_ = revision;
  object->create_revision_ = create_revision;
  object->bytes_ = ref(bytes_at, bytes_size);
  put(bytes_at, parts.head);
  object->message_ = put(message_at, parts.message);
  put(message_at + parts.message.size(), tail);
  object->uid_ = in_message(scan.uid());

  put(key_at, parts.key);
  object->key_offset_ = static_cast<uint32_t>(key_at);
  object->key_size_ = static_cast<uint32_t>(parts.key.size());
  const std::string_view relative = parts.key.substr(prefix_.size() + 1);
  const size_t slash = namespaced_ ? relative.find('/') : std::string_view::npos;
  object->ns_offset_ = static_cast<uint32_t>(key_at + prefix_.size() + 1);
  object->ns_size_ = slash == std::string_view::npos ? 0 : static_cast<uint32_t>(slash);
  object->name_offset_ = object->ns_offset_ + (slash == std::string_view::npos ? 0 : object->ns_size_ + 1);

  object->label_count_ = static_cast<uint16_t>(labels.size());
  object->field_count_ = static_cast<uint16_t>(fields_.size());
  auto* out = reinterpret_cast<Object::Ref*>(object + 1);
  for (const auto& [name, value] : labels) {
    *out++ = in_message(name);
    *out++ = in_message(value);
  }
  size_t text_at = texts_at;
  for (const auto& slots : fields_) {
    const std::string_view text = scan.Choose(slots);
    *out++ = inside(text) ? in_message(text) : put(text_at, text);
    if (!inside(text)) text_at += text.size();
  }
  return ObjectPtr(object);
}

ObjectPtr ObjectFactory::AtRevision(const Object& object, Revision revision) const {
  auto made = Make(object.key(), object.bytes(), object.create_revision(), revision);
  // The bytes of an Object were parsed when it was made.
  if (!made) throw std::logic_error("object does not decode: " + made.error().detail);
  return std::move(*made);
}

}  // namespace keelson::storage
