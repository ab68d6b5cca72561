#include "api/validation/apps/controller_revision.h"
#include "api/validation/names.h"
#include "registry/apps/strategies.h"

namespace keelson::registry::apps {
namespace {

using api::apps_v1::ControllerRevisionView;
using api::field::ErrorList;

// ControllerRevision: what a controller's template was; only its number in the history may
// change.
class ControllerRevisionStrategy final : public Strategy {
 public:
  bool NamespaceScoped() const override { return true; }
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::NameIsDnsSubdomain(name, prefix);
  }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::apps::ValidateControllerRevision(ControllerRevisionView(doc));
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::apps::ValidateControllerRevisionUpdate(ControllerRevisionView(now),
                                                       ControllerRevisionView(was));
  }
};

}  // namespace

const Strategy& ControllerRevisions() {
  static const ControllerRevisionStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::apps
