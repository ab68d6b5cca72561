#include "admission/policies/mutating_admission_policy.h"

#include "admission/policies/exempt.h"
#include "admission/policies/inquiry.h"
#include "admission/policies/params.h"
#include "admission/reinvocation.h"
#include "api/meta/object_meta.h"
#include "api/validation/quote.h"

namespace keelson::admission {
namespace {

using namespace api::admissionregistration_v1;

}  // namespace

// A policy with one of its bindings and one parameter.
struct MutatingAdmissionPolicy::Invocation {
  const MutatingPolicy* policy;
  const api::ResourceDesc* version;  // that its rules are for
  std::string binding;
  api::Doc param;
  client::SourcePtr source;  // of a custom `param`

  // Stands for it in the second round.
  std::string Key() const;
};

std::string MutatingAdmissionPolicy::Invocation::Key() const {
  std::string key = std::string(policy->view().metadata().name()) + "/" + binding;
  if (param && api::MetadataOf(param))
    key.append("/")
        .append(api::MetadataOf(param).namespace_())
        .append("/")
        .append(api::MetadataOf(param).name());
  return key;
}

struct MutatingAdmissionPolicy::Asked : public Inquiry {
  using Inquiry::Inquiry;

  std::vector<Invocation> invocations;
  struct Error {
    std::string message, reason;
  };
  std::vector<Error> errors;

  void Fail(const MutatingPolicy& policy, std::string_view binding, const std::string& why,
            std::string reason) {
    if (!policy.fails()) return;
    const std::string name(policy.view().metadata().name());
    errors.push_back({binding.empty() ? "policy " + api::Quoted(name) + " denied request: " + why
                                      : "policy '" + name + "' with binding '" + std::string(binding) +
                                            "' denied request: " + why,
                      std::move(reason)});
  }
};

Concern MutatingAdmissionPolicy::ConcernWith(const api::ResourceDesc& resource, std::string_view) const {
  return {.mutates = !IsExemptFromPolicies(resource)};
}

base::Task<Verdict> MutatingAdmissionPolicy::Mutate(Attributes request) const {
  if (!request.object) co_return Verdict();  // what is deleted cannot be changed
  const auto compiled = CO_TRY(co_await policies_.Current(objects_));
  if (!compiled) co_return Verdict();

  Asked asked(request, objects_, authorizer_);
  for (const Policies::Hook& hook : compiled->hooks) co_await Collect(hook, asked);
  if (!asked.invocations.empty()) {
    CO_TRY(co_await asked.Prepare());
    Reinvocation* const rounds = request.reinvocation;
    if (rounds && rounds->second_round()) rounds->policies.BeginSecondRound(request.object);
    for (Invocation& invocation : asked.invocations) CO_TRY(co_await Invoke(invocation, asked));
    if (rounds) rounds->policies.EndRound(request.object);
  }
  if (asked.errors.empty()) co_return Verdict();
  Verdict refused = Refuse(request, "admission request denied by policy");
  api::Status& status = refused.error();
  status.message = asked.errors[0].message;
  if (!asked.errors[0].reason.empty()) status.reason = asked.errors[0].reason;
  if (status.details)
    for (const auto& error : asked.errors) status.details->causes.push_back({"", error.message, ""});
  co_return refused;
}

base::Task<void> MutatingAdmissionPolicy::Collect(const Policies::Hook& hook, Asked& asked) const {
  const MutatingPolicy& policy = *hook.policy;
  const auto spec = policy.view().spec();
  MatchResult matches = co_await Matches(spec.match_constraints(), asked.matched);
  if (!matches) asked.Fail(policy, "", "failed to configure policy: " + matches.error(), "");
  if (!matches || !*matches) co_return;
  const api::ResourceDesc* const version = *matches;
  const auto kind = spec.param_kind();
  if (kind && !ResourceOfParamKind(kind, objects_).version) {
    asked.Fail(policy, "",
               "failed to configure policy: failed to find resource referenced by paramKind: '" +
                   std::string(kind.api_version()) + ", Kind=" + std::string(kind.kind()) + "'",
               "");
    co_return;
  }
  for (const api::Doc* doc : hook.bindings) {
    const MutatingAdmissionPolicyBindingView binding(*doc);
    const std::string name(binding.metadata().name());
    matches = co_await Matches(binding.spec().match_resources(), asked.matched);
    if (!matches) asked.Fail(policy, name, "failed to configure binding: " + matches.error(), "");
    if (!matches || !*matches) continue;
    Params params =
        co_await CollectParams(kind, binding.spec().param_ref(), std::string(asked.matched.ns()), objects_);
    if (!params) {
      asked.Fail(policy, name, "failed to configure binding: " + params.error(), "");
      continue;
    }
    for (api::Doc& param : params->docs)
      asked.invocations.push_back({&policy, version, name, std::move(param), params->source});
  }
}

base::Task<Verdict> MutatingAdmissionPolicy::Invoke(Invocation& invocation, Asked& asked) const {
  const MutatingPolicy& policy = *invocation.policy;
  const auto kind = policy.view().spec().param_kind();
  const cel::Value params = ParameterValue(invocation.param, kind.api_version(), kind.kind());
  Asked::View& view = *CO_TRY(co_await asked.In(*invocation.version));
  api::Doc& object = *view.versioned->request.object;
  const auto applies = co_await asked.Ask([&] { return policy.Applies(view.values, params); });
  if (!applies) asked.Fail(policy, invocation.binding, applies.error(), "Invalid");
  if (!applies || !*applies) co_return Verdict();
  Reinvocation* const rounds = asked.matched.request().reinvocation;
  const std::string key = rounds ? invocation.Key() : "";
  if (rounds && rounds->second_round() && !rounds->policies.AsksAgain(key)) co_return Verdict();
  bool changed = false;
  for (size_t i = 0; i < policy.mutations(); ++i) {
    const auto start = std::chrono::steady_clock::now();
    const auto mutated = co_await asked.Ask([&, i] { return policy.Mutate(i, view.values, params, object); });
    metrics_.Checked(policy.view().metadata().name(), invocation.binding,
                     mutated ? std::string_view() : std::string_view(mutated.error()), "",
                     std::chrono::steady_clock::now() - start);
    if (!mutated) {
      asked.Fail(policy, invocation.binding, mutated.error(), "Invalid");
      continue;
    }
    CO_TRY(co_await asked.Changed(view));
    changed = true;
  }
  if (!rounds) co_return Verdict();
  if (changed) {
    rounds->policies.Changed();
    rounds->WantSecondRound();
  }
  if (policy.reinvocable()) rounds->policies.Asked(key);
  co_return Verdict();
}

}  // namespace keelson::admission
