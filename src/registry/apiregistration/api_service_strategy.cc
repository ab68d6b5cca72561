#include "api/meta/object_meta.h"
#include "api/validation/apiregistration/api_service.h"
#include "api/validation/names.h"
#include "registry/apiregistration/strategies.h"
#include "registry/core/fields.h"

namespace keelson::registry::apiregistration {
namespace {

using api::apiregistration_v1::APIServiceEditor;
using api::apiregistration_v1::APIServiceView;
using api::field::ErrorList;

// APIService: who serves a group and version. What this server itself serves is available
// by definition.
class ApiServiceStrategy : public Strategy {
 public:
  bool NamespaceScoped() const override { return false; }
  bool ChecksStandardFinalizers() const override { return false; }
  bool AllowUnconditionalUpdate() const override { return false; }
  std::vector<std::string> ValidateName(std::string_view name, bool) const override {
    return api::IsPathSegmentName(name);
  }
  void PrepareForCreate(const WriteContext& context, api::Doc& doc) const override {
    APIServiceEditor service(doc);
    service.clear_status();
    if (service.spec().service()) return;
    auto available = service.mutable_status().add_conditions();
    available.set_type_static("Available");
    available.set_status_static("True");
    available.set_last_transition_time(api::NowSeconds(*context.clock));
    available.set_reason_static("Local");
    available.set_message_static("Local APIServices are always available");
  }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::apiregistration::ValidateApiService(APIServiceView(doc));
  }
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    core::KeepField(now, was, "status");
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc&) const override {
    return api::apiregistration::ValidateApiService(APIServiceView(now));
  }
};

class ApiServiceStatusStrategy final : public ApiServiceStrategy {
 public:
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    core::KeepField(now, was, "spec");
    api::StructNode& metadata = *api::MutableMetadataOf(now).node();
    const api::StructNode* const old = api::MetadataOf(was).node();
    for (const api::FieldDesc& field : metadata.type->fields)
      if (field.name == "labels" || field.name == "annotations" || field.name == "finalizers" ||
          field.name == "ownerReferences")
        metadata.slot(field.ordinal) = api::DeepCopy(old->slot(field.ordinal), now.arena());
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc&) const override {
    return api::apiregistration::ValidateApiServiceStatusUpdate(APIServiceView(now));
  }
};

}  // namespace

const Strategy& ApiServices() {
  static const ApiServiceStrategy strategy;
  return strategy;
}

const Strategy& ApiServiceStatus() {
  static const ApiServiceStatusStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::apiregistration
