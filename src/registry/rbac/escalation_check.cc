#include "registry/rbac/escalation_check.h"

#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "api/meta/object_meta.h"
#include "api/validation/quoted_list.h"
#include "auth/aggregate_error.h"
#include "auth/subject.h"
#include "registry/decode.h"
#include "registry/rbac/permissions.h"

namespace keelson::registry::rbac {
namespace {

using namespace api::rbac_v1;
using RuleList = api::ListView<PolicyRuleView>;

constexpr std::string_view kGroupName = "rbac.authorization.k8s.io";

// Rules that were read, and the documents they are in.
struct HeldRules {
  std::vector<api::Doc> docs;
  std::vector<RuleList> rules;
  auth::AggregateError errors;  // of roles that could not be read

  bool Cover(const Permission& wanted) const {
    return AnyOf(rules, [&](const RuleList& list) {
      return AnyOf(list, [&](PolicyRuleView rule) { return Covers(rule, wanted); });
    });
  }
};

// Permissions that are missing, as they are told: those that differ in the verb alone are one.
class MissingPermissions {
 public:
  void Add(const Permission& p) {
    if (p.url.empty())
      verbs_[{p.group, p.resource, p.name}].push_back(p.verb);
    else
      lines_.insert("{NonResourceURLs:" + api::QuotedList(std::vector{p.url}) +
                    ", Verbs:" + api::QuotedList(std::vector{p.verb}) + "}");
  }
  bool empty() const { return verbs_.empty() && lines_.empty(); }
  std::string ToString() && {
    for (const auto& [key, verbs] : verbs_) {
      const auto& [group, resource, name] = key;
      std::string line = "{APIGroups:" + api::QuotedList(std::vector{group}) +
                         ", Resources:" + api::QuotedList(std::vector{resource});
      if (!name.empty()) line += ", ResourceNames:" + api::QuotedList(std::vector{name});
      lines_.insert(line + ", Verbs:" + api::QuotedList(verbs) + "}");
    }
    std::string text;
    for (const std::string& line : lines_) (text += text.empty() ? "" : "\n") += line;
    return text;
  }

 private:
  std::map<std::tuple<std::string_view, std::string_view, std::string_view>, std::vector<std::string_view>>
      verbs_;
  std::set<std::string> lines_;
};

// What only the garbage collector changes is nobody's grant.
bool OnlyForCollection(const admission::Attributes& request) {
  return request.old_object && api::DifferForCollectionOnly(*request.object, *request.old_object);
}

// Every verb on every resource and path.
api::Doc EverythingRole() {
  api::Doc doc(ClusterRoleView::Type());
  ClusterRoleEditor role(doc);
  AddRule(role.add_rules(), {.verb = "*", .group = "*", .resource = "*"});
  AddRule(role.add_rules(), {.verb = "*", .url = "*"});
  return doc;
}

class EscalationCheck : public WriteCheck {
 public:
  explicit EscalationCheck(const Dependencies& dependencies)
      : stores_(dependencies.stores), authorizer_(dependencies.authorizer) {}

 protected:
  base::Task<bool> MayDo(const admission::Attributes& request, std::string_view verb, std::string_view group,
                         std::string_view resource, std::string_view name) const {
    const auth::Attributes attributes{.user = request.user,
                                      .verb = verb,
                                      .resource_request = true,
                                      .group = group,
                                      .version = "*",
                                      .resource = resource,
                                      .ns = request.ns,
                                      .name = name,
                                      .wants_reason = false};
    const auth::Verdict verdict = co_await authorizer_->Authorize(attributes);
    co_return verdict.decision == auth::Decision::kAllow;
  }

  // The role that a binding in `ns` refers to, and its rules. One that is not there is told, as upstream
  // does, by the resource that the request is about.
  base::Task<rest::Result<std::pair<api::Doc, RuleList>>> RoleOf(const admission::Attributes& request,
                                                                 RoleRefView ref, std::string ns) const {
    const bool cluster = ref.kind() == "ClusterRole";
    if (!cluster && ref.kind() != "Role")
      co_return base::Err(
          api::Status{.code = 500, .message = "unsupported role reference kind: " + api::Quoted(ref.kind())});
    if (!cluster && ns.empty()) co_return base::Err(api::BadRequest("Namespace parameter required."));
    Store& store = *stores_->Find({kGroupName, cluster ? "clusterroles" : "roles"});
    const auto object = co_await store.Get(cluster ? "" : std::move(ns), std::string(ref.name()), {});
    if (!object && object.error().code == 404)
      co_return base::Err(api::NotFound({request.resource->group, request.resource->plural}, ref.name()));
    if (!object) co_return base::Err(object.error());
    auto doc = CO_TRY(DecodeStored(**object, *store.resource().storage_type));
    const RuleList rules = cluster ? ClusterRoleView(doc).rules() : RoleView(doc).rules();
    co_return std::pair(std::move(doc), rules);
  }

  // 403 unless the user has all that `rules` allow.
  base::Task<rest::Result<void>> ConfirmNoEscalation(const admission::Attributes& request,
                                                     RuleList rules) const {
    HeldRules held = co_await RulesOf(request);
    MissingPermissions missing;
    for (const PolicyRuleView rule : rules)
      ForEachPermission(rule, [&](const Permission& p) {
        if (!held.Cover(p)) missing.Add(p);
      });
    if (missing.empty()) co_return rest::Result<void>();
    std::string why =
        "user " + api::Quoted(request.user->name) + " (groups=" + api::QuotedList(request.user->groups) +
        ") is attempting to grant RBAC permissions not currently held:\n" + std::move(missing).ToString();
    if (!held.errors.empty()) why += "; resolution errors: [" + held.errors.ToString() + "]";
    co_return base::Err(Refusal(request, why));
  }

