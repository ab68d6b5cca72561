#include "registry/authorization/resources.h"

#include "registry/authorization/reviews.h"

namespace keelson::registry::authorization {

Group Resources() {
  static const ResourceRow rows[] = {
      {.plural = "localsubjectaccessreviews", .serve = MakeLocalSubjectAccessReviews},
      {.plural = "selfsubjectaccessreviews", .serve = MakeSelfSubjectAccessReviews},
      {.plural = "selfsubjectrulesreviews", .serve = MakeSelfSubjectRulesReviews},
      {.plural = "subjectaccessreviews", .serve = MakeSubjectAccessReviews},
  };
  return {"authorization.k8s.io", rows};
}

}  // namespace keelson::registry::authorization
