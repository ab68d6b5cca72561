#include "extensions/rules/rule_tree.h"

#include <algorithm>

#include "api/codec/to_tree.h"
#include "api/types/builtin_types.h"
#include "api/types/custom_type.h"
#include "api/validation/quote.h"
#include "base/ascii.h"
#include "extensions/rules/field_names.h"
#include "extensions/rules/values.h"
#include "extensions/schema/keyed_items.h"
#include "extensions/schema/render.h"
#include "extensions/schema/unchanged.h"

namespace keelson::extensions {
namespace {

using api::field::Error;
using api::field::ErrorType;
using Tag = api::Value::Tag;

constexpr size_t kMaxMessageBytes = 5 * 1024;
constexpr int64_t kSpent = -1;

// Where an evaluation is: spelled out only for errors.
struct Place {
  const Place* parent = nullptr;
  std::string_view name;
  int64_t index = -1;
  bool key = false;

  std::string ToString() const {
    std::string path = parent ? parent->ToString() : std::string();
    if (index >= 0) return path + "[" + std::to_string(index) + "]";
    if (key) return path.append("[").append(name).append("]");
    if (!path.empty() && !name.empty()) path += '.';
    return path.append(name);
  }
};

// A value and the one it was, if it can be told which that is.
struct Related {
  const api::Value* now;
  const api::Value* was;
  const Schema* schema;

  bool Stays() const {
    if (!stays_) stays_ = Unchanged(*now, *was, *schema);
    return *stays_;
  }

  std::optional<Related> Key(std::string_view name) const {
    if (!now->map() || !was->map()) return std::nullopt;
    const api::Value *mine = now->map()->Find(name), *old = was->map()->Find(name);
    const Schema* const member = schema->Member(name);
    if (!mine || !old || !member) return std::nullopt;
    return Related{mine, old, member, {}};
  }
  // `old`: the items of before.
  std::optional<Related> Index(size_t i, const KeyedItems& old) const {
    if (!now->list() || !was->list() || !schema->items) return std::nullopt;
    const api::Value& mine = now->list()->data[i];
    const api::Value* const found = old.Find(mine);
    return found ? std::optional(Related{&mine, found, schema->items, {}}) : std::nullopt;
  }

  mutable std::optional<bool> stays_;
};

// Which value of before decides whether a broken rule was broken already.
struct Ratchet {
  const Related* current = nullptr;  // null: nobody knows what it was
  const Related* nearest = nullptr;  // then: the closest around it of which that is known

  bool Holds() const { return current ? current->Stays() : nearest && nearest->Stays(); }
};

std::string RuleText(const Rule& rule) {
  return std::string(base::Trimmed(rule.message.empty() ? rule.rule : rule.message));
}

}  // namespace

class RuleEvaluation {
 public:
  explicit RuleEvaluation(const RuleTree::Input& input) : warnings_(input.warnings), budget_(input.budget) {}

  // False: the budget is spent, and nothing more is evaluated.
  bool Any(const RuleTree& tree, const api::Value& now, const api::Value* was, const Ratchet& ratchet,
           const Place& at) {
    if (now.is(Tag::kNull) || now.absent()) return true;
    if (!Rules(tree, now, was, ratchet, at)) return false;
    if (now.list()) return Items(tree, now, was, ratchet, at);
    if (now.map()) return Members(tree, now, was, ratchet, at);
    return true;
  }

  api::field::ErrorList errors;
  int64_t budget() const { return budget_; }

 private:
  bool Items(const RuleTree& tree, const api::Value& now, const api::Value* was, const Ratchet& ratchet,
             const Place& at) {
    if (!tree.items_) return true;
    const KeyedItems old(was, tree.schema_);
    const KeyedItems related(ratchet.current ? ratchet.current->was : nullptr, tree.schema_);
    const auto items = now.list()->items();
    for (size_t i = 0; i < items.size(); ++i) {
      const auto next = ratchet.current ? ratchet.current->Index(i, related) : std::nullopt;
      const Ratchet below = ratchet.current ? Ratchet{next ? &*next : nullptr, ratchet.current} : ratchet;
      if (!Any(*tree.items_, items[i], old.Find(items[i]), below,
               {.parent = &at, .name = {}, .index = static_cast<int64_t>(i)}))
        return false;
    }
    return true;
  }

