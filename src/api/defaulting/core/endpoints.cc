#include "api/defaulting/core/defaults.h"
#include "api/generated/core_v1.h"

namespace keelson::api::core {

void SetEndpointsDefaults(Doc& doc) {
  for (auto subset : core_v1::EndpointsEditor(doc).edit_subsets()) {
    for (auto port : subset.edit_ports()) {
      if (port.protocol().empty()) port.set_protocol_static(core_v1::Protocol::kTCP);
    }
  }
}

}  // namespace keelson::api::core
