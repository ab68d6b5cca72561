#include "admission/webhooks/mutating_admission_webhook.h"

#include "admission/json_patching.h"
#include "admission/policies/exempt.h"
#include "admission/reinvocation.h"
#include "api/conversion/conversion.h"
#include "api/managed_fields/managed.h"
#include "api/meta/object_meta.h"
#include "api/types/custom_type.h"
#include "api/validation/quote.h"

namespace keelson::admission {
namespace {

struct Patched {
  CallOutcome outcome;
  bool changed = false;
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
  if (!back) co_return Patched{CallOutcome::Error(api::InternalError(back.error()))};
  *request.object = *std::move(back);
  co_return Patched{.changed = changed};
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
  for (const auto& configuration : compiled->configurations)
    for (const auto& webhook : configuration->webhooks) {
      const auto versioned = CO_TRY(co_await questions.ShouldAsk(*webhook));
      if (!versioned) continue;
      if (rounds && rounds->second_round() && !rounds->webhooks.AsksAgain(webhook->Key())) continue;
      const auto began = parts_.clock->SteadyNow();
      CallOutcome outcome = co_await questions.Ask(*webhook, *versioned);
      bool changed = false;
      if (outcome.kind == CallOutcome::Kind::kAllowed && !outcome.patch.empty()) {
        Patched patched = co_await ApplyPatch(*webhook, outcome, *versioned, request);
        outcome = std::move(patched.outcome);
        changed = patched.changed;
      }
      if (rounds && changed) {
        rounds->webhooks.Changed();
        rounds->WantSecondRound();
      }
      if (rounds && webhook->reinvocable()) rounds->webhooks.Asked(webhook->Key());
      CO_TRY(questions.Settle(*webhook, outcome, parts_.clock->SteadyNow() - began));
    }
  if (rounds) rounds->webhooks.EndRound(request.object);
  co_return Verdict();
}

}  // namespace keelson::admission
