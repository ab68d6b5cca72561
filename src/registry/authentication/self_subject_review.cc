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
  SelfSubjectReviews(ServingOptions options, const Dependencies& dependencies)
      : options_(std::move(options)), clock_(*dependencies.clock) {}

  rest::Verbs verbs() override { return {.create = this}; }

  base::Task<rest::Result<rest::Written>> Create(rest::WriteRequest request, api::Doc asked) override {
    const std::string name(api::MetadataOf(asked).name());
    const auto attributes = options_.Creating(request, name, asked);
    if (options_.admission.mutate) CO_TRY(co_await options_.admission.mutate(attributes));
    if (options_.admission.validate) CO_TRY(co_await options_.admission.validate(attributes));
    api::Doc doc(SelfSubjectReviewView::Type());
    SelfSubjectReviewEditor review(doc);
    review.set_kind_static("SelfSubjectReview");
    review.set_api_version_static("authentication.k8s.io/v1");
    review.mutable_metadata().set_creation_timestamp(api::NowSeconds(clock_));
    SetUser(review.mutable_status().mutable_user_info(), *request.user, doc.arena());
    co_return rest::Written{.object = EncodeUnstored(doc), .created = true};
  }

 private:
  const ServingOptions options_;
  const base::Clock& clock_;
};

}  // namespace

std::unique_ptr<Serving> MakeSelfSubjectReviews(ServingOptions options, const Dependencies& dependencies) {
  return std::make_unique<SelfSubjectReviews>(std::move(options), dependencies);
}

}  // namespace keelson::registry::authentication
