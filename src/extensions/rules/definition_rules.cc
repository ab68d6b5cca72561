#include "extensions/rules/definition_rules.h"

#include <algorithm>
#include <cstdio>
#include <deque>
#include <limits>
#include <unordered_map>

#include "api/codec/json.h"
#include "api/types/builtin_types.h"
#include "api/validation/unversioned.h"
#include "extensions/rules/rule_tree.h"
#include "extensions/schema/list_types.h"
#include "extensions/schema/prune.h"
#include "extensions/schema/render.h"

namespace keelson::extensions {
namespace {

using api::apiextensions::SchemaView;
using api::field::Error;
using api::field::ErrorList;
using api::field::ErrorType;
using api::field::Path;

// What one rule, and all rules of a schema together, may cost by estimate.
constexpr uint64_t kMaxRuleCost = 10'000'000, kMaxSchemaCost = 100'000'000;
constexpr size_t kShownCosts = 4;

uint64_t Times(uint64_t a, uint64_t b) { return (cel::Range::Exactly(a) * cel::Range::Exactly(b)).max; }

std::string TooExpensive(std::string_view what, uint64_t cost, uint64_t limit) {
  const double factor = static_cast<double>(cost) / static_cast<double>(limit);
  char text[32] = "more than 100x";
  if (factor <= 100) std::snprintf(text, sizeof text, factor < 1.5 ? "%fx" : "%.1fx", factor);
  return std::string(what) + " exceeds budget by factor of " + text +
         " (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, "
         "and "
         "strings are declared)";
}

// The default of a schema as it is written; absent: there is none.
api::Value DefaultOf(SchemaView s, api::Arena& arena) {
  if (!s.has_default()) return {};
  const auto value = api::json::DecodeAny(arena.CopyString(s.default_()), arena);
  return value && !value->is(api::Value::Tag::kNull) ? *value : api::Value();
}

bool IsPruned(const api::Value& value, const Schema& s, bool whole, api::Arena& arena) {
  api::Value pruned = api::DeepCopy(value, arena);
  if (whole && pruned.map()) {
    PruneContent(*pruned.map(), s, nullptr);
  } else {
    Prune(pruned, &s, nullptr);
  }
  return TreeJson(pruned) == TreeJson(value);
}

// Goes through a schema as it is written and as it is compiled at once.
class DefaultChecker {
 public:
  DefaultChecker(bool require_pruned, Declarations& declarations)
      : require_pruned_(require_pruned), declarations_(declarations) {}

  // How a value gets from the object around it to where it is.
  struct Around {
    const Around* parent = nullptr;
    std::string_view name;  // empty: an item of a list
  };

  void CheckRoot(SchemaView view, const Schema& s, const Path& path) { Check(view, s, path, {.root = true}); }

  ErrorList errors;

 private:
  struct Place {
    bool root = false;
    bool inside_meta = false;
    const Schema* object = nullptr;  // the whole object it is in
    const Around* around = nullptr;  // from there; null: it is that object
  };

  // False: the budget is spent.
  bool Check(SchemaView view, const Schema& s, const Path& path, Place place) {
    const bool whole = place.root || s.embedded;
    if (whole) place = {.root = false, .inside_meta = false, .object = &s, .around = nullptr};
    api::Arena arena;
    api::Value value = DefaultOf(view, arena);
    if (!value.absent() && !CheckDefault(value, s, whole, place, path.Child("default").ToString(), arena))
      return false;
    if (s.items) {
      const Around item{place.around, {}};
      if (!Check(view.items().schema(), *s.items, path.Child("items"), Below(place, item, false)))
        return false;
    }
    const Path properties = path.Child("properties");
    for (const auto& [name, property] : view.properties()) {
      const Around member{place.around, name};
      if (!Check(SchemaView(property.node()), *s.Find(name), properties.Key(name),
                 Below(place, member, whole && IsImplied(name))))
        return false;
    }
    return true;
  }

  static Place Below(const Place& place, const Around& around, bool meta) {
    return {.inside_meta = place.inside_meta || meta, .object = place.object, .around = &around};
  }

  bool CheckDefault(api::Value& value, const Schema& s, bool whole, const Place& place,
                    const std::string& path, api::Arena& arena) {
    if (!place.inside_meta && require_pruned_ && !IsPruned(value, s, whole, arena))
      Add(path, value, "must not have unknown fields");
    if (place.inside_meta ? !CheckMetadata(value, place, path, arena)
                          : !CheckObjects(value, s, whole, path, arena))
      return true;
    if (ErrorList found = ValidateValue(value, s, path, nullptr); !found.empty()) {
      errors.Append(std::move(found));
      return true;
    }
    return CheckRules(value, s, whole, path);
  }

