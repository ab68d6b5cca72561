// Rules of the access reviews of authorization.k8s.io/v1.
#pragma once

#include "api/generated/authorization_v1.h"
#include "api/validation/field.h"

namespace keelson::api::authorization {

field::ErrorList ValidateSubjectAccessReview(authorization_v1::SubjectAccessReviewView review);
field::ErrorList ValidateSelfSubjectAccessReview(authorization_v1::SelfSubjectAccessReviewView review);
field::ErrorList ValidateLocalSubjectAccessReview(authorization_v1::LocalSubjectAccessReviewView review);

}  // namespace keelson::api::authorization
