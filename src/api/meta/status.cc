#include "api/meta/status.h"

#include <algorithm>
#include <cctype>
#include <initializer_list>

#include "api/codec/json_writer.h"
#include "api/codec/protobuf.h"
#include "api/validation/quote.h"

namespace keelson::api {
namespace {

// Empty and zero members are left out, as upstream leaves them.
void AddMember(std::string_view name, std::string_view value, json::JsonWriter& out) {
  if (!value.empty()) out.Member(name, value);
}

void AddMember(std::string_view name, int32_t value, json::JsonWriter& out) {
  if (value != 0) out.Key(name).Int(value);
}

void WriteJson(const StatusDetails& details, json::JsonWriter& out) {
  out.BeginObject();
  AddMember("name", details.name, out);
  AddMember("group", details.group, out);
  AddMember("kind", details.kind, out);
  AddMember("uid", details.uid, out);
  if (!details.causes.empty()) {
    out.Key("causes").BeginArray();
    for (const StatusCause& cause : details.causes) {
      out.BeginObject();
      AddMember("reason", cause.reason, out);
      AddMember("message", cause.message, out);
      AddMember("field", cause.field, out);
      out.EndObject();
    }
    out.EndArray();
  }
  AddMember("retryAfterSeconds", details.retry_after_seconds, out);
  out.EndObject();
}

void AppendVarint(uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

void AppendField(uint32_t number, std::string_view bytes, std::string& out) {
  AppendVarint(number << 3 | 2, out);
  AppendVarint(bytes.size(), out);
  out += bytes;
}

void AppendField(uint32_t number, int32_t value, std::string& out) {
  AppendVarint(number << 3, out);
  AppendVarint(static_cast<uint64_t>(static_cast<int64_t>(value)), out);
}

std::string DetailsMessage(const StatusDetails& details) {
  std::string out;
  AppendField(1, details.name, out);
  AppendField(2, details.group, out);
  AppendField(3, details.kind, out);
  for (const StatusCause& cause : details.causes) {
    std::string message;
    AppendField(1, cause.reason, message);
    AppendField(2, cause.message, message);
    AppendField(3, cause.field, message);
    AppendField(4, message, out);
  }
  AppendField(5, details.retry_after_seconds, out);
  AppendField(6, details.uid, out);
  return out;
}

std::string Qualified(std::string_view name, std::string_view group) {
  std::string out(name);
  if (!group.empty()) out.append(".").append(group);
  return out;
}

StatusDetails DetailsOf(GroupResource r, std::string_view name) {
  return {.name = std::string(name), .group = std::string(r.group), .kind = std::string(r.resource)};
}

StatusDetails RetryAfter(int32_t seconds) { return {.retry_after_seconds = seconds}; }

Status Failure(int32_t code, std::string_view reason, std::string message,
               std::optional<StatusDetails> details = std::nullopt) {
  return {.code = code,
          .reason = std::string(reason),
          .message = std::move(message),
          .details = std::move(details)};
}

std::string Join(std::initializer_list<std::string_view> parts) {
  std::string out;
  for (std::string_view part : parts) out += part;
  return out;
}

struct GenericAnswer {
  std::string_view reason;
  std::string message;
};

GenericAnswer AnswerFor(int32_t code, std::string_view verb, std::string_view message) {
  switch (code) {
    case 400: return {"BadRequest", "the server rejected our request for an unknown reason"};
    case 401: return {"Unauthorized", "the server has asked for the client to provide credentials"};
    case 403: return {"Forbidden", std::string(message)};
    case 404: return {"NotFound", "the server could not find the requested resource"};
    case 405: return {"MethodNotAllowed", "the server does not allow this method on the requested resource"};
    case 406:
      if (!message.empty() && message != "unknown") return {"NotAcceptable", std::string(message)};
      return {"NotAcceptable",
              "the server was unable to respond with a content type that the client supports"};
    case 409: return {verb == "POST" ? "AlreadyExists" : "Conflict", "the server reported a conflict"};
    case 415: return {"UnsupportedMediaType", std::string(message)};
    case 422: return {"Invalid", "the server rejected our request due to an error in our request"};
    case 429:
      return {"TooManyRequests",
              "the server has received too many requests and has asked us to try again later"};
    case 503: return {"ServiceUnavailable", "the server is currently unable to handle the request"};
    case 504:
      return {
          "Timeout",
          "the server was unable to return a response in the time allotted, but may still be processing the "
          "request"};
    default: break;
  }
  if (code >= 500) {
    return {"InternalError", Join({"an error on the server (", Quoted(message),
                                   ") has prevented the request from succeeding"})};
  }
  return {"", Join({"the server responded with the status code ", std::to_string(code),
                    " but did not return more information"})};
}

}  // namespace

std::string Status::ToJson() const {
  base::BufferBuilder bytes;
  json::JsonWriter out(bytes);
  out.BeginObject().Member("kind", "Status").Member("apiVersion", "v1").Key("metadata").BeginObject();
  AddMember("continue", continue_token, out);
  out.EndObject();
  AddMember("status", status, out);
  AddMember("message", message, out);
  AddMember("reason", reason, out);
  if (details) {
    out.Key("details");
    WriteJson(*details, out);
  }
  AddMember("code", code, out);
  out.EndObject();
  bytes.Append('\n');
  return std::string(bytes.view());
}

std::string Status::ToProtobuf() const {
  // ListMeta writes its three strings even when they are empty.
  std::string list_meta;
  AppendField(1, "", list_meta);
  AppendField(2, "", list_meta);
  AppendField(3, continue_token, list_meta);
  std::string message_bytes;
  AppendField(1, list_meta, message_bytes);
  AppendField(2, status, message_bytes);
  AppendField(3, message, message_bytes);
  AppendField(4, reason, message_bytes);
  if (details) AppendField(5, DetailsMessage(*details), message_bytes);
  AppendField(6, code, message_bytes);

  base::BufferBuilder out;
  protobuf::AppendEnvelopeHead("v1", "Status", message_bytes.size(), out);
  out.Append(message_bytes);
  out.Append(protobuf::EnvelopeTail());
  return std::string(out.view());
}

std::string GroupResource::ToString() const { return Qualified(resource, group); }
std::string GroupKind::ToString() const { return Qualified(kind, group); }

Status NotFound(GroupResource r, std::string_view name) {
  return Failure(404, "NotFound", Join({r.ToString(), " ", Quoted(name), " not found"}), DetailsOf(r, name));
}

Status AlreadyExists(GroupResource r, std::string_view name) {
  return Failure(409, "AlreadyExists", Join({r.ToString(), " ", Quoted(name), " already exists"}),
                 DetailsOf(r, name));
}

Status GenerateNameConflict(GroupResource r, std::string_view name, int32_t retry_after_seconds) {
  StatusDetails details = DetailsOf(r, name);
  details.retry_after_seconds = retry_after_seconds;
  return Failure(409, "AlreadyExists",
                 Join({r.ToString(), " ", Quoted(name),
                       " already exists, the server was not able to generate a unique name for the object"}),
                 std::move(details));
}

Status Conflict(GroupResource r, std::string_view name, std::string_view why) {
  return Failure(409, "Conflict",
                 Join({"Operation cannot be fulfilled on ", r.ToString(), " ", Quoted(name), ": ", why}),
                 DetailsOf(r, name));
}

Status Unauthorized(std::string_view why) {
  return Failure(401, "Unauthorized", std::string(why.empty() ? "not authorized" : why));
}

Status Forbidden(GroupResource r, std::string_view name, std::string_view why) {
  std::string message;
  if (!r.resource.empty() || !r.group.empty()) {
    message = r.ToString() + " ";
    if (!name.empty()) message += Quoted(name) + " ";
    message += "is ";
  }
  message.append("forbidden: ").append(why);
  return Failure(403, "Forbidden", std::move(message), DetailsOf(r, name));
}

Status Invalid(GroupKind kind, std::string_view name, const field::ErrorList& errors) {
  StatusDetails details = DetailsOf({kind.group, kind.kind}, name);
  details.causes.reserve(errors.errors().size() + 1);
  for (const field::Error& e : errors) details.causes.push_back({std::string(e.Reason()), e.Body(), e.field});
  if (errors.full()) details.causes.push_back({.message = errors.OmittedText()});
  std::string message = Join({kind.ToString(), " ", Quoted(name), " is invalid"});
  if (!errors.empty()) message.append(": ").append(errors.Aggregate());
  return Failure(422, "Invalid", std::move(message), std::move(details));
}

Status BadRequest(std::string_view why) { return Failure(400, "BadRequest", std::string(why)); }

Status MethodNotSupported(GroupResource r, std::string_view action) {
  return Failure(405, "MethodNotAllowed",
                 Join({action, " is not supported on resources of kind ", Quoted(r.ToString())}),
                 DetailsOf(r, {}));
}

Status ServerTimeout(GroupResource r, std::string_view action, int32_t retry_after_seconds) {
  StatusDetails details = DetailsOf(r, action);
  details.retry_after_seconds = retry_after_seconds;
  return Failure(500, "ServerTimeout",
                 Join({"The ", action, " operation against ", r.ToString(),
                       " could not be completed at this time, please try again."}),
                 std::move(details));
}

Status TooManyRequests(std::string_view why, int32_t retry_after_seconds) {
  return Failure(429, "TooManyRequests", std::string(why), RetryAfter(retry_after_seconds));
}

Status Expired(std::string_view why) { return Failure(410, "Expired", std::string(why)); }

Status RequestEntityTooLarge(std::string_view why) {
  return Failure(413, "RequestEntityTooLarge", Join({"Request entity too large: ", why}));
}

Status InternalError(std::string_view why) {
  StatusDetails details;
  details.causes.push_back({.message = std::string(why)});
  return Failure(500, "InternalError", Join({"Internal error occurred: ", why}), std::move(details));
}

Status NotAcceptable(std::string_view why) { return Failure(406, "NotAcceptable", std::string(why)); }

Status UnsupportedMediaType(std::string_view why) {
  return Failure(415, "UnsupportedMediaType", std::string(why));
}

Status Timeout(std::string_view why, int32_t retry_after_seconds) {
  return Failure(504, "Timeout", Join({"Timeout: ", why}), RetryAfter(retry_after_seconds));
}

Status RequestTimedOut() {
  return Timeout("request did not complete within requested timeout - context deadline exceeded", 0);
}

Status GenericServerResponse(int32_t code, std::string_view verb, GroupResource r, std::string_view name,
                             std::string_view message) {
  GenericAnswer answer = AnswerFor(code, verb, message);
  if (!r.resource.empty() || !r.group.empty()) {
    std::string action(verb);
    std::ranges::transform(action, action.begin(), [](unsigned char c) { return std::tolower(c); });
    answer.message += Join({" (", action, " ", r.ToString()});
    if (!name.empty()) answer.message.append(" ").append(name);
    answer.message += ")";
  }
  return Failure(code, answer.reason, std::move(answer.message), DetailsOf(r, name));
}

}  // namespace keelson::api
