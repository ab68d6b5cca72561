#include "api/generated/authorization_v1.h"
#include "api/meta/object_meta.h"
#include "registry/authorization/reviews.h"
#include "registry/store.h"

namespace keelson::registry::authorization {
namespace {

using namespace api::authorization_v1;

// SelfSubjectRulesReview: what may I do in a namespace? The answer is the status alone.
class SelfSubjectRulesReviews final : public Serving, public rest::Creater {
 public:
  SelfSubjectRulesReviews(ServingOptions options, const Dependencies& dependencies)
      : options_(std::move(options)), authorizer_(*dependencies.authorizer) {}

  rest::Verbs verbs() override { return {.create = this}; }

  base::Task<rest::Result<rest::Written>> Create(rest::WriteRequest request, api::Doc asked) override {
    const std::string name(api::MetadataOf(asked).name());
    const auto attributes = options_.Creating(request, name, asked);
    if (options_.admission.mutate) CO_TRY(co_await options_.admission.mutate(attributes));
    const std::string_view ns = SelfSubjectRulesReviewView(asked).spec().namespace_();
    if (ns.empty()) co_return base::Err(api::BadRequest("no namespace on request"));
    if (options_.admission.validate) CO_TRY(co_await options_.admission.validate(attributes));
    const auth::Rules rules = co_await authorizer_.RulesFor(*request.user, ns);

    api::Doc doc(SelfSubjectRulesReviewView::Type());
    SelfSubjectRulesReviewEditor review(doc);
    review.set_kind_static("SelfSubjectRulesReview");
    review.set_api_version_static("authorization.k8s.io/v1");
    auto status = review.mutable_status();
    for (const auth::ResourceRule& rule : rules.resources) {
      auto out = status.add_resource_rules();
      for (const std::string& verb : rule.verbs) out.add_verbs(verb);
      for (const std::string& group : rule.groups) out.add_api_groups(group);
      for (const std::string& resource : rule.resources) out.add_resources(resource);
      for (const std::string& name : rule.names) out.add_resource_names(name);
    }
    for (const auth::NonResourceRule& rule : rules.non_resources) {
      auto out = status.add_non_resource_rules();
      for (const std::string& verb : rule.verbs) out.add_verbs(verb);
      for (const std::string& path : rule.paths) out.add_non_resource_urls(path);
    }
    status.set_incomplete(rules.incomplete);
    status.set_evaluation_error(rules.error);
    co_return rest::Written{.object = EncodeUnstored(doc), .created = true};
  }

 private:
  const ServingOptions options_;
  auth::Authorizer& authorizer_;
};

}  // namespace

std::unique_ptr<Serving> MakeSelfSubjectRulesReviews(ServingOptions options,
                                                     const Dependencies& dependencies) {
  return std::make_unique<SelfSubjectRulesReviews>(std::move(options), dependencies);
}

}  // namespace keelson::registry::authorization
