// What calls of Kubernetes' functions and of the extensions may cost.
#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "cel/call_cost.h"
#include "cel/estimate.h"

namespace keelson::cel {
namespace {

using Names = std::initializer_list<std::string_view>;
using Nodes = std::span<const EstimateNode>;

constexpr double kMaxFormatRegex = 128;  // characters of the longest pattern behind a named format
constexpr uint64_t kMaxFormatSize = 64;

bool In(std::string_view name, Names names) { return std::ranges::find(names, name) != names.end(); }

class Calls {
 public:
  Calls(std::string_view function, std::string_view overload, const EstimateNode* target, Nodes args,
        const SizeOracle& sizes)
      : function_(function), overload_(overload), target_(target), args_(args), sizes_(sizes) {}

  std::optional<CallEstimate> Find() const {
    if (auto found = Extension()) return found;
    if (auto found = Fixed()) return found;
    if (auto found = Texts()) return found;
    if (auto found = Addresses()) return found;
    return function_ == "_==_" ? Equality() : std::nullopt;
  }

 private:
  using Found = std::optional<CallEstimate>;

  Range Size(const EstimateNode& node) const {
    if (node.size) return *node.size;
    if (sizes_)
      if (const auto size = sizes_(node)) return *size;
    return Range::Unknown();
  }

  // The elements of a list as a node of their own; nothing where it is no list.
  static std::optional<EstimateNode> Elements(const EstimateNode& list) {
    if (list.type->parameters().empty()) return std::nullopt;
    EstimateNode node{list.path, list.type->parameter(0), nullptr, std::nullopt};
    if (!node.path.empty()) node.path.push_back("@items");
    return node;
  }

  static uint64_t Literal(const EstimateNode& node, uint64_t otherwise) {
    if (!node.expr || node.expr->kind != Expr::Kind::kLiteral || !node.expr->literal.is(Value::Kind::kInt))
      return otherwise;
    return node.expr->literal.integer() < 0 ? 0 : static_cast<uint64_t>(node.expr->literal.integer());
  }

  static CallEstimate NewList(double factor, Range size) {
    return {size.Times(factor) + Range::Exactly(1) + Range::Exactly(kListCreation), size};
  }

  Found Extension() const {
    const size_t n = args_.size();
    if (In(overload_,
           {"list_sets_contains_list", "list_sets_intersects_list", "list_sets_equivalent_list"}) &&
        n == 2)
      return CallEstimate{
          (Size(args_[0]) * Size(args_[1])).Times(overload_ == "list_sets_equivalent_list" ? 2 : 1) +
              Range::Exactly(1),
          std::nullopt};
    if (overload_ == "lists_range" && n == 1) return NewList(1, Range::Exactly(Literal(args_[0], kMost)));
    if (!target_) return std::nullopt;
    if (overload_ == "list_slice" && n == 2)
      return NewList(1, Range::Exactly(Literal(args_[1], Size(*target_).max) - Literal(args_[0], 0)));
    if (overload_ == "list_reverse") return NewList(1, Size(*target_));
    if (In(overload_, {"list_flatten", "list_flatten_int"}))
      return NewList(n == 1 ? static_cast<double>(Literal(args_[0], kMost)) : 1, Size(*target_));
    if (overload_ == "list_distinct") return NewList(2, Size(*target_) * Size(*target_));
    const bool text = overload_.starts_with("list_string_") || overload_.starts_with("list_bytes_");
    const double factor = text ? 2 + kStringTraversal : 2;
    if (overload_.ends_with("_sort") && n == 0) return NewList(factor, Size(*target_) * Size(*target_));
    if (overload_.ends_with("_sortByAssociatedKeys") && n == 1)
      return NewList(factor, Size(args_[0]) * Size(args_[0]));
    return std::nullopt;
  }

  Found Fixed() const {
    if (function_ == "check") return CallEstimate{Range::Exactly(kAuthorizationCheck), std::nullopt};
    if (HasFixedCost(function_)) return CallEstimate{Range::Exactly(1), std::nullopt};
    if (In(function_, {"fieldSelector", "labelSelector"}) && args_.size() == 1) {
      const Range size = Size(args_[0]);
      return CallEstimate{Range::Exactly(kListCreation) + size.Times(kStringTraversal) +
                              size.Times(0.5).Times(kListCreation + kStructCreation),
                          std::nullopt};
    }
    return std::nullopt;
  }

