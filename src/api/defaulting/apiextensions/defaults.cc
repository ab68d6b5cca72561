#include "api/defaulting/apiextensions/defaults.h"

#include <string>

#include "api/generated/apiextensions_v1.h"

namespace keelson::api::apiextensions {
namespace {

using namespace apiextensions_v1;

void SetNamesDefaults(CustomResourceDefinitionNamesEditor names) {
  if (names.kind().empty()) return;
  std::string lower(names.kind());
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  if (names.singular().empty()) names.set_singular(lower);
  if (names.list_kind().empty()) names.set_list_kind(std::string(names.kind()) + "List");
}

void SetCustomResourceDefinitionDefaults(Doc& doc) {
  CustomResourceDefinitionEditor definition(doc);
  auto spec = definition.mutable_spec();
  SetNamesDefaults(spec.mutable_names());
  if (!spec.conversion()) spec.mutable_conversion().set_strategy_static("None");
  if (auto webhook = spec.edit_conversion().edit_webhook())
    if (auto config = webhook.edit_client_config())
      if (auto service = config.edit_service())
        if (!service.has_port()) service.set_port(443);
  if (!definition.status().stored_versions().empty()) return;
  for (const auto version : spec.versions()) {
    if (!version.storage()) continue;
    definition.mutable_status().add_stored_versions(version.name());
    return;
  }
}

constexpr DefaultsEntry kDefaults[] = {{&kCustomResourceDefinitionType, SetCustomResourceDefinitionDefaults}};

}  // namespace

std::span<const DefaultsEntry> Defaults() { return kDefaults; }

}  // namespace keelson::api::apiextensions
