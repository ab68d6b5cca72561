#include "api/defaulting/core/defaults.h"
#include "api/generated/core_v1.h"

namespace keelson::api::core {

void SetSecretDefaults(Doc& doc) {
  core_v1::SecretEditor secret(doc);
  if (secret.type().empty()) secret.set_type_static("Opaque");
  // stringData is for writing alone: it wins over data, and what is stored has only data.
  if (secret.string_data().empty()) return;
  MapNode& data = secret.mutable_data();
  for (const auto& [key, value] : secret.string_data())
    data.Set(key, Value::Bytes(value.string()), doc.arena());
  secret.clear_string_data();
}

}  // namespace keelson::api::core
