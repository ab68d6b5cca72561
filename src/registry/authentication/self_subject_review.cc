#include "api/generated/authentication_v1.h"
#include "api/meta/object_meta.h"
#include "registry/authentication/reviews.h"
#include "registry/store.h"
#include "registry/user_fields.h"

namespace keelson::registry::authentication {
namespace {

using namespace api::authentication_v1;

// SelfSubjectReview: who am I? What the client sends does not matter.
class SelfSubjectReviews final : public Serving, public rest::Creater {
 public:
  explicit SelfSubjectReviews(const Environment& environment) : clock_(*environment.clock) {}

  rest::Verbs verbs() override { return {.create = this}; }

  base::Task<rest::Result<rest::Written>> Create(rest::WriteRequest request, api::Doc) override {
    api::Doc doc(SelfSubjectReviewView::Type());
    SelfSubjectReviewEditor review(doc);
    review.set_kind_static("SelfSubjectReview");
    review.set_api_version_static("authentication.k8s.io/v1");
    review.mutable_metadata().set_creation_timestamp(api::NowSeconds(clock_));
    SetUser(review.mutable_status().mutable_user_info(), *request.user, doc.arena());
    co_return rest::Written{.object = EncodeUnstored(doc), .created = true};
  }

 private:
  const base::Clock& clock_;
};

}  // namespace

std::unique_ptr<Serving> MakeSelfSubjectReviews(const Environment& environment) {
  return std::make_unique<SelfSubjectReviews>(environment);
}

}  // namespace keelson::registry::authentication
