#include <algorithm>

#include "api/validation/core/namespace.h"
#include "api/validation/names.h"
#include "api/validation/object_meta.h"
#include "registry/core/fields.h"
#include "registry/core/strategies.h"

namespace keelson::registry::core {
namespace {

using api::core_v1::NamespaceEditor;
using api::core_v1::NamespacePhase;
using api::core_v1::NamespaceView;
using api::field::ErrorList;

// Namespace: gone only when its finalizers in spec are, which the finalize subresource
// alone can change. Its phase follows its deletion.
class NamespaceStrategy : public Strategy {
 public:
  bool NamespaceScoped() const override { return false; }
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::NameIsDnsLabel(name, prefix);
  }

  void PrepareForCreate(const WriteContext&, api::Doc& doc) const override {
    NamespaceEditor ns(doc);
    ns.clear_status();
    ns.mutable_status().set_phase_static(NamespacePhase::kActive);
    const auto finalizers = ns.spec().finalizers();
    const bool has_ours = std::ranges::any_of(
        finalizers, [](const api::Value& v) { return v.string() == api::kFinalizerKubernetes; });
    if (!has_ours) ns.mutable_spec().add_finalizers(api::kFinalizerKubernetes);
  }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::core::ValidateNamespace(NamespaceView(doc));
  }
  // A generated name was not known yet when defaults were set.
  void Canonicalize(api::Doc& doc) const override {
    NamespaceEditor ns(doc);
    ns.mutable_metadata().mutable_labels().Set("kubernetes.io/metadata.name",
                                               api::Value::String(ns.metadata().name()), doc.arena());
  }

  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    KeepField(now, was, "spec");  // finalizers are all there is
    KeepField(now, was, "status");
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc&) const override {
    return api::core::ValidateNamespace(NamespaceView(now));
  }

  bool HasOwnFinalizers(const api::Doc& doc) const override {
    return !NamespaceView(doc).spec().finalizers().empty();
  }
  void PrepareForDeletion(const WriteContext&, api::Doc& doc) const override {
    NamespaceEditor(doc).mutable_status().set_phase_static(NamespacePhase::kTerminating);
  }
};

class NamespaceStatusStrategy final : public NamespaceStrategy {
 public:
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    KeepField(now, was, "spec");
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc&) const override {
    return api::core::ValidateNamespaceStatusUpdate(NamespaceView(now));
  }
};

class NamespaceFinalizeStrategy final : public NamespaceStrategy {
 public:
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    KeepField(now, was, "status");
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc&) const override {
    return api::core::ValidateNamespaceFinalizeUpdate(NamespaceView(now));
  }
};

}  // namespace

const Strategy& Namespaces() {
  static const NamespaceStrategy strategy;
  return strategy;
}

const Strategy& NamespaceStatus() {
  static const NamespaceStatusStrategy strategy;
  return strategy;
}

const Strategy& NamespaceFinalize() {
  static const NamespaceFinalizeStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::core
