#include "api/defaulting/core/defaults.h"
#include "api/generated/core_v1.h"

namespace keelson::api::core {

void SetNamespaceDefaults(Doc& doc) {
  core_v1::NamespaceEditor ns(doc);
  // A name still to be generated gets its label when it is known, in the strategy.
  if (const std::string_view name = ns.metadata().name(); !name.empty()) {
    ns.mutable_metadata().mutable_labels().Set("kubernetes.io/metadata.name", Value::String(name),
                                               doc.arena());
  }
  if (ns.status().phase().empty()) ns.mutable_status().set_phase_static(core_v1::NamespacePhase::kActive);
}

}  // namespace keelson::api::core