  bool Members(const RuleTree& tree, const api::Value& now, const api::Value* was, const Ratchet& ratchet,
               const Place& at) {
    const api::MapNode* const old = was ? was->map() : nullptr;
    const auto member = [&](const RuleTree& part, std::string_view name, const api::Value& value, bool key) {
      std::optional<Related> next;
      Ratchet below = ratchet;
      if (ratchet.current) {
        // Both objects were brought to one version, so these say nothing about what the client changed.
        const bool unseen = !ratchet.nearest && (name == "apiVersion" || name == "kind");
        next = unseen ? std::nullopt : ratchet.current->Key(name);
        below = unseen ? Ratchet{} : Ratchet{next ? &*next : nullptr, ratchet.current};
      }
      return Any(part, value, old ? old->Find(name) : nullptr, below,
                 {.parent = &at, .name = name, .key = key});
    };
    if (tree.additional_)
      for (const auto& entry : now.map()->entries())
        if (!member(*tree.additional_, entry.key, entry.value, true)) return false;
    for (const auto& [name, part] : tree.properties_)
      if (const api::Value* value = now.map()->Find(name))
        if (!member(*part, name, *value, false)) return false;
    return true;
  }

  bool Rules(const RuleTree& tree, const api::Value& now, const api::Value* was, const Ratchet& ratchet,
             const Place& at) {
    if (!tree.error_.empty()) {
      Invalid(tree, at, "rule compiler initialization error: " + tree.error_);
      return true;
    }
    if (tree.compiled_.rules.empty()) return true;
    if (budget_ <= 0) {
      Invalid(tree, at, std::string(cel::kOutOfBudget));
      return Stop();
    }
    if (was && was->is(Tag::kNull)) was = nullptr;
    const cel::Value self = ValueOf(now, tree.schema_, tree.whole_);
    const bool has_old = was && tree.uses_old_self_;
    const cel::Value old_self = has_old ? ValueOf(*was, tree.schema_, tree.whole_)
                                        : cel::Value::Error("no such attribute(s): oldSelf");
    const cel::Value plain[kRuleVariables] = {self, old_self};
    const cel::Value optional[kRuleVariables] = {self, !tree.uses_old_self_ ? old_self
                                                       : has_old            ? cel::Value::OptionalOf(old_self)
                                                                            : cel::Value::None()};
    for (const CompiledRule& rule : tree.compiled_.rules) {
      if (!rule.error.empty()) {
        Invalid(tree, at, "rule compile error: " + rule.error);
        continue;
      }
      if (!rule.program) continue;
      const bool is_optional = rule.rule->optional_old_self.value_or(false);
      // How things change can be judged only where it is known what they were.
      if (rule.uses_old_self && !was && !is_optional) continue;
      const cel::Outcome outcome = rule.program->Run(is_optional ? optional : plain);
      if (!Pay(outcome.cost)) {
        Invalid(tree, at, std::string(cel::kOutOfBudget));
        return Stop();
      }
      if (outcome.value.is_error()) {
        if (!Failed(tree, *rule.rule, outcome, at)) return Stop();
      } else if (!outcome.value.is_true() && !Broken(tree, rule, plain, now, ratchet, at)) {
        return Stop();
      }
    }
    return true;
  }

