#include "api/codec/quantity.h"
#include "api/validation/core/resource_quota.h"
#include "api/validation/names.h"
#include "registry/core/fields.h"
#include "registry/core/strategies.h"

namespace keelson::registry::core {
namespace {

using api::core_v1::ResourceQuotaView;
using api::field::ErrorList;

// A quota that limits less than it lets containers request can never be used up.
std::vector<std::string> WarningsForHardLimits(api::MapView hard) {
  std::vector<std::string> warnings;
  for (std::string_view resource : {"cpu", "memory", "storage", "ephemeral-storage"}) {
    std::string request_name = "requests." + std::string(resource);
    const std::string limit_name = "limits." + std::string(resource);
    const api::Value* request = hard.Find(request_name);
    if (!request && (resource == "cpu" || resource == "memory")) {
      request = hard.Find(resource);
      request_name = resource;
    }
    const api::Value* limit = hard.Find(limit_name);
    if (!request || !limit) continue;
    const auto most = api::Quantity::Parse(limit->string()), least = api::Quantity::Parse(request->string());
    if (!most || !least || least->Compare(*most) <= 0) continue;
    warnings.push_back("ResourceQuota " + request_name + " (" + std::string(request->string()) +
                       ") should be less than " + limit_name + " (" + std::string(limit->string()) + ")");
  }
  return warnings;
}

class ResourceQuotaStrategy : public Strategy {
 public:
  bool NamespaceScoped() const override { return true; }
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::NameIsDnsSubdomain(name, prefix);
  }
  void PrepareForCreate(const WriteContext&, api::Doc& doc) const override { ClearField(doc, "status"); }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::core::ValidateResourceQuota(ResourceQuotaView(doc));
  }
  std::vector<std::string> WarningsOnCreate(const WriteContext&, const api::Doc& doc) const override {
    return WarningsForHardLimits(ResourceQuotaView(doc).spec().hard());
  }
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    KeepField(now, was, "status");
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::core::ValidateResourceQuotaUpdate(ResourceQuotaView(now), ResourceQuotaView(was));
  }
};

class ResourceQuotaStatusStrategy final : public ResourceQuotaStrategy {
 public:
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    KeepField(now, was, "spec");
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc&) const override {
    return api::core::ValidateResourceQuotaStatus(ResourceQuotaView(now).status(),
                                                  api::field::Path("status"));
  }
};

}  // namespace

const Strategy& ResourceQuotas() {
  static const ResourceQuotaStrategy strategy;
  return strategy;
}

const Strategy& ResourceQuotaStatus() {
  static const ResourceQuotaStatusStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::core
