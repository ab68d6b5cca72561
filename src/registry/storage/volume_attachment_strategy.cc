#include "api/validation/storage/volume_attachment.h"
#include "registry/core/spec_and_status_strategy.h"
#include "registry/storage/strategies.h"

namespace keelson::registry::storage_api {
namespace {

using api::field::ErrorList;
using api::storage_v1::VolumeAttachmentView;

class VolumeAttachmentStrategy : public core::SpecAndStatusStrategy {
 public:
  bool NamespaceScoped() const override { return false; }
  bool AllowUnconditionalUpdate() const override { return false; }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::storage_api::ValidateVolumeAttachment(VolumeAttachmentView(doc));
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::storage_api::ValidateVolumeAttachmentUpdate(VolumeAttachmentView(now),
                                                            VolumeAttachmentView(was));
  }
};

class VolumeAttachmentStatusStrategy final : public core::StatusStrategy<VolumeAttachmentStrategy> {
 public:
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
