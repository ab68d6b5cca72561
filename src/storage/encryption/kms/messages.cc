#include "storage/encryption/kms/messages.h"

#include <utility>

#include "api/codec/protobuf_wire.h"
#include "api/validation/names.h"

namespace keelson::storage::encryption::kms {
namespace {

using api::protobuf::kBytes;
using api::protobuf::kVarint;
using api::protobuf::Tag;
using api::protobuf::VarintSize;
using api::protobuf::WireReader;

constexpr size_t kMaxKeyId = 1024;
constexpr size_t kMaxCiphertext = 1024;
constexpr size_t kMaxAnnotations = 32 * 1024;

// Field numbers.
namespace status {
enum : uint32_t { kVersion = 1, kHealthz = 2, kKeyId = 3 };
}
namespace encrypt {
enum : uint32_t { kPlaintext = 1, kUid = 2 };
enum : uint32_t { kCiphertext = 1, kKeyId = 2, kAnnotations = 3 };
}  // namespace encrypt
namespace decrypt {
enum : uint32_t { kCiphertext = 1, kUid = 2, kKeyId = 3, kAnnotations = 4 };
enum : uint32_t { kPlaintext = 1 };
}  // namespace decrypt
namespace stored {
enum : uint32_t { kText = 1, kKeyId = 2, kCiphertext = 3, kAnnotations = 4, kType = 5 };
}
namespace entry {
enum : uint32_t { kKey = 1, kValue = 2 };
}

void AppendVarint(std::string& out, uint64_t v) {
  char buffer[10];
  out.append(buffer, static_cast<size_t>(api::protobuf::WriteVarint(v, buffer) - buffer));
}

// Also when it is empty, as members of map entries are written.
void AppendPresent(std::string& out, uint32_t field, std::string_view bytes) {
  AppendVarint(out, Tag(field, kBytes));
  AppendVarint(out, bytes.size());
  out += bytes;
}
void AppendBytes(std::string& out, uint32_t field, std::string_view bytes) {
  if (!bytes.empty()) AppendPresent(out, field, bytes);
}
void AppendAnnotations(std::string& out, uint32_t field, const Annotations& annotations) {
  for (const auto& [key, value] : annotations) {
    std::string pair;
    AppendPresent(pair, entry::kKey, key);
    AppendPresent(pair, entry::kValue, value);
    AppendPresent(out, field, pair);
  }
}

// Calls `field(number, bytes)` for every field of bytes, and `number(number, value)` for every varint.
template <class F, class G>
bool ForEachField(std::string_view message, F field, G number) {
  WireReader r(message);
  while (!r.done()) {
    uint32_t id, type;
    if (!r.Tag(&id, &type)) return false;
    if (type == kBytes) {
      std::string_view bytes;
      if (!r.Bytes(&bytes) || !field(id, bytes)) return false;
    } else if (type == kVarint) {
      uint64_t v;
      if (!r.Varint(&v)) return false;
      number(id, v);
    } else if (!r.Skip(type)) {
      return false;
    }
  }
  return true;
}
template <class F>
bool ForEachField(std::string_view message, F field) {
  return ForEachField(message, field, [](uint32_t, uint64_t) {});
}

bool ReadAnnotation(std::string_view bytes, Annotations& out) {
  std::string key, value;
  const bool read = ForEachField(bytes, [&](uint32_t id, std::string_view part) {
    if (id == entry::kKey) key = part;
    if (id == entry::kValue) value = part;
    return true;
  });
  if (read) out.insert_or_assign(std::move(key), std::move(value));
  return read;
}

// A domain name of at least two labels.
bool FullyQualified(std::string_view name) {
  if (name.ends_with('.')) name.remove_suffix(1);
  return !name.empty() && name.find('.') != std::string_view::npos && api::IsDns1123Subdomain(name).empty();
}

std::string CheckAnnotations(const Annotations& annotations) {
  size_t total = 0;
  for (const auto& [key, value] : annotations) {
    if (!FullyQualified(key)) return "annotations: Invalid value: \"" + key + "\": should be a domain name";
    total += key.size() + value.size();
  }
  if (total > kMaxAnnotations)
    return "total size of annotations is " + std::to_string(total) + ", which exceeds the max size of " +
           std::to_string(kMaxAnnotations);
  return "";
}

std::string CheckCiphertext(std::string_view ciphertext) {
  if (ciphertext.empty()) return "encrypted DEK source is empty";
  if (ciphertext.size() <= kMaxCiphertext) return "";
  return "encrypted DEK source is " + std::to_string(ciphertext.size()) +
         " bytes, which exceeds the max size of " + std::to_string(kMaxCiphertext);
}

}  // namespace

std::optional<StatusResponse> DecodeStatus(std::string_view message) {
  StatusResponse out;
  const bool read = ForEachField(message, [&](uint32_t id, std::string_view bytes) {
    if (id == status::kVersion) out.version = bytes;
    if (id == status::kHealthz) out.healthz = bytes;
    if (id == status::kKeyId) out.key_id = bytes;
    return true;
  });
  if (!read) return std::nullopt;
  return out;
}

std::string EncodeEncrypt(std::string_view plaintext, std::string_view uid) {
  std::string out;
  AppendBytes(out, encrypt::kPlaintext, plaintext);
  AppendBytes(out, encrypt::kUid, uid);
  return out;
}

std::optional<EncryptResponse> DecodeEncrypt(std::string_view message) {
  EncryptResponse out;
  const bool read = ForEachField(message, [&](uint32_t id, std::string_view bytes) {
    if (id == encrypt::kCiphertext) out.ciphertext = bytes;
    if (id == encrypt::kKeyId) out.key_id = bytes;
    return id != encrypt::kAnnotations || ReadAnnotation(bytes, out.annotations);
  });
  if (!read) return std::nullopt;
  return out;
}

std::string EncodeDecrypt(const KeySource& source, std::string_view uid) {
  std::string out;
  AppendBytes(out, decrypt::kCiphertext, source.ciphertext);
  AppendBytes(out, decrypt::kUid, uid);
  AppendBytes(out, decrypt::kKeyId, source.key_id);
  AppendAnnotations(out, decrypt::kAnnotations, source.annotations);
  return out;
}

std::optional<std::string> DecodeDecrypt(std::string_view message) {
  std::string out;
  const bool read = ForEachField(message, [&](uint32_t id, std::string_view bytes) {
    if (id == decrypt::kPlaintext) out = bytes;
    return true;
  });
  if (!read) return std::nullopt;
  return out;
}

std::string EncodeBeforeText(size_t size) {
  std::string out;
  AppendVarint(out, Tag(stored::kText, kBytes));
  AppendVarint(out, size);
  return out;
}

std::string EncodeAfterText(const KeySource& source) {
  std::string out;
  AppendBytes(out, stored::kKeyId, source.key_id);
  AppendBytes(out, stored::kCiphertext, source.ciphertext);
  AppendAnnotations(out, stored::kAnnotations, source.annotations);
  if (source.type != SourceType::kAesGcmKey) {
    AppendVarint(out, Tag(stored::kType, kVarint));
    AppendVarint(out, static_cast<uint64_t>(source.type));
  }
  return out;
}

base::Result<Stored, std::string> DecodeStored(std::string_view bytes) {
  Stored out;
  uint64_t type = 0;
  const bool read = ForEachField(
      bytes,
      [&](uint32_t id, std::string_view part) {
        if (id == stored::kText) out.text = part;
        if (id == stored::kKeyId) out.source.key_id = part;
        if (id == stored::kCiphertext) out.source.ciphertext = part;
        return id != stored::kAnnotations || ReadAnnotation(part, out.source.annotations);
      },
      [&](uint32_t id, uint64_t v) {
        if (id == stored::kType) type = v;
      });
  if (!read) return base::Err(std::string("the stored data is no EncryptedObject"));
  if (type > static_cast<uint64_t>(SourceType::kSeed))
    return base::Err("unknown encryptedDEKSourceType: " + std::to_string(type));
  out.source.type = static_cast<SourceType>(type);
  if (out.text.empty()) return base::Err(std::string("encrypted data is empty"));
  if (auto wrong = CheckSource(out.source); !wrong.empty()) return base::Err(std::move(wrong));
  return out;
}

std::string CheckKeyId(std::string_view key_id) {
  if (key_id.empty()) return "keyID is empty";
  if (key_id.size() <= kMaxKeyId) return "";
  return "keyID is " + std::to_string(key_id.size()) + " bytes, which exceeds the max size of " +
         std::to_string(kMaxKeyId);
}

std::string CheckSource(const KeySource& source) {
  if (auto wrong = CheckCiphertext(source.ciphertext); !wrong.empty())
    return "failed to validate encrypted DEK source: " + wrong;
  if (auto wrong = CheckKeyId(source.key_id); !wrong.empty()) return "failed to validate key id: " + wrong;
  if (auto wrong = CheckAnnotations(source.annotations); !wrong.empty())
    return "failed to validate annotations: " + wrong;
  return "";
}

}  // namespace keelson::storage::encryption::kms
