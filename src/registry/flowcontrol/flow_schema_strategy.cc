#include "api/validation/flowcontrol/flow_schema.h"
#include "registry/core/spec_strategy.h"
#include "registry/flowcontrol/strategies.h"

namespace keelson::registry::flowcontrol {
namespace {

using api::field::ErrorList;
using api::flowcontrol_v1::FlowSchemaView;

class FlowSchemaStrategy : public core::SpecStrategy {
 public:
  bool NamespaceScoped() const override { return false; }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::flowcontrol::ValidateFlowSchema(FlowSchemaView(doc));
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc&) const override {
    return api::flowcontrol::ValidateFlowSchema(FlowSchemaView(now));
  }
};

class FlowSchemaStatusStrategy final : public FlowSchemaStrategy {
 public:
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    core::KeepField(now, was, "spec");
    core::KeepMetadataForStatus(now, was);
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc&) const override {
    return api::flowcontrol::ValidateFlowSchemaStatus(FlowSchemaView(now).status());
  }
};

}  // namespace

const Strategy& FlowSchemas() {
  static const FlowSchemaStrategy strategy;
  return strategy;
}

const Strategy& FlowSchemaStatus() {
  static const FlowSchemaStatusStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::flowcontrol