  // With an object made up around it.
  bool CheckMetadata(const api::Value& value, const Place& place, const std::string& path,
                     api::Arena& arena) {
    api::Value object = api::DeepCopy(value, arena);
    for (const Around* around = place.around; around; around = around->parent) {
      if (around->name.empty()) {
        api::ListNode* const list = api::ListNode::New(nullptr, arena);
        list->Append(object, arena);
        object = api::Value::Of(list);
      } else {
        api::MapNode* const map = api::MapNode::New(nullptr, arena);
        map->Set(around->name, object, arena);
        object = api::Value::Of(map);
      }
    }
    if (!object.map()->Find("kind")) object.map()->Set("kind", api::Value::String("Validation"), arena);
    if (!object.map()->Find("apiVersion"))
      object.map()->Set("apiVersion", api::Value::String("validation/v1"), arena);
    constexpr const char* kMust = "must result in valid metadata: ";
    if (const auto error = CoerceEmbeddedValue(object, *place.object, true, "", arena)) {
      Add(path, value, kMust + error->ToString());
      return false;
    }
    const ErrorList found = ValidateEmbeddedValue(object, *place.object, true, "");
    if (!found.empty()) Add(path, value, kMust + found.Aggregate());
    return found.empty();
  }

  bool CheckObjects(api::Value& value, const Schema& s, bool whole, const std::string& path,
                    api::Arena& arena) {
    if (auto error = CoerceEmbeddedValue(value, s, whole, path, arena)) {
      errors.Add(*std::move(error));
      return false;
    }
    ErrorList found = ValidateEmbeddedValue(value, s, whole, path);
    const bool valid = found.empty();
    errors.Append(std::move(found));
    return valid;
  }

  // As something that stays as it is, and as something new.
  bool CheckRules(const api::Value& value, const Schema& s, bool whole, const std::string& path) {
    const auto rules = RuleTree::Compile(s, whole, declarations_);
    if (!rules) return true;
    auto kept = rules->Check({.now = &value, .was = &value, .path = path, .budget = budget_});
    const bool good = kept.errors.empty();
    errors.Append(std::move(kept.errors));
    int64_t left = kept.budget;
    if (good) {
      auto fresh = rules->Check({.now = &value, .path = path, .budget = budget_});
      errors.Append(std::move(fresh.errors));
      left = std::min(left, fresh.budget);
    }
    budget_ = left;
    return budget_ >= 0;
  }

  void Add(const std::string& path, const api::Value& value, std::string detail) {
    errors.Add({.type = ErrorType::kInvalid,
                .field = path,
                .bad_value = RenderTree(value),
                .has_value = true,
                .detail = std::move(detail)});
  }

  const bool require_pruned_;
  Declarations& declarations_;
  int64_t budget_ = cel::kCostBudget;
};

class SchemaExamination final : public api::apiextensions::SchemaRules::Examination {
 public:
  SchemaExamination(SchemaView schema, bool limit_costs)
      : view_(schema), tree_(schema, /*preserve_unknown=*/false), limit_costs_(limit_costs) {
    Register(view_, tree_.root(), true, 1);
  }

  ErrorList CheckDefaults(bool require_pruned, const Path& root) override {
    if (!tree_.root().has_defaults) return {};
    DefaultChecker checker(require_pruned, declarations_);
    checker.CheckRoot(view_, tree_.root(), root);
    return std::move(checker.errors);
  }

  ErrorList CheckRules(SchemaView view, std::string_view unrelated, const Path& path) override {
    ErrorList errors;
    const auto found = nodes_.find(view.node());
    if (found == nodes_.end()) return errors;
    const Node& node = found->second;
    const Path rules = path.Child("x-kubernetes-validations");
    const Declaration* const self = declarations_.For(*node.schema, node.whole);
    if (!self) {
      errors.Add(api::field::Internal(rules,
                                      "internal error: failed to construct type information for "
                                      "x-kubernetes-validations rules: unable to "
                                      "convert structural schema to CEL declarations"));
      return errors;
    }
    const CompiledRules compiled = CompileRules(*node.schema, *self, /*estimate=*/true);
    // How often the node can be there: as often as the lists around it allow, or as fits into a request.
    const uint64_t times =
        node.times.value_or(static_cast<uint64_t>(kMaxObjectBytes / (self->min_json_size + 1)));
    for (size_t i = 0; i < compiled.rules.size(); ++i)
      CheckRule(compiled.rules[i], view.x_kubernetes_validations()[i], times, unrelated, rules.Index(i),
                errors);
    return errors;
  }

  ErrorList CheckTotalCost(const Path& root) override {
    ErrorList errors;
    if (total_ <= kMaxSchemaCost) return errors;
    for (const Cost& cost : costs_)
      errors.Add({.type = ErrorType::kForbidden,
                  .field = cost.path,
                  .bad_value = {},
                  .detail =
                      "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 "
                      "schema"});
    errors.Add(api::field::Forbidden(
        root, TooExpensive("x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema",
                           total_, kMaxSchemaCost)));
    return errors;
  }

 private:
  struct Node {
    const Schema* schema;
    bool whole;
    std::optional<uint64_t> times;  // how often it can be there; nothing: nobody says
  };
  struct Cost {
    std::string path;
    uint64_t cost;
  };

