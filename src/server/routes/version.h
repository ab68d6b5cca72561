// /version: which Kubernetes this server speaks, and which build it is.
#pragma once

#include <string_view>

#include "base/metrics.h"
#include "server/router.h"

namespace keelson::server {

// "v1.36.4+keelson-0.1.0": a semantic version that clients compare with their own.
std::string_view GitVersion();
// The document that /version answers with.
std::string_view VersionJson();

// The same as labels of a metric.
base::Labels BuildInfoLabels();

void InstallVersion(Router& router);

}  // namespace keelson::server
