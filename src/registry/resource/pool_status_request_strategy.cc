#include "api/validation/names.h"
#include "api/validation/resource/pool_status_request.h"
#include "registry/core/fields.h"
#include "registry/resource/strategies.h"

namespace keelson::registry::resource {
namespace {

using api::field::ErrorList;
using api::resource_v1alpha3::ResourcePoolStatusRequestView;

// ResourcePoolStatusRequest: a question that is answered once, by way of its status.
class PoolStatusRequestStrategy : public Strategy {
 public:
  bool NamespaceScoped() const override { return false; }
  bool AllowUnconditionalUpdate() const override { return false; }
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::NameIsDnsSubdomain(name, prefix);
  }
  void PrepareForCreate(const WriteContext&, api::Doc& doc) const override {
    core::ClearField(doc, "status");
  }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::resource::ValidatePoolStatusRequest(ResourcePoolStatusRequestView(doc),
                                                    ResourcePoolStatusRequestView());
  }
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    core::KeepField(now, was, "status");
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::resource::ValidatePoolStatusRequest(ResourcePoolStatusRequestView(now),
                                                    ResourcePoolStatusRequestView(was));
  }
};

class PoolStatusRequestStatusStrategy final : public PoolStatusRequestStrategy {
 public:
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    core::KeepField(now, was, "spec");
    core::KeepMetadataForStatus(now, was);
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::resource::ValidatePoolStatusRequestStatus(ResourcePoolStatusRequestView(now),
                                                          ResourcePoolStatusRequestView(was));
  }
};

}  // namespace

const Strategy& PoolStatusRequests() {
  static const PoolStatusRequestStrategy strategy;
  return strategy;
}

const Strategy& PoolStatusRequestStatus() {
  static const PoolStatusRequestStatusStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::resource
