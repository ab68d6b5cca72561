// The flow schemas and priority levels that every server has. Mandatory ones are kept as
// they are here; suggested ones are where a cluster starts from.
#pragma once

#include <span>
#include <string_view>

#include "api/types/doc.h"

namespace keelson::api::flowcontrol {

struct BootstrapObject {
  std::string_view name;
  bool mandatory = false;
  Doc doc;  // complete with defaults; metadata is the name and the annotation
};

// Annotation of objects that follow the server's own idea of them.
constexpr std::string_view kAutoUpdateAnnotation = "apf.kubernetes.io/autoupdate-spec";

std::span<const BootstrapObject> BootstrapPriorityLevels();
std::span<const BootstrapObject> BootstrapFlowSchemas();

}  // namespace keelson::api::flowcontrol
