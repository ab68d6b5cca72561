// Answers of conversion webhooks: whatever they say, there are objects or an error that says why not, and an
// object that is taken is the one that was asked about.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "api/codec/protobuf.h"
#include "api/generated/apiextensions_v1.h"
#include "api/meta/object_meta.h"
#include "extensions/conversion/conversion_review.h"
#include "extensions/crd/version_type.h"

namespace {

using namespace keelson;

// A definition without schemas.
std::shared_ptr<const extensions::StoredDefinition> Definition() {
  base::BufferBuilder envelope;
  api::protobuf::EncodeObject(api::Doc(api::apiextensions_v1::CustomResourceDefinitionView::Type()),
                              envelope);
  return std::make_shared<const extensions::StoredDefinition>(envelope.Take());
}

// Objects of any content, in version v1 of widgets.
const api::TypeDesc& Widgets() {
  static const extensions::CompiledSchema schema(Definition(), 0, /*preserve_unknown=*/true, nullptr);
  static const std::string_view versions[] = {"v1"};
  static const extensions::VersionType type(schema, true, versions, "example.com/v1");
  return type.type();
}

api::Doc Original() {
  api::Doc doc(Widgets());
  doc.root()->slot(0) = api::Value::String("Widget");
  doc.root()->slot(1) = api::Value::String("example.com/v2");
  api::MutableMetadataOf(doc).set_name("a");
  api::MutableMetadataOf(doc).set_uid("u");
  return doc;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  const api::Doc original = Original();
  const auto check = [&](std::string_view text) {
    const auto converted = extensions::ReadConverted(text, original, Widgets(), "example.com/v1");
    if (!converted) {
      if (converted.error().text.empty()) std::abort();
      return;
    }
    const auto metadata = api::MetadataOf(*converted);
    if (metadata.name() != "a" || metadata.uid() != "u" || !metadata.namespace_().empty()) std::abort();
    if (converted->root()->slot(1).string() != "example.com/v1") std::abort();
  };
  for (const std::string_view version : {"v1", "v1beta1"}) {
    const auto answer = extensions::ReadConversionAnswer(body, version, "u");
    if (!answer && answer.error().message.empty()) std::abort();
    if (!answer) continue;
    for (const std::string& object : *answer) check(object);
  }
  check(body);
  return 0;
}
