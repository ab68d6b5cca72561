// What a server-side apply hands to the registry: a configuration, parsed and not yet laid over anything.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/meta/status.h"
#include "api/types/doc.h"
#include "api/types/resource_desc.h"
#include "base/result.h"
#include "base/slice.h"

namespace keelson::registry::rest {

// Whose it is, WriteRequest::field_manager says. Immutable: each attempt works on a copy.
struct ApplyConfiguration {
  // The kind and version it is written in; outlives the request.
  const api::ResourceDesc* body_desc = nullptr;
  api::Value config;  // a tree, which `keepalive` holds
  std::shared_ptr<const void> keepalive;
  bool force = false;  // takes over what others own

  // What its text gives twice, which counts only once the configuration could be laid over the object: then
  // the request ends with `refusal`, or the client is told `warning`.
  std::optional<api::Status> refusal;
  std::string warning;

  // From JSON; the error says why it is none. Keys that are given twice are added to `duplicates`, when it is
  // given; the last counts.
  static base::Result<ApplyConfiguration, std::string> FromJson(
      const api::ResourceDesc& body_desc, base::Slice json, std::vector<std::string>* duplicates = nullptr);
};

}  // namespace keelson::registry::rest