  void Register(SchemaView view, const Schema& s, bool whole, std::optional<uint64_t> times) {
    nodes_[view.node()] = {&s, whole, times};
    if (!s.has_rules) return;
    if (times) {
      const auto most = MaxElements(view);
      times = most ? std::optional(Times(*times, *most)) : std::nullopt;
    }
    if (s.items) Register(view.items().schema(), *s.items, s.items->embedded, times);
    if (s.additional)
      Register(view.additional_properties().schema(), *s.additional, s.additional->embedded, times);
    for (const auto& [name, property] : view.properties()) {
      const Schema& member = *s.Find(name);
      Register(SchemaView(property.node()), member, member.embedded, times);
    }
  }

  static std::optional<uint64_t> MaxElements(SchemaView s) {
    const auto limit = [](bool given, int64_t most) -> std::optional<uint64_t> {
      if (!given) return std::nullopt;
      return static_cast<uint64_t>(std::max<int64_t>(most, 0));
    };
    if (s.type() == "array") return limit(s.has_max_items(), s.max_items());
    if (s.type() == "object" && s.additional_properties())
      return limit(s.has_max_properties(), s.max_properties());
    return 1;
  }

  void CheckRule(const CompiledRule& rule, api::apiextensions_v1::ValidationRuleView view, uint64_t times,
                 std::string_view unrelated, const Path& path, ErrorList& errors) {
    const Path at = path.Child("rule"), message = path.Child("messageExpression");
    const auto refuse = [&](const Path& where, const std::string& why) {
      errors.Add(api::field::Invalid(where, api::field::RenderUnversioned(view.node()), why));
    };
    Charge(at, "estimated rule cost", Times(rule.max_cost, times), errors);
    if (!rule.error.empty()) refuse(at, rule.error);
    if (!rule.message_error.empty()) {
      refuse(message, rule.message_error);
    } else if (rule.message) {
      Charge(message, "estimated messageExpression cost", rule.message_max_cost, errors);
    }
    if (rule.uses_old_self && !unrelated.empty()) {
      errors.Add(
          api::field::Invalid(at, api::field::RenderValue(view.rule()),
                              "oldSelf cannot be used on the uncorrelatable portion of the schema within " +
                                  std::string(unrelated)));
    } else if (!rule.uses_old_self && view.has_optional_old_self()) {
      errors.Add(api::field::Invalid(path.Child("optionalOldSelf"),
                                     api::field::RenderValue(view.optional_old_self()),
                                     "may not be set if oldSelf is not used in rule"));
    }
  }

  void Charge(const Path& path, std::string_view what, uint64_t cost, ErrorList& errors) {
    if (limit_costs_ && cost > kMaxRuleCost)
      errors.Add(api::field::Forbidden(path, TooExpensive(what, cost, kMaxRuleCost)));
    total_ = cost > std::numeric_limits<uint64_t>::max() - total_ ? std::numeric_limits<uint64_t>::max()
                                                                  : total_ + cost;
    if (cost < kMaxSchemaCost / 100) return;
    costs_.push_back({path.ToString(), cost});
    std::ranges::stable_sort(costs_, std::greater<>(), &Cost::cost);
    if (costs_.size() > kShownCosts) costs_.resize(kShownCosts);
  }

  const SchemaView view_;
  const SchemaTree tree_;
  const bool limit_costs_;
  Declarations declarations_;
  std::unordered_map<const api::StructNode*, Node> nodes_;
  uint64_t total_ = 0;
  std::vector<Cost> costs_;  // the highest, the highest first
};

class CompiledSchemaRules final : public api::apiextensions::SchemaRules {
 public:
  std::unique_ptr<Examination> Examine(SchemaView schema, bool limit_costs) const override {
    return std::make_unique<SchemaExamination>(schema, limit_costs);
  }

  bool HasUnprunedDefaults(SchemaView schema) const override {
    const SchemaTree tree(schema, /*preserve_unknown=*/false);
    return tree.root().has_defaults && Unpruned(schema, tree.root(), true);
  }

 private:
  static bool Unpruned(SchemaView view, const Schema& s, bool whole) {
    if (!s.has_defaults) return false;
    api::Arena arena;
    const api::Value value = DefaultOf(view, arena);
    if (!value.absent() && !IsPruned(value, s, whole, arena)) return true;
    if (s.items && Unpruned(view.items().schema(), *s.items, s.items->embedded)) return true;
    if (s.additional &&
        Unpruned(view.additional_properties().schema(), *s.additional, s.additional->embedded))
      return true;
    for (const auto& [name, property] : view.properties()) {
      const Schema& member = *s.Find(name);
      if (Unpruned(SchemaView(property.node()), member, member.embedded)) return true;
    }
    return false;
  }
};

}  // namespace

const api::apiextensions::SchemaRules& DefinitionRules() {
  static const CompiledSchemaRules rules;
  return rules;
}

}  // namespace keelson::extensions
