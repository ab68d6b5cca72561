#include "admission/policies/evaluation.h"

#include "api/meta/object_meta.h"
#include "cel/documents.h"

namespace keelson::admission {
namespace {

using cel::Value;

Value Text(std::string_view text) { return Value::Borrowed(text); }

class MapBuilder {
 public:
  MapBuilder& Set(const char* key, Value value) {
    map_->Set(Value::Borrowed(key), std::move(value));
    return *this;
  }
  MapBuilder& SetText(const char* key, std::string_view text) {
    return text.empty() ? *this : Set(key, Text(text));
  }
  Value Build() { return Value::Of(std::shared_ptr<const cel::Map>(std::move(map_))); }

 private:
  std::shared_ptr<cel::VectorMap> map_ = std::make_shared<cel::VectorMap>();
};

Value KindValue(const MatchedRequest::Kind& kind) {
  return MapBuilder()
      .Set("group", Text(kind.group))
      .Set("version", Text(kind.version))
      .Set("kind", Text(kind.kind))
      .Build();
}

Value ResourceValue(const api::ResourceDesc& resource) {
  return MapBuilder()
      .Set("group", Text(resource.group))
      .Set("version", Text(resource.version))
      .Set("resource", Text(resource.plural))
      .Build();
}

Value StringsValue(const std::vector<std::string>& strings) {
  std::vector<Value> values;
  for (const std::string& text : strings) values.push_back(Text(text));
  return Value::ListOf(std::move(values));
}

Value UserValue(const auth::User* user) {
  MapBuilder map;
  if (!user) return map.Build();
  map.SetText("username", user->name).SetText("uid", user->uid);
  if (!user->groups.empty()) map.Set("groups", StringsValue(user->groups));
  if (!user->extra.empty()) {
    auto extra = std::make_shared<cel::VectorMap>();
    for (const auto& [key, values] : user->extra) extra->Set(Text(key), StringsValue(values));
    map.Set("extra", Value::Of(std::shared_ptr<const cel::Map>(std::move(extra))));
  }
  return map.Build();
}

// What the client asked for, as the options object of the operation.
Value OptionsValue(const Attributes& request) {
  const Options& options = request.options;
  MapBuilder map;
  switch (request.operation) {
    case Operation::kConnect: return Value();
    case Operation::kCreate: map.Set("kind", Text("CreateOptions")); break;
    case Operation::kUpdate: map.Set("kind", Text("UpdateOptions")); break;
    case Operation::kDelete: map.Set("kind", Text("DeleteOptions")); break;
  }
  map.Set("apiVersion", Text("meta.k8s.io/v1"));
  map.SetText("fieldManager", options.field_manager).SetText("fieldValidation", options.field_validation);
  if (request.dry_run) map.Set("dryRun", Value::ListOf({Text("All")}));
  if (options.grace_period_seconds) map.Set("gracePeriodSeconds", Value::Int(*options.grace_period_seconds));
  if (options.propagation_policy) map.Set("propagationPolicy", Text(*options.propagation_policy));
  if (options.orphan_dependents) map.Set("orphanDependents", Value::Bool(*options.orphan_dependents));
  if (options.uid || options.resource_version) {
    MapBuilder preconditions;
    if (options.uid) preconditions.Set("uid", Text(*options.uid));
    if (options.resource_version) preconditions.Set("resourceVersion", Text(*options.resource_version));
    map.Set("preconditions", preconditions.Build());
  }
  return map.Build();
}

// As in a review that is sent to a webhook.
Value RequestValue(const MatchedRequest& matched) {
  const Attributes& request = matched.request();
  MapBuilder map;
  map.Set("uid", Text(""))
      .Set("kind", KindValue(matched.kind()))
      .Set("resource", ResourceValue(*request.resource))
      .SetText("subResource", request.subresource);
  map.Set("requestKind", KindValue(matched.requested_kind()))
      .Set("requestResource", ResourceValue(request.requested_resource()))
      .SetText("requestSubResource", request.subresource);
  map.SetText("name", request.name)
      .SetText("namespace", matched.ns())
      .Set("operation", Text(NameOf(request.operation)));
  map.Set("userInfo", UserValue(request.user)).Set("dryRun", Value::Bool(request.dry_run));
  map.Set("object", Value()).Set("oldObject", Value()).Set("options", OptionsValue(request));
  return map.Build();
}

// Only what a policy may know of a namespace.
Value NamespaceValue(const api::Doc* ns) {
  if (!ns) return Value();
  const Value whole = cel::FromDoc(*ns);
  MapBuilder map, metadata;
  const auto member = [](const Value& of, const char* name) {
    return of.is(Value::Kind::kMap) ? of.map().Find(Value::Borrowed(name)) : std::nullopt;
  };
  const auto all = member(whole, "metadata");
  for (const char* name :
       {"name", "generateName", "namespace", "uid", "resourceVersion", "generation", "creationTimestamp",
        "deletionTimestamp", "deletionGracePeriodSeconds", "labels", "annotations", "finalizers"})
    if (all)
      if (auto value = member(*all, name)) metadata.Set(name, std::move(*value));
  map.Set("metadata", metadata.Build());
  for (const char* name : {"spec", "status"})
    if (auto value = member(whole, name)) map.Set(name, std::move(*value));
  return map.Build();
}

std::string ApiVersion(std::string_view group, std::string_view version) {
  return group.empty() ? std::string(version) : std::string(group) + "/" + std::string(version);
}

Value ObjectValue(const api::Doc* doc, const MatchedRequest& request) {
  if (!doc || !*doc) return Value();
  const auto kind = request.kind();
  return cel::FromDoc(*doc, ApiVersion(kind.group, kind.version), std::string(kind.kind));
}

}  // namespace

CompiledExpression CompiledExpression::Of(std::string_view expression,
                                          cel::AdmissionCompiler::Result compiled) {
  CompiledExpression result{std::string(expression), std::nullopt, ""};
  if (compiled) {
    result.program = std::move(*compiled);
  } else {
    result.error = std::move(compiled.error().detail);
  }
  return result;
}

RequestValues::RequestValues(const MatchedRequest& matched, const api::Doc* ns, const Decisions& decisions)
    : request_(matched), values_(cel::kAdmissionVariables) {
  const Attributes& request = matched.request();
  values_[cel::kObject] = ObjectValue(request.object, matched);
  values_[cel::kOldObject] = ObjectValue(request.old_object, matched);
  values_[cel::kNamespaceObject] = NamespaceValue(ns);
  values_[cel::kRequest] = RequestValue(matched);
  values_[cel::kAuthorizer] = cel::AuthorizerValue(decisions);
  cel::AuthorizationCheck check;
  check.group = std::string(request.resource->group);
  check.resource = std::string(request.resource->plural);
  check.subresource = std::string(request.subresource);
  check.ns = std::string(matched.ns());
  check.name = std::string(request.name);
  values_[cel::kRequestResource] = cel::ResourceCheckValue(decisions, std::move(check));
}

void RequestValues::SetObject(const api::Doc* object) {
  values_[cel::kObject] = ObjectValue(object, request_);
}

Value ParameterValue(const api::Doc& doc, std::string_view api_version, std::string_view kind) {
  return doc ? cel::FromDoc(doc, std::string(api_version), std::string(kind)) : Value();
}

// `variables`: each is evaluated when it is first asked for, and once.
class Evaluation::Variables final : public cel::Map {
 public:
  Variables(const std::vector<CompiledVariable>& variables, const std::vector<Value>& values)
      : variables_(variables), values_(values), known_(variables.size()) {}

