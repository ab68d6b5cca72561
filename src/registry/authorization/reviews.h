// The reviews of authorization.k8s.io/v1.
#pragma once

#include "registry/group.h"

namespace keelson::registry::authorization {

std::unique_ptr<Serving> MakeSubjectAccessReviews(const Environment& environment);
std::unique_ptr<Serving> MakeSelfSubjectAccessReviews(const Environment& environment);
std::unique_ptr<Serving> MakeLocalSubjectAccessReviews(const Environment& environment);
std::unique_ptr<Serving> MakeSelfSubjectRulesReviews(const Environment& environment);

}  // namespace keelson::registry::authorization
