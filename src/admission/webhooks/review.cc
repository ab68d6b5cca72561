#include "admission/webhooks/review.h"

#include "admission/policies/matching.h"
#include "admission/webhooks/review_document.h"
#include "api/codec/json.h"
#include "api/codec/json_writer.h"
#include "api/generated/admission_v1.h"
#include "api/validation/quote.h"

namespace keelson::admission {
namespace {

using api::json::JsonWriter;

constexpr std::string_view kGroup = "admission.k8s.io";
constexpr size_t kExpectedBytes = 8192;  // of a review: one of a pod with its managed fields has some 4 kB

ReviewKind KindIn(std::string_view version) { return {kGroup, version, "AdmissionReview"}; }

std::string ApiVersion(std::string_view group, std::string_view version) {
  return group.empty() ? std::string(version) : std::string(group) + "/" + std::string(version);
}

void WriteKind(std::string_view name, const ResourceKind& kind, JsonWriter& out) {
  out.Key(name).BeginObject();
  out.Member("group", kind.group).Member("version", kind.version).Member("kind", kind.kind).EndObject();
}

void WriteResource(std::string_view name, const api::ResourceDesc& resource, JsonWriter& out) {
  out.Key(name).BeginObject();
  out.Member("group", resource.group).Member("version", resource.version);
  out.Member("resource", resource.plural).EndObject();
}

void WriteGiven(std::string_view name, std::string_view value, JsonWriter& out) {
  if (!value.empty()) out.Member(name, value);
}

void WriteUser(const auth::User* user, JsonWriter& out) {
  out.Key("userInfo").BeginObject();
  if (user) {
    WriteGiven("username", user->name, out);
    WriteGiven("uid", user->uid, out);
    if (!user->groups.empty()) out.Member("groups", user->groups);
    if (!user->extra.empty()) {
      out.Key("extra").BeginObject();
      for (const auto& [key, values] : user->extra) out.Member(key, values);
      out.EndObject();
    }
  }
  out.EndObject();
}

void WriteDryRun(const Attributes& request, JsonWriter& out) {
  if (request.dry_run) out.Key("dryRun").BeginArray().String("All").EndArray();
}

void WriteDeleteOptions(const Attributes& request, JsonWriter& out) {
  const Options& options = request.options;
  if (options.grace_period_seconds) out.Key("gracePeriodSeconds").Int(*options.grace_period_seconds);
  if (options.uid || options.resource_version) {
    out.Key("preconditions").BeginObject();
    if (options.uid) out.Member("uid", *options.uid);
    if (options.resource_version) out.Member("resourceVersion", *options.resource_version);
    out.EndObject();
  }
  if (options.orphan_dependents) out.Key("orphanDependents").Bool(*options.orphan_dependents);
  if (options.propagation_policy) out.Member("propagationPolicy", *options.propagation_policy);
  WriteDryRun(request, out);
}

void WriteOptions(const Attributes& request, JsonWriter& out) {
  out.Key("options");
  std::string_view kind;
  switch (request.operation) {
    case Operation::kConnect: out.Raw("null"); return;
    case Operation::kCreate: kind = "CreateOptions"; break;
    case Operation::kUpdate: kind = "UpdateOptions"; break;
    case Operation::kDelete: kind = "DeleteOptions"; break;
  }
  out.BeginObject().Member("kind", kind).Member("apiVersion", "meta.k8s.io/v1");
  if (request.operation == Operation::kDelete) {
    WriteDeleteOptions(request, out);
  } else {
    WriteDryRun(request, out);
    WriteGiven("fieldManager", request.options.field_manager, out);
    WriteGiven("fieldValidation", request.options.field_validation, out);
  }
  out.EndObject();
}

void WriteObject(std::string_view name, const api::Doc* object, const Attributes& request,
                 base::BufferBuilder& text, JsonWriter& out) {
  out.Key(name).Raw("");
  AppendObject(object, request, text);
}

api::Status StatusOf(api::meta_v1::StatusView view) {
  api::Status status{.code = view.code(),
                     .status = std::string(view.status()),
                     .reason = std::string(view.reason()),
                     .message = std::string(view.message()),
                     .continue_token = std::string(view.metadata().continue_())};
  if (const auto details = view.details()) {
    auto& to = status.details.emplace();
    to.name = details.name();
    to.group = details.group();
    to.kind = details.kind();
    to.uid = details.uid();
    to.retry_after_seconds = details.retry_after_seconds();
    for (const auto cause : details.causes())
      to.causes.push_back(
          {std::string(cause.reason()), std::string(cause.message()), std::string(cause.field())});
  }
  return status;
}

// What is wrong with an answer of v1; empty: nothing.
std::string WhyInvalid(api::admission_v1::AdmissionResponseView response, const api::json::TypeMeta& meta,
                       std::string_view uid, bool mutating) {
  if (std::string why = WhyOtherUid(response.uid(), uid); !why.empty()) return why;
  if (std::string why = WhyOtherKind(meta, KindIn("v1")); !why.empty()) return why;
  const bool patches = !response.patch().empty(), typed = response.has_patch_type();
  if (!mutating) {
    if (patches) return "validating webhook may not return response.patch";
    return typed ? "validating webhook may not return response.patchType" : "";
  }
  if (patches && !typed) return "webhook returned response.patch but not response.patchType";
  if (!patches && typed) return "webhook returned response.patchType but not response.patch";
  if (typed && response.patch_type().empty()) return "webhook returned invalid response.patchType of \"\"";
  return "";
}

}  // namespace

void AppendObject(const api::Doc* object, const Attributes& request, base::BufferBuilder& out) {
  if (!object || !*object) return out.Append("null");
  const ResourceKind kind = KindOf(*request.resource, request.subresource);
  const std::string api_version = ApiVersion(kind.group, kind.version);
  const api::StructNode& root = *object->root();
  if (root.slot(0).string() == kind.kind && root.slot(1).string() == api_version)
    return api::json::Encode(root, out);
  api::Doc named = object->Clone();
  named.root()->slot(0) = api::Value::String(kind.kind);
  named.root()->slot(1) = api::Value::String(api_version);
  api::json::Encode(*named.root(), out);
}

base::Slice WriteReview(std::string_view version, std::string_view uid, const Attributes& request) {
  base::BufferBuilder text(kExpectedBytes);
  JsonWriter out(text);
  const api::ResourceDesc& requested = request.requested_resource();
  const bool is_namespace = request.resource->group.empty() && request.resource->plural == "namespaces";
  out.BeginObject().Member("kind", "AdmissionReview");
  out.Member("apiVersion", ApiVersion(kGroup, version));
  out.Key("request").BeginObject().Member("uid", uid);
  WriteKind("kind", KindOf(*request.resource, request.subresource), out);
  WriteResource("resource", *request.resource, out);
  WriteGiven("subResource", request.subresource, out);
  WriteKind("requestKind", KindOf(requested, request.subresource), out);
  WriteResource("requestResource", requested, out);
  WriteGiven("requestSubResource", request.subresource, out);
  WriteGiven("name", request.name, out);
  WriteGiven("namespace", is_namespace ? request.name : request.ns, out);
  out.Member("operation", NameOf(request.operation));
  WriteUser(request.user, out);
  WriteObject("object", request.object, request, text, out);
  WriteObject("oldObject", request.old_object, request, text, out);
  out.Key("dryRun").Bool(request.dry_run);
  WriteOptions(request, out);
  out.EndObject().EndObject();
  text.Append('\n');
  return text.Take();
}

base::Result<ReviewAnswer, AnswerError> ReadAnswer(std::string_view body, std::string_view version,
                                                   std::string_view uid, bool mutating) {
  const auto undecodable = [](std::string why) {
    return base::Err(AnswerError{.decoded = false, .message = std::move(why)});
  };
  const auto invalid = [](std::string why) {
    return base::Err(AnswerError{.decoded = true, .message = std::move(why)});
  };
  const auto document = OpenReview(body, KindIn(version));
  if (!document) return undecodable(document.error());
  api::Arena arena;
  const auto root =
      api::json::Decode(document->json, api::admission_v1::kAdmissionReviewType, arena, nullptr);
  if (!root) return undecodable(root.error().message);
  const auto response = api::admission_v1::AdmissionReviewView(*root).response();
  if (!response) return invalid("webhook response was absent");
  if (version == "v1")
    if (std::string why = WhyInvalid(response, document->meta, uid, mutating); !why.empty())
      return invalid(std::move(why));

  ReviewAnswer answer{.allowed = response.allowed()};
  if (response.status()) answer.result = StatusOf(response.status());
  for (const api::Value& warning : response.warnings()) answer.warnings.emplace_back(warning.string());
  for (const auto& [key, value] : response.audit_annotations())
    answer.audit_annotations.emplace_back(key, value.string());
  if (mutating) {
    answer.patch = response.patch();
    if (!answer.patch.empty())
      answer.patch_type = version == "v1" ? std::string(response.patch_type()) : "JSONPatch";
  }
  return answer;
}

api::Status DenialOf(std::string_view webhook, std::optional<api::Status> result) {
  api::Status status = result ? *std::move(result) : api::Status{.code = 0};
  if (status.code < 400) status.code = 400;
  if (status.status.empty() || status.status == "Success") status.status = "Failure";
  const std::string& why = status.message.empty() ? status.reason : status.message;
  status.message = "admission webhook " + api::Quoted(webhook) + " denied the request" +
                   (why.empty() ? " without explanation" : ": " + why);
  return status;
}

}  // namespace keelson::admission
