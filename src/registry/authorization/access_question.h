// What an access review asks, as the authorizer is asked.
#pragma once

#include <string>

#include "api/generated/authorization_v1.h"
#include "auth/attributes.h"

namespace keelson::registry::authorization {

// Borrows from the spec and from `user`.
auth::Attributes AttributesOf(api::authorization_v1::ResourceAttributesView resource,
                              api::authorization_v1::NonResourceAttributesView path, const auth::User& user);

// Whom the review is about.
auth::User UserOf(api::authorization_v1::SubjectAccessReviewSpecView spec);

// What is to be told of selectors that could not be read, or only in part; empty: nothing.
std::string SelectorErrors(api::authorization_v1::ResourceAttributesView attributes);

}  // namespace keelson::registry::authorization
