#include "endpoints/decode.h"

#include "api/codec/cbor.h"
#include "api/codec/json.h"
#include "api/codec/protobuf.h"
#include "api/codec/yaml.h"
#include "api/types/custom_type.h"
#include "api/types/resource_desc.h"
#include "api/validation/quote.h"
#include "base/turns.h"

namespace keelson::endpoints {
namespace {

struct Expected {
  const api::TypeDesc& type;
  std::string_view group, version, kind;
};

// Fills what the body left out and checks that what it claims to be is what is expected.
base::Result<void, BodyError> CheckClaim(const Expected& expected, std::string_view api_version,
                                         std::string_view kind) {
  if (kind.empty()) kind = expected.kind;
  std::string_view group = expected.group, version = expected.version;
  if (!api_version.empty()) {
    size_t slash = api_version.find('/');
    group = slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
    version = slash == std::string_view::npos ? api_version : api_version.substr(slash + 1);
  }
  if (kind == expected.kind &&
      (expected.version.empty() || (group == expected.group && version == expected.version)))
    return {};

  BodyError error{.version = std::string(version), .kind = std::string(kind)};
  const api::TypeDesc* claimed = api::FindKind(group, version, kind);
  if (!claimed || expected.version.empty()) {
    error.message = NoKindRegistered(kind, GroupVersionString(group, version));
  } else if (kind == expected.kind && group == expected.group) {
    error.other_version = true;
    error.message = "the API version in the data (" + GroupVersionString(group, version) +
                    ") does not match the expected API version (" +
                    GroupVersionString(expected.group, expected.version) + ")";
  } else {
    std::string_view package = expected.group.substr(0, expected.group.find('.'));
    error.message = "converting (" + std::string(version) + "." + std::string(kind) + ") to (" +
                    std::string(package.empty() ? "core" : package) + "." + std::string(expected.kind) +
                    "): unknown conversion";
  }
  return base::Err(std::move(error));
}

// A custom kind must be named, and its version fit; whether the kind does is looked at with the rest of the
// object.
base::Result<void, BodyError> CheckCustomClaim(const Expected& expected, std::string_view api_version,
                                               std::string_view kind, std::string_view body) {
  if (kind.empty()) return base::Err(BodyError{"Object 'Kind' is missing in '" + std::string(body) + "'"});
  const std::string wanted = GroupVersionString(expected.group, expected.version);
  if (api_version == wanted) return {};
  BodyError error{.version = std::string(expected.version), .kind = std::string(kind), .other_version = true};
  error.message = "the API version in the data (" + std::string(api_version) +
                  ") does not match the expected API version (" + wanted + ")";
  return base::Err(std::move(error));
}

// What the schema makes of a custom object that was read.
base::Result<DecodedBody, BodyError> FinishCustom(const Expected& expected, DecodedBody body,
                                                  std::string_view kind, bool find_strict) {
  api::StructNode& root = *body.doc.root();
  root.slot(0) = api::Value::String(body.doc.arena().CopyString(kind));
  if (kind != expected.kind) return body;  // nothing is known of it
  std::vector<std::string> unknown;
  if (auto coerced =
          api::CustomOf(expected.type)->Coerce(root, body.doc.arena(), find_strict ? &unknown : nullptr);
      !coerced)
    return base::Err(BodyError{coerced.error(), std::string(expected.version), std::string(expected.kind)});
  for (const std::string& path : unknown) body.strict.push_back("unknown field \"" + path + "\"");
  return body;
}

DecodedBody Finish(const Expected& expected, api::Arena arena, api::StructNode* root,
                   std::vector<std::string> strict) {
  if (expected.type.root) {
    root->slot(0) = api::Value::String(arena.CopyString(expected.kind));
    root->slot(1) =
        api::Value::String(arena.CopyString(GroupVersionString(expected.group, expected.version)));
  }
  return {api::Doc(std::move(arena), root), std::move(strict)};
}

BodyError NotJson(const api::json::DecodeError& error) {
  return BodyError{"couldn't get version/kind; json parse error: " + error.message};
}

// `found` is wrong with the text, unless the text is no JSON at all: that comes first, wherever it is.
BodyError JsonError(std::string_view text, BodyError found) {
  api::Arena arena;
  const auto tree = api::json::DecodeAny(text, arena);
  return tree || !tree.error().syntax ? std::move(found) : NotJson(tree.error());
}

base::Result<DecodedBody, BodyError> DecodeJson(const Expected& expected, const base::Slice& text,
                                                bool find_strict) {
  auto claim = api::json::PeekTypeMeta(text.view());
  if (!claim) return base::Err(JsonError(text.view(), NotJson(claim.error())));
  const bool custom = api::IsOpen(expected.type);
  auto checked = custom ? CheckCustomClaim(expected, claim->api_version, claim->kind, text.view())
                        : CheckClaim(expected, claim->api_version, claim->kind);
  if (!checked) return base::Err(JsonError(text.view(), std::move(checked.error())));
  api::Arena arena;
  std::vector<std::string> strict;
  auto root = api::json::Decode(arena.Hold(text), expected.type, arena, find_strict ? &strict : nullptr);
  if (!root && custom) {
    // Upstream reads the metadata by itself.
    constexpr std::string_view kBelow = "ObjectMeta.metadata.";
    if (const size_t at = root.error().message.find(kBelow); at != std::string::npos)
      root.error().message.replace(at, kBelow.size(), "ObjectMeta.");
  }
  if (!root)
    return base::Err(JsonError(text.view(), BodyError{root.error().message, std::string(expected.version),
                                                      std::string(expected.kind)}));
  DecodedBody body = Finish(expected, std::move(arena), *root, std::move(strict));
  return custom ? FinishCustom(expected, std::move(body), claim->kind, find_strict) : std::move(body);
}

// Custom kinds are read as JSON, whatever they come as.
base::Result<DecodedBody, BodyError> DecodeCustomCbor(const Expected& expected, const base::Slice& bytes,
                                                      bool find_strict) {
  api::Arena arena;
  auto tree = api::cbor::DecodeAny(bytes.view(), arena);
  if (!tree) return base::Err(BodyError{tree.error().message});
  base::BufferBuilder json;
  api::json::EncodeAny(*tree, json);
  return DecodeJson(expected, json.Take(), find_strict);
}

base::Result<DecodedBody, BodyError> DecodeProtobuf(const Expected& expected, const base::Slice& bytes) {
  auto envelope = api::protobuf::ParseEnvelope(bytes.view());
  if (!envelope) return base::Err(BodyError{envelope.error().message});
  if (bytes.size() == api::protobuf::kMagic.size()) return base::Err(BodyError{"empty body"});
  TRY(CheckClaim(expected, envelope->api_version, envelope->kind));
  api::Arena arena;
  arena.Hold(bytes);
  auto root = api::protobuf::Decode(envelope->raw, expected.type, arena);
  if (!root)
    return base::Err(
        BodyError{root.error().message, std::string(expected.version), std::string(expected.kind)});
  return Finish(expected, std::move(arena), *root, {});
}

base::Result<DecodedBody, BodyError> DecodeCbor(const Expected& expected, const base::Slice& bytes,
                                                bool find_strict) {
  auto claim = api::cbor::PeekTypeMeta(bytes.view());
  if (!claim) return base::Err(BodyError{"unable to determine group/version/kind: " + claim.error().message});
  TRY(CheckClaim(expected, claim->api_version, claim->kind));
  api::Arena arena;
  std::vector<std::string> strict;
  auto root = api::cbor::Decode(arena.Hold(bytes), expected.type, arena, find_strict ? &strict : nullptr);
  if (!root)
    return base::Err(
        BodyError{root.error().message, std::string(expected.version), std::string(expected.kind)});
  return Finish(expected, std::move(arena), *root, std::move(strict));
}

// As much of a body as an error message shows of it.
std::string Summary(std::string_view body) {
  constexpr size_t kMaxLength = 30;
  if (body.empty()) return "<empty>";
  std::string_view head = body.substr(0, kMaxLength);
  std::string out;
  if (body[0] == '{') {
    out = head;
  } else {
    constexpr char kHex[] = "0123456789abcdef";
    for (unsigned char c : head) out += {kHex[c >> 4], kHex[c & 15]};
  }
  return body.size() > kMaxLength ? out + " ..." : out;
}

}  // namespace

base::Task<base::Result<base::Slice, api::Status>> ReadBody(net::http::Request& request) {
  auto body = co_await request.body->ReadAll(kMaxBodyBytes);
  if (body && body->size() >= base::kLongWorkBytes) co_await base::TakeTurn();
  if (body) co_return *std::move(body);
  if (body.error() == net::http::BodyError::kTooLarge)
    co_return base::Err(api::RequestEntityTooLarge("limit is " + std::to_string(kMaxBodyBytes)));
  co_return base::Err(api::BadRequest("the body of the request ended before it was complete"));
}

std::string GroupVersionString(std::string_view group, std::string_view version) {
  if (group.empty()) return std::string(version);
  return std::string(group) + "/" + std::string(version);
}

std::string NoKindRegistered(std::string_view kind, std::string_view api_version) {
  return "no kind " + api::Quoted(kind) + " is registered for version " + api::Quoted(api_version) +
         " in scheme \"pkg/runtime/scheme.go:111\"";
}

base::Result<DecodedBody, BodyError> DecodeBody(const base::Slice& body, Media media,
                                                const api::TypeDesc& type, std::string_view group,
                                                std::string_view version, std::string_view kind,
                                                bool find_strict) {
  const Expected expected{type, group, version, kind};
  switch (media) {
    case Media::kJson: return DecodeJson(expected, body, find_strict);
    case Media::kProtobuf:
      if (api::IsOpen(type))
        return base::Err(
            BodyError{"object *unstructured.Unstructured does not implement the protobuf marshalling "
                      "interface and cannot "
                      "be encoded to a protobuf message"});
      return DecodeProtobuf(expected, body);
    case Media::kCbor:
      return api::IsOpen(type) ? DecodeCustomCbor(expected, body, find_strict)
                               : DecodeCbor(expected, body, find_strict);
    case Media::kYaml: break;
  }
  std::vector<std::string> duplicates;
  auto json = api::yaml::ToJson(body.view(), find_strict ? &duplicates : nullptr);
  if (!json) return base::Err(BodyError{std::move(json.error().message)});
  auto decoded = DecodeJson(expected, base::Slice::Copy(*json), find_strict);
  if (decoded && !duplicates.empty()) {
    std::string found = "yaml: unmarshal errors:";
    for (const std::string& duplicate : duplicates) found.append("\n  ").append(duplicate);
    decoded->strict.insert(decoded->strict.begin(), std::move(found));
  }
  return decoded;
}

std::string StrictErrorText(const std::vector<std::string>& found) {
  std::string text = "strict decoding error: ";
  for (size_t i = 0; i < found.size(); ++i) text.append(i ? ", " : "").append(found[i]);
  return text;
}

api::Status BodyErrorStatus(const BodyError& error, std::string_view expected_kind, std::string_view body) {
  if (error.other_version) return api::BadRequest(error.message);
  std::string expected(expected_kind);
  if (!error.kind.empty())
    return api::BadRequest(error.kind + " in version " + api::Quoted(error.version) +
                           " cannot be handled as a " + expected + ": " + error.message);
  return api::BadRequest("the object provided is unrecognized (must be of type " + expected +
                         "): " + error.message + " (" + Summary(body) + ")");
}

}  // namespace keelson::endpoints
