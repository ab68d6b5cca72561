// authorizer.group("apps").resource("deployments").check("create").allowed()
#include "api/validation/names.h"
#include "cel/authorizer.h"
#include "cel/functions/functions.h"

namespace keelson::cel {
namespace {

TypeRef Named(const char* name) { return types::Struct(std::string("kubernetes.authorization.") + name); }
const TypeRef& PathCheckType() {
  static const TypeRef type = Named("PathCheck");
  return type;
}
const TypeRef& GroupCheckType() {
  static const TypeRef type = Named("GroupCheck");
  return type;
}
const TypeRef& DecisionType() {
  static const TypeRef type = Named("Decision");
  return type;
}

// A check that is being put together; its type says how far it is.
class Builder final : public Object {
 public:
  Builder(const TypeRef& type, const Authorizer& a, AuthorizationCheck c)
      : authorizer(a), check(std::move(c)), type_(type) {}
  const TypeRef& type() const override { return type_; }
  Value Equals(const Object&) const override { return NoSuchOverload(); }
  const Authorizer& authorizer;
  const AuthorizationCheck check;

 private:
  const TypeRef& type_;
};

class Decision final : public Object {
 public:
  explicit Decision(AuthorizationDecision d) : decision(std::move(d)) {}
  const TypeRef& type() const override { return DecisionType(); }
  Value Equals(const Object&) const override { return NoSuchOverload(); }
  const AuthorizationDecision decision;
};

bool IsBlank(std::string_view text) {
  return text.find_first_not_of(" \t\n\v\f\r") == std::string_view::npos;
}

// The next builder: this one's check with `change` made.
template <class Change>
Value Next(const Value& from, const TypeRef& type, const Change& change) {
  const auto* builder = from.As<Builder>();
  if (!builder) return NoSuchOverload(from);
  AuthorizationCheck check = builder->check;
  change(check);
  return Value::Of(std::make_shared<const Builder>(type, builder->authorizer, std::move(check)));
}

template <std::string AuthorizationCheck::* member>
Value SetMember(Args args) {
  return Next(args[0], ResourceCheckType(),
              [&](AuthorizationCheck& c) { c.*member = std::string(args[1].text()); });
}

Value PathCheck(Args args) {
  if (IsBlank(args[1].text())) return Value::Error("path must not be empty");
  return Next(args[0], PathCheckType(), [&](AuthorizationCheck& c) {
    c.resource_request = false;
    c.path = std::string(args[1].text());
  });
}

Value Group(Args args) {
  return Next(args[0], GroupCheckType(),
              [&](AuthorizationCheck& c) { c.group = std::string(args[1].text()); });
}

Value Resource(Args args) {
  if (IsBlank(args[1].text())) return Value::Error("resource must not be empty");
  return Next(args[0], ResourceCheckType(),
              [&](AuthorizationCheck& c) { c.resource = std::string(args[1].text()); });
}

Value ServiceAccount(Args args) {
  if (!api::NameIsDnsSubdomain(args[2].text(), false).empty())
    return Value::Error("Invalid service account name");
  if (!api::NameIsDnsLabel(args[1].text(), false).empty())
    return Value::Error("Invalid service account namespace");
  return Next(args[0], AuthorizerType(), [&](AuthorizationCheck& c) {
    c.service_account_namespace = std::string(args[1].text());
    c.service_account_name = std::string(args[2].text());
  });
}

Value Check(Args args) {
  const auto* builder = args[0].As<Builder>();
  if (!builder) return NoSuchOverload(args[0]);
  AuthorizationCheck check = builder->check;
  check.verb = std::string(args[1].text());
  return Value::Of(std::make_shared<const Decision>(builder->authorizer.Check(check)));
}

template <class Get>
Value Of(const Value& v, const Get& get) {
  const auto* decision = v.As<Decision>();
  return decision ? get(decision->decision) : NoSuchOverload(v);
}

}  // namespace

const TypeRef& AuthorizerType() {
  static const TypeRef type = Named("Authorizer");
  return type;
}
const TypeRef& ResourceCheckType() {
  static const TypeRef type = Named("ResourceCheck");
  return type;
}

Value AuthorizerValue(const Authorizer& authorizer) {
  return Value::Of(std::make_shared<const Builder>(AuthorizerType(), authorizer, AuthorizationCheck{}));
}
Value ResourceCheckValue(const Authorizer& authorizer, AuthorizationCheck check) {
  return Value::Of(std::make_shared<const Builder>(ResourceCheckType(), authorizer, std::move(check)));
}

void AddAuthorization(Library& library) {
  using namespace types;
  const TypeRef &authorizer = AuthorizerType(), &path = PathCheckType(), &group = GroupCheckType(),
                &resource = ResourceCheckType(), &decision = DecisionType();
  library.Member("path", "authorizer_path", {authorizer, String()}, path, PathCheck);
  library.Member("group", "authorizer_group", {authorizer, String()}, group, Group);
  library.Member("serviceAccount", "authorizer_serviceaccount", {authorizer, String(), String()}, authorizer,
                 ServiceAccount);
  library.Member("resource", "groupcheck_resource", {group, String()}, resource, Resource);
  const auto set = [&](std::string_view name, std::string id, Implementation call) {
    library.Member(name, std::move(id), {resource, String()}, resource, call);
  };
  set("subresource", "resourcecheck_subresource", SetMember<&AuthorizationCheck::subresource>);
  set("namespace", "resourcecheck_namespace", SetMember<&AuthorizationCheck::ns>);
  set("name", "resourcecheck_name", SetMember<&AuthorizationCheck::name>);
  set("fieldSelector", "authorizer_fieldselector", SetMember<&AuthorizationCheck::field_selector>);
  set("labelSelector", "authorizer_labelselector", SetMember<&AuthorizationCheck::label_selector>);
  library.Member("check", "pathcheck_check", {path, String()}, decision, Check);
  library.Member("check", "resourcecheck_check", {resource, String()}, decision, Check);
  using D = const AuthorizationDecision&;
  library.Member("errored", "decision_errored", {decision}, Bool(),
                 [](Args a) { return Of(a[0], [](D d) { return Value::Bool(!d.error.empty()); }); });
  library.Member("error", "decision_error", {decision}, String(),
                 [](Args a) { return Of(a[0], [](D d) { return Value::String(d.error); }); });
  library.Member("allowed", "decision_allowed", {decision}, Bool(),
                 [](Args a) { return Of(a[0], [](D d) { return Value::Bool(d.allowed); }); });
  library.Member("reason", "decision_reason", {decision}, String(),
                 [](Args a) { return Of(a[0], [](D d) { return Value::String(d.reason); }); });
}

}  // namespace keelson::cel
