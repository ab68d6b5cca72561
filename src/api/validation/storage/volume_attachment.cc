#include "api/validation/storage/volume_attachment.h"

#include <limits>

#include "api/validation/core/checks.h"
#include "api/validation/core/persistent_volume.h"
#include "api/validation/core/volume_sources.h"
#include "api/validation/unversioned.h"

namespace keelson::api::storage_api {
namespace {

using namespace storage_v1;
using field::ErrorList;
using field::Path;
using field::RenderValue;

constexpr size_t kMaxMetadataBytes = 256 * 1024, kMaxErrorBytes = 1024;

void CheckSource(VolumeAttachmentSourceView source, const Path& path, ErrorList& errors) {
  constexpr std::string_view kOne = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
  const bool is_inline = static_cast<bool>(source.inline_volume_spec());
  const bool named = source.has_persistent_volume_name();
  if (!is_inline && !named) return errors.Add(field::Required(path, kOne));
  if (is_inline && named) return errors.Add(field::Forbidden(path, kOne));
  if (is_inline)
    return core::CheckInlineVolumeSpec(source.inline_volume_spec(), path.Child("inlineVolumeSpec"), errors);
  if (source.persistent_volume_name().empty()) {
    errors.Add(
        field::Required(path.Child("persistentVolumeName"), "must specify non empty persistentVolumeName"));
  }
}

void CheckError(VolumeErrorView error, const Path& path, ErrorList& errors) {
  if (!error) return;
  // Upstream states the limit of the metadata here.
  if (error.message().size() > kMaxErrorBytes)
    errors.Add(field::TooLong(path.Child("message"), kMaxMetadataBytes));
  if (error.has_error_code() && error.error_code() < 0) {
    errors.Add(field::Invalid(path.Child("errorCode"), RenderValue(error.error_code()),
                              RangeMessage(0, std::numeric_limits<int32_t>::max())));
  }
}

void CheckStatus(VolumeAttachmentStatusView status, ErrorList& errors) {
  const Path path("status");
  size_t bytes = 0;
  for (const auto& [key, value] : status.attachment_metadata()) bytes += key.size() + value.string().size();
  if (bytes > kMaxMetadataBytes)
    errors.Add(field::TooLong(path.Child("attachmentMetadata"), kMaxMetadataBytes));
  CheckError(status.attach_error(), path.Child("attachError"), errors);
  CheckError(status.detach_error(), path.Child("detachError"), errors);
}

}  // namespace

ErrorList ValidateVolumeAttachment(VolumeAttachmentView attachment) {
  ErrorList errors;
  const auto spec = attachment.spec();
  const Path path("spec");
  core::CheckCsiDriverName(spec.attacher(), path.Child("attacher"), errors);
  CheckSource(spec.source(), path.Child("source"), errors);
  errors.AddInvalid(path.Child("nodeName"), spec.node_name(), NameIsDnsSubdomain(spec.node_name(), false));
  CheckStatus(attachment.status(), errors);
  if (spec.source().has_persistent_volume_name()) {
    const std::string_view name = spec.source().persistent_volume_name();
    errors.AddInvalid(Path("spec.source.persistentVolumeName"), name, NameIsDnsSubdomain(name, false));
  }
  return errors;
}

ErrorList ValidateVolumeAttachmentUpdate(VolumeAttachmentView now, VolumeAttachmentView was) {
  ErrorList errors = ValidateVolumeAttachment(now);
  if (!core::SameStruct(now.spec(), was.spec()))
    errors.Add(field::Invalid(Path("spec"), field::RenderUnversioned(now.spec().node()), kFieldImmutable));
  return errors;
}

}  // namespace keelson::api::storage_api
