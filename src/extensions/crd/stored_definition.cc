#include "extensions/crd/stored_definition.h"

#include "api/codec/protobuf.h"
#include "api/codec/protobuf_wire.h"
#include "api/generated/apiextensions_v1.h"
#include "base/log.h"
#include "storage/decode.h"

namespace keelson::extensions {
namespace {

using namespace api::apiextensions_v1;

uint32_t NumberOf(const api::TypeDesc& type, std::string_view field) {
  return type.FindMember(field).field->number;
}

}  // namespace

base::Slice StoredDefinition::envelope() const {
  const base::MutexLock lock(mu_);
  return envelope_;
}

void StoredDefinition::Replace(base::Slice envelope) const {
  const base::MutexLock lock(mu_);
  envelope_ = std::move(envelope);
}

api::Doc StoredDefinition::Read() const {
  auto doc = storage::Decode(envelope(), "a CustomResourceDefinition", CustomResourceDefinitionView::Type());
  if (doc) return *std::move(doc);
  base::Log(base::LogLevel::kError, "cannot read a definition", {{"why", doc.error().message}});
  return {};
}

std::vector<std::string_view> StoredDefinition::EncodedSchemas() const {
  const uint32_t spec_number = NumberOf(CustomResourceDefinitionView::Type(), "spec"),
                 versions_number = NumberOf(CustomResourceDefinitionSpecView::Type(), "versions"),
                 schema_number = NumberOf(CustomResourceDefinitionVersionView::Type(), "schema");
  std::vector<std::string_view> schemas;
  const base::Slice bytes = envelope();
  const auto envelope = api::protobuf::ParseEnvelope(bytes.view());
  if (!envelope) return schemas;
  api::protobuf::WireReader spec(api::protobuf::FindBytes(envelope->raw, {spec_number}).value_or(""));
  uint32_t number = 0, wire = 0;
  while (!spec.done() && spec.Tag(&number, &wire)) {
    std::string_view version;
    if (number != versions_number || wire != api::protobuf::kBytes) {
      if (!spec.Skip(wire)) break;
    } else if (spec.Bytes(&version)) {
      schemas.push_back(api::protobuf::FindBytes(version, {schema_number}).value_or(""));
    } else {
      break;
    }
  }
  return schemas;
}

}  // namespace keelson::extensions
