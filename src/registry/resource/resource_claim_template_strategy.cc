#include "api/validation/names.h"
#include "api/validation/resource/claims.h"
#include "cel/rules.h"
#include "registry/resource/strategies.h"

namespace keelson::registry::resource {
namespace {

using api::field::ErrorList;
using namespace api::resource_v1;

class ResourceClaimTemplateStrategy final : public Strategy {
 public:
  bool NamespaceScoped() const override { return true; }
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::NameIsDnsSubdomain(name, prefix);
  }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::resource::ValidateResourceClaimTemplate(ResourceClaimTemplateView(doc), cel::Rules());
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::resource::ValidateResourceClaimTemplateUpdate(ResourceClaimTemplateView(now),
                                                              ResourceClaimTemplateView(was), cel::Rules());
  }
};

}  // namespace

const Strategy& ResourceClaimTemplates() {
  static const ResourceClaimTemplateStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::resource
