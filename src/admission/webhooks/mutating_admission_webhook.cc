#include "admission/webhooks/mutating_admission_webhook.h"

#include "admission/audit_annotations.h"
#include "admission/json_patching.h"
#include "admission/policies/exempt.h"
#include "admission/reinvocation.h"
#include "api/codec/json_writer.h"
#include "api/conversion/conversion.h"
#include "api/managed_fields/managed.h"
#include "api/meta/object_meta.h"
#include "api/types/custom_type.h"
#include "api/validation/quote.h"
#include "audit/encoding.h"

namespace keelson::admission {
namespace {

struct Patched {
  CallOutcome outcome;
  bool changed = false;
  bool applied = false;
};

// Puts the managed fields of `before` back where the patch made them unreadable.
void CheckManagedFields(const api::Doc& before, api::Doc& patched, std::vector<std::string>* warnings) {
  const auto was = api::MetadataOf(before), now = api::MetadataOf(patched);
  if (!was || !now) return;
  static const uint32_t kManagedFields =
      api::meta_v1::kObjectMetaType.FindMember("managedFields").field->ordinal;
  const auto managed =
      api::managed_fields::Managed::Decode(now.managed_fields(), was.managed_fields(), patched.arena());
  if (managed) return;
  api::MutableMetadataOf(patched).node()->slot(kManagedFields) =
      api::DeepCopy(was.node()->slot(kManagedFields), patched.arena());
  AddWarning(warnings,
             ".metadata.managedFields was in an invalid state after admission; this could be caused by an "
             "outdated mutating admission controller; please fix your requests: " +
                 managed.error());
}

// Lays the webhook's patch over the object of the request.
base::Task<Patched> ApplyPatch(const Webhook& webhook, const CallOutcome& answer,
                               const VersionedRequest& versioned, const Attributes& request) {
  api::Arena arena;
  const auto patch = api::JsonPatch::Parse(answer.patch, arena, nullptr);
  if (!patch)
    co_return Patched{
        CallOutcome::Failed("received undecodable patch in webhook response: " + patch.error().message, 503)};
  if (patch->empty()) co_return Patched();
  if (!request.object)
    co_return Patched{
        CallOutcome::Error(api::InternalError("admission webhook " + api::Quoted(webhook.name()) +
                                              " attempted to modify the object, which is not supported for "
                                              "this operation"))};
  if (answer.patch_type != "JSONPatch")
    co_return Patched{CallOutcome::Failed("unsupported patch type " + api::Quoted(answer.patch_type), 400)};
  const api::Doc& before = *versioned.request.object;
  base::BufferBuilder was;
  AppendObject(&before, versioned.request, was);
  auto patched = ApplyJsonPatch(*patch, was.view(), before.type(), arena);
  if (!patched) co_return Patched{CallOutcome::Error(api::InternalError(patched.error().message))};
  CheckManagedFields(before, *patched, request.warnings);
  const bool changed = !api::Equal(before.root(), patched->root());
  auto back = co_await versioned.Back(*std::move(patched), request);
  if (!back) co_return Patched{CallOutcome::Error(std::move(back.error()))};
  *request.object = *std::move(back);
  co_return Patched{.changed = changed, .applied = true};
}

// Annotates the audit event with a webhook's call: whether it changed the object and, where bodies are kept,
// how.
void AuditCall(const Attributes& request, const Webhook& webhook, WebhookPlace place, bool changed,
               std::string_view patch) {
  if (!request.audit) return;
  const auto told = [&](auto add) {
    base::BufferBuilder json;
    api::json::JsonWriter out(json);
    out.BeginObject().Member("configuration", webhook.configuration()).Member("webhook", webhook.name());
    add(out);
    out.EndObject();
    return std::string(json.view());
  };
  AddAuditAnnotation(request, "mutation.webhook.admission.k8s.io/" + place.ToString(),
                     told([&](api::json::JsonWriter& out) { out.Key("mutated").Bool(changed); }));
  if (patch.empty() || !request.audit->Wants(audit::Level::kRequest)) return;
  AddAuditAnnotation(request, "patch.webhook.admission.k8s.io/" + place.ToString(),
                     told([&](api::json::JsonWriter& out) {
                       out.Key("patch").Raw(audit::Compacted(base::Slice::Copy(patch)).view());
                       out.Member("patchType", "JSONPatch");
                     }),
                     audit::Level::kRequest);
}

}  // namespace

MutatingAdmissionWebhook::MutatingAdmissionWebhook(const WebhookParts& parts)
    : parts_(parts),
      metrics_(parts.metrics, "admit"),
      webhooks_(WebhookSet::Kind::kMutating, MakeBreakers(parts_, metrics_, WebhookSet::Kind::kMutating)) {}

Concern MutatingAdmissionWebhook::ConcernWith(const api::ResourceDesc& resource, std::string_view) const {
  return {.mutates = !IsExemptFromWebhooks(resource)};
}

base::Task<Verdict> MutatingAdmissionWebhook::Mutate(Attributes request) const {
  const auto compiled = CO_TRY(co_await webhooks_.Current(*parts_.objects));
  if (!compiled) co_return Verdict();
  Reinvocation* const rounds = request.reinvocation;
  if (rounds && rounds->second_round()) rounds->webhooks.BeginSecondRound(request.object);
  Questions questions(request, parts_, metrics_, /*mutating=*/true);
  const int round = rounds && rounds->second_round() ? 1 : 0;
  size_t index = 0;  // of the next webhook, among all
  for (const auto& configuration : compiled->configurations)
    for (const auto& webhook : configuration->webhooks) {
      const WebhookPlace place{round, index++};
      const auto versioned = CO_TRY(co_await questions.ShouldAsk(*webhook));
      if (!versioned) continue;
      if (rounds && rounds->second_round() && !rounds->webhooks.AsksAgain(webhook->Key())) continue;
      const auto began = parts_.clock->SteadyNow();
      CallOutcome outcome = co_await questions.Ask(*webhook, *versioned);
      bool changed = false;
      std::string applied;
      if (outcome.kind == CallOutcome::Kind::kAllowed && !outcome.patch.empty()) {
        Patched patched = co_await ApplyPatch(*webhook, outcome, *versioned, request);
        if (patched.applied) applied = std::move(outcome.patch);
        outcome = std::move(patched.outcome);
        changed = patched.changed;
      }
      AuditCall(request, *webhook, place, changed, applied);
      if (rounds && changed) {
        rounds->webhooks.Changed();
        rounds->WantSecondRound();
      }
      if (rounds && webhook->reinvocable()) rounds->webhooks.Asked(webhook->Key());
      CO_TRY(questions.Settle(*webhook, outcome, parts_.clock->SteadyNow() - began, place));
    }
  if (rounds) rounds->webhooks.EndRound(request.object);
  co_return Verdict();
}

}  // namespace keelson::admission
