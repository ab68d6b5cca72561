#include "cel/estimate.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/utf8.h"
#include "cel/call_cost.h"
#include "cel/macros.h"

namespace keelson::cel {
namespace {

using Path = std::vector<std::string>;

uint64_t BoundedSum(uint64_t a, uint64_t b) { return a > kMost - b ? kMost : a + b; }
uint64_t BoundedProduct(uint64_t a, uint64_t b) { return b != 0 && a > kMost / b ? kMost : a * b; }
uint64_t BoundedScaled(uint64_t n, double factor) {
  const double product = std::ceil(static_cast<double>(n) * factor);
  return product >= 18446744073709551616.0 ? kMost : static_cast<uint64_t>(product);
}

// What a container holds, as far as that is known.
struct Entries {
  bool list = true;
  Range key, value;
};

bool IsScalar(const Type& type) {
  switch (type.kind()) {
    case TypeKind::kBool:
    case TypeKind::kDouble:
    case TypeKind::kDuration:
    case TypeKind::kInt:
    case TypeKind::kTimestamp:
    case TypeKind::kUint: return true;
    default: return type.IsOptional() && IsScalar(*type.parameter(0));
  }
}

std::optional<Range> SizeOfLiteral(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kLiteral:
      if (expr.literal.is(ValueKind::kString)) return Range::Exactly(base::CountRunes(expr.literal.text()));
      if (expr.literal.is(ValueKind::kBytes)) return Range::Exactly(expr.literal.text().size());
      return Range::Exactly(1);
    case ExprKind::kList: return Range::Exactly(expr.args.size());
    case ExprKind::kMap: return Range::Exactly(expr.entries.size());
    default: return std::nullopt;
  }
}

std::optional<Entries> UnionOf(const std::optional<Entries>& a, const std::optional<Entries>& b) {
  if (!a || !b) return std::nullopt;
  return Entries{a->list, a->key.Union(b->key), a->value.Union(b->value)};
}

class Estimator {
 public:
  explicit Estimator(const SizeOracle& sizes) : sizes_(sizes) {}

  Range Cost(const Expr& e) {
    switch (e.kind) {
      case ExprKind::kLiteral:
      case ExprKind::kNone: return {};
      case ExprKind::kIdent:
        paths_[e.id] = PathOf(e).empty() ? Path{e.name} : PathOf(e);
        return Range::Exactly(1);
      case ExprKind::kSelect: return Select(e);
      case ExprKind::kCall: return Call(e);
      case ExprKind::kList: return List(e);
      case ExprKind::kMap: return Map(e);
      case ExprKind::kStruct: {
        Range sum = Range::Exactly(kStructCreation);
        for (const Entry& entry : e.entries) sum = sum + Cost(*entry.value);
        return sum;
      }
      case ExprKind::kComprehension: return IsBinding(e) ? Binding(e) : Fold(e);
    }
    return {};
  }

 private:
  struct Local {
    Path path;
    std::optional<Range> size;
    std::optional<Entries> entries;
  };

  const Local* Find(const std::string& name) const {
    const auto found = locals_.find(name);
    return found == locals_.end() || found->second.empty() ? nullptr : &found->second.back();
  }

  Path PathOf(const Expr& e) const {
    if (e.kind == ExprKind::kIdent)
      if (const Local* local = Find(e.name)) return local->path;
    const auto found = paths_.find(e.id);
    return found == paths_.end() ? Path{} : found->second;
  }
  static Path Under(Path path, std::string_view part) {
    path.emplace_back(part);
    return path;
  }

  std::optional<Range> SizeOf(const Expr& e) {
    if (const auto known = computed_.find(e.id); known != computed_.end()) return known->second;
    if (auto literal = SizeOfLiteral(e)) return literal;
    if (sizes_) {
      if (auto size = sizes_({PathOf(e), e.type, &e, std::nullopt})) {
        computed_[e.id] = *size;
        return size;
      }
    }
    if (IsScalar(*e.type)) return Range::Exactly(1);
    if (e.kind == ExprKind::kIdent)
      if (const Local* local = Find(e.name)) return local->size;
    return std::nullopt;
  }
  Range SizeOrUnknown(const Expr& e) { return SizeOf(e).value_or(Range::Unknown()); }

  std::optional<Entries> EntriesOf(const Expr& e) const {
    if (const auto known = entries_.find(e.id); known != entries_.end()) return known->second;
    if (e.kind == ExprKind::kIdent)
      if (const Local* local = Find(e.name)) return local->entries;
    return std::nullopt;
  }

  EstimateNode Node(const Expr& e) {
    Path path = PathOf(e);
    if (!path.empty() && (path[0] == kAccumulator || path[0] == "__result__")) path.clear();
    return {std::move(path), e.type, &e, SizeOf(e)};
  }

