#include <algorithm>
#include <array>

#include "api/codec/json.h"
#include "api/validation/field.h"
#include "endpoints/decode.h"
#include "endpoints/exchange.h"
#include "endpoints/merge_patch.h"

namespace keelson::endpoints {
namespace {

constexpr std::string_view kMergePatch = "application/merge-patch+json";
// Part of the API, but not of this server yet.
constexpr std::array<std::string_view, 4> kOtherPatches = {
    "application/json-patch+json", "application/strategic-merge-patch+json", "application/apply-patch+yaml",
    "application/apply-patch+cbor"};

struct PatchRequest {
  Exchange& exchange;
  FieldValidation validation;
  base::Slice patch;
};

Parsed<void> CheckType(const net::http::Headers& headers) {
  std::string type = MediaTypeOnly(headers.Get("content-type").value_or(""));
  if (type == kMergePatch) return {};
  if (std::ranges::find(kOtherPatches, type) != kOtherPatches.end())
    return base::Err(api::UnsupportedMediaType(
        "the body of the request was in an unknown format - accepted media types include: " +
        std::string(kMergePatch)));
  return base::Err(api::GenericServerResponse(415, "", {}, "", "415: Unsupported Media Type"));
}

std::string_view JsonTypeName(api::Value::Tag tag) {
  switch (tag) {
    case api::Value::Tag::kBool: return "bool";
    case api::Value::Tag::kInt:
    case api::Value::Tag::kDouble: return "number";
    case api::Value::Tag::kString: return "string";
    default: return "array";
  }
}

// 422 that shows the patched document, as upstream reports a patch that breaks the object.
api::Status BrokenByPatch(std::string_view patched, std::string_view why) {
  api::field::ErrorList errors;
  errors.Add(api::field::Invalid(api::field::Path("patch"), api::field::RenderValue(patched), why));
  return api::Invalid({}, "", errors);
}

// The current object with the patch merged into its JSON, as a document again.
Parsed<api::Doc> Apply(const PatchRequest& request, const api::Doc& current) {
  const api::ResourceDesc& desc = request.exchange.desc();
  if (!current) return base::Err(api::NotFound({desc.group, desc.plural}, request.exchange.info.name));
  api::Arena arena;
  base::BufferBuilder was;
  api::json::Encode(*current.root(), was);
  auto target = api::json::DecodeAny(was.view(), arena);
  if (!target) return base::Err(api::InternalError(target.error().message));
  auto patch = api::json::DecodeAny(request.patch.view(), arena);
  if (!patch) return base::Err(api::BadRequest("error decoding patch: " + patch.error().message));
  if (!patch->map() && !patch->is(api::Value::Tag::kNull))
    return base::Err(api::BadRequest("error decoding patch: json: cannot unmarshal " +
                                     std::string(JsonTypeName(patch->tag())) +
                                     " into Go value of type map[string]interface {}"));
  base::BufferBuilder merged;
  api::json::EncodeAny(patch->map() ? MergePatch(*target, *patch, arena) : *target, merged);
  base::Slice text = merged.Take();

  auto decoded = DecodeBody(text, Media::kJson, *desc.type, desc.group, desc.version, desc.kind,
                            request.validation != FieldValidation::kIgnore);
  if (!decoded) return base::Err(BrokenByPatch(text.view(), decoded.error().message));
  if (!decoded->strict.empty() && request.validation == FieldValidation::kStrict)
    return base::Err(BrokenByPatch(text.view(), StrictErrorText(decoded->strict)));
  for (std::string& s : decoded->strict) request.exchange.warnings.push_back(std::move(s));
  if (auto named = CheckName(request.exchange, decoded->doc); !named)
    return base::Err(std::move(named.error()));
  return std::move(decoded->doc);
}

base::Task<Parsed<api::Doc>> ApplyTask(std::shared_ptr<const PatchRequest> request, const api::Doc& current) {
  co_return Apply(*request, current);
}

}  // namespace

base::Task<Answer> Patch(Exchange& exchange) {
  if (auto type = CheckType(exchange.request.headers); !type) co_return base::Err(std::move(type.error()));
  auto parameters = ParseWriteParameters(exchange.query, "PatchOptions");
  if (!parameters) co_return base::Err(std::move(parameters.error()));
  auto body = co_await ReadBody(exchange.request);
  if (!body) co_return base::Err(std::move(body.error()));

  auto request = std::make_shared<const PatchRequest>(
      PatchRequest{exchange, parameters->field_validation, *std::move(body)});
  registry::rest::UpdatedObject updated;
  updated.make = [request](const api::Doc& current) { return ApplyTask(request, current); };
  auto update = exchange.verbs.update->Update(exchange.WriteRequest(parameters->dry_run), exchange.info.name,
                                              std::move(updated));
  auto written = co_await std::move(update);
  if (!written) co_return base::Err(std::move(written.error()));
  for (std::string& warning : written->warnings) exchange.warnings.push_back(std::move(warning));
  co_return ObjectAnswer(exchange, written->created ? 201 : 200, written->object);
}

}  // namespace keelson::endpoints
