#include "api/meta/object_meta.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <span>
#include <system_error>
#include <unordered_set>

namespace keelson::api {
namespace {

// Random bytes from the kernel, a page of them per system call.
class RandomBytes {
 public:
  uint8_t Next() {
    if (next_ == buffer_.size()) Refill();
    return buffer_[next_++];
  }

 private:
  void Refill() {
    std::span<uint8_t> rest(buffer_);
    while (!rest.empty()) {
      const ssize_t n = getrandom(rest.data(), rest.size(), 0);
      if (n < 0 && errno != EINTR) throw std::system_error(errno, std::generic_category(), "getrandom");
      if (n > 0) rest = rest.subspan(static_cast<size_t>(n));
    }
    next_ = 0;
  }

  std::array<uint8_t, 4096> buffer_;
  size_t next_ = buffer_.size();
};

thread_local RandomBytes random_bytes;

// The same for two references if and only if all their fields are.
std::string WholeText(meta_v1::OwnerReferenceView owner) {
  const auto flag = [](bool given, bool value) { return !given ? '-' : value ? 't' : 'f'; };
  std::string text;
  for (const std::string_view part : {owner.api_version(), owner.kind(), owner.name(), owner.uid()})
    text.append(std::to_string(part.size())).append(":").append(part);
  text += flag(owner.has_controller(), owner.controller());
  text += flag(owner.has_block_owner_deletion(), owner.block_owner_deletion());
  return text;
}

const FieldDesc* MetadataField(const TypeDesc& type) {
  const auto field = std::ranges::find(type.fields, "metadata", &FieldDesc::name);
  if (field == type.fields.end() || field->type != &meta_v1::ObjectMetaView::Type()) return nullptr;
  return &*field;
}

}  // namespace

meta_v1::ObjectMetaView MetadataOf(const Doc& doc) {
  const FieldDesc* field = MetadataField(doc.type());
  return meta_v1::ObjectMetaView(field ? doc.root()->slot(field->ordinal).node() : nullptr);
}

meta_v1::ObjectMetaEditor MutableMetadataOf(Doc& doc) {
  Value& slot = doc.root()->slot(MetadataField(doc.type())->ordinal);
  if (slot.absent()) slot = Value::Of(StructNode::New(meta_v1::ObjectMetaView::Type(), doc.arena()));
  return {slot.node(), &doc.arena()};
}

void FillObjectMetaSystemFields(Doc& doc, const base::Clock& clock) {
  auto metadata = MutableMetadataOf(doc);
  metadata.set_creation_timestamp(NowSeconds(clock));
  metadata.set_uid(NewUid());
}

void WipeObjectMetaSystemFields(Doc& doc) {
  auto metadata = MutableMetadataOf(doc);
  metadata.clear_creation_timestamp();
  metadata.clear_uid();
  metadata.clear_deletion_timestamp();
  metadata.clear_deletion_grace_period_seconds();
  metadata.clear_self_link();
}

std::string DropRepeatedOwners(Doc& doc, bool after_admission) {
  if (MetadataOf(doc).owner_references().size() < 2) return {};
  ListNode& owners = MutableMetadataOf(doc).mutable_owner_references();
  std::unordered_set<std::string> seen;
  std::string repeated;
  size_t kept = 0;
  for (size_t i = 0; i < owners.size; ++i) {
    const meta_v1::OwnerReferenceView owner(owners.items()[i].node());
    if (seen.insert(WholeText(owner)).second) {
      owners.items()[kept++] = owners.items()[i];
    } else {
      repeated.append(repeated.empty() ? "" : ", ").append(owner.uid());
    }
  }
  owners.size = kept;
  if (repeated.empty()) return {};
  std::string warning = ".metadata.ownerReferences contains duplicate entries";
  if (after_admission) warning += " after mutating admission happens";
  warning +=
      "; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please "
      "fix your requests; duplicate UID(s) observed: ";
  return warning + repeated;
}

bool HasFinalizer(meta_v1::ObjectMetaView metadata, std::string_view finalizer) {
  return std::ranges::any_of(metadata.finalizers(), [&](const Value& v) { return v.string() == finalizer; });
}

std::string NewUid() {
  constexpr char kHex[] = "0123456789abcdef";
  std::array<char, 36> text;
  char* out = text.data();
  for (int i = 0; i < 16; ++i) {
    uint8_t byte = random_bytes.Next();
    if (i == 6) byte = (byte & 0x0f) | 0x40;  // version 4
    if (i == 8) byte = (byte & 0x3f) | 0x80;  // RFC 4122
    if (i == 4 || i == 6 || i == 8 || i == 10) *out++ = '-';
    *out++ = kHex[byte >> 4];
    *out++ = kHex[byte & 0xf];
  }
  return {text.data(), text.size()};
}

std::string GenerateName(std::string_view base) {
  // No vowels and nothing that reads like one: no words by accident.
  constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  constexpr size_t kMaxNameLength = 63, kRandomLength = 5;
  std::string out(base.substr(0, kMaxNameLength - kRandomLength));
  const size_t length = out.size() + kRandomLength;
  while (out.size() < length) {
    // Bytes that would favour the first letters are thrown away.
    constexpr size_t kFair = 256 / kAlphabet.size() * kAlphabet.size();
    if (const uint8_t byte = random_bytes.Next(); byte < kFair) out += kAlphabet[byte % kAlphabet.size()];
  }
  return out;
}

int64_t NowSeconds(const base::Clock& clock) {
  return std::chrono::floor<std::chrono::seconds>(clock.Now()).time_since_epoch().count();
}

bool DifferForCollectionOnly(const Doc& now, const Doc& was) {
  const auto without = [](const Doc& doc) {
    Doc copy = doc.Clone();
    auto metadata = MutableMetadataOf(copy);
    metadata.clear_owner_references();
    metadata.clear_finalizers();
    metadata.clear_self_link();
    metadata.clear_managed_fields();
    return copy;
  };
  return Equal(without(now).root(), without(was).root());
}

}  // namespace keelson::api