  Range Select(const Expr& e) {
    if (e.test_only) return Cost(*e.target);
    Range sum = Cost(*e.target);
    const TypeKind kind = e.target->type->kind();
    if (kind == TypeKind::kMap || kind == TypeKind::kStruct || kind == TypeKind::kTypeParam)
      sum = sum + Range::Exactly(1);
    paths_[e.id] = Under(PathOf(*e.target), e.name);
    return sum;
  }

  Range List(const Expr& e) {
    Range sum = Range::Exactly(kListCreation);
    Range item{e.args.empty() ? 0 : kMost, 0};
    for (const ExprPtr& arg : e.args) {
      sum = sum + Cost(*arg);
      item = item.Union(SizeOrUnknown(*arg));
    }
    entries_[e.id] = {true, Range::Exactly(1), item};
    return sum;
  }

  Range Map(const Expr& e) {
    Range sum = Range::Exactly(kMapCreation);
    Range key{e.entries.empty() ? 0 : kMost, 0}, value = key;
    for (const Entry& entry : e.entries) {
      sum = sum + Cost(*entry.key) + Cost(*entry.value);
      key = key.Union(SizeOrUnknown(*entry.key));
      value = value.Union(SizeOrUnknown(*entry.value));
    }
    entries_[e.id] = {false, key, value};
    return sum;
  }

  Range Call(const Expr& e) {
    if (e.name == "dyn") {
      const Range cost = Range::Exactly(1) + Cost(*e.args[0]);
      CopySizes(e, *e.args[0]);
      return cost;
    }
    std::vector<EstimateNode> args;
    std::vector<Range> costs;
    for (const ExprPtr& arg : e.args) {
      costs.push_back(Cost(*arg));
      args.push_back(Node(*arg));
    }
    if (e.overloads.empty() && e.name != "_?._") return {};
    Range sum;
    std::optional<EstimateNode> target;
    if (e.target) {
      sum = Cost(*e.target);
      target = Node(*e.target);
    }
    Range cost{kMost, 0};
    std::optional<Range> result;
    const auto one = [&](std::string_view overload) {
      const CallEstimate call = Function(e, overload, target ? &*target : nullptr, args, costs);
      cost = cost.Union(call.cost);
      if (call.result_size) result = result ? result->Union(*call.result_size) : *call.result_size;
      if (overload == "index_list" || overload == "index_map") {
        const auto entries = EntriesOf(*e.args[0]);
        result = entries ? std::optional(entries->value) : std::nullopt;
        paths_[e.id] = Under(PathOf(*e.args[0]), overload == "index_list" ? "@items" : "@values");
      }
      if (!result) result = SizeOf(e);
    };
    if (e.overloads.empty()) one("select_optional_field");
    for (const Overload* overload : e.overloads) one(overload->id);
    if (result) computed_[e.id] = *result;
    return sum + cost;
  }

  static Range Sum(const std::vector<Range>& costs) {
    Range sum;
    for (const Range& cost : costs) sum = sum + cost;
    return sum;
  }

  static Range Size(const EstimateNode& node) { return node.size.value_or(Range::Unknown()); }

  CallEstimate Function(const Expr& e, std::string_view overload, const EstimateNode* target,
                        const std::vector<EstimateNode>& args, const std::vector<Range>& costs) {
    const Range sum = Sum(costs);
    if (auto known = EstimateCall(e.name, overload, target, args, sizes_)) {
      known->cost = known->cost + sum;
      return *known;
    }
    if (overload == "logical_or" || overload == "logical_and")
      return {{costs[0].min, (costs[0] + costs[1]).max}, std::nullopt};
    if (overload == "conditional") {
      if (const auto entries = UnionOf(EntriesOf(*e.args[1]), EntriesOf(*e.args[2])))
        entries_[e.id] = *entries;
      return {costs[0] + costs[1].Union(costs[2]), Size(args[1]).Union(Size(args[2]))};
    }
    CallEstimate call = OfLanguage(e, overload, target, args);
    call.cost = call.cost + sum;
    return call;
  }

