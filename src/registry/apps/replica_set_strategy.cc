#include "api/validation/apps/replica_set.h"
#include "registry/apps/strategies.h"
#include "registry/core/workload_strategy.h"

namespace keelson::registry::apps {
namespace {

using api::apps_v1::ReplicaSetEditor;
using api::apps_v1::ReplicaSetView;
using api::field::ErrorList;

class ReplicaSetStrategy : public core::WorkloadStrategy<ReplicaSetView, ReplicaSetEditor> {
 public:
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::apps::ValidateReplicaSet(ReplicaSetView(doc));
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::apps::ValidateReplicaSetUpdate(ReplicaSetView(now), ReplicaSetView(was));
  }
};

class ReplicaSetStatusStrategy final : public core::WorkloadStatusStrategy<ReplicaSetStrategy> {
 public:
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc&) const override {
    return api::apps::ValidateReplicaSetStatus(ReplicaSetView(now).status());
  }
};

}  // namespace

const Strategy& ReplicaSets() {
  static const ReplicaSetStrategy strategy;
  return strategy;
}

const Strategy& ReplicaSetStatus() {
  static const ReplicaSetStatusStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::apps
