#include "api/codec/map_builder.h"
#include "api/defaulting/core/defaults.h"
#include "api/generated/core_v1.h"

namespace keelson::api::core {

void SetSecretDefaults(Doc& doc) {
  core_v1::SecretEditor secret(doc);
  if (secret.type().empty()) secret.set_type_static("Opaque");
  // stringData is for writing alone: it wins over data, and what is stored has only data.
  if (secret.string_data().empty()) return;
  MapBuilder data(secret.mutable_data(), doc.arena());
  for (const auto& [key, value] : secret.string_data()) data.Add(key, Value::Bytes(value.string()));
  data.Finish();
  secret.clear_string_data();
}

}  // namespace keelson::api::core
