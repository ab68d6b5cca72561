// The reviews of authentication.k8s.io/v1, one file each beside this one.
#pragma once

#include "registry/group.h"

namespace keelson::registry::authentication {

std::unique_ptr<Serving> MakeTokenReviews(ServingOptions options, const Dependencies& dependencies);
std::unique_ptr<Serving> MakeSelfSubjectReviews(ServingOptions options, const Dependencies& dependencies);

}  // namespace keelson::registry::authentication
