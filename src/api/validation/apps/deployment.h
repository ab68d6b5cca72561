// Deployments. Metadata common to all kinds is checked elsewhere.
#pragma once

#include <string_view>

#include "api/generated/apps_v1.h"
#include "api/validation/field.h"

namespace keelson::api::apps {

// How clients of old versions ask to go back to a revision.
constexpr std::string_view kRollbackToAnnotation = "deprecated.deployment.rollback.to";

field::ErrorList ValidateDeployment(apps_v1::DeploymentView deployment);
field::ErrorList ValidateDeploymentUpdate(apps_v1::DeploymentView now, apps_v1::DeploymentView was);
field::ErrorList ValidateDeploymentStatusUpdate(apps_v1::DeploymentView now, apps_v1::DeploymentView was);

}  // namespace keelson::api::apps