  CallEstimate OfLanguage(const Expr& e, std::string_view overload, const EstimateNode* target,
                          const std::vector<EstimateNode>& args) {
    const auto is = [&](std::initializer_list<std::string_view> ids) {
      return std::ranges::find(ids, overload) != ids.end();
    };
    if (overload == "string_format" && target) return {Size(*target).Times(kStringTraversal), std::nullopt};
    if (is({"string_to_bytes", "bytes_to_string", "strings_quote"}) && args.size() == 1) {
      const Range size = Size(args[0]);
      const Range result = overload == "string_to_bytes"   ? Range{size.min, size.max * 4}
                           : overload == "bytes_to_string" ? Range{size.min / 4, size.max}
                                                           : Range{size.min + 2, size.max * 2 + 2};
      return {size.Times(kStringTraversal), result};
    }
    if (is({"starts_with_string", "ends_with_string"}) && args.size() == 1)
      return {Size(args[0]).Times(kStringTraversal), std::nullopt};
    if (overload == "in_list" && args.size() == 2) return {Size(args[1]).Times(1), std::nullopt};
    if (overload == "matches_string" && target && args.size() == 1)
      return {(Size(*target) + Range::Exactly(1)).Times(kStringTraversal) * Size(args[0]).Times(kRegexLength),
              std::nullopt};
    if (overload == "contains_string" && target && args.size() == 1)
      return {Size(*target).Times(kStringTraversal) * Size(args[0]).Times(kStringTraversal), std::nullopt};
    if (is({"add_string", "add_bytes", "add_list"}) && args.size() == 2) {
      const Range result = Size(args[0]) + Size(args[1]);
      if (const auto entries = UnionOf(EntriesOf(*e.args[0]), EntriesOf(*e.args[1])))
        entries_[e.id] = *entries;
      return {overload == "add_list" ? Range::Exactly(1) : result.Times(kStringTraversal), result};
    }
    if (is({"less_string", "greater_string", "less_equals_string", "greater_equals_string", "less_bytes",
            "greater_bytes", "less_equals_bytes", "greater_equals_bytes", "equals", "not_equals"})) {
      const uint64_t most = std::min(Size(args[0]).max, Size(args[1]).max);
      return {Range{most > 0 ? uint64_t{1} : 0, most}.Times(kStringTraversal), std::nullopt};
    }
    return {Range::Exactly(1), std::nullopt};
  }

  void CopySizes(const Expr& to, const Expr& from) {
    if (const auto size = SizeOf(from)) computed_[to.id] = *size;
    if (const auto entries = EntriesOf(from)) entries_[to.id] = *entries;
  }

  static bool IsBinding(const Expr& e) {
    const Comprehension& c = *e.comprehension;
    return c.range->kind == ExprKind::kList && c.range->args.empty() &&
           c.condition->kind == ExprKind::kLiteral && c.condition->literal.is(ValueKind::kBool) &&
           !c.condition->literal.boolean() && c.accumulator != "__result__";
  }

  void Push(const std::string& name, const Expr& e) {
    locals_[name].push_back({PathOf(e), SizeOf(e), EntriesOf(e)});
  }

  Range Binding(const Expr& e) {
    const Comprehension& c = *e.comprehension;
    Range sum = Cost(*c.range) + Cost(*c.init);
    Push(c.accumulator, *c.init);
    sum = sum + Cost(*c.result);
    locals_[c.accumulator].pop_back();
    CopySizes(e, *c.result);
    return sum;
  }

  void PushVariables(const Comprehension& c) {
    const auto entries = EntriesOf(*c.range);
    const bool list = entries ? entries->list : c.range->type->is(TypeKind::kList);
    const Path path = PathOf(*c.range);
    const auto key = entries ? std::optional(entries->key) : std::nullopt;
    const auto value = entries ? std::optional(entries->value) : std::nullopt;
    if (c.variable2.empty()) {
      locals_[c.variable].push_back(
          {Under(path, list ? "@items" : "@keys"), list ? value : key, std::nullopt});
      return;
    }
    locals_[c.variable].push_back({Under(path, list ? "@indices" : "@keys"), key, std::nullopt});
    locals_[c.variable2].push_back({Under(path, list ? "@items" : "@values"), value, std::nullopt});
  }

  Range Fold(const Expr& e) {
    const Comprehension& c = *e.comprehension;
    Range sum = Cost(*c.range) + Cost(*c.init);
    Push(c.accumulator, *c.init);
    PushVariables(c);
    const Range loop = Cost(*c.condition), step = Cost(*c.step);
    locals_[c.variable].pop_back();
    if (!c.variable2.empty()) locals_[c.variable2].pop_back();
    sum = sum + Cost(*c.result);
    locals_[c.accumulator].pop_back();
    const Range rounds = SizeOrUnknown(*c.range);
    sum = sum + rounds * (step + loop);
    if (c.init->kind == ExprKind::kLiteral) {
      if (const auto size = SizeOf(*c.init)) computed_[e.id] = *size;
    } else if (c.init->kind == ExprKind::kList || c.init->kind == ExprKind::kMap) {
      computed_[e.id] = rounds;
      if (const auto entries = EntriesOf(*c.step)) entries_[e.id] = *entries;
    }
    return sum;
  }

  const SizeOracle& sizes_;
  std::map<int64_t, Path> paths_;
  std::map<int64_t, Range> computed_;
  std::map<int64_t, Entries> entries_;
  std::map<std::string, std::vector<Local>> locals_;
};

}  // namespace

Range Range::operator+(const Range& o) const { return {BoundedSum(min, o.min), BoundedSum(max, o.max)}; }
Range Range::operator*(const Range& o) const {
  return {BoundedProduct(min, o.min), BoundedProduct(max, o.max)};
}
Range Range::Times(double factor) const { return {BoundedScaled(min, factor), BoundedScaled(max, factor)}; }
Range Range::Union(const Range& o) const { return {std::min(min, o.min), std::max(max, o.max)}; }

Range EstimateCost(const Checked& expression, const SizeOracle& sizes) {
  return Estimator(sizes).Cost(*expression.root);
}

}  // namespace keelson::cel