  size_t size() const override { return variables_.size(); }
  std::optional<Value> Find(const Value& key) const override {
    // A name that was given twice is the later one's.
    for (size_t i = variables_.size(); i-- > 0;)
      if (key.is(Value::Kind::kString) && variables_[i].name == key.text()) return ValueAt(i);
    return std::nullopt;
  }
  Value KeyAt(size_t i) const override { return Value::Borrowed(variables_[i].name); }
  Value ValueAt(size_t i) const override {
    if (!known_[i]) known_[i] = Compute(variables_[i]);
    return *known_[i];
  }

  // What they cost since the last time this was asked.
  int64_t TakeCost() { return std::exchange(cost_, 0); }

 private:
  Value Compute(const CompiledVariable& variable) const {
    const std::string name = "composited variable \"" + variable.name + "\"";
    if (!variable.value.program) return Value::Error(name + " fails to compile: " + variable.value.error);
    cel::Outcome outcome = variable.value.program->program.Run(values_);
    cost_ += static_cast<int64_t>(outcome.cost);
    if (outcome.value.is_error())
      return Value::Error(name + " fails to evaluate: " + std::string(outcome.value.text()));
    return outcome.value;
  }

  const std::vector<CompiledVariable>& variables_;
  const std::vector<Value>& values_;
  mutable std::vector<std::optional<Value>> known_;
  mutable int64_t cost_ = 0;
};

Evaluation::Evaluation(const RequestValues& request, const Value& params,
                       const std::vector<CompiledVariable>& variables, bool with_authorizer, int64_t budget)
    : values_(request.values()), budget_(budget) {
  values_[cel::kParams] = params;
  if (!with_authorizer)
    for (const size_t i : {cel::kAuthorizer, cel::kRequestResource})
      values_[i] = Value::Error(std::string("no such attribute(s): ") +
                                (i == cel::kAuthorizer ? "authorizer" : "authorizer.requestResource"));
  variables_ = std::make_shared<Variables>(variables, values_);
  values_[cel::kVariables] = Value::Of(std::shared_ptr<const cel::Map>(variables_));
}

// The variables look into the values they are among.
Evaluation::~Evaluation() { values_[cel::kVariables] = Value(); }

std::optional<Evaluation::Result> Evaluation::Run(const CompiledExpression& expression) {
  if (!expression.program) return Result{Value(), "compilation error: " + expression.error};
  cel::Outcome outcome = expression.program->program.Run(values_);
  const int64_t cost = static_cast<int64_t>(outcome.cost) + variables_->TakeCost();
  if (cost > budget_) return std::nullopt;
  budget_ -= cost;
  if (outcome.value.is_error())
    return Result{Value(), "expression '" + expression.expression +
                               "' resulted in error: " + std::string(outcome.value.text())};
  return Result{std::move(outcome.value), ""};
}

base::Result<bool, std::string> ConditionsHold(const std::vector<CompiledExpression>& conditions,
                                               const RequestValues& request, const Value& params,
                                               const std::vector<CompiledVariable>& variables, bool fail) {
  Evaluation evaluation(request, params, variables, true, kMatchConditionsCostBudget);
  std::vector<std::string> errors;
  bool holds = true;
  std::vector<Evaluation::Result> results;
  for (const CompiledExpression& condition : conditions) {
    auto result = evaluation.Run(condition);
    if (!result)
      return fail ? base::Result<bool, std::string>(base::Err(std::string(cel::kOutOfBudget))) : false;
    results.push_back(std::move(*result));
  }
  for (const Evaluation::Result& result : results) {
    if (!result.error.empty()) {
      errors.push_back(result.error);
    } else if (result.value.is(Value::Kind::kBool) && !result.value.boolean()) {
      holds = false;
    }
  }
  if (!holds) return false;
  if (errors.empty()) return true;
  if (!fail) return false;
  std::string text = errors[0];
  if (errors.size() > 1) {
    for (size_t i = 1; i < errors.size(); ++i) text += ", " + errors[i];
    text = "[" + text + "]";
  }
  return base::Err(text);
}

}  // namespace keelson::admission
