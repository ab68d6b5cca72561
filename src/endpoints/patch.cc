// PATCH: reads what the request asks for. A configuration to apply goes to the registry as it is, which lays
// it over the object and keeps account of its owners. The other patches are functions of the current object,
// which the registry calls in each attempt. Either way it goes on as with every update: mutating admission,
// preparation, validation, validating admission.
#include <algorithm>

#include "api/codec/cbor.h"
#include "api/codec/custom_json.h"
#include "api/codec/json.h"
#include "api/codec/yaml.h"
#include "api/conversion/conversion.h"
#include "api/patch/go_format.h"
#include "api/patch/json_patch.h"
#include "api/patch/lazy_json.h"
#include "api/patch/merge_patch.h"
#include "api/patch/raw_text.h"
#include "api/patch/strategic_merge.h"
#include "api/types/custom_type.h"
#include "api/validation/field.h"
#include "endpoints/audit_bodies.h"
#include "endpoints/decode.h"
#include "endpoints/request_scope.h"
#include "registry/rest/object_checks.h"

namespace keelson::endpoints {
namespace {

enum class PatchType : uint8_t { kJson, kMerge, kStrategicMerge, kApply };

constexpr std::string_view kApplyCbor = "application/apply-patch+cbor";

struct PatchRequest {
  RequestScope& scope;
  PatchType type;
  WriteParameters parameters;
  base::Slice patch;  // JSON

