// Volume attachments.
#pragma once

#include "api/generated/storage_v1.h"
#include "api/validation/field.h"

namespace keelson::api::storage_api {

field::ErrorList ValidateVolumeAttachment(storage_v1::VolumeAttachmentView attachment);
// Of the object and of its status alike.
field::ErrorList ValidateVolumeAttachmentUpdate(storage_v1::VolumeAttachmentView now,
                                                storage_v1::VolumeAttachmentView was);

}  // namespace keelson::api::storage_api
