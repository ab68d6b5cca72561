// AttributesOf: a write as admission is to see it.
#pragma once

#include <string_view>

#include "admission/attributes.h"
#include "api/types/resource_desc.h"
#include "registry/rest/storage.h"

namespace keelson::registry {

// The verb by which an update was authorized; empty for other operations.
inline std::string_view UpdateVerb(const rest::WriteRequest& request, admission::Operation operation) {
  if (operation != admission::Operation::kUpdate) return {};
  return request.is_patch ? "patch" : "update";
}

// Of a create or an update; the object is the caller's to add. Borrows from all of its arguments.
inline admission::Attributes AttributesOf(const rest::WriteRequest& request, admission::Operation operation,
                                          const api::ResourceDesc& resource, std::string_view subresource,
                                          std::string_view name) {
  return {
      .operation = operation,
      .resource = &resource,
      .requested = &api::ResourceIn(resource, request.api_version),
      .subresource = subresource,
      .ns = request.ns,
      .name = name,
      .user = request.user,
      .verb = UpdateVerb(request, operation),
      .dry_run = request.dry_run,
      .warnings = request.warnings,
      .audit = request.audit,
      .occupancy = request.occupancy,
      .notes = request.notes,
      .options = {.field_manager = request.given_manager(), .field_validation = request.field_validation}};
}

// Of a deletion. Of a collection's, admission is told no name, as it is not in the request.
inline admission::Attributes AttributesOf(const rest::WriteRequest& request, const DeleteOptions& options,
                                          const api::ResourceDesc& resource, std::string_view name) {
  if (request.of_collection) name = {};
  auto attributes = AttributesOf(request, admission::Operation::kDelete, resource, "", name);
  attributes.options = {.grace_period_seconds = options.grace_period_seconds,
                        .uid = options.uid,
                        .resource_version = options.resource_version,
                        .propagation_policy = options.propagation_policy,
                        .orphan_dependents = options.orphan_dependents};
  return attributes;
}

}  // namespace keelson::registry