  bool finds_strict() const { return parameters.field_validation != FieldValidation::kIgnore; }
  bool is_strict() const { return parameters.field_validation == FieldValidation::kStrict; }
};

Parsed<PatchType> PatchTypeOf(const net::http::Headers& headers, MediaOffer offer, bool custom) {
  std::string type = MediaTypeOnly(headers.Get("content-type").value_or(""));
  if (type == "application/json-patch+json") return PatchType::kJson;
  if (type == "application/merge-patch+json") return PatchType::kMerge;
  if (type == "application/strategic-merge-patch+json" && !custom) return PatchType::kStrategicMerge;
  if (type == "application/apply-patch+yaml") return PatchType::kApply;
  if (type == kApplyCbor && offer.cbor) return PatchType::kApply;
  // Without a router, it is said which patches there are.
  if (custom)
    return base::Err(api::UnsupportedMediaType(
        "the body of the request was in an unknown format - accepted media types include: "
        "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml" +
        std::string(offer.cbor ? ", application/apply-patch+cbor" : "")));
  return base::Err(api::GenericServerResponse(415, "", {}, "", "415: Unsupported Media Type"));
}

std::string_view JsonTypeName(const api::Value& v) {
  switch (v.tag()) {
    case api::Value::Tag::kBool: return "bool";
    case api::Value::Tag::kInt:
    case api::Value::Tag::kDouble: return "number";
    case api::Value::Tag::kString: return "string";
    default: return "array";
  }
}

std::string NotAnObject(const api::Value& patch) {
  return "json: cannot unmarshal " + std::string(JsonTypeName(patch)) +
         " into Go value of type map[string]interface {}";
}

// 422 that shows what the patch made, as upstream reports a patch that breaks the object.
api::Status BrokenByPatch(std::string_view shown, std::string_view why) {
  api::field::ErrorList errors;
  errors.Add(api::field::Invalid(api::field::Path("patch"), api::field::RenderValue(shown), why));
  return api::Invalid({}, "", errors);
}

// What upstream makes of an error it has no words for.
api::Status Unknown(std::string message) {
  api::Status status;
  status.code = 500;
  status.message = std::move(message);
  return status;
}

// Warns of what strict decoding found, or refuses it.
Parsed<void> HandleStrict(const PatchRequest& request, std::vector<std::string> found,
                          std::string_view shown) {
  if (found.empty()) return {};
  if (request.is_strict()) return base::Err(BrokenByPatch(shown, StrictErrorText(found)));
  for (std::string& s : found) request.scope.warnings.push_back(std::move(s));
  return {};
}

Parsed<api::Value> ApplyJsonPatch(const PatchRequest& request, api::Value document, api::Arena& arena,
                                  std::vector<std::string>& strict) {
  auto failed = [&](const api::JsonPatchError& error) {
    using Kind = api::JsonPatchError::Kind;
    switch (error.kind) {
      case Kind::kTooLarge: return api::RequestEntityTooLarge(error.message);
      case Kind::kUnprocessable: return api::GenericServerResponse(422, "", {}, "", error.message);
      case Kind::kBadRequest: break;
    }
    return api::BadRequest(request.finds_strict() ? "error decoding patch: " + error.message : error.message);
  };
  auto patch = api::JsonPatch::Parse(request.patch.view(), arena, request.finds_strict() ? &strict : nullptr);
  if (!patch) return base::Err(failed(patch.error()));
  for (std::string& s : strict) s.insert(0, "json patch ");
  auto patched = patch->Apply(document, arena);
  if (!patched) return base::Err(failed(patched.error()));
  return *patched;
}

Parsed<api::Value> ApplyMergePatch(const PatchRequest& request, api::Value document, api::Arena& arena,
                                   std::vector<std::string>& strict) {
  auto patch = api::json::DecodeAny(request.patch.view(), arena, request.finds_strict() ? &strict : nullptr);
  constexpr std::string_view kBadPatch = "Invalid JSON Patch";
  if (!patch) {
    std::string message = "error decoding patch: " + patch.error().message;
    return base::Err(api::BadRequest(request.finds_strict() ? std::string_view(message) : kBadPatch));
  }
  if (patch->is(api::Value::Tag::kNull)) return base::Err(api::BadRequest(kBadPatch));
  if (!patch->map() && request.finds_strict())
    return base::Err(api::BadRequest("error decoding patch: " + NotAnObject(*patch)));
  if (!patch->map() && !patch->list()) return base::Err(api::BadRequest(kBadPatch));
  return api::MergePatch(document, api::LazyJson::FromText(request.patch.view()), arena);
}

// The patches that know nothing of types work on the object's JSON.
Parsed<api::Doc> PatchText(const PatchRequest& request, const api::Doc& current) {
  api::Arena arena;
  base::BufferBuilder was;
  const api::StructNode& root = *current.root();
  if (api::IsOpen(*root.type)) {
    api::json::EncodeCustom(root, root.slot(0).string(), root.slot(1).string(), was);
  } else {
    api::json::Encode(root, was);
  }
  api::Value document = api::LazyJson::FromText(was.view());
  std::vector<std::string> strict;
  auto patched = TRY(request.type == PatchType::kJson ? ApplyJsonPatch(request, document, arena, strict)
                                                      : ApplyMergePatch(request, document, arena, strict));
  base::BufferBuilder now;
  api::LazyJson::Encode(patched, now);
  base::Slice text = now.Take();

  const api::ResourceDesc& desc = request.scope.body_desc;
  auto decoded =
      DecodeBody(text, Media::kJson, *desc.type, desc.group, desc.version, desc.kind, request.finds_strict());
  if (!decoded) return base::Err(BrokenByPatch(text.view(), decoded.error().message));
  for (std::string& s : decoded->strict) strict.push_back(std::move(s));
  TRY(HandleStrict(request, std::move(strict), text.view()));
  return std::move(decoded->doc);
}

api::Status StrategicMergeStatus(const PatchRequest& request, const api::StrategicMergeError& error) {
  using Kind = api::StrategicMergeError::Kind;
  switch (error.kind) {
    case Kind::kBadRequest: return api::BadRequest(error.message);
    case Kind::kUnknown: return Unknown(error.message);
    case Kind::kBadValue: break;
  }
  api::Arena arena;
  auto patch = api::json::DecodeAny(request.patch.view(), arena);
  return BrokenByPatch(patch ? api::GoFormat(*patch) : std::string(), error.message);
}

Parsed<api::Doc> PatchByType(const PatchRequest& request, const api::Doc& current) {
  api::Doc doc = current.Clone();
  std::vector<std::string> strict, unknown;
  const bool finds_strict = request.finds_strict();
  auto patch =
      api::json::DecodeAny(doc.arena().Hold(request.patch), doc.arena(), finds_strict ? &strict : nullptr);
  if (!patch) return base::Err(api::BadRequest(patch.error().message));
  if (!patch->map()) {
    if (!patch->is(api::Value::Tag::kNull)) return base::Err(api::BadRequest(NotAnObject(*patch)));
    return doc;
  }
  auto merged =
      api::StrategicMerge(*doc.root(), *patch->map(), doc.arena(), finds_strict ? &unknown : nullptr);
  if (!merged) return base::Err(StrategicMergeStatus(request, merged.error()));
  api::RewriteEmbedded(doc, api::Doc());
  std::ranges::sort(unknown);
  for (std::string& s : unknown) strict.push_back(std::move(s));
  if (strict.empty()) return doc;
  auto shown = api::json::DecodeAny(request.patch.view(), doc.arena());
  TRY(HandleStrict(request, std::move(strict), api::GoFormat(*shown)));
  return doc;
}

// A configuration to apply is YAML, of which JSON is a part.
Parsed<base::Slice> ConfigJson(const base::Slice& body) {
  if (api::yaml::IsPlainJsonObject(body.view())) return body;
  auto json = api::yaml::ToJson(body.view());
  if (!json)
    return base::Err(
        api::BadRequest("error decoding YAML: error converting YAML to JSON: " + json.error().message));
  return base::Slice::Copy(*json);
}

// The same of one in CBOR. Upstream's words for its errors are those of YAML.
Parsed<base::Slice> CborConfigJson(const base::Slice& body) {
  api::Arena arena;
  auto tree = api::cbor::DecodeAny(body.view(), arena);
  std::string why = tree ? std::string() : tree.error().message;
  if (tree && !tree->map() && !tree->is(api::Value::Tag::kNull))
    why = "cbor: cannot unmarshal the configuration into Go value of type map[string]interface {}";
  if (!why.empty()) return base::Err(api::BadRequest("error decoding YAML: " + why));
  base::BufferBuilder json;
  api::json::EncodeAny(*tree, json);
  return json.Take();
}

// What upstream says of keys that a configuration gives twice. YAML, which has lines, tells more.
std::string DuplicatesText(const base::Slice& sent, const std::vector<std::string>& found) {
  std::string text = "error converting YAML to JSON: ";
  std::vector<std::string> lines;
  if (!api::yaml::ToJson(sent.view(), &lines) || lines.empty()) return text + StrictErrorText(found);
  text += "yaml: unmarshal errors:";
  for (const std::string& line : lines) text.append("\n  ").append(line);
  return text;
}

// The configuration in the request's body, which was `sent`.
Parsed<registry::rest::ApplyConfiguration> ReadConfiguration(RequestScope& scope,
                                                             const WriteParameters& parameters,
                                                             const base::Slice& sent) {
  const auto media = MediaTypeOnly(scope.request.headers.Get("content-type").value_or(""));
  base::Slice json = TRY(media == kApplyCbor ? CborConfigJson(sent) : ConfigJson(sent));
  const bool finds_strict = parameters.field_validation != FieldValidation::kIgnore;
  std::vector<std::string> duplicates;
  auto read = registry::rest::ApplyConfiguration::FromJson(scope.body_desc, std::move(json),
                                                           finds_strict ? &duplicates : nullptr);
  std::string why = read ? std::string() : read.error();
  if (read && !read->config.map() && !read->config.is(api::Value::Tag::kNull))
    why = NotAnObject(read->config);
  if (!why.empty())
    return base::Err(
        api::BadRequest("error decoding YAML: error unmarshaling JSON: while decoding JSON: " + why));
  registry::rest::ApplyConfiguration& configuration = *read;
  configuration.force = parameters.force;
  if (duplicates.empty()) return *std::move(read);
  configuration.warning = DuplicatesText(sent, duplicates);
  if (parameters.field_validation == FieldValidation::kStrict)
    configuration.refusal = api::BadRequest("error strict decoding YAML: " + configuration.warning);
  return *std::move(read);
}

Parsed<api::Doc> Patched(const PatchRequest& request, const api::Doc& current) {
  const api::ResourceDesc& desc = request.scope.desc();
  if (!current) return base::Err(api::NotFound({desc.group, desc.plural}, request.scope.info.name));
  const api::ResourceDesc& body_desc = request.scope.body_desc;
  api::Doc served;  // the version that the patch speaks of
  if (body_desc.IsConverted()) served = api::ToServed(current.Clone(), body_desc);
  const api::Doc& target = served ? served : current;
  auto patched = TRY(request.type == PatchType::kStrategicMerge ? PatchByType(request, target)
                                                                : PatchText(request, target));
  patched = InStoredVersion(std::move(patched), body_desc);
  TRY(registry::rest::CheckName(request.scope.ns(), request.scope.info.name, patched));
  return patched;
}

base::Task<Parsed<api::Doc>> PatchedTask(std::shared_ptr<const PatchRequest> request,
                                         const api::Doc& current) {
  co_return Patched(*request, current);
}

}  // namespace

base::Task<Answer> Patch(RequestScope& scope) {
  auto type = PatchTypeOf(scope.request.headers, scope.options.media, api::IsCustom(scope.desc()));
  if (!type) {
    // Upstream's router refuses it, which knows nothing of the resource.
    scope.warnings.clear();
    co_return base::Err(std::move(type.error()));
  }
  const bool apply = *type == PatchType::kApply;
  auto parameters = CO_TRY(ParseWriteParameters(scope.query, "PatchOptions", apply));
  auto body = CO_TRY(co_await ReadBody(scope.request));
  AuditRequestPatch(scope, body);

  registry::rest::WriteRequest write = scope.WriteRequest(parameters);
  write.is_patch = true;
  registry::rest::UpdatedObject updated;
  if (apply) {
    updated.apply = CO_TRY(ReadConfiguration(scope, parameters, body));
  } else {
    auto request = std::make_shared<const PatchRequest>(
        PatchRequest{scope, *type, std::move(parameters), std::move(body)});
    updated.make = [request](const api::Doc& current) { return PatchedTask(request, current); };
  }
  auto written =
      CO_TRY(co_await scope.verbs.update->Update(std::move(write), scope.info.name, std::move(updated)));
  co_return ObjectAnswer(scope, written.created ? 201 : 200, written.object);
}

}  // namespace keelson::endpoints
