#include "extensions/rules/rule_compiler.h"

#include <chrono>

#include "base/ascii.h"
#include "cel/kubernetes.h"

namespace keelson::extensions {
namespace {

// A name that nobody can rely on.
std::string NewTypeName() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return "selfType" + std::to_string(now / std::chrono::nanoseconds(1) % 1'000'000'000);
}

bool NamesOldSelf(const cel::Expr& root) {
  bool found = false;
  cel::Walk(root, [&](const cel::Expr& expr) {
    found |= expr.kind == cel::Expr::Kind::kIdent && expr.name == "oldSelf";
  });
  return found;
}

class Compiler {
 public:
  Compiler(const Declaration& self, bool estimate) : self_(self), estimate_(estimate) {
    types_ = std::make_unique<SelfTypes>(self, NewTypeName());
  }

  CompiledRule Compile(const Rule& rule) {
    CompiledRule compiled{.rule = &rule, .program = {}, .error = {}, .message = {}, .message_error = {}};
    if (base::Trimmed(rule.rule).empty()) return compiled;
    const cel::Environment& environment = EnvironmentFor(rule.optional_old_self.value_or(false));
    const auto checked = environment.Compile(rule.rule);
    if (!checked) {
      compiled.error = "compilation failed: " + checked.error();
      return compiled;
    }
    if (!checked->type()->is(cel::Type::Kind::kBool)) {
      compiled.error = "cel expression must evaluate to a bool";
      return compiled;
    }
    compiled.uses_old_self = NamesOldSelf(*checked->root);
    auto program = cel::Program::Plan(*checked, environment);
    if (!program) {
      compiled.error = "program instantiation failed: " + program.error();
      return compiled;
    }
    compiled.program = *std::move(program);
    if (estimate_) compiled.max_cost = cel::EstimateCost(*checked, SizesOf(self_)).max;
    if (!rule.message_expression.empty()) CompileMessage(rule, environment, compiled);
    return compiled;
  }

  std::unique_ptr<const SelfTypes> TakeTypes() {
    types_->Forget();
    return std::move(types_);
  }

 private:
  void CompileMessage(const Rule& rule, const cel::Environment& environment, CompiledRule& compiled) {
    const auto checked = environment.Compile(rule.message_expression);
    if (!checked) {
      compiled.message_error = "messageExpression compilation failed: " + checked.error();
      return;
    }
    if (!checked->type()->is(cel::Type::Kind::kString)) {
      compiled.message_error = "messageExpression must evaluate to a string";
      return;
    }
    auto program = cel::Program::Plan(*checked, environment);
    if (!program) {
      compiled.message_error = "messageExpression instantiation failed: " + program.error();
      return;
    }
    compiled.message = *std::move(program);
    if (estimate_) compiled.message_max_cost = cel::EstimateCost(*checked, SizesOf(self_)).max;
  }

  const cel::Environment& EnvironmentFor(bool optional_old_self) {
    auto& environment = environments_[optional_old_self];
    if (environment) return *environment;
    const cel::TypeRef self = types_->self();
    cel::Environment::Options options = cel::KubernetesOptions();
    options.structs.push_back(types_.get());
    options.variables = {{"self", self}, {"oldSelf", optional_old_self ? cel::types::Optional(self) : self}};
    environment.emplace(std::move(options));
    return *environment;
  }

  const Declaration& self_;
  const bool estimate_;
  std::unique_ptr<SelfTypes> types_;
  std::optional<cel::Environment> environments_[2];
};

}  // namespace

CompiledRules CompileRules(const Schema& schema, const Declaration& self, bool estimate) {
  Compiler compiler(self, estimate);
  CompiledRules compiled;
  compiled.rules.reserve(schema.rules.size());
  for (const Rule& rule : schema.rules) compiled.rules.push_back(compiler.Compile(rule));
  compiled.types = compiler.TakeTypes();
  return compiled;
}

}  // namespace keelson::extensions
