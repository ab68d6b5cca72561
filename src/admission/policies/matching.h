// Which requests a policy or binding is for.
#pragma once

#include <string>

#include "admission/plugin.h"
#include "api/generated/admissionregistration_v1.h"
#include "base/result.h"
#include "client/client.h"

namespace keelson::admission {

// A request as policies see it: where it goes, and the labels of its namespace once somebody
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
  // Of the kind that is written: a subresource may have its own.
  struct Kind {
    std::string_view group, version, kind;
  };
  Kind kind() const;
  // Whether the API that `kind` belongs to describes it. Options of connections are described nowhere, and a
  // kind that is served by another group alone (Scale, Eviction) not by its own.
  bool HasSchema() const;

  // The namespace the object is in; null for what is in none, and for namespaces. An error is the answer.
  base::Task<base::Result<const api::Doc*, api::Status>> Namespace();

 private:
  const Attributes& request_;
  const client::Client& objects_;
  bool asked_ = false;
  api::Doc namespace_;
};

// An error is why it cannot be told.
using MatchResult = base::Result<bool, std::string>;
// An absent `match` is for everything.
base::Task<MatchResult> Matches(api::admissionregistration_v1::MatchResourcesView match,
                                MatchedRequest& request);

}  // namespace keelson::admission
