#include "api/validation/core/replication_controller.h"
#include "api/validation/names.h"
#include "registry/core/pod_rules.h"
#include "registry/core/pod_warnings.h"
#include "registry/core/strategies.h"

namespace keelson::registry::core {
namespace {

using api::core_v1::PodTemplateEditor;
using api::core_v1::PodTemplateView;
using api::field::ErrorList;

class PodTemplateStrategy final : public Strategy {
 public:
  bool NamespaceScoped() const override { return true; }
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::NameIsDnsSubdomain(name, prefix);
  }
  void PrepareForCreate(const WriteContext& context, api::Doc& doc) const override {
    PodTemplateEditor pod_template(doc);
    pod_template.mutable_metadata().set_generation(1);
    DropDisabledFields(context.features, pod_template.mutable_template().mutable_spec(),
                       api::core_v1::PodSpecView());
  }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::core::ValidatePodTemplate(PodTemplateView(doc));
  }
  std::vector<std::string> WarningsOnCreate(const WriteContext&, const api::Doc& doc) const override {
    Warnings warnings;
    WarnOfPodTemplate(PodTemplateView(doc).template_(), api::field::Path("template"), warnings);
    return warnings;
  }
  void PrepareForUpdate(const WriteContext& context, api::Doc& now, const api::Doc& was) const override {
    const PodTemplateView before(was);
    PodTemplateEditor after(now);
    DropDisabledFields(context.features, after.mutable_template().mutable_spec(), before.template_().spec());
    if (api::Equal(after.template_().node(), before.template_().node())) return;
    after.mutable_metadata().set_generation(before.metadata().generation() + 1);
  }
  ErrorList ValidateUpdate(const WriteContext& context, const api::Doc& now, const api::Doc&) const override {
    return Validate(context, now);
  }
  std::vector<std::string> WarningsOnUpdate(const WriteContext& context, const api::Doc& now,
                                            const api::Doc& was) const override {
    if (PodTemplateView(now).metadata().generation() == PodTemplateView(was).metadata().generation())
      return {};
    return WarningsOnCreate(context, now);
  }
};

}  // namespace

const Strategy& PodTemplates() {
  static const PodTemplateStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::core