  // A rule could not be evaluated to its end. False: nor will others be.
  bool Failed(const RuleTree& tree, const Rule& rule, const cel::Outcome& outcome, const Place& at) {
    const std::string error(outcome.value.text());
    if (outcome.cost_exceeded) {
      Invalid(tree, at,
              "'" + error +
                  "': no further validation rules will be run due to call cost exceeds limit for rule: " +
                  RuleText(rule));
      return false;
    }
    Invalid(tree, at,
            error.starts_with("no such overload")
                ? "'" + error +
                      "': call arguments did not match a supported operator, function or macro signature for "
                      "rule: " +
                      RuleText(rule)
                : error + " evaluating rule: " + RuleText(rule));
    return true;
  }

  // The object breaks the rule. False: the message has cost too much.
  bool Broken(const RuleTree& tree, const CompiledRule& compiled, std::span<const cel::Value> variables,
              const api::Value& now, const Ratchet& ratchet, const Place& at) {
    const Rule& rule = *compiled.rule;
    const Place below{.parent = &at, .name = rule.field_path};
    const Place& place = rule.field_path.empty() ? at : below;
    const bool ratchets = !compiled.uses_old_self && ratchet.Holds();
    std::string detail;
    if (compiled.message) {
      const cel::Outcome outcome = compiled.message->Run(variables);
      const bool paid = Pay(outcome.cost);
      if (!paid || outcome.cost_exceeded) {
        Report(
            Make(ErrorType::kInvalid, place, api::Quoted(NameOf(tree.schema_.type)),
                 !paid ? "messageExpression evaluation failed due to running out of cost budget, no further "
                         "validation rules will be run"
                       : "no further validation rules will be run due to call cost exceeds limit for "
                         "messageExpression: " +
                             api::Quoted(rule.message_expression)),
            ratchets);
        return false;
      }
      if (outcome.value.is(cel::Value::Kind::kString)) detail = base::Trimmed(outcome.value.text());
      if (detail.size() > kMaxMessageBytes || detail.find('\n') != std::string::npos) detail.clear();
    }
    if (detail.empty())
      detail =
          rule.message.empty() ? "failed rule: " + RuleText(rule) : std::string(base::Trimmed(rule.message));
    Report(ErrorFor(rule.reason, place, now, tree.schema_, std::move(detail)), ratchets);
    return true;
  }

  static Error ErrorFor(std::string_view reason, const Place& place, const api::Value& now,
                        const Schema& schema, std::string detail) {
    // Objects and lists are not shown.
    const bool shown = schema.type != JsonType::kObject && schema.type != JsonType::kArray;
    Error error = Make(ErrorType::kInvalid, place, shown ? RenderTree(now) : "", std::move(detail));
    error.has_value = shown;
    if (reason == "FieldValueForbidden" || reason == "FieldValueRequired") {
      error.type = reason == "FieldValueForbidden" ? ErrorType::kForbidden : ErrorType::kRequired;
      error.bad_value.clear();
      error.has_value = false;
    } else if (reason == "FieldValueDuplicate") {
      error.type = ErrorType::kDuplicate;
      error.detail.clear();
    }
    return error;
  }

  static Error Make(ErrorType type, const Place& place, std::string value, std::string detail) {
    std::string field = place.ToString();
    if (field.empty()) field = "<nil>";
    return {.type = type,
            .field = std::move(field),
            .bad_value = std::move(value),
            .has_value = true,
            .detail = std::move(detail)};
  }
  void Invalid(const RuleTree& tree, const Place& at, std::string detail) {
    errors.Add(Make(ErrorType::kInvalid, at, api::Quoted(NameOf(tree.schema_.type)), std::move(detail)));
  }
  void Report(Error error, bool ratchets) {
    if (!ratchets) return errors.Add(std::move(error));
    if (warnings_) warnings_->push_back(error.ToString());
  }

  bool Pay(uint64_t cost) {
    if (cost > static_cast<uint64_t>(budget_)) return false;
    budget_ -= static_cast<int64_t>(cost);
    return true;
  }
  bool Stop() {
    budget_ = kSpent;
    return false;
  }

