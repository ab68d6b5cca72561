#include "api/validation/resource/pool_status_request.h"
#include "registry/core/spec_and_status_strategy.h"
#include "registry/resource/strategies.h"

namespace keelson::registry::resource {
namespace {

using api::field::ErrorList;
using api::resource_v1alpha3::ResourcePoolStatusRequestView;

// ResourcePoolStatusRequest: a question that is answered once, by way of its status.
class PoolStatusRequestStrategy : public core::SpecAndStatusStrategy {
 public:
  bool NamespaceScoped() const override { return false; }
  bool AllowUnconditionalUpdate() const override { return false; }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::resource::ValidatePoolStatusRequest(ResourcePoolStatusRequestView(doc),
                                                    ResourcePoolStatusRequestView());
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::resource::ValidatePoolStatusRequest(ResourcePoolStatusRequestView(now),
                                                    ResourcePoolStatusRequestView(was));
  }
};

class PoolStatusRequestStatusStrategy final : public core::StatusStrategy<PoolStatusRequestStrategy> {
 public:
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
