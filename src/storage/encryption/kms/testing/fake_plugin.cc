#include "storage/encryption/kms/testing/fake_plugin.h"

#include <map>
#include <utility>

#include "api/codec/protobuf_wire.h"
#include "storage/encryption/cipher.h"

namespace keelson::storage::encryption::kms {
namespace {

using api::protobuf::kBytes;
using api::protobuf::Tag;
using net::testing::GrpcAnswer;

constexpr std::string_view kAnnotation = "version.fake.example.com";
constexpr std::string_view kAnnotationValue = "1";

void Append(std::string& out, uint32_t field, std::string_view bytes) {
  char buffer[20];
  char* end = api::protobuf::WriteVarint(Tag(field, kBytes), buffer);
  end = api::protobuf::WriteVarint(bytes.size(), end);
  out.append(buffer, end).append(bytes);
}

// The fields of bytes, by number; of several the last.
std::map<uint32_t, std::string> Read(std::string_view message) {
  std::map<uint32_t, std::string> fields;
  api::protobuf::WireReader r(message);
  uint32_t number, type;
  std::string_view bytes;
  while (!r.done() && r.Tag(&number, &type) && type == kBytes && r.Bytes(&bytes)) fields[number] = bytes;
  return fields;
}

std::unique_ptr<Cipher> KeyOf(const std::string& key_id) {
  return MakeAesGcm(DigestOf(key_id).substr(7, 32));
}

}  // namespace

FakePlugin::FakePlugin(std::string socket)
    : server_(std::make_unique<net::testing::GrpcServer>(
          std::move(socket),
          [this](std::string_view path, std::string_view message) { return Answer(path, message); })) {}

void FakePlugin::SetKeyId(std::string key_id) {
  base::MutexLock lock(mu_);
  key_id_ = std::move(key_id);
}
void FakePlugin::SetHealthz(std::string healthz) {
  base::MutexLock lock(mu_);
  healthz_ = std::move(healthz);
}
void FakePlugin::RefuseDecrypt(bool refuse) {
  base::MutexLock lock(mu_);
  refuse_decrypt_ = refuse;
}
void FakePlugin::HangInDecrypt(bool hang) {
  {
    base::MutexLock lock(mu_);
    hang_ = hang;
  }
  hang_changed_.NotifyAll();
}
int FakePlugin::encrypted() const {
  base::MutexLock lock(mu_);
  return encrypted_;
}
int FakePlugin::decrypted() const {
  base::MutexLock lock(mu_);
  return decrypted_;
}

GrpcAnswer FakePlugin::Answer(std::string_view path, std::string_view message) {
  base::MutexLock lock(mu_);
  const auto request = Read(message);
  const auto member = [&](uint32_t field) {
    const auto at = request.find(field);
    return at == request.end() ? std::string() : at->second;
  };
  std::string out;
  if (path.ends_with("/Status")) {
    Append(out, 1, "v2");
    Append(out, 2, healthz_);
    Append(out, 3, key_id_);
    return {.message = std::move(out)};
  }
  if (path.ends_with("/Encrypt")) {
    ++encrypted_;
    base::BufferBuilder sealed;
    if (!KeyOf(key_id_)->Seal(member(1), "", sealed)) return {.code = 13, .message = "cannot encrypt"};
    std::string annotation;
    Append(annotation, 1, kAnnotation);
    Append(annotation, 2, kAnnotationValue);
    Append(out, 1, sealed.view());
    Append(out, 2, key_id_);
    Append(out, 3, annotation);
    return {.message = std::move(out)};
  }
  if (path.ends_with("/Decrypt")) {
    ++decrypted_;
    while (hang_) hang_changed_.Wait(mu_);
    if (refuse_decrypt_) return {.code = 14, .message = "not now"};
    const auto annotation = Read(member(4));
    if (!annotation.contains(1) || annotation.at(1) != kAnnotation)
      return {.code = 3, .message = "the annotations are not mine"};
    const auto opened = KeyOf(member(3))->Open(member(1), "");
    if (!opened) return {.code = 3, .message = opened.error()};
    Append(out, 1, opened->view());
    return {.message = std::move(out)};
  }
  return {.code = 12, .message = "unknown method"};
}

}  // namespace keelson::storage::encryption::kms
