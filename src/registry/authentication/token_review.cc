#include "api/generated/authentication_v1.h"
#include "audit/event.h"
#include "registry/authentication/reviews.h"
#include "registry/store.h"
#include "registry/unstored_fields.h"
#include "registry/user_fields.h"

namespace keelson::registry::authentication {
namespace {

using namespace api::authentication_v1;
using rest::Result;
using rest::Written;

// TokenReview: whose token is this? Answered and not kept.
class TokenReviews final : public Serving, public rest::Creater {
 public:
  TokenReviews(ServingOptions options, const Dependencies& dependencies)
      : options_(std::move(options)),
        tokens_(*dependencies.tokens),
        api_audiences_(dependencies.api_audiences),
        fields_("authentication.k8s.io", "tokenreviews", *dependencies.clock) {}

  rest::Verbs verbs() override { return {.create = this}; }

  base::Task<Result<Written>> Create(rest::WriteRequest request, api::Doc doc) override {
    CO_TRY(EnsureNamespaceMatches(request.ns, doc));
    fields_.Track(request, doc);
    const std::string name(api::MetadataOf(doc).name());
    const auto attributes = options_.Creating(request, name, doc);
    if (options_.admission.mutate) CO_TRY(co_await options_.admission.mutate(attributes));
    TokenReviewEditor review(doc);
    if (review.spec().token().empty())
      co_return base::Err(api::BadRequest("token is required for TokenReview in authentication"));
    if (options_.admission.validate) CO_TRY(co_await options_.admission.validate(attributes));
    std::vector<std::string> audiences;
    for (const api::Value& audience : review.spec().audiences()) audiences.emplace_back(audience.string());
    if (audiences.empty()) audiences = api_audiences_;

    auth::Remarks remarks;
    const auto known = co_await tokens_.AuthenticateToken(review.spec().token(), audiences, remarks);
    for (auth::Remarks::Annotation& annotation : remarks.annotations)
      audit::Annotate(request.audit, annotation.key, std::move(annotation.value));
    if (request.warnings)
      for (std::string& warning : remarks.warnings) request.warnings->push_back(std::move(warning));
    review.clear_status();
    auto status = review.mutable_status();
    if (!known) {
      status.set_error(known.error());
    } else if (!known->user) {
      status.set_error(auth::kInvalidBearerToken);
    } else {
      status.set_authenticated(true);
      SetUser(status.mutable_user(), *known->user, doc.arena());
      for (const std::string& audience : known->audiences) status.add_audiences(audience);
    }
    co_return Written{.object = EncodeUnstored(doc), .created = true};
  }

 private:
  const ServingOptions options_;
  auth::TokenAuthenticator& tokens_;
  const std::vector<std::string> api_audiences_;
  const UnstoredFields fields_;
};

}  // namespace

std::unique_ptr<Serving> MakeTokenReviews(ServingOptions options, const Dependencies& dependencies) {
  return std::make_unique<TokenReviews>(std::move(options), dependencies);
}

}  // namespace keelson::registry::authentication
