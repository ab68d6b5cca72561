#include "cel/admission.h"

#include <map>

#include "cel/authorizer.h"
#include "cel/kubernetes.h"
#include "cel/patch_types.h"

namespace keelson::cel {
namespace {

constexpr const char* kVariablesType = "kubernetes.variables";

TypeRef Struct(const char* name) { return types::Struct(std::string("kubernetes.") + name); }

void DeclareRequest(DeclaredStructs& structs) {
  using namespace types;
  const TypeRef strings = ListOf(String());
  structs.Declare("kubernetes.GroupVersionKind",
                  {{"group", String()}, {"version", String()}, {"kind", String()}});
  structs.Declare("kubernetes.GroupVersionResource",
                  {{"group", String()}, {"version", String()}, {"resource", String()}});
  structs.Declare(
      "kubernetes.UserInfo",
      {{"username", String()}, {"uid", String()}, {"groups", strings}, {"extra", MapOf(String(), strings)}});
  const TypeRef kind = cel::Struct("GroupVersionKind"), resource = cel::Struct("GroupVersionResource");
  structs.Declare("kubernetes.AdmissionRequest", {{"kind", kind},
                                                  {"resource", resource},
                                                  {"subResource", String()},
                                                  {"requestKind", kind},
                                                  {"requestResource", resource},
                                                  {"requestSubResource", String()},
                                                  {"name", String()},
                                                  {"namespace", String()},
                                                  {"operation", String()},
                                                  {"userInfo", cel::Struct("UserInfo")},
                                                  {"dryRun", Bool()},
                                                  {"options", Dyn()}});
}

void DeclareNamespace(DeclaredStructs& structs) {
  using namespace types;
  const TypeRef strings = ListOf(String()), map = MapOf(String(), String());
  structs.Declare("kubernetes.NamespaceSpec", {{"finalizers", strings}});
  structs.Declare("kubernetes.NamespaceCondition", {{"status", String()},
                                                    {"type", String()},
                                                    {"lastTransitionTime", Timestamp()},
                                                    {"message", String()},
                                                    {"reason", String()}});
  structs.Declare("kubernetes.NamespaceStatus",
                  {{"conditions", ListOf(cel::Struct("NamespaceCondition"))}, {"phase", String()}});
  structs.Declare("kubernetes.NamespaceMetadata", {{"name", String()},
                                                   {"generateName", String()},
                                                   {"namespace", String()},
                                                   {"labels", map},
                                                   {"annotations", map},
                                                   {"UID", String()},
                                                   {"creationTimestamp", Timestamp()},
                                                   {"deletionGracePeriodSeconds", Int()},
                                                   {"deletionTimestamp", Timestamp()},
                                                   {"generation", Int()},
                                                   {"resourceVersion", String()},
                                                   {"finalizers", strings}});
  structs.Declare("kubernetes.Namespace", {{"metadata", cel::Struct("NamespaceMetadata")},
                                           {"spec", cel::Struct("NamespaceSpec")},
                                           {"status", cel::Struct("NamespaceStatus")}});
}

const DeclaredStructs& AdmissionStructs() {
  static const DeclaredStructs structs = [] {
    DeclaredStructs all;
    DeclareRequest(all);
    DeclareNamespace(all);
    return all;
  }();
  return structs;
}

// A type that variables keep; of all others nothing is known.
TypeRef Kept(const TypeRef& type) {
  switch (type->kind()) {
    case Type::Kind::kList: return types::ListOf(Kept(type->parameter(0)));
    case Type::Kind::kMap: return types::MapOf(Kept(type->parameter(0)), Kept(type->parameter(1)));
    case Type::Kind::kStruct:
    case Type::Kind::kOpaque:
    case Type::Kind::kType:
    case Type::Kind::kTypeParam:
    case Type::Kind::kError: return types::Dyn();
    default: return type;
  }
}

// Why the type of an expression is not what its use wants; empty: it is.
std::string WrongType(const Type& type, AdmissionUse use) {
  const auto must = [&](const std::string& wanted) {
    return TypeText(type) == wanted ? "" : "must evaluate to " + wanted + " but got " + TypeText(type);
  };
  switch (use) {
    case AdmissionUse::kMatchCondition:
    case AdmissionUse::kValidation: return must("bool");
    case AdmissionUse::kMessage: return must("string");
    case AdmissionUse::kAuditAnnotation:
      if (type.is(Type::Kind::kString) || type.is(Type::Kind::kNull)) return "";
      return "must evaluate to one of [string null_type] but got " + TypeText(type);
    case AdmissionUse::kVariable: return "";
    case AdmissionUse::kApplyConfiguration: return must("Object");
    case AdmissionUse::kJsonPatch: return must("list(JSONPatch)");
  }
  return "";
}

}  // namespace

// The fields of `variables`, which grow while a policy is compiled.
class AdmissionCompiler::VariableTypes final : public StructTypes {
 public:
  bool Has(std::string_view name) const override { return name == kVariablesType; }
  TypeRef Field(std::string_view, std::string_view field) const override {
    const auto found = fields_.find(field);
    return found == fields_.end() ? nullptr : found->second;
  }
  void Add(std::string_view name, TypeRef type) {
    fields_.insert_or_assign(std::string(name), std::move(type));
  }

 private:
  std::map<std::string, TypeRef, std::less<>> fields_;
};

AdmissionCompiler::AdmissionCompiler(bool with_variables) {
  if (with_variables) variables_ = std::make_shared<VariableTypes>();
}

const Environment& AdmissionCompiler::For(const AdmissionScope& scope) const {
  auto& environment = environments_[scope.params | scope.authorizer << 1 | scope.patch_types << 2];
  if (environment) return *environment;
  Environment::Options options = scope.patch_types ? KubernetesPatchOptions() : KubernetesOptions();
  options.structs.push_back(&AdmissionStructs());
  options.variables = {{"object", types::Dyn()},
                       {"oldObject", types::Dyn()},
                       {"namespaceObject", Struct("Namespace")},
                       {"request", Struct("AdmissionRequest")},
                       {"params", types::Dyn(), !scope.params},
                       {"authorizer", AuthorizerType(), !scope.authorizer},
                       {"authorizer.requestResource", ResourceCheckType(), !scope.authorizer},
                       {"variables", types::Struct(kVariablesType), !variables_}};
  if (variables_) options.structs.push_back(variables_.get());
  if (scope.patch_types) options.structs.push_back(&PatchTypes());
  environment = std::make_unique<const Environment>(std::move(options));
  return *environment;
}

AdmissionCompiler::Result AdmissionCompiler::Compile(std::string_view expression, AdmissionUse use,
                                                     const AdmissionScope& scope) const {
  const Environment& environment = For(scope);
  const auto checked = environment.Compile(expression);
  if (!checked) return base::Err(CompileError{false, "compilation failed: " + checked.error()});
  if (std::string why = WrongType(*checked->type(), use); !why.empty())
    return base::Err(CompileError{false, std::move(why)});
  auto program = Program::Plan(*checked, environment);
  if (!program) return base::Err(CompileError{true, "program instantiation failed: " + program.error()});
  return AdmissionProgram{std::move(*program), checked->type()};
}

AdmissionCompiler::Result AdmissionCompiler::AddVariable(std::string_view name, std::string_view expression,
                                                         const AdmissionScope& scope) {
  Result compiled = Compile(expression, AdmissionUse::kVariable, scope);
  if (variables_) variables_->Add(name, compiled ? Kept(compiled->type) : types::Dyn());
  return compiled;
}

}  // namespace keelson::cel
