// Authorizer: who expressions ask whether somebody may do something.
#pragma once

#include <string>
#include <vector>

#include "cel/value.h"

namespace keelson::cel {

struct AuthorizationCheck {
  bool resource_request = true;
  std::string path;  // of a request that is for no resource
  std::string verb, group, resource, subresource, ns, name;
  std::string field_selector, label_selector;
  // Another than the user of the request: a service account.
  std::string service_account_namespace, service_account_name;

  bool operator==(const AuthorizationCheck&) const = default;
};

struct AuthorizationDecision {
  bool allowed = false;
  std::string reason;
  std::string error;  // empty: none
};

class Authorizer {
 public:
  virtual ~Authorizer() = default;
  virtual AuthorizationDecision Check(const AuthorizationCheck& check) const = 0;
};

// The variable `authorizer`. Borrows it.
Value AuthorizerValue(const Authorizer& authorizer);
// The variable `authorizer.requestResource`.
Value ResourceCheckValue(const Authorizer& authorizer, AuthorizationCheck check);

const TypeRef& AuthorizerType();
const TypeRef& ResourceCheckType();

}  // namespace keelson::cel