  static api::Status Refusal(const admission::Attributes& request, std::string_view why) {
    return api::Forbidden({request.resource->group, request.resource->plural}, request.name, why);
  }

 private:
  base::Task<HeldRules> RulesOf(const admission::Attributes& request) const {
    HeldRules held;
    co_await AddRulesBy<ClusterRoleBindingView>("clusterrolebindings", request, "", held);
    if (!request.ns.empty())
      co_await AddRulesBy<RoleBindingView>("rolebindings", request, std::string(request.ns), held);
    co_return held;
  }

  template <class BindingView>
  base::Task<void> AddRulesBy(std::string_view plural, const admission::Attributes& request, std::string ns,
                              HeldRules& held) const {
    Store& store = *stores_->Find({kGroupName, plural});
    const auto list = co_await store.List({.ns = ns});
    if (!list) {
      held.errors.Add(list.error().message);
      co_return;
    }
    for (const rest::Object* const object : list->items) {
      const auto doc = DecodeStored(*object, *store.resource().storage_type);
      if (!doc) {
        held.errors.Add(doc.error().message);
        continue;
      }
      const BindingView binding(*doc);
      const bool applies = AnyOf(binding.subjects(), [&](SubjectView s) {
        return auth::Subject::Of(s.kind(), s.namespace_(), s.name(), ns).AppliesTo(*request.user);
      });
      if (!applies) continue;
      auto role = co_await RoleOf(request, binding.role_ref(), ns);
      if (!role) {
        held.errors.Add(role.error().message);
        continue;
      }
      held.docs.push_back(std::move(role->first));
      held.rules.push_back(role->second);
    }
  }

  const Stores* const stores_;
  auth::Authorizer* const authorizer_;
};

// Of a Role or ClusterRole.
class RoleEscalationCheck final : public EscalationCheck {
 public:
  RoleEscalationCheck(const Dependencies& dependencies, bool cluster)
      : EscalationCheck(dependencies), cluster_(cluster) {}

  base::Task<rest::Result<void>> BeforeValidation(const admission::Attributes& request) const override {
    if (request.user->InGroup(auth::kMastersGroup)) co_return rest::Result<void>();
    // The name is the one in the request's path.
    const std::string_view name = request.old_object ? request.name : std::string_view();
    if (co_await MayDo(request, "escalate", kGroupName, request.resource->plural, name))
      co_return rest::Result<void>();
    if (OnlyForCollection(request)) co_return rest::Result<void>();
    CO_TRY(co_await ConfirmNoEscalation(request, RulesIn(*request.object)));
    if (!Aggregates(*request.object) && !(request.old_object && Aggregates(*request.old_object)))
      co_return rest::Result<void>();
    // What it gathers may be anything.
    static const api::Doc everything = EverythingRole();
    if (co_await ConfirmNoEscalation(request, ClusterRoleView(everything).rules()))
      co_return rest::Result<void>();
    co_return base::Err(Refusal(request, "must have cluster-admin privileges to use the aggregationRule"));
  }

 private:
  RuleList RulesIn(const api::Doc& doc) const {
    return cluster_ ? ClusterRoleView(doc).rules() : RoleView(doc).rules();
  }
  bool Aggregates(const api::Doc& doc) const {
    return cluster_ && !ClusterRoleView(doc).aggregation_rule().cluster_role_selectors().empty();
  }

  const bool cluster_;
};

// Of a RoleBinding or ClusterRoleBinding.
class BindingEscalationCheck final : public EscalationCheck {
 public:
  BindingEscalationCheck(const Dependencies& dependencies, bool cluster)
      : EscalationCheck(dependencies), cluster_(cluster) {}

  base::Task<rest::Result<void>> BeforeValidation(const admission::Attributes& request) const override {
    if (request.user->InGroup(auth::kMastersGroup) || OnlyForCollection(request))
      co_return rest::Result<void>();
    const RoleRefView ref = cluster_ ? ClusterRoleBindingView(*request.object).role_ref()
                                     : RoleBindingView(*request.object).role_ref();
    const std::string_view plural = ref.kind() == "ClusterRole" ? "clusterroles"
                                    : ref.kind() == "Role"      ? "roles"
                                                                : "";
    if (!plural.empty() && co_await MayDo(request, "bind", ref.api_group(), plural, ref.name()))
      co_return rest::Result<void>();
    const auto role = CO_TRY(co_await RoleOf(request, ref, std::string(request.ns)));
    co_return co_await ConfirmNoEscalation(request, role.second);
  }

 private:
  const bool cluster_;
};

}  // namespace

std::unique_ptr<WriteCheck> MakeRoleCheck(const Dependencies& dependencies) {
  return std::make_unique<RoleEscalationCheck>(dependencies, false);
}
std::unique_ptr<WriteCheck> MakeClusterRoleCheck(const Dependencies& dependencies) {
  return std::make_unique<RoleEscalationCheck>(dependencies, true);
}
std::unique_ptr<WriteCheck> MakeRoleBindingCheck(const Dependencies& dependencies) {
  return std::make_unique<BindingEscalationCheck>(dependencies, false);
}
std::unique_ptr<WriteCheck> MakeClusterRoleBindingCheck(const Dependencies& dependencies) {
  return std::make_unique<BindingEscalationCheck>(dependencies, true);
}

}  // namespace keelson::registry::rbac
