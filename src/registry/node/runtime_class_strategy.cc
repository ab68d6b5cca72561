#include "api/validation/names.h"
#include "api/validation/node/runtime_class.h"
#include "registry/node/strategies.h"

namespace keelson::registry::node {
namespace {

using api::field::ErrorList;
using api::node_v1::RuntimeClassView;

class RuntimeClassStrategy final : public Strategy {
 public:
  bool NamespaceScoped() const override { return false; }
  bool ChecksStandardFinalizers() const override { return false; }
  bool AllowCreateOnUpdate() const override { return true; }
  bool AllowUnconditionalUpdate() const override { return false; }
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::NameIsDnsSubdomain(name, prefix);
  }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::node::ValidateRuntimeClass(RuntimeClassView(doc));
  }
  std::vector<std::string> WarningsOnCreate(const WriteContext&, const api::Doc& doc) const override {
    return api::node::WarningsForRuntimeClass(RuntimeClassView(doc));
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::node::ValidateRuntimeClassUpdate(RuntimeClassView(now), RuntimeClassView(was));
  }
  std::vector<std::string> WarningsOnUpdate(const WriteContext&, const api::Doc& now,
                                            const api::Doc&) const override {
    return api::node::WarningsForRuntimeClass(RuntimeClassView(now));
  }
};

}  // namespace

const Strategy& RuntimeClasses() {
  static const RuntimeClassStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::node
