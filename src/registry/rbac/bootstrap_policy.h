// The roles and bindings that every cluster has from its first start on.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "api/types/doc.h"

namespace keelson::registry::rbac {

struct PolicyObject {
  std::string_view resource;  // plural
  api::Doc doc;               // name and namespace included
};

// Whether the feature gate of that name is on.
using GateIsOn = std::function<bool(std::string_view)>;
// In the order in which they are to be made: roles before what binds to them. Null: gates are as by default.
std::vector<PolicyObject> BootstrapPolicy(const GateIsOn& gate_is_on = nullptr);

// What an object that exists has to become.
enum class Reconciliation : uint8_t {
  kNone,
  kUpdate,    // `existing` was given what it lacked
  kRecreate,  // a binding to another role: that cannot change in place
};

// Gives the role or binding `existing` whatever `expected`, of the same kind, has and it
// lacks: permissions, subjects, labels. What others added stays. An object that is marked
// as not to be updated is left alone.
Reconciliation Reconcile(api::Doc& existing, const api::Doc& expected);

}  // namespace keelson::registry::rbac
