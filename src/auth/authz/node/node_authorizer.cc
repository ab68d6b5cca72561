#include "auth/authz/node/node_authorizer.h"

#include <algorithm>

#include "api/validation/quote.h"
#include "auth/node_identity.h"

namespace keelson::auth::node {
namespace {

constexpr std::string_view kLeaseNamespace = "kube-node-lease";

Verdict Allowed() { return {Decision::kAllow, {}}; }
Verdict Refused(std::string reason) { return {Decision::kNoOpinion, std::move(reason)}; }

bool IsOneOf(std::string_view verb, std::initializer_list<std::string_view> verbs) {
  return std::ranges::find(verbs, verb) != verbs.end();
}

// One question of one node.
class NodeQuestion {
 public:
  NodeQuestion(const Attributes& a, std::string_view node, const Relations& relations,
               bool certificate_requests)
      : a_(a), node_(node), relations_(relations), certificate_requests_(certificate_requests) {}

  // nullopt: nothing more is said of the resource than what every node may do.
  std::optional<Verdict> Answer() const {
    if (a_.group.empty()) return AnswerCore();
    if (a_.group == "storage.k8s.io" && a_.resource == "volumeattachments") return Get(Kind::kAttachment);
    if (a_.group == "storage.k8s.io" && a_.resource == "csinodes") return CsiNode();
    if (a_.group == "coordination.k8s.io" && a_.resource == "leases") return Lease();
    if (a_.group == "resource.k8s.io" && a_.resource == "resourceclaims") return Get(Kind::kResourceClaim);
    if (a_.group == "resource.k8s.io" && a_.resource == "resourceslices") return Slice();
    if (a_.group == "certificates.k8s.io" && a_.resource == "podcertificaterequests")
      return certificate_requests_ ? CertificateRequest() : Refused("");
    return std::nullopt;
  }

 private:
  std::optional<Verdict> AnswerCore() const {
    if (a_.resource == "secrets") return Read(Kind::kSecret);
    if (a_.resource == "configmaps") return Read(Kind::kConfigMap);
    if (a_.resource == "persistentvolumeclaims")
      return a_.subresource == "status" ? ClaimStatus() : Get(Kind::kClaim);
    if (a_.resource == "persistentvolumes") return Get(Kind::kVolume);
    if (a_.resource == "serviceaccounts") return ServiceAccount();
    if (a_.resource == "nodes") return Node();
    if (a_.resource == "pods") return Pod();
    return std::nullopt;
  }

  Verdict IfRelated(Kind kind) const {
    if (a_.name.empty()) return Refused("No Object name found");
    return IfPath(kind);
  }
  Verdict IfPath(Kind kind) const {
    if (relations_.Related(kind, a_.ns, a_.name, node_)) return Allowed();
    return Refused("no relationship found between node '" + std::string(node_) + "' and this object");
  }

  Verdict Read(Kind kind) const {
    if (!IsOneOf(a_.verb, {"get", "list", "watch"})) return Refused("can only read resources of this type");
    if (!a_.subresource.empty()) return Refused("cannot read subresource");
    if (a_.ns.empty()) return Refused("can only read namespaced object of this type");
    return IfRelated(kind);
  }

  Verdict Get(Kind kind) const {
    if (a_.verb != "get") return Refused("can only get individual resources of this type");
    if (!a_.subresource.empty()) return Refused("cannot get subresource");
    return IfRelated(kind);
  }

  Verdict ClaimStatus() const {
    if (!IsOneOf(a_.verb, {"update", "patch"})) return Refused("can only get/update/patch this type");
    return IfRelated(Kind::kClaim);
  }

  Verdict ServiceAccount() const {
    if (a_.verb == "get" && a_.subresource.empty()) return Read(Kind::kServiceAccount);
    if (a_.verb != "create" || a_.name.empty())
      return Refused("can only create tokens for individual service accounts");
    if (a_.subresource != "token") return Refused("can only create token subresource of serviceaccount");
    return IfPath(Kind::kServiceAccount);
  }

  Verdict Lease() const {
    if (!IsOneOf(a_.verb, {"get", "create", "update", "patch", "delete"}))
      return Refused("can only get, create, update, patch, or delete a node lease");
    if (a_.ns != kLeaseNamespace)
      return Refused("can only access leases in the " + api::Quoted(kLeaseNamespace) + " system namespace");
    // The name of one that is created is for admission to judge.
    if (a_.verb != "create" && a_.name != node_)
      return Refused("can only access node lease with the same name as the requesting node");
    return Allowed();
  }

  Verdict CsiNode() const {
    if (!IsOneOf(a_.verb, {"get", "create", "update", "patch", "delete"}))
      return Refused("can only get, create, update, patch, or delete a CSINode");
    if (!a_.subresource.empty()) return Refused("cannot authorize CSINode subresources");
    if (a_.verb != "create" && a_.name != node_)
      return Refused("can only access CSINode with the same name as the requesting node");
    return Allowed();
  }

