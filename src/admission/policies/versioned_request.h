// VersionedRequest: a request as a policy or webhook sees it that is for another version than the stored one.
#pragma once

#include "admission/attributes.h"
#include "api/types/doc.h"
#include "api/types/resource_desc.h"

namespace keelson::admission {

// Borrows the request.
struct VersionedRequest {
  // `version`: one of those that serve the request's resource.
  VersionedRequest(const Attributes& request, const api::ResourceDesc& version);
  VersionedRequest(const VersionedRequest&) = delete;
  VersionedRequest& operator=(const VersionedRequest&) = delete;

  Attributes request;    // its objects are in that version
  api::Doc object, old;  // empty where the request's own are in that version
};

}  // namespace keelson::admission
