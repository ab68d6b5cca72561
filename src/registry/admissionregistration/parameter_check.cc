#include "registry/admissionregistration/parameter_check.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "api/generated/admissionregistration_v1.h"
#include "api/generated/apiextensions_v1.h"
#include "registry/decode.h"

namespace keelson::registry::admissionregistration {
namespace {

using namespace api::admissionregistration_v1;
using api::field::ErrorList;

// As Go prints a user's struct.
std::string GoUser(const auth::User& user) {
  std::string text = "&{" + user.name + " " + user.uid + " [";
  for (size_t i = 0; i < user.groups.size(); ++i) text.append(i ? " " : "").append(user.groups[i]);
  text += "] map[";
  for (const auto& [key, values] : user.extra) {
    if (!text.ends_with('[')) text += ' ';
    text += key + ":[";
    for (size_t i = 0; i < values.size(); ++i) text.append(i ? " " : "").append(values[i]);
    text += ']';
  }
  return text + "]}";
}

// Which permission is needed; "*": on all, as that cannot be told better.
struct Wanted {
  std::string group = "*", version = "*", resource = "*";
  std::string untold;  // why not; empty: it is told
};

class ParameterCheck : public WriteCheck {
 public:
  explicit ParameterCheck(const Dependencies& dependencies)
      : stores_(dependencies.stores), authorizer_(dependencies.authorizer) {}

 protected:
  base::Task<Wanted> Resolve(ParamKindView kind) const {
    Wanted wanted;
    const std::string_view version = kind.api_version();  // validated
    const size_t slash = version.find('/');
    wanted.group = slash == std::string_view::npos ? "" : version.substr(0, slash);
    wanted.version = slash == std::string_view::npos ? version : version.substr(slash + 1);
    const std::string plural = co_await PluralOf(wanted.group, wanted.version, std::string(kind.kind()));
    if (plural.empty())
      wanted.untold = "resolve paramKind &{" + std::string(version) + " " + std::string(kind.kind()) + "}";
    else
      wanted.resource = plural;
    co_return wanted;
  }

  base::Task<auth::Verdict> Ask(const admission::Attributes& request, std::string_view verb,
                                const Wanted& wanted, std::string_view ns, std::string_view name) const {
    const auth::Attributes attributes{.user = request.user,
                                      .verb = verb,
                                      .resource_request = true,
                                      .group = wanted.group,
                                      .version = wanted.version,
                                      .resource = wanted.resource,
                                      .ns = ns,
                                      .name = name,
                                      .wants_reason = false};
    co_return co_await authorizer_->Authorize(attributes);
  }

  static bool Privileged(const admission::Attributes& request) {
    return request.user->InGroup(auth::kMastersGroup);
  }

  const Stores* const stores_;
  auth::Authorizer* const authorizer_;

 private:
  // Empty: nothing is known to have that kind.
  base::Task<std::string> PluralOf(std::string group, std::string version, std::string kind) const {
    for (const api::ResourceDesc& desc : api::BuiltinResources())
      if (desc.group == group && desc.version == version && desc.kind == kind)
        co_return std::string(desc.plural);
    Store* const definitions = stores_->Find({"apiextensions.k8s.io", "customresourcedefinitions"});
    if (!definitions) co_return std::string();
    const auto list = co_await definitions->List({.resource_version = "0"});
    if (!list) co_return std::string();
    for (const rest::Object* const object : list->items) {
      if (!object->name().ends_with(group)) continue;
      const auto doc = DecodeStored(*object, *definitions->resource().storage_type);
      if (!doc) continue;
      const auto spec = api::apiextensions_v1::CustomResourceDefinitionView(*doc).spec();
      if (spec.group() != group || spec.names().kind() != kind) continue;
      for (const auto served : spec.versions())
        if (served.name() == version && served.served()) co_return std::string(spec.names().plural());
    }
    co_return std::string();
  }
};

template <class PolicyView>
class PolicyCheck final : public ParameterCheck {
 public:
  using ParameterCheck::ParameterCheck;

