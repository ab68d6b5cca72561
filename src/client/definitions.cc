#include "client/definitions.h"

#include "api/generated/apiextensions_v1.h"
#include "storage/decode.h"

namespace keelson::client {

base::Result<api::Doc, api::Status> DecodeOutline(const Object& definition) {
  using namespace api::apiextensions_v1;
  static const api::FieldDesc& schema =
      *CustomResourceDefinitionVersionView::Type().FindMember("schema").field;
  return storage::DecodeWithout(definition, CustomResourceDefinitionView::Type(), schema);
}

}  // namespace keelson::client
