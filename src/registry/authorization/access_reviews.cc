// The three reviews that ask whether somebody may do something; answered and not kept.
#include "api/validation/authorization/access_review.h"
#include "registry/authorization/access_question.h"
#include "registry/authorization/reviews.h"
#include "registry/store.h"
#include "registry/unstored_fields.h"

namespace keelson::registry::authorization {
namespace {

using namespace api::authorization_v1;
using api::field::ErrorList;
using rest::Result;
using rest::Written;

// Upstream names no kind here.
constexpr api::GroupKind kKind{"authorization.k8s.io", ""};

// What differs between them.
struct AboutSubject {
  static constexpr std::string_view kPlural = "subjectaccessreviews";
  using View = SubjectAccessReviewView;
  using Editor = SubjectAccessReviewEditor;
  static ErrorList Validate(View review) { return api::authorization::ValidateSubjectAccessReview(review); }
  static auth::User User(View review, const auth::User&) { return UserOf(review.spec()); }
};
struct AboutSubjectInNamespace {
  static constexpr std::string_view kPlural = "localsubjectaccessreviews";
  using View = LocalSubjectAccessReviewView;
  using Editor = LocalSubjectAccessReviewEditor;
  static ErrorList Validate(View review) {
    return api::authorization::ValidateLocalSubjectAccessReview(review);
  }
  static auth::User User(View review, const auth::User&) { return UserOf(review.spec()); }
};
struct AboutSelf {
  static constexpr std::string_view kPlural = "selfsubjectaccessreviews";
  using View = SelfSubjectAccessReviewView;
  using Editor = SelfSubjectAccessReviewEditor;
  static ErrorList Validate(View review) {
    return api::authorization::ValidateSelfSubjectAccessReview(review);
  }
  static const auth::User& User(View, const auth::User& self) { return self; }
};

template <class About>
class AccessReviews final : public Serving, public rest::Creater {
 public:
  AccessReviews(ServingOptions options, const Dependencies& dependencies)
      : options_(std::move(options)),
        authorizer_(*dependencies.authorizer),
        fields_(kKind.group, About::kPlural, *dependencies.clock) {}

  rest::Verbs verbs() override { return {.create = this}; }

  base::Task<Result<Written>> Create(rest::WriteRequest request, api::Doc doc) override {
    CO_TRY(EnsureNamespaceMatches(request.ns, doc));
    fields_.Track(request, doc);
    const std::string name(api::MetadataOf(doc).name());
    const auto attributes = options_.Creating(request, name, doc);
    if (options_.admission.mutate) CO_TRY(co_await options_.admission.mutate(attributes));
    typename About::Editor review(doc);
    if (const auto errors = About::Validate(typename About::View(doc)); !errors.empty())
      co_return base::Err(api::Invalid(kKind, "", errors));
    if (options_.admission.validate) CO_TRY(co_await options_.admission.validate(attributes));

    const auto spec = review.spec();
    const auth::User& user = About::User(typename About::View(doc), *request.user);
    const AccessQuestion question(spec.resource_attributes(), spec.non_resource_attributes(), user);
    const auth::Verdict verdict = co_await authorizer_.Authorize(question.attributes());

    review.clear_status();
    auto status = review.mutable_status();
    status.set_allowed(verdict.decision == auth::Decision::kAllow);
    status.set_denied(verdict.decision == auth::Decision::kDeny);
    status.set_reason(verdict.reason);
    status.set_evaluation_error(question.EvaluationError(verdict));
    co_return Written{.object = EncodeUnstored(doc), .created = true};
  }

 private:
  const ServingOptions options_;
  auth::Authorizer& authorizer_;
  const UnstoredFields fields_;
};

}  // namespace

std::unique_ptr<Serving> MakeSubjectAccessReviews(ServingOptions options, const Dependencies& dependencies) {
  return std::make_unique<AccessReviews<AboutSubject>>(std::move(options), dependencies);
}
std::unique_ptr<Serving> MakeSelfSubjectAccessReviews(ServingOptions options,
                                                      const Dependencies& dependencies) {
  return std::make_unique<AccessReviews<AboutSelf>>(std::move(options), dependencies);
}
std::unique_ptr<Serving> MakeLocalSubjectAccessReviews(ServingOptions options,
                                                       const Dependencies& dependencies) {
  return std::make_unique<AccessReviews<AboutSubjectInNamespace>>(std::move(options), dependencies);
}

}  // namespace keelson::registry::authorization
