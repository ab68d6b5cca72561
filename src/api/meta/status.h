// Status: every error the API gives, as metav1.Status. The makers below are the only
// places where reasons, codes and messages are put together.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/validation/field.h"
#include "base/slice.h"

namespace keelson::api {

struct StatusCause {
  std::string reason, message, field;
};

struct StatusDetails {
  std::string name, group, kind, uid;
  std::vector<StatusCause> causes;
  int32_t retry_after_seconds = 0;
};

struct Status {
  int32_t code = 200;
  std::string status = "Failure";  // or "Success"
  std::string reason;              // "NotFound", ...
  std::string message;
  std::optional<StatusDetails> details;
  std::string continue_token;  // metadata.continue: how to go on with a list that has expired

  std::string ToJson() const;  // one line, ends with '\n', as upstream's encoder
  // The k8s\0 envelope.
  std::string ToProtobuf() const;
};

// The names that messages speak of: `pods "a" not found`, `deployments.apps "a" ...`.
struct GroupResource {
  std::string_view group, resource;
  std::string ToString() const;
};
struct GroupKind {
  std::string_view group, kind;
  std::string ToString() const;
};

Status NotFound(GroupResource r, std::string_view name);
Status AlreadyExists(GroupResource r, std::string_view name);
Status Conflict(GroupResource r, std::string_view name, std::string_view why);
Status Unauthorized(std::string_view why);
Status Forbidden(GroupResource r, std::string_view name, std::string_view why);
Status Invalid(GroupKind kind, std::string_view name, const field::ErrorList& errors);
Status BadRequest(std::string_view why);
Status MethodNotSupported(GroupResource r, std::string_view action);
Status ServerTimeout(GroupResource r, std::string_view action, int32_t retry_after_seconds);
Status TooManyRequests(std::string_view why, int32_t retry_after_seconds);
Status Expired(std::string_view why);  // 410, reason Expired
Status RequestEntityTooLarge(std::string_view why);
Status InternalError(std::string_view why);
Status NotAcceptable(std::string_view why);                         // 406
Status UnsupportedMediaType(std::string_view why);                  // 415
Status Timeout(std::string_view why, int32_t retry_after_seconds);  // 504
// The same in upstream's words for a request whose deadline passed while its work waited for somebody.
Status RequestTimedOut();
Status GenerateNameConflict(GroupResource r, std::string_view name, int32_t retry_after_seconds);
// An answer for an HTTP status with no better words (router misses and the like).
Status GenericServerResponse(int32_t code, std::string_view verb, GroupResource r, std::string_view name,
                             std::string_view message);

}  // namespace keelson::api
