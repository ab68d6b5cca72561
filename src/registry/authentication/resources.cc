#include "registry/authentication/resources.h"

#include "registry/authentication/reviews.h"

namespace keelson::registry::authentication {

Group Resources() {
  static const ResourceRow rows[] = {
      {.plural = "selfsubjectreviews", .serve = MakeSelfSubjectReviews},
      {.plural = "tokenreviews", .serve = MakeTokenReviews},
  };
  return {"authentication.k8s.io", rows};
}

}  // namespace keelson::registry::authentication
