// Which requests a policy or binding is for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "admission/plugin.h"
#include "api/generated/admissionregistration_v1.h"
#include "base/result.h"
#include "client/client.h"

namespace keelson::admission {

struct ResourceKind {
  std::string_view group, version, kind;
};
// The kind that a request writes: that of the subresource where it has its own, as `scale` has Scale.
ResourceKind KindOf(const api::ResourceDesc& resource, std::string_view subresource);

// A request as policies and webhooks see it: where it goes, and the labels of its namespace once somebody
// asked for them. Belongs to one request.
class MatchedRequest {
 public:
  // Borrows both.
  MatchedRequest(const Attributes& request, const client::Client& objects)
      : request_(request), objects_(objects) {}

  const Attributes& request() const { return request_; }
  bool IsNamespace() const;
  // The namespace of the request; a namespace is in itself. Empty for what is in none.
  std::string_view ns() const { return IsNamespace() ? request_.name : request_.ns; }
  using Kind = ResourceKind;
  Kind kind() const { return KindOf(*request_.resource, request_.subresource); }
  // The kind in the version that the client speaks.
  Kind requested_kind() const { return KindOf(request_.requested_resource(), request_.subresource); }
  // Whether the API that `kind` belongs to describes it. Options of connections are described nowhere, and a
  // kind that is served by another group alone (Scale, Eviction) not by its own.
  bool HasSchema() const;

  // The versions that the request's resource is also served in; found once.
  const std::vector<const api::ResourceDesc*>& equivalents() const;

  // The namespace the object is in; null for what is in none, and for namespaces. An error is the answer.
  base::Task<base::Result<const api::Doc*, api::Status>> Namespace();

 private:
  const Attributes& request_;
  const client::Client& objects_;
  mutable std::optional<std::vector<const api::ResourceDesc*>> equivalents_;
  bool asked_ = false;
  api::Doc namespace_;
};

// The version of the request's resource that a rule is for: the one the client speaks, else, unless the match
// is to be exact, the first of the other versions that a rule names. Null: no rule is for the request.
const api::ResourceDesc* MatchedVersion(
    api::ListView<api::admissionregistration_v1::RuleWithOperationsView> rules, const MatchedRequest& request,
    bool exactly);
// An absent or empty selector is for everything. The object as it is to be, or as it was.
bool ObjectMatches(api::meta_v1::LabelSelectorView selector, const Attributes& request);
// The labels of the request's namespace. An error is the answer to the request, if the rules are for it.
base::Task<base::Result<bool, api::Status>> NamespaceMatches(api::meta_v1::LabelSelectorView selector,
                                                             MatchedRequest& request);

// The version of the request's resource that it is for; null: it is not for the request. An error is why it
// cannot be told.
using MatchResult = base::Result<const api::ResourceDesc*, std::string>;
// An absent `match` is for everything, and so is one without rules: in the version that the client speaks.
base::Task<MatchResult> Matches(api::admissionregistration_v1::MatchResourcesView match,
                                MatchedRequest& request);

}  // namespace keelson::admission
