#include "auth/authz/match_conditions.h"

#include <set>

#include "auth/aggregate_error.h"
#include "auth/authz/review_requirements.h"
#include "base/ascii.h"
#include "cel/kubernetes.h"

namespace keelson::auth {
namespace {

namespace field = api::field;
using cel::Value;

constexpr size_t kMostMatchConditions = 64;

cel::DeclaredStructs ReviewStructs() {
  using namespace cel::types;
  const cel::TypeRef& text = String();
  const cel::TypeRef texts = ListOf(text);
  cel::DeclaredStructs structs;
  structs.Declare("kubernetes.SelectorRequirement", {{"key", text}, {"operator", text}, {"values", texts}});
  const cel::DeclaredStructs::Fields selector = {
      {"rawSelector", text}, {"requirements", ListOf(Struct("kubernetes.SelectorRequirement"))}};
  structs.Declare("kubernetes.FieldSelectorAttributes", selector);
  structs.Declare("kubernetes.LabelSelectorAttributes", selector);
  structs.Declare("kubernetes.ResourceAttributes",
                  {{"namespace", text},
                   {"verb", text},
                   {"group", text},
                   {"version", text},
                   {"resource", text},
                   {"subresource", text},
                   {"name", text},
                   {"fieldSelector", Struct("kubernetes.FieldSelectorAttributes")},
                   {"labelSelector", Struct("kubernetes.LabelSelectorAttributes")}});
  structs.Declare("kubernetes.NonResourceAttributes", {{"path", text}, {"verb", text}});
  structs.Declare("kubernetes.SubjectAccessReviewSpec",
                  {{"resourceAttributes", Struct("kubernetes.ResourceAttributes")},
                   {"nonResourceAttributes", Struct("kubernetes.NonResourceAttributes")},
                   {"user", text},
                   {"groups", texts},
                   {"extra", MapOf(text, texts)},
                   {"uid", text}});
  return structs;
}

const cel::Environment& ReviewEnvironment() {
  static const cel::DeclaredStructs structs = ReviewStructs();
  static const cel::Environment environment = [] {
    auto options = cel::KubernetesOptions();
    options.structs.push_back(&structs);
    options.variables = {
        {.name = "request", .type = cel::types::Struct("kubernetes.SubjectAccessReviewSpec")}};
    return cel::Environment(std::move(options));
  }();
  return environment;
}

// The values below borrow their texts from the attributes.
class BorrowedMap {
 public:
  BorrowedMap& Set(std::string_view key, Value value) {
    map_->Set(Value::Borrowed(key), std::move(value));
    return *this;
  }
  BorrowedMap& Set(std::string_view key, std::string_view text) { return Set(key, Value::Borrowed(text)); }
  Value Take() { return Value::Of(std::shared_ptr<const cel::Map>(std::move(map_))); }

 private:
  std::shared_ptr<cel::VectorMap> map_ = std::make_shared<cel::VectorMap>();
};

Value BorrowedTexts(const std::vector<std::string>& texts) {
  std::vector<Value> items;
  items.reserve(texts.size());
  for (const std::string& text : texts) items.push_back(Value::Borrowed(text));
  return Value::ListOf(std::move(items));
}

void SetSelector(std::string_view name, const api::SelectorRequirements* selector, BorrowedMap& resource) {
  std::vector<Value> items;
  for (const auto& [requirement, op] : ReviewRequirements(selector))
    items.push_back(BorrowedMap()
                        .Set("key", requirement->key)
                        .Set("operator", op)
                        .Set("values", BorrowedTexts(requirement->values))
                        .Take());
  if (items.empty()) return;
  resource.Set(name, BorrowedMap().Set("requirements", Value::ListOf(std::move(items))).Take());
}

Value RequestValue(const Attributes& a) {
  static const User nobody;
  const User& user = a.user ? *a.user : nobody;
  BorrowedMap extra, request;
  for (const auto& [key, values] : user.extra) extra.Set(key, BorrowedTexts(values));
  request.Set("user", user.name)
      .Set("groups", BorrowedTexts(user.groups))
      .Set("uid", user.uid)
      .Set("extra", extra.Take());
  if (!a.resource_request) {
    request.Set("nonResourceAttributes", BorrowedMap().Set("path", a.path).Set("verb", a.verb).Take());
    return request.Take();
  }
  BorrowedMap resource;
  resource.Set("namespace", a.ns)
      .Set("verb", a.verb)
      .Set("group", a.group)
      .Set("version", a.version)
      .Set("resource", a.resource)
      .Set("subresource", a.subresource)
      .Set("name", a.name);
  SetSelector("fieldSelector", a.field_selector, resource);
  SetSelector("labelSelector", a.label_selector, resource);
  return request.Set("resourceAttributes", resource.Take()).Take();
}

base::Result<cel::Program, std::string> CompileMatchCondition(const std::string& expression) {
  const auto checked = ReviewEnvironment().Compile(expression);
  if (!checked) return base::Err("compilation failed: " + checked.error());
  if (!checked->type()->is(cel::Type::Kind::kBool))
    return base::Err("must evaluate to bool but got " + cel::TypeText(*checked->type()));
  auto program = cel::Program::Plan(*checked, ReviewEnvironment());
  if (!program) return base::Err("program instantiation failed: " + program.error());
  return program;
}

}  // namespace

std::shared_ptr<const MatchConditions> MatchConditions::Compile(const std::vector<std::string>& expressions,
                                                                const field::Path& path,
                                                                field::ErrorList& errors) {
  if (expressions.size() > kMostMatchConditions) {
    errors.Add(field::TooMany(path, expressions.size(), kMostMatchConditions));
    return nullptr;
  }
  auto compiled = std::make_shared<MatchConditions>();
  std::set<std::string_view> seen;
  for (size_t i = 0; i < expressions.size(); ++i) {
    const std::string& expression = expressions[i];
    const field::Path condition = path.Index(i), at = condition.Child("expression");
    if (base::Trimmed(expression).empty()) {
      errors.Add(field::Required(at, ""));
    } else if (!seen.insert(expression).second) {
      errors.Add(field::Duplicate(at, field::RenderValue(expression)));
    } else if (auto program = CompileMatchCondition(expression)) {
      compiled->conditions_.push_back({*std::move(program), expression});
    } else {
      errors.Add(field::Invalid(at, field::RenderValue(expression), program.error()));
    }
  }
  if (compiled->conditions_.empty()) return nullptr;
  return compiled;
}

base::Result<bool, std::string> MatchConditions::Match(const Attributes& attributes) const {
  const Value variables[] = {RequestValue(attributes)};
  AggregateError errors;
  for (const Condition& condition : conditions_) {
    const cel::Outcome outcome = condition.program.Run(variables);
    if (outcome.value.is_error())
      errors.Add("cel evaluation error: expression '" + condition.expression +
                 "' resulted in error: " + std::string(outcome.value.text()));
    else if (!outcome.value.is_true())
      return false;
  }
  if (!errors.empty()) return base::Err(errors.ToString());
  return true;
}

}  // namespace keelson::auth
