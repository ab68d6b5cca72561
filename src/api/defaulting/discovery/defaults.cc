#include "api/defaulting/discovery/defaults.h"

#include "api/generated/discovery_v1.h"

namespace keelson::api::discovery {
namespace {

void SetEndpointSliceDefaults(Doc& doc) {
  for (auto port : discovery_v1::EndpointSliceEditor(doc).edit_ports()) {
    if (!port.has_name()) port.set_name_static("");
    if (!port.has_protocol()) port.set_protocol_static(core_v1::Protocol::kTCP);
  }
}

constexpr DefaultsEntry kDefaults[] = {{&discovery_v1::kEndpointSliceType, SetEndpointSliceDefaults}};

}  // namespace

std::span<const DefaultsEntry> Defaults() { return kDefaults; }

}  // namespace keelson::api::discovery
