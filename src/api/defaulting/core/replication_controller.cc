#include "api/defaulting/core/defaults.h"
#include "api/defaulting/core/pod_defaults.h"

namespace keelson::api::core {

void SetReplicationControllerDefaults(Doc& doc) {
  core_v1::ReplicationControllerEditor controller(doc);
  auto spec = controller.mutable_spec();
  if (auto pod_template = spec.edit_template()) {
    const MapView labels = pod_template.metadata().labels();
    if (!labels.empty() && spec.selector().empty()) {
      for (const auto& [key, value] : labels) spec.mutable_selector().Set(key, value, doc.arena());
    }
    if (!labels.empty() && controller.metadata().labels().empty()) {
      MapNode& own = controller.mutable_metadata().mutable_labels();
      for (const auto& [key, value] : labels) own.Set(key, value, doc.arena());
    }
    SetPodSpecDefaults(pod_template.mutable_spec());
  }
  if (!spec.has_replicas()) spec.set_replicas(1);
}

}  // namespace keelson::api::core
