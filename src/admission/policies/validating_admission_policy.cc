#include "admission/policies/validating_admission_policy.h"

#include <algorithm>
#include <map>

#include "admission/audit_annotations.h"
#include "admission/policies/exempt.h"
#include "admission/policies/inquiry.h"
#include "admission/policies/params.h"
#include "api/codec/json_writer.h"
#include "api/meta/object_meta.h"

namespace keelson::admission {
namespace {

using namespace api::admissionregistration_v1;

int32_t CodeOf(std::string_view reason) {
  if (reason == "Forbidden") return 403;
  if (reason == "Unauthorized") return 401;
  return reason == "RequestEntityTooLarge" ? 413 : 422;
}

std::string_view ActionLabel(std::string_view action) {
  if (action == "Deny") return "deny";
  return action == "Audit" ? "audit" : "warn";
}

// Tells the audit log of a validation that a binding wants audited.
void AuditFailure(const Attributes& request, ValidatingAdmissionPolicyBindingView binding, size_t index,
                  std::string_view message) {
  if (!request.audit) return;
  base::BufferBuilder json;
  api::json::JsonWriter out(json);
  out.BeginArray().BeginObject().Member("message", message);
  out.Member("policy", binding.spec().policy_name()).Member("binding", binding.metadata().name());
  out.Key("expressionIndex").Int(static_cast<int64_t>(index));
  out.Key("validationActions").BeginArray();
  for (const api::Value& action : binding.spec().validation_actions()) out.String(action.string());
  out.EndArray().EndObject().EndArray();
  AddAuditAnnotation(request, "validation.policy.admission.k8s.io/validation_failure",
                     std::string(json.view()));
}

}  // namespace

struct ValidatingAdmissionPolicy::Asked : public Inquiry {
  using Inquiry::Inquiry;

  std::vector<Denial> denials;
  // For the audit log, of the policy that is being asked: by key, the values that its bindings and parameters
  // lead to.
  std::map<std::string, std::vector<std::string>> annotations;

  void Annotate(std::pair<std::string, std::string> annotation) {
    auto& values = annotations[annotation.first];
    if (std::ranges::find(values, annotation.second) == values.end())
      values.push_back(std::move(annotation.second));
  }
  void PublishAnnotations(std::string_view policy) {
    for (const auto& [key, values] : annotations) {
      std::string all;
      for (const std::string& value : values) all.append(all.empty() ? "" : ", ").append(value);
      AddAuditAnnotation(matched.request(), std::string(policy) + "/" + key, std::move(all));
    }
    annotations.clear();
  }

  // What cannot be told is a denial, unless the policy lets it pass.
  void CannotTell(const ValidatingPolicy& policy, std::string_view binding, const std::string& why) {
    if (!policy.fails()) return;
    const std::string what =
        binding.empty() ? "failed to configure policy: " : "failed to configure binding: ";
    denials.push_back({&policy, std::string(binding), {true, what + why, ""}});
  }
};

Concern ValidatingAdmissionPolicy::ConcernWith(const api::ResourceDesc& resource, std::string_view) const {
  return {.validates = !IsExemptFromPolicies(resource)};
}

base::Task<Verdict> ValidatingAdmissionPolicy::Validate(Attributes request) const {
  const auto compiled = CO_TRY(co_await policies_.Current(objects_));
  if (!compiled) co_return Verdict();

  Asked asked(request, objects_, authorizer_);
  for (const Policies::Hook& hook : compiled->hooks) CO_TRY(co_await Ask(hook, asked));
  if (asked.denials.empty()) co_return Verdict();
  const Denial& first = asked.denials[0];
  std::string message =
      "ValidatingAdmissionPolicy '" + std::string(first.policy->view().metadata().name()) + "'";
  if (!first.binding.empty()) message += " with binding '" + first.binding + "'";
  message += " denied request: " + first.decision.message;
  Verdict refused = Refuse(request, message);
  api::Status& status = refused.error();
  status.reason = first.decision.reason.empty() ? "Invalid" : first.decision.reason;
  status.code = CodeOf(status.reason);
  if (status.details) status.details->causes.push_back({"", message, ""});
  co_return refused;
}

base::Task<Verdict> ValidatingAdmissionPolicy::Ask(const Policies::Hook& hook, Asked& asked) const {
  const ValidatingPolicy& policy = *hook.policy;
  const auto spec = policy.view().spec();
  const MatchResult matches = co_await Matches(spec.match_constraints(), asked.matched);
  if (!matches) asked.CannotTell(policy, "", matches.error());
  if (!matches || !*matches) co_return Verdict();
  if (const auto kind = spec.param_kind(); kind && !ResourceOfParamKind(kind, objects_).version) {
    asked.CannotTell(policy, "",
                     "failed to find resource referenced by paramKind: '" + std::string(kind.api_version()) +
                         ", Kind=" + std::string(kind.kind()) + "'");
    co_return Verdict();
  }
  for (const api::Doc* binding : hook.bindings)
    CO_TRY(co_await AskBinding(policy, **matches, *binding, asked));
  asked.PublishAnnotations(policy.view().metadata().name());
  co_return Verdict();
}

base::Task<Verdict> ValidatingAdmissionPolicy::AskBinding(const ValidatingPolicy& policy,
                                                          const api::ResourceDesc& version,
                                                          const api::Doc& doc, Asked& asked) const {
  const ValidatingAdmissionPolicyBindingView binding(doc);
  const Attributes& request = asked.matched.request();
  const std::string name(binding.metadata().name());
  const MatchResult matches = co_await Matches(binding.spec().match_resources(), asked.matched);
  if (!matches) asked.CannotTell(policy, name, matches.error());
  if (!matches || !*matches) co_return Verdict();

  const auto kind = policy.view().spec().param_kind();
  const Params params =
      co_await CollectParams(kind, binding.spec().param_ref(), std::string(asked.matched.ns()), objects_);
  if (!params) {
    asked.CannotTell(policy, name, params.error());
    co_return Verdict();
  }
  CO_TRY(co_await asked.Prepare());
  const RequestValues& values = CO_TRY(co_await asked.In(version))->values;
  for (const api::Doc& param : params->docs) {
    const cel::Value value = ParameterValue(param, kind.api_version(), kind.kind());
    PolicyResult said = co_await asked.Ask([&] { return policy.Validate(values, value); });
    for (auto& annotation : said.annotations) asked.Annotate(std::move(annotation));
    for (size_t i = 0; i < said.decisions.size(); ++i) {
      PolicyDecision& decision = said.decisions[i];
      const std::string_view policy_name = policy.view().metadata().name();
      const auto count = [&](std::string_view action) {
        metrics_.Checked(policy_name, name, decision.message, action, decision.took);
      };
      // A failed evaluation that failurePolicy Ignore lets pass has a message.
      if (!decision.denied && !decision.message.empty()) count("allow");
      if (!decision.denied) continue;
      bool denies = decision.always;
      if (decision.always) count("deny");
      for (const api::Value& action : binding.spec().validation_actions()) {
        denies = denies || action.string() == "Deny";
        if (!decision.always) count(ActionLabel(action.string()));
        if (action.string() == "Audit" && !decision.always)
          AuditFailure(request, binding, i, decision.message);
        if (action.string() == "Warn")
          AddWarning(request.warnings, "Validation failed for ValidatingAdmissionPolicy '" +
                                           std::string(policy_name) + "' with binding '" + name +
                                           "': " + decision.message);
      }
      if (denies) asked.denials.push_back({&policy, name, std::move(decision)});
    }
  }
  co_return Verdict();
}

}  // namespace keelson::admission
