// The reviews of authorization.k8s.io/v1.
#pragma once

#include "registry/group.h"

namespace keelson::registry::authorization {

std::unique_ptr<Serving> MakeSubjectAccessReviews(ServingOptions options, const Dependencies& dependencies);
std::unique_ptr<Serving> MakeSelfSubjectAccessReviews(ServingOptions options,
                                                      const Dependencies& dependencies);
std::unique_ptr<Serving> MakeLocalSubjectAccessReviews(ServingOptions options,
                                                       const Dependencies& dependencies);
std::unique_ptr<Serving> MakeSelfSubjectRulesReviews(ServingOptions options,
                                                     const Dependencies& dependencies);

}  // namespace keelson::registry::authorization
