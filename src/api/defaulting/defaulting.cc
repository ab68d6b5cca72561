#include "api/defaulting/defaulting.h"

#include <unordered_map>

#include "api/defaulting/admissionregistration/defaults.h"
#include "api/defaulting/apiextensions/defaults.h"
#include "api/defaulting/apiregistration/defaults.h"
#include "api/defaulting/apps/defaults.h"
#include "api/defaulting/authentication/defaults.h"
#include "api/defaulting/authorization/defaults.h"
#include "api/defaulting/autoscaling/defaults.h"
#include "api/defaulting/batch/defaults.h"
#include "api/defaulting/certificates/defaults.h"
#include "api/defaulting/coordination/defaults.h"
#include "api/defaulting/core/defaults.h"
#include "api/defaulting/discovery/defaults.h"
#include "api/defaulting/events/defaults.h"
#include "api/defaulting/flowcontrol/defaults.h"
#include "api/defaulting/networking/defaults.h"
#include "api/defaulting/node/defaults.h"
#include "api/defaulting/policy/defaults.h"
#include "api/defaulting/rbac/defaults.h"
#include "api/defaulting/resource/defaults.h"
#include "api/defaulting/scheduling/defaults.h"
#include "api/defaulting/schema_defaults.h"
#include "api/defaulting/storage/defaults.h"
#include "api/types/custom_type.h"

namespace keelson::api {
namespace {

using Table = std::span<const DefaultsEntry> (*)();

constexpr Table kTables[] = {
    admissionregistration::Defaults,
    apiextensions::Defaults,
    apiregistration::Defaults,
    apps::Defaults,
    authentication::Defaults,
    authorization::Defaults,
    autoscaling::Defaults,
    batch::Defaults,
    certificates::Defaults,
    coordination::Defaults,
    core::Defaults,
    discovery::Defaults,
    events::Defaults,
    flowcontrol::Defaults,
    networking::Defaults,
    node::Defaults,
    policy::Defaults,
    rbac::Defaults,
    resource::Defaults,
    scheduling::Defaults,
    storage_api::Defaults,
};

// By type. Kinds that are in no table have no defaults but the constants in their schema.
const auto& AllDefaults() {
  static const auto all = [] {
    std::unordered_map<const TypeDesc*, void (*)(Doc&)> made;
    for (const Table table : kTables)
      for (const DefaultsEntry& entry : table()) made.emplace(entry.type, entry.set_defaults);
    return made;
  }();
  return all;
}

}  // namespace

void SetDefaults(Doc& doc) {
  if (const CustomType* custom = CustomOf(doc.type())) return custom->SetDefaults(*doc.root(), doc.arena());
  FillSchemaDefaults(doc.root(), doc.arena());
  const auto& all = AllDefaults();
  if (const auto found = all.find(&doc.type()); found != all.end()) found->second(doc);
}

}  // namespace keelson::api