  std::vector<std::string>* const warnings_;
  int64_t budget_;
};

std::unique_ptr<const RuleTree> RuleTree::Compile(const Schema& schema, bool whole,
                                                  Declarations& declarations) {
  if (!schema.has_rules) return nullptr;
  std::unique_ptr<RuleTree> tree(new RuleTree(schema, whole));
  const Declaration* const self = declarations.For(schema, whole);
  if (!schema.rules.empty() && !self) tree->error_ = "failed to convert to declType for CEL validation rules";
  if (!schema.rules.empty() && self) tree->compiled_ = CompileRules(schema, *self, /*estimate=*/false);
  tree->uses_old_self_ = std::ranges::any_of(tree->compiled_.rules, &CompiledRule::uses_old_self);
  tree->CompileParts(self, declarations);
  return tree->empty() ? nullptr : std::move(tree);
}

void RuleTree::CompileParts(const Declaration* self, Declarations& declarations) {
  if (schema_.items) items_ = Compile(*schema_.items, schema_.items->embedded, declarations);
  if (schema_.additional)
    additional_ = Compile(*schema_.additional, schema_.additional->embedded, declarations);
  for (const Property& property : schema_.properties) {
    if (!property.schema->has_rules) continue;
    // What expressions cannot see has no rules either, nor has what is in it.
    const bool named = EscapeFieldName(property.name).has_value();
    if ((named && !self) || !declarations.For(*property.schema, property.schema->embedded)) continue;
    if (auto part = Compile(*property.schema, property.schema->embedded, declarations))
      properties_.emplace_back(property.name, std::move(part));
  }
}

RuleTree::Findings RuleTree::Check(const Input& input) const {
  RuleEvaluation evaluation(input);
  std::optional<Related> related;
  if (input.was && input.ratchets) related = Related{input.now, input.was, &schema_, {}};
  const Place place{.name = input.path};
  evaluation.Any(*this, *input.now, input.was, {.current = related ? &*related : nullptr}, place);
  return {std::move(evaluation.errors), evaluation.budget()};
}

namespace {

class TreeChecker final : public RuleChecker {
 public:
  explicit TreeChecker(std::unique_ptr<const RuleTree> rules) : rules_(std::move(rules)) {}

  api::field::ErrorList Check(const api::StructNode& now, const api::StructNode* was,
                              std::vector<std::string>* warnings) const override {
    api::Arena arena;
    const api::Value object = Whole(now, arena);
    const api::Value old = was ? Whole(*was, arena) : api::Value();
    return rules_
        ->Check(
            {.now = &object, .was = was ? &old : nullptr, .path = {}, .ratchets = true, .warnings = warnings})
        .errors;
  }

 private:
  // With the metadata only if a rule can look at it.
  api::Value Whole(const api::StructNode& root, api::Arena& arena) const {
    constexpr size_t kKind = 0, kApiVersion = 1, kMetadata = 2;  // ordinals
    api::MapNode* const whole = api::MapNode::New(nullptr, arena);
    if (const api::MapNode* content = api::ContentOf(root))
      for (const auto& entry : content->entries()) whole->Set(entry.key, entry.value, arena);
    whole->Set("apiVersion", api::Value::String(root.slot(kApiVersion).string()), arena);
    whole->Set("kind", api::Value::String(root.slot(kKind).string()), arena);
    if (const api::StructNode* metadata = root.slot(kMetadata).node(); metadata && rules_->has_own_rules())
      whole->Set("metadata", api::json::ToTree(*metadata, arena), arena);
    return api::Value::Of(whole);
  }

  const std::unique_ptr<const RuleTree> rules_;
};

}  // namespace

std::unique_ptr<const RuleChecker> CompileRuleChecker(const SchemaTree& tree) {
  Declarations declarations;
  auto rules = RuleTree::Compile(tree.root(), /*whole=*/true, declarations);
  return rules ? std::make_unique<TreeChecker>(std::move(rules)) : nullptr;
}

}  // namespace keelson::extensions
