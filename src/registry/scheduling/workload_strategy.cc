#include "api/generated/scheduling_v1alpha2.h"
#include "api/validation/names.h"
#include "api/validation/scheduling/pod_group.h"
#include "registry/scheduling/group_features.h"
#include "registry/scheduling/strategies.h"

namespace keelson::registry::scheduling {
namespace {

using api::field::ErrorList;
using namespace api::scheduling_v1alpha2;

// Workload: the templates of the groups that a controller makes; it never changes.
class WorkloadStrategy final : public Strategy {
 public:
  bool NamespaceScoped() const override { return true; }
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::NameIsDnsSubdomain(name, prefix);
  }
  void PrepareForCreate(const WriteContext& context, api::Doc& doc) const override {
    Drop(context.features, WorkloadEditor(doc), WorkloadView());
  }
  ErrorList Validate(const WriteContext& context, const api::Doc& doc) const override {
    return api::scheduling::ValidateWorkload(WorkloadView(doc), WorkloadView(),
                                             GroupFeaturesOf(context.features));
  }
  void PrepareForUpdate(const WriteContext& context, api::Doc& now, const api::Doc& was) const override {
    Drop(context.features, WorkloadEditor(now), WorkloadView(was));
  }
  ErrorList ValidateUpdate(const WriteContext& context, const api::Doc& now,
                           const api::Doc& was) const override {
    return api::scheduling::ValidateWorkload(WorkloadView(now), WorkloadView(was),
                                             GroupFeaturesOf(context.features));
  }

 private:
  // Templates are compared by their places.
  static void Drop(const Features& features, WorkloadEditor now, WorkloadView was) {
    const auto before = was.spec().pod_group_templates();
    size_t i = 0;
    for (auto group : now.mutable_spec().edit_pod_group_templates()) {
      DropDisabledGroupFields(features, group, i < before.size() ? before[i] : PodGroupTemplateView());
      ++i;
    }
  }
};

}  // namespace

const Strategy& Workloads() {
  static const WorkloadStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::scheduling
