#include "api/validation/core/node.h"
#include "api/validation/names.h"
#include "registry/core/fields.h"
#include "registry/core/strategies.h"

namespace keelson::registry::core {
namespace {

using api::core_v1::NodeEditor;
using api::core_v1::NodeView;
using api::field::ErrorList;

std::vector<std::string> WarningsFor(NodeView node) {
  std::vector<std::string> warnings;
  if (node.spec().config_source()) warnings.push_back("spec.configSource: the feature is removed");
  if (!node.spec().external_id().empty()) {
    warnings.push_back("spec.externalID: this field is deprecated, and is unused by Kubernetes");
  }
  return warnings;
}

// Node: a node registers itself with its status, which nobody else can know.
class NodeStrategy : public Strategy {
 public:
  bool NamespaceScoped() const override { return false; }
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::NameIsDnsSubdomain(name, prefix);
  }
  void PrepareForCreate(const WriteContext&, api::Doc& doc) const override {
    NodeEditor node(doc);
    if (auto spec = node.edit_spec()) spec.clear_config_source();
    if (auto status = node.edit_status()) status.clear_config();
  }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::core::ValidateNode(NodeView(doc));
  }
  std::vector<std::string> WarningsOnCreate(const WriteContext&, const api::Doc& doc) const override {
    return WarningsFor(NodeView(doc));
  }
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    KeepField(now, was, "status");
    NodeEditor node(now);
    if (!NodeView(was).spec().config_source() && node.spec()) node.edit_spec().clear_config_source();
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::core::ValidateNodeUpdate(NodeView(now), NodeView(was));
  }
  std::vector<std::string> WarningsOnUpdate(const WriteContext&, const api::Doc& now,
                                            const api::Doc&) const override {
    return WarningsFor(NodeView(now));
  }
};

class NodeStatusStrategy final : public NodeStrategy {
 public:
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    KeepField(now, was, "spec");
    NodeEditor node(now);
    if (!NodeView(was).status().config() && node.status()) node.edit_status().clear_config();
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::core::ValidateNodeStatusUpdate(NodeView(now), NodeView(was));
  }
  std::vector<std::string> WarningsOnUpdate(const WriteContext&, const api::Doc&,
                                            const api::Doc&) const override {
    return {};
  }
};

}  // namespace

const Strategy& Nodes() {
  static const NodeStrategy strategy;
  return strategy;
}

const Strategy& NodeStatus() {
  static const NodeStatusStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::core
