// VersionedRequest: a request in the version that a policy or webhook is asked about.
#pragma once

#include <memory>
#include <string>

#include "admission/attributes.h"
#include "api/types/doc.h"
#include "base/result.h"
#include "base/task.h"

namespace keelson::admission {

// Borrows the request.
struct VersionedRequest {
  // `version`: one of those that serve the request's resource. An error: its objects cannot be converted.
  static base::Task<base::Result<std::unique_ptr<VersionedRequest>, api::Status>> Make(
      const Attributes& request, const api::ResourceDesc& version);
  explicit VersionedRequest(const Attributes& original) : request(original) {}
  VersionedRequest(const VersionedRequest&) = delete;
  VersionedRequest& operator=(const VersionedRequest&) = delete;

  // `doc`, an object in that version, as `original`, the request that this was made of, has its object. An
  // error: it cannot be converted.
  base::Task<base::Result<api::Doc, api::Status>> Back(api::Doc doc, const Attributes& original) const;

  Attributes request;    // its objects are in that version
  api::Doc object, old;  // empty where the request's own are in that version
};

}  // namespace keelson::admission
