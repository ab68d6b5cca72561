// The messages of the key service's protocol (k8s.io/kms v2), and what is stored of it with a value. Field
// numbers are upstream's; fields that nobody here asks for are skipped.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace keelson::storage::encryption::kms {

inline constexpr std::string_view kStatusMethod = "/v2.KeyManagementService/Status";
inline constexpr std::string_view kEncryptMethod = "/v2.KeyManagementService/Encrypt";
inline constexpr std::string_view kDecryptMethod = "/v2.KeyManagementService/Decrypt";

using Annotations = std::map<std::string, std::string, std::less<>>;

// ---- The protocol. Decoders: empty when the bytes are no such message.

struct StatusResponse {
  std::string version, healthz, key_id;
};
std::optional<StatusResponse> DecodeStatus(std::string_view message);

std::string EncodeEncrypt(std::string_view plaintext, std::string_view uid);
struct EncryptResponse {
  std::string ciphertext, key_id;
  Annotations annotations;
};
std::optional<EncryptResponse> DecodeEncrypt(std::string_view message);

// The key of a value as it is stored: what the service made of it, and what it needs to read it.
enum class SourceType : uint8_t {
  kAesGcmKey = 0,
  kSeed = 1,  // from which MakeSeededAesGcm's keys are derived
};
struct KeySource {
  std::string key_id;
  std::string ciphertext;
  Annotations annotations;
  SourceType type = SourceType::kSeed;
};

std::string EncodeDecrypt(const KeySource& source, std::string_view uid);
// The plaintext.
std::optional<std::string> DecodeDecrypt(std::string_view message);

// ---- What is stored: the encrypted text and the source of its key (upstream's EncryptedObject).

// The bytes before a text of `size` bytes, and those after it.
std::string EncodeBeforeText(size_t size);
std::string EncodeAfterText(const KeySource& source);

struct Stored {
  std::string_view text;  // in the message
  KeySource source;
};
// Checked by upstream's rules.
base::Result<Stored, std::string> DecodeStored(std::string_view bytes);

// What is wrong with what a service answered, by upstream's rules; empty: nothing.
std::string CheckKeyId(std::string_view key_id);
std::string CheckSource(const KeySource& source);

}  // namespace keelson::storage::encryption::kms
