#include "registry/errors.h"

#include <cstdlib>
#include <string>

#include "api/types/custom_type.h"
#include "registry/rest/errors.h"

namespace keelson::registry {
namespace {

using storage::Code;

constexpr int32_t kRetryAfterSeconds = 2;

std::string_view Action(StorageVerb verb) {
  switch (verb) {
    case StorageVerb::kGet: return "get";
    case StorageVerb::kList: return "list";
    case StorageVerb::kWatch: return "watch";
    case StorageVerb::kCreate: return "create";
    case StorageVerb::kUpdate: return "update";
    case StorageVerb::kDelete: return "delete";
  }
  std::abort();
}

api::Status TooLarge(const storage::Error& error) {
  const int32_t retry_after_seconds = error.revision > 0 ? 1 : 0;
  api::Status status = api::Timeout(error.detail, retry_after_seconds);
  status.details->causes.push_back({"ResourceVersionTooLarge", "Too large resource version", ""});
  return status;
}

api::Status Expired(const storage::Error& error) {
  api::Status status = api::Expired(error.detail);
  status.continue_token = error.continue_token;
  return status;
}

api::Status Full(const storage::Error& error, api::GroupResource resource) {
  api::Status status = UnknownError(error.detail + ": delete some, or raise --storage-quotas");
  status.code = 507;
  status.details.emplace();
  status.details->group = resource.group;
  status.details->kind = resource.resource;
  return status;
}

}  // namespace

// No `default`: under -Werror=switch a new code does not compile until its answer to the
// client is chosen.
api::Status ToStatus(const storage::Error& error, StorageVerb verb, api::GroupResource resource,
                     std::string_view name) {
  switch (error.code) {
    case Code::kNotFound: return api::NotFound(resource, name);
    case Code::kExists:
      if (verb == StorageVerb::kCreate) return api::AlreadyExists(resource, name);
      return api::Conflict(resource, name, error.detail);
    case Code::kConflict: return api::Conflict(resource, name, error.detail);
    case Code::kExpired: return Expired(error);
    case Code::kTooLarge: return TooLarge(error);
    case Code::kInvalidOption:
      // Upstream has words for this only where it lists.
      if (verb == StorageVerb::kGet || verb == StorageVerb::kWatch) return UnknownError(error.detail);
      return api::BadRequest(error.detail);
    case Code::kTooBig: return UnknownError(error.detail);
    case Code::kFull: return Full(error, resource);
    case Code::kUnreachable: return api::ServerTimeout(resource, Action(verb), kRetryAfterSeconds);
    case Code::kCorrupt: return api::InternalError(error.detail);
    case Code::kAborted: return *error.cause;
  }
  std::abort();
}

api::Status rest::WatchEndStatus(const rest::WatchEvent& event) {
  return ToStatus(*event.error, StorageVerb::kWatch, {}, "");
}

api::GroupKind ClaimedKind(const api::Doc& doc, api::GroupKind own) {
  return api::IsOpen(doc.type()) ? api::GroupKind{own.group, doc.root()->slot(0).string()} : own;
}

api::Status UnknownError(std::string_view text) {
  api::Status status;
  status.code = 500;
  status.message = text;
  return status;
}

}  // namespace keelson::registry
