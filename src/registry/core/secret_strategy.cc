#include "api/validation/core/secret.h"
#include "api/validation/names.h"
#include "registry/core/fields.h"
#include "registry/core/strategies.h"

namespace keelson::registry::core {
namespace {

using api::core_v1::SecretView;
using api::field::ErrorList;

// Secret: its type never changes; once made immutable, neither do its contents.
class SecretStrategy final : public Strategy {
 public:
  bool NamespaceScoped() const override { return true; }
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::NameIsDnsSubdomain(name, prefix);
  }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::core::ValidateSecret(SecretView(doc));
  }
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    if (SecretView(now).type().empty()) KeepField(now, was, "type");
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::core::ValidateSecretUpdate(SecretView(now), SecretView(was));
  }
};

}  // namespace

const Strategy& Secrets() {
  static const SecretStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::core
