#include "api/defaulting/node/defaults.h"

#include "api/defaulting/core/resource_list.h"
#include "api/generated/node_v1.h"

namespace keelson::api::node {
namespace {

void SetRuntimeClassDefaults(Doc& doc) {
  if (auto overhead = node_v1::RuntimeClassEditor(doc).edit_overhead())
    core::RoundUpResourceLists(overhead.node(), doc.arena());
}

constexpr DefaultsEntry kDefaults[] = {{&node_v1::kRuntimeClassType, SetRuntimeClassDefaults}};

}  // namespace

std::span<const DefaultsEntry> Defaults() { return kDefaults; }

}  // namespace keelson::api::node
