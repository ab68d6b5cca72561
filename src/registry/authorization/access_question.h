// What an access review asks, as the authorizer is asked.
#pragma once

#include <string>

#include "api/generated/authorization_v1.h"
#include "auth/authorizer.h"

namespace keelson::registry::authorization {

class AccessQuestion {
 public:
  // Borrows from the spec and from `user`.
  AccessQuestion(api::authorization_v1::ResourceAttributesView resource,
                 api::authorization_v1::NonResourceAttributesView path, const auth::User& user);
  AccessQuestion(const AccessQuestion&) = delete;
  AccessQuestion& operator=(const AccessQuestion&) = delete;

  const auth::Attributes& attributes() const { return attributes_; }
  // What the review's evaluationError says: why the answer could not be found out, and which selectors could
  // not be read, or only in part.
  std::string EvaluationError(const auth::Verdict& verdict) const;

 private:
  api::SelectorRequirements fields_, labels_;
  auth::Attributes attributes_;
};

// Whom the review is about.
auth::User UserOf(api::authorization_v1::SubjectAccessReviewSpecView spec);

}  // namespace keelson::registry::authorization