  Found Texts() const {
    if (GoesThroughAll(function_) && target_) return Traversal();
    if (In(function_, {"url", "jsonpatch.escapeKey"}) && args_.size() == 1) {
      const Range size = Size(args_[0]);
      return CallEstimate{size.Times(kStringTraversal), size};
    }
    if (In(function_, {"lowerAscii", "upperAscii", "substring", "trim"}) && target_) {
      const Range size = Size(*target_);
      return CallEstimate{size.Times(kStringTraversal), size};
    }
    if (function_ == "replace" && target_ && args_.size() >= 2) return Replace();
    if (function_ == "split" && target_) {
      const Range size = Size(*target_);
      uint64_t most = size.max;
      if (args_.size() > 1 && args_[1].expr && args_[1].expr->kind == Expr::Kind::kLiteral &&
          args_[1].expr->literal.is(Value::Kind::kInt))
        most = static_cast<uint64_t>(args_[1].expr->literal.integer());
      return CallEstimate{size.Times(2 * kStringTraversal), Range{0, most}};
    }
    if (function_ == "join" && target_) return Join();
    if (In(function_, {"find", "findAll"}) && target_ && !args_.empty()) {
      const Range size = Size(*target_);
      const Range text = (size + Range::Exactly(1)).Times(kStringTraversal);
      return CallEstimate{text * Size(args_[0]).Times(kRegexLength), Range{0, size.max}};
    }
    if (In(function_, {"quantity", "isQuantity", "semver", "isSemver"}) && !args_.empty())
      return CallEstimate{Size(args_[0]).Times(kStringTraversal), std::nullopt};
    if (function_ == "validate" && !args_.empty())
      return CallEstimate{Size(args_[0]).Times(kStringTraversal).Times(kMaxFormatRegex * kRegexLength),
                          std::nullopt};
    return std::nullopt;
  }

  CallEstimate Traversal() const {
    const auto element = Elements(*target_);
    if (!element) return {Size(*target_).Times(kStringTraversal), std::nullopt};
    Range each = Range::Exactly(1);
    if (element->type->is(Type::Kind::kString) || element->type->is(Type::Kind::kBytes))
      each = each + Size(*element).Times(kStringTraversal);
    return {Size(*target_) * each, std::nullopt};
  }

  CallEstimate Replace() const {
    const Range size = Size(*target_), old = Size(args_[0]), with = Size(args_[1]);
    const auto one_more = [](uint64_t n) { return n < kMost ? n + 1 : n; };
    const auto parts = [](uint64_t a, uint64_t b) {
      const double quotient = std::ceil(static_cast<double>(a) / static_cast<double>(b));
      return quotient >= 18446744073709551616.0 ? kMost : static_cast<uint64_t>(quotient);
    };
    Range count, kept;
    if (old.min == 0) {
      count.max = one_more(size.max);
      kept.max = size.max;
    } else if (with.max <= old.min) {
      kept.max = size.max;
    } else {
      count.max = parts(size.max, old.min);
    }
    if (old.max == 0) {
      count.min = one_more(size.min);
      kept.min = size.min;
    } else if (old.max <= with.min) {
      kept.min = size.min;
    } else {
      count.min = parts(size.min, old.max);
    }
    return {size.Times(2 * kStringTraversal), count * with + kept};
  }

  CallEstimate Join() const {
    const Range list = Size(*target_);
    Range size;
    if (const auto element = Elements(*target_)) size = list * Size(*element);
    if (!args_.empty()) {
      const Range separators{list.min > 0 ? list.min - 1 : 0, list.max > 0 ? list.max - 1 : 0};
      size = size + Size(args_[0]) * separators;
    }
    return {size.Times(kStringTraversal), size};
  }

  Found Addresses() const {
    if (args_.empty())
      return function_ == "ip" && overload_ == "cidr_ip" ? Found({Range::Exactly(1), {}}) : std::nullopt;
    const Range size = Size(args_[0]);
    if (In(function_, {"cidr", "isIP", "isCIDR", "ip"}))
      return CallEstimate{size.Times(kStringTraversal), std::nullopt};
    if (function_ == "ip.isCanonical") return CallEstimate{size.Times(2 * kStringTraversal), std::nullopt};
    const Range address{4, 16};
    Range cost = (address + address).Times(kStringTraversal);
    if (function_ == "containsIP") {
      if (overload_ == "cidr_contains_ip_string") cost = cost + size.Times(kStringTraversal);
      return CallEstimate{cost, std::nullopt};
    }
    if (function_ == "containsCIDR") {
      cost = cost + address.Times(kStringTraversal) + Range::Exactly(1);
      if (overload_ == "cidr_contains_cidr_string") cost = cost + size.Times(kStringTraversal);
      return CallEstimate{cost, std::nullopt};
    }
    return std::nullopt;
  }

  Found Equality() const {
    if (args_.size() != 2 || !SameType(*args_[0].type, *args_[1].type)) return std::nullopt;
    const std::string& name = args_[0].type->name();
    if (In(name, {"net.IP", "net.CIDR", "kubernetes.Quantity", "kubernetes.Semver"}) ||
        name.starts_with("kubernetes.authorization."))
      return CallEstimate{Range::Exactly(1), std::nullopt};
    if (name == "kubernetes.NamedFormat")
      return CallEstimate{Range{1, kMaxFormatSize}.Times(kStringTraversal), {}};
    if (name == "kubernetes.URL") {
      const uint64_t most = args_[1].size ? args_[1].size->max : 1;
      return CallEstimate{Range{1, std::max<uint64_t>(most, 1)}.Times(kStringTraversal), std::nullopt};
    }
    return std::nullopt;
  }

  std::string_view function_, overload_;
  const EstimateNode* target_;
  Nodes args_;
  const SizeOracle& sizes_;
};

}  // namespace

std::optional<CallEstimate> EstimateCall(std::string_view function, std::string_view overload,
                                         const EstimateNode* target, std::span<const EstimateNode> args,
                                         const SizeOracle& sizes) {
  return Calls(function, overload, target, args, sizes).Find();
}

}  // namespace keelson::cel
