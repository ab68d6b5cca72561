// CustomResourceDefinitions as those read them who do not need their schemas.
#pragma once

#include "api/meta/status.h"
#include "api/types/doc.h"
#include "base/result.h"
#include "client/client.h"

namespace keelson::client {

inline constexpr Resource kDefinitions{"apiextensions.k8s.io", "customresourcedefinitions"};

// A definition without the schemas of its versions, which are nearly all of its bytes.
base::Result<api::Doc, api::Status> DecodeOutline(const Object& definition);

}  // namespace keelson::client