  Verdict Slice() const {
    if (!a_.subresource.empty()) return Refused("cannot authorize ResourceSlice subresources");
    if (a_.verb == "create") return Allowed();
    if (IsOneOf(a_.verb, {"get", "update", "patch", "delete"})) return IfRelated(Kind::kSlice);
    if (!IsOneOf(a_.verb, {"watch", "list", "deletecollection"}))
      return Refused(
          "only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, "
          "patch, delete, "
          "deletecollection");
    if (SelectsOwn("spec.nodeName")) return Allowed();
    return Refused("can only list/watch/deletecollection resourceslices with nodeName field selector");
  }

  Verdict CertificateRequest() const {
    if (!a_.subresource.empty())
      return Refused("nodes may not access the status subresource of PodCertificateRequests");
    if (a_.verb == "create") return Allowed();  // what they may create is for admission to judge
    if (a_.verb == "get") return IfRelated(Kind::kCertificateRequest);
    if (!IsOneOf(a_.verb, {"list", "watch"}))
      return Refused("nodes may not " + std::string(a_.verb) + " podcertificaterequests");
    if (SelectsOwn("spec.nodeName")) return Allowed();
    return Refused("can only list/watch podcertificaterequests with nodeName field selector");
  }

  Verdict Node() const {
    if (a_.subresource == "status" && IsOneOf(a_.verb, {"update", "patch"})) return Allowed();
    if (!a_.subresource.empty()) return Refused("");
    if (IsOneOf(a_.verb, {"create", "update", "patch"})) return Allowed();
    if (!IsOneOf(a_.verb, {"get", "list", "watch"})) return Refused("");
    // By name and not by the graph: a kubelet looks for its node before there is one.
    if (a_.name == node_) return Allowed();
    const std::string self = "node '" + std::string(node_) + "' cannot read ";
    if (a_.name.empty()) return Refused(self + "all nodes, only its own Node object");
    return Refused(self + "'" + std::string(a_.name) + "', only its own Node object");
  }

  Verdict Pod() const {
    if (a_.subresource == "status") return IsOneOf(a_.verb, {"update", "patch"}) ? Allowed() : Refused("");
    if (a_.subresource == "eviction") return a_.verb == "create" ? Allowed() : Refused("");
    if (!a_.subresource.empty()) return Refused("");
    if (a_.verb == "get") return Get(Kind::kPod);
    if (IsOneOf(a_.verb, {"create", "delete"})) return Allowed();  // of mirror pods, which admission sees to
    if (!IsOneOf(a_.verb, {"list", "watch"})) return Refused("");
    if (SelectsOwn("spec.nodeName")) return Allowed();
    if (!a_.name.empty()) return IfRelated(Kind::kPod);
    return Refused("can only list/watch pods with spec.nodeName field selector");
  }

  // Whether only what is on this node is asked for.
  bool SelectsOwn(std::string_view field) const {
    if (!a_.field_selector) return false;
    return std::ranges::any_of(a_.field_selector->requirements, [&](const api::SelectorRequirement& r) {
      return r.key == field && r.op == api::SelectorOperator::kIn && r.values.size() == 1 &&
             r.values[0] == node_;
    });
  }

  const Attributes& a_;
  const std::string_view node_;
  const Relations& relations_;
  const bool certificate_requests_;
};

}  // namespace

NodeAuthorizer::NodeAuthorizer(std::vector<rbac::PolicyRule> rules, bool certificate_requests)
    : rules_("", "", std::move(rules)), certificate_requests_(certificate_requests) {}

Verdict NodeAuthorizer::Decide(const Attributes& attributes) const {
  const std::string_view node = *NodeIdentity(*attributes.user);
  if (node.empty()) return Refused("unknown node for user " + api::Quoted(attributes.user->name));
  if (attributes.resource_request) {
    const auto relations = graph_.Read();
    if (auto verdict = NodeQuestion(attributes, node, *relations, certificate_requests_).Answer())
      return *std::move(verdict);
  }
  return rules_.Allows(rbac::Question(attributes)) ? Allowed() : Refused("");
}

std::optional<Verdict> NodeAuthorizer::AuthorizeNow(const Attributes& attributes) {
  if (!attributes.user || !NodeIdentity(*attributes.user)) return Verdict{};
  const IndexSource* const source = source_.load(std::memory_order_acquire);
  const bool current = !source || source->IsCurrent();
  Verdict verdict = Decide(attributes);
  if (verdict.decision != Decision::kAllow && !current) return std::nullopt;
  return verdict;
}

base::Task<Verdict> NodeAuthorizer::Authorize(const Attributes& attributes) {
  auto verdict = AuthorizeNow(attributes);
  if (verdict) co_return *std::move(verdict);
  co_await source_.load(std::memory_order_acquire)->CatchUp();
  co_return Decide(attributes);
}

base::Task<Rules> NodeAuthorizer::RulesFor(const User& user, std::string_view) {
  if (!NodeIdentity(user)) co_return Rules();
  co_return Rules{.incomplete = true, .error = "node authorizer does not support user rule resolution"};
}

}  // namespace keelson::auth::node
