// NodeAuthorizer: what kubelets may do: read what the pods on their node need, and write what is their own.
#pragma once

#include <atomic>

#include "auth/authorizer.h"
#include "auth/authz/index_source.h"
#include "auth/authz/node/graph.h"
#include "auth/authz/rbac/policy.h"

namespace keelson::auth::node {

// Users without a node identity (auth/node_identity.h) are none of this authorizer's concern.
class NodeAuthorizer final : public Authorizer {
 public:
  // `rules`: what every node may do where nothing more is said; those of the role system:node.
  // `certificate_requests`: whether nodes may ask for certificates for their pods.
  explicit NodeAuthorizer(std::vector<rbac::PolicyRule> rules, bool certificate_requests = false);

  // What is put and published there is decided on.
  Graph& graph() { return graph_; }
  // `source` feeds the graph and outlives every later call. What the graph does not relate is looked up again
  // in a current one before it is refused: a kubelet asks for the secrets of a pod as soon as it hears of it.
  void Use(IndexSource& source) { source_.store(&source, std::memory_order_release); }

  base::Task<Verdict> Authorize(const Attributes& attributes) override;
  std::optional<Verdict> AuthorizeNow(const Attributes& attributes) override;
  base::Task<Rules> RulesFor(const User& user, std::string_view ns) override;

 private:
  // Requires: the user is a node.
  Verdict Decide(const Attributes& attributes) const;

  const rbac::Role rules_;
  const bool certificate_requests_;
  Graph graph_;
  std::atomic<IndexSource*> source_{nullptr};
};

}  // namespace keelson::auth::node
