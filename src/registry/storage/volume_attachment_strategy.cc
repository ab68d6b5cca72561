#include "api/validation/names.h"
#include "api/validation/storage/volume_attachment.h"
#include "registry/core/fields.h"
#include "registry/storage/strategies.h"

namespace keelson::registry::storage_api {
namespace {

using api::field::ErrorList;
using api::storage_v1::VolumeAttachmentView;

class VolumeAttachmentStrategy : public Strategy {
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
    return api::storage_api::ValidateVolumeAttachment(VolumeAttachmentView(doc));
  }
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    core::KeepField(now, was, "status");
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::storage_api::ValidateVolumeAttachmentUpdate(VolumeAttachmentView(now),
                                                            VolumeAttachmentView(was));
  }
};

class VolumeAttachmentStatusStrategy final : public VolumeAttachmentStrategy {
 public:
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    core::KeepField(now, was, "spec");
    core::KeepMetadataForStatus(now, was);
  }
};

}  // namespace

const Strategy& VolumeAttachments() {
  static const VolumeAttachmentStrategy strategy;
  return strategy;
}

const Strategy& VolumeAttachmentStatus() {
  static const VolumeAttachmentStatusStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::storage_api
