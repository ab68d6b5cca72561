// CustomResourceDefinition v1 and v1beta1. The old version says once, outside of its
// versions, what is the same in all of them.
#include "api/conversion/mapping.h"
#include "api/generated/apiextensions_v1.h"
#include "api/generated/apiextensions_v1beta1.h"

namespace keelson::api {
namespace {

// A member of the versions, and where it stands when all have the same.
struct Common {
  std::string_view of_version, of_spec;
};
constexpr Common kCommon[] = {{"subresources", "subresources"},
                              {"schema", "validation"},
                              {"additionalPrinterColumns", "additionalPrinterColumns"},
                              {"selectableFields", "selectableFields"}};

const TypeDesc& MemberType(const TypeDesc& type, std::string_view name) {
  return *type.FindMember(name).field->type;
}

bool SameInAll(std::span<const Value> versions, std::string_view member) {
  const TypeDesc& type = MemberType(apiextensions_v1beta1::kCustomResourceDefinitionVersionType, member);
  const Value first = ReadPath(*versions.front().node(), member);
  for (const Value& version : versions)
    if (!Equal(ReadPath(*version.node(), member), first, type)) return false;
  return true;
}

void SpecToV1beta1(const StructNode&, StructNode& to, Arena& arena) {
  Value& preserves = MutablePath(to, "preserveUnknownFields", arena);
  if (preserves.absent()) preserves = Value::Bool(false);
  const Value list = ReadPath(to, "versions");
  if (!list.list() || list.list()->size == 0) return;
  const auto versions = list.list()->items();
  MutablePath(to, "version", arena) = ReadPath(*versions.front().node(), "name");
  for (const Common& common : kCommon) {
    if (!SameInAll(versions, common.of_version)) continue;
    MutablePath(to, common.of_spec, arena) = ReadPath(*versions.front().node(), common.of_version);
    for (Value& version : versions) MutablePath(*version.node(), common.of_version, arena) = {};
  }
}

// The defaults of v1beta1 are part of this: old servers did not write them all.
void SpecToV1(const StructNode& from, StructNode& to, Arena& arena) {
  if (ReadPath(from, "preserveUnknownFields").absent())
    MutablePath(to, "preserveUnknownFields", arena) = Value::Bool(true);
  if (ReadPath(from, "conversion").absent())
    MutablePath(to, "conversion.strategy", arena) = Value::String("None");
  Value& list = MutablePath(to, "versions", arena);
  if (!list.list())
    list = Value::Of(ListNode::New(&apiextensions_v1::kCustomResourceDefinitionVersionType, arena));
  if (list.list()->size == 0 && !ReadPath(from, "version").string().empty()) {
    StructNode* const only = StructNode::New(apiextensions_v1::kCustomResourceDefinitionVersionType, arena);
    MutablePath(*only, "name", arena) = ReadPath(from, "version");
    MutablePath(*only, "served", arena) = Value::Bool(true);
    MutablePath(*only, "storage", arena) = Value::Bool(true);
    list.list()->Append(Value::Of(only), arena);
  }
  for (const Common& common : kCommon) {
    const Value value = ReadPath(from, common.of_spec);
    if (value.absent()) continue;
    const TypeDesc& type = MemberType(*from.type, common.of_spec);
    for (Value& version : list.list()->items()) {
      const TypeDesc& wanted = MemberType(*version.node()->type, common.of_version);
      MutablePath(*version.node(), common.of_version, arena) = ConvertValue(value, type, wanted, arena);
    }
  }
}

}  // namespace

std::span<const Mapping> ApiExtensionsMappings() {
  static constexpr FieldPair column[] = {{"jsonPath", "JSONPath"}};
  static constexpr FieldPair conversion[] = {
      {"webhook.clientConfig", "webhookClientConfig"},
      {"webhook.conversionReviewVersions", "conversionReviewVersions"},
  };
  static constexpr Mapping mappings[] = {
      {&apiextensions_v1::kCustomResourceColumnDefinitionType,
       &apiextensions_v1beta1::kCustomResourceColumnDefinitionType, column},
      {&apiextensions_v1::kCustomResourceConversionType,
       &apiextensions_v1beta1::kCustomResourceConversionType, conversion},
      {&apiextensions_v1::kCustomResourceDefinitionSpecType,
       &apiextensions_v1beta1::kCustomResourceDefinitionSpecType,
       {},
       SpecToV1beta1,
       SpecToV1},
  };
  return mappings;
}

}  // namespace keelson::api
