#include "api/validation/apiextensions/formats.h"

#include <algorithm>

#include "api/validation/apiextensions/schema.h"
#include "api/validation/core/fields.h"

namespace keelson::api::apiextensions {
namespace {

// Of strings, without dashes.
constexpr std::string_view kStringFormats[] = {
    "bsonobjectid", "byte",        "cidr",         "creditcard", "date",     "datetime", "duration",
    "email",        "hexcolor",    "hostname",     "ipv4",       "ipv6",     "isbn",     "isbn10",
    "isbn13",       "k8slongname", "k8sshortname", "mac",        "password", "rgbcolor", "ssn",
    "uri",          "uuid",        "uuid3",        "uuid4",      "uuid5"};

bool IsRecognized(std::string_view type, std::string_view format) {
  if (type == "integer") return format == "int32" || format == "int64";
  if (type == "number") return format == "float" || format == "double";
  if (!type.empty() && type != "string") return false;
  std::string plain(format);
  std::erase(plain, '-');
  return std::ranges::find(kStringFormats, plain) != std::end(kStringFormats);
}

}  // namespace

std::vector<std::string> UnrecognizedFormats(apiextensions_v1::CustomResourceDefinitionView definition) {
  std::vector<std::string> formats;
  const auto versions = definition.spec().versions();
  for (size_t i = 0; i < versions.size(); ++i) {
    // A schema that all versions share speaks once.
    if (i > 0 && core::SameField(versions[i], versions[0], "schema")) continue;
    AnySchema(versions[i].schema().open_apiv3_schema(), [&](SchemaView schema) {
      if (!schema.format().empty() && !IsRecognized(schema.type(), schema.format()))
        formats.emplace_back(schema.format());
      return false;
    });
  }
  return formats;
}

}  // namespace keelson::api::apiextensions
