#include "endpoints/audit_bodies.h"

#include "api/codec/custom_json.h"
#include "api/codec/json.h"
#include "api/codec/yaml.h"
#include "api/defaulting/defaulting.h"
#include "api/generated/meta_v1.h"
#include "api/meta/object_meta.h"
#include "api/types/custom_type.h"
#include "audit/encoding.h"
#include "endpoints/decode.h"
#include "endpoints/list_source.h"

namespace keelson::endpoints {
namespace {

using audit::Level;

base::Slice JsonOf(const api::Doc& doc) {
  const api::StructNode& root = *doc.root();
  base::BufferBuilder json;
  if (api::IsOpen(*root.type))
    api::json::EncodeCustom(root, root.slot(0).string(), root.slot(1).string(), json);
  else
    api::json::Encode(root, json);
  return json.Take();
}

base::Slice Kept(const audit::Event& event, base::Slice json) {
  return event.decision.omit_managed_fields ? audit::WithoutManagedFields(json) : json;
}

// The scope of an answer to the same request in JSON.
RequestScope InJson(const RequestScope& scope) {
  RequestScope json = scope;
  json.output.media = Media::kJson;
  json.output.pretty = false;
  return json;
}

}  // namespace

void AuditRequestObject(RequestScope& scope, const api::Doc& doc) {
  if (!scope.audit) return;
  audit::Event& event = *scope.audit;
  const auto metadata = api::MetadataOf(doc);
  const audit::ObjectReference in_body{.ns = std::string(metadata.namespace_()),
                                       .name = std::string(metadata.name()),
                                       .uid = std::string(metadata.uid()),
                                       .resource_version = std::string(metadata.resource_version())};
  base::Slice json;
  if (event.Wants(Level::kRequest)) {
    api::Doc defaulted = doc.Clone();
    api::SetDefaults(defaulted);
    json = Kept(event, JsonOf(defaulted));
  }
  event.SetRequestObject(in_body, std::move(json));
}

void AuditRequestPatch(RequestScope& scope, const base::Slice& patch) {
  if (!scope.audit || !scope.audit->Wants(Level::kRequest)) return;
  if (api::json::IsValid(patch.view())) {
    scope.audit->request_object = audit::Compacted(patch);
  } else if (const auto json = api::yaml::ToJson(patch.view())) {
    scope.audit->request_object = base::Slice::Copy(*json);
  }
}

void AuditDeleteOptions(RequestScope& scope, const base::Slice& body, Media media) {
  if (!scope.audit || body.empty() || !scope.audit->Wants(Level::kRequest)) return;
  auto decoded = DecodeBody(body, media, api::meta_v1::kDeleteOptionsType, "", "", "DeleteOptions",
                            /*find_strict=*/false);
  if (!decoded) return;
  // Options that name no version are, to upstream, of the one that it works with.
  if (api::Value& version = decoded->doc.root()->slot(1); version.absent() || version.string().empty())
    version = api::Value::String("meta.k8s.io/__internal");
  scope.audit->request_object = JsonOf(decoded->doc);
}

bool AuditsAnswer(const RequestScope& scope) {
  return scope.audit && scope.audit->Wants(Level::kRequestResponse);
}

void AuditAnswer(RequestScope& scope, base::Slice json) {
  if (AuditsAnswer(scope)) scope.audit->response_object = Kept(*scope.audit, std::move(json));
}

void AuditAnswer(RequestScope& scope, const registry::rest::Encoded& object) {
  if (!AuditsAnswer(scope)) return;
  const RequestScope json_scope = InJson(scope);
  base::BufferBuilder json(object.message.size() * 2);
  if (const auto format = FormatOf(json_scope); format && (*format)->AppendJson(object.message, json))
    AuditAnswer(scope, json.Take());
}

void AuditAnswer(RequestScope& scope, const registry::rest::ListResult& list) {
  if (!AuditsAnswer(scope)) return;
  const RequestScope json_scope = InJson(scope);
  if (auto format = FormatOf(json_scope))
    AuditAnswer(scope, base::Slice::Copy(DrainToString(*ItemList(*std::move(format), list))));
}

}  // namespace keelson::endpoints
