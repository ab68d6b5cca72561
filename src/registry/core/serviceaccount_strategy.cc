#include "api/generated/core_v1.h"
#include "api/validation/names.h"
#include "registry/core/strategies.h"

namespace keelson::registry::core {
namespace {

using api::core_v1::ServiceAccountEditor;
using api::core_v1::ServiceAccountView;
using api::field::ErrorList;

constexpr std::string_view kEnforceMountableSecrets = "kubernetes.io/enforce-mountable-secrets";

bool EnforcesMountableSecrets(const api::Doc& doc) {
  return ServiceAccountView(doc).metadata().annotations().Find(kEnforceMountableSecrets) != nullptr;
}

// Of a reference to a secret only the name has a meaning.
void KeepOnlyNames(api::Doc& doc) {
  for (auto secret : ServiceAccountEditor(doc).edit_secrets()) {
    const std::string_view name = secret.name();
    for (api::Value& slot : secret.node()->slots()) slot = {};
    secret.set_name_static(name);
  }
}

class ServiceAccountStrategy final : public Strategy {
 public:
  bool NamespaceScoped() const override { return true; }
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::NameIsDnsSubdomain(name, prefix);
  }
  void PrepareForCreate(const WriteContext&, api::Doc& doc) const override { KeepOnlyNames(doc); }
  ErrorList Validate(const WriteContext&, const api::Doc&) const override { return {}; }
  std::vector<std::string> WarningsOnCreate(const WriteContext&, const api::Doc& doc) const override {
    return EnforcesMountableSecrets(doc) ? Deprecated() : std::vector<std::string>();
  }
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc&) const override {
    KeepOnlyNames(now);
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc&, const api::Doc&) const override {
    return {};
  }
  std::vector<std::string> WarningsOnUpdate(const WriteContext&, const api::Doc& now,
                                            const api::Doc& was) const override {
    const bool added = EnforcesMountableSecrets(now) && !EnforcesMountableSecrets(was);
    return added ? Deprecated() : std::vector<std::string>();
  }

 private:
  static std::vector<std::string> Deprecated() {
    return {"metadata.annotations[" + std::string(kEnforceMountableSecrets) +
            "]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets"};
  }
};

}  // namespace

const Strategy& ServiceAccounts() {
  static const ServiceAccountStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::core