  base::Task<ErrorList> AfterValidation(const admission::Attributes& request) const override {
    const ParamKindView kind = PolicyView(*request.object).spec().param_kind();
    ErrorList errors;
    if (!kind || Privileged(request)) co_return errors;
    if (request.old_object) {
      const ParamKindView was = PolicyView(*request.old_object).spec().param_kind();
      if (was && api::Equal(was.node(), kind.node())) co_return errors;
    }
    const Wanted wanted = co_await Resolve(kind);
    const auth::Verdict verdict = co_await Ask(request, "get", wanted, "*", "*");
    if (verdict.decision == auth::Decision::kAllow) co_return errors;
    const std::string why =
        !verdict.error.empty()
            ? verdict.error
            : "user " + GoUser(*request.user) +
                  " must have \"get\" permission on all objects of the referenced paramKind (kind=" +
                  std::string(kind.kind()) + ", apiVersion=" + std::string(kind.api_version()) + ")";
    errors.Add(api::field::Forbidden(api::field::Path("spec").Child("paramKind"), why));
    co_return errors;
  }
};

template <class BindingView, class PolicyView>
class BindingCheck final : public ParameterCheck {
 public:
  BindingCheck(const Dependencies& dependencies, std::string_view policies)
      : ParameterCheck(dependencies), policies_(policies) {}

  base::Task<ErrorList> AfterValidation(const admission::Attributes& request) const override {
    const BindingView binding(*request.object);
    const ParamRefView ref = binding.spec().param_ref();
    ErrorList errors;
    if (!ref || Privileged(request)) co_return errors;
    const std::string policy(binding.spec().policy_name());
    const Wanted wanted = co_await WantedFor(policy);
    const std::string_view verb = ref.name().empty() ? "list" : "get";
    const auth::Verdict verdict = co_await Ask(request, verb, wanted, ref.namespace_(), ref.name());
    if (verdict.decision == auth::Decision::kAllow) co_return errors;
    const std::string why =
        verdict.error.empty() ? Refusal(*request.user, verb, wanted) : Failure(verdict.error);
    errors.Add(api::field::Forbidden(api::field::Path("spec").Child("paramRef"), why));
    co_return errors;
  }

 private:
  static constexpr bool kMutating = std::is_same_v<PolicyView, MutatingAdmissionPolicyView>;

  base::Task<Wanted> WantedFor(std::string policy) const {
    Store& store = *stores_->Find({"admissionregistration.k8s.io", policies_});
    const auto object = co_await store.Get("", policy, {});
    const auto doc =
        object ? std::optional(DecodeStored(**object, *store.resource().storage_type)) : std::nullopt;
    if (!doc || !*doc) co_return Wanted{.untold = "get policy " + policy};
    const ParamKindView kind = PolicyView(**doc).spec().param_kind();
    if (!kind) co_return Wanted();
    co_return co_await Resolve(kind);
  }

  static std::string Refusal(const auth::User& user, std::string_view verb, const Wanted& wanted) {
    const std::string quoted = "\"" + std::string(verb) + "\"";
    if (!wanted.untold.empty())
      return "unable to " + wanted.untold + " to determine minimum required permissions and user " +
             GoUser(user) + " does not have " + quoted + " permission for all groups, versions and resources";
    // Upstream has the two the wrong way round in one of its texts.
    if (kMutating)
      return "user " + std::string(verb) + " does not have \"" + GoUser(user) +
             "\" permission on the object referenced by paramRef";
    return "user " + GoUser(user) + " does not have " + quoted +
           " permission on the object referenced by paramRef";
  }
  static std::string Failure(const std::string& error) {
    return kMutating ? error : "failed to authorize request: " + error;
  }

  const std::string_view policies_;
};

}  // namespace

std::unique_ptr<WriteCheck> MakeValidatingPolicyCheck(const Dependencies& dependencies) {
  return std::make_unique<PolicyCheck<ValidatingAdmissionPolicyView>>(dependencies);
}
std::unique_ptr<WriteCheck> MakeMutatingPolicyCheck(const Dependencies& dependencies) {
  return std::make_unique<PolicyCheck<MutatingAdmissionPolicyView>>(dependencies);
}
std::unique_ptr<WriteCheck> MakeValidatingBindingCheck(const Dependencies& dependencies) {
  return std::make_unique<BindingCheck<ValidatingAdmissionPolicyBindingView, ValidatingAdmissionPolicyView>>(
      dependencies, "validatingadmissionpolicies");
}
std::unique_ptr<WriteCheck> MakeMutatingBindingCheck(const Dependencies& dependencies) {
  return std::make_unique<BindingCheck<MutatingAdmissionPolicyBindingView, MutatingAdmissionPolicyView>>(
      dependencies, "mutatingadmissionpolicies");
}

}  // namespace keelson::registry::admissionregistration
