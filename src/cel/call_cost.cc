#include "cel/call_cost.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "base/utf8.h"
#include "cel/functions/named_format.h"

namespace keelson::cel {
namespace {

uint64_t Scaled(uint64_t size, double factor) {
  return static_cast<uint64_t>(std::ceil(static_cast<double>(size) * factor));
}

uint64_t One(Args, const Value&) { return 1; }
uint64_t Check(Args, const Value&) { return kAuthorizationCheck; }

template <int factor>
uint64_t Traverse(Args args, const Value&) {
  return Scaled(ActualSize(args[0]), factor * kStringTraversal);
}
uint64_t TraverseResult(Args, const Value& result) {
  return Scaled(ActualSize(result), 2 * kStringTraversal);
}

uint64_t ShorterText(Args args, const Value&) {
  return Scaled(std::min(ActualSize(args[0]), ActualSize(args[1])), kStringTraversal);
}
uint64_t BothTexts(Args args, const Value&) {
  return Scaled(ActualSize(args[0]) + ActualSize(args[1]), kStringTraversal);
}
uint64_t SizeOfSecond(Args args, const Value&) { return ActualSize(args[1]); }

uint64_t Match(uint64_t text, uint64_t pattern) {
  return static_cast<uint64_t>(std::ceil((1.0 + static_cast<double>(text)) * kStringTraversal)) *
         Scaled(pattern, kRegexLength);
}
uint64_t Pattern(Args args, const Value&) { return Match(ActualSize(args[0]), ActualSize(args[1])); }
uint64_t Search(Args args, const Value&) {
  return Scaled(ActualSize(args[0]), kStringTraversal) * Scaled(ActualSize(args[1]), kStringTraversal);
}

uint64_t Selector(Args args, const Value&) {
  const uint64_t length = ActualSize(args[1]);
  const uint64_t requirements = Scaled(length, 0.5);
  return kListCreation + Scaled(length, kStringTraversal) + requirements * (kListCreation + kStructCreation);
}

// Of going through a whole value.
uint64_t Whole(const Value& v) {
  switch (v.kind()) {
    case ValueKind::kString:
    case ValueKind::kBytes:
      return static_cast<uint64_t>(static_cast<double>(v.text().size()) * kStringTraversal);
    case ValueKind::kList: {
      uint64_t cost = 0;
      for (size_t i = 0; i < v.list().size(); ++i) cost += Whole(v.list().At(i));
      return cost;
    }
    case ValueKind::kMap: {
      uint64_t cost = 0;
      for (size_t i = 0; i < v.map().size(); ++i) cost += Whole(v.map().KeyAt(i)) + Whole(v.map().ValueAt(i));
      return cost;
    }
    default: return 1;
  }
}
uint64_t WholeFirst(Args args, const Value&) { return Whole(args[0]); }

template <bool cidr, bool text>
uint64_t Containment(Args args, const Value&) {
  const uint64_t size = ActualSize(args[0]);
  uint64_t cost = Scaled(size + size, kStringTraversal);
  if (cidr) cost += Scaled(size, kStringTraversal) + 1;
  if (text) cost += Scaled(ActualSize(args[1]), kStringTraversal);
  return cost;
}

uint64_t Validate(Args args, const Value&) {
  const auto* format = args[0].As<NamedFormat>();
  return format ? Match(ActualSize(args[1]), format->max_regex_size()) : 1;
}

uint64_t NewList(uint64_t size, double factor) {
  return static_cast<uint64_t>(static_cast<double>(size) * factor) + 1 + kListCreation;
}
uint64_t ResultList(Args, const Value& result) { return NewList(ActualSize(result), 1); }
uint64_t Flatten(Args args, const Value&) {
  return NewList(ActualSize(args[0]), args.size() == 2 ? static_cast<double>(args[1].integer()) : 1.0);
}
uint64_t SelfCompare(const Value& list) {
  if (!list.is(ValueKind::kList)) return 1;
  const uint64_t size = list.list().size();
  if (size == 0) return NewList(0, 2);
  const Value first = list.list().At(0);
  const bool text = first.is(ValueKind::kString) || first.is(ValueKind::kBytes);
  return NewList(size * size, text ? 2 + kStringTraversal : 2);
}
uint64_t CompareFirst(Args args, const Value&) { return SelfCompare(args[0]); }
uint64_t CompareSecond(Args args, const Value&) { return SelfCompare(args[1]); }

template <int factor>
uint64_t Sets(Args args, const Value&) {
  return 1 + ActualSize(args[0]) * ActualSize(args[1]) * factor;
}

uint64_t Equality(Args args, const Value& result) {
  if (args[0].is(ValueKind::kObject) && !args[0].object().has_fields()) return 1;
  return ShorterText(args, result);
}

struct Rule {
  std::initializer_list<std::string_view> names;
  CallCost cost;
};

CallCost Find(std::initializer_list<Rule> rules, std::string_view name) {
  for (const Rule& rule : rules)
    if (std::ranges::find(rule.names, name) != rule.names.end()) return rule.cost;
  return nullptr;
}

// Those of the extensions, known by the overload; they come first.
CallCost ByExtension(std::string_view overload) {
  if (overload.ends_with("_sort")) return CompareFirst;
  if (overload.ends_with("_sortByAssociatedKeys")) return CompareSecond;
  return Find({{{"list_slice", "lists_range", "list_reverse"}, ResultList},
               {{"list_flatten", "list_flatten_int"}, Flatten},
               {{"list_distinct"}, CompareFirst},
               {{"list_sets_contains_list", "list_sets_intersects_list"}, Sets<1>},
               {{"list_sets_equivalent_list"}, Sets<2>}},
              overload);
}

// Kubernetes' own, known by the function.
CallCost ByFunction(std::string_view function, std::string_view overload) {
  if (function == "containsIP")
    return overload == "cidr_contains_ip_string" ? Containment<false, true> : Containment<false, false>;
  if (function == "containsCIDR")
    return overload == "cidr_contains_cidr_string" ? Containment<true, true> : Containment<true, false>;
  if (function == "ip") return overload == "cidr_ip" ? One : Traverse<1>;
  if (HasFixedCost(function)) return One;
  if (GoesThroughAll(function)) return WholeFirst;
  return Find({{{"check"}, Check},
               {{"fieldSelector", "labelSelector"}, Selector},
               {{"url", "lowerAscii", "upperAscii", "substring", "trim", "jsonpatch.escapeKey", "cidr",
                 "isIP", "isCIDR", "quantity", "isQuantity", "semver", "isSemver"},
                Traverse<1>},
               {{"replace", "split", "ip.isCanonical"}, Traverse<2>},
               {{"join"}, TraverseResult},
               {{"find", "findAll"}, Pattern},
               {{"validate"}, Validate},
               {{"_==_"}, Equality}},
              function);
}

CallCost ByOverload(std::string_view overload) {
  return Find({{{"starts_with_string", "ends_with_string", "string_to_bytes", "bytes_to_string",
                 "strings_quote", "string_format"},
                Traverse<1>},
               {{"in_list"}, SizeOfSecond},
               {{"less_string", "greater_string", "less_equals_string", "greater_equals_string", "less_bytes",
                 "greater_bytes", "less_equals_bytes", "greater_equals_bytes", "equals", "not_equals"},
                ShorterText},
               {{"add_string", "add_bytes"}, BothTexts},
               {{"matches_string"}, Pattern},
               {{"contains_string"}, Search}},
              overload);
}

}  // namespace

CallCost FindCallCost(std::string_view function, std::string_view overload) {
  if (const CallCost cost = ByExtension(overload)) return cost;
  if (const CallCost cost = ByFunction(function, overload)) return cost;
  if (const CallCost cost = ByOverload(overload)) return cost;
  return One;
}

bool HasFixedCost(std::string_view function) {
  static constexpr std::string_view kNames[] = {"serviceAccount",
                                                "path",
                                                "group",
                                                "resource",
                                                "subresource",
                                                "namespace",
                                                "name",
                                                "allowed",
                                                "reason",
                                                "error",
                                                "errored",
                                                "masked",
                                                "prefixLength",
                                                "family",
                                                "isUnspecified",
                                                "isLoopback",
                                                "isLinkLocalMulticast",
                                                "isLinkLocalUnicast",
                                                "isGlobalUnicast",
                                                "format.named",
                                                "sign",
                                                "asInteger",
                                                "isInteger",
                                                "asApproximateFloat",
                                                "isGreaterThan",
                                                "isLessThan",
                                                "compareTo",
                                                "add",
                                                "sub",
                                                "major",
                                                "minor",
                                                "patch",
                                                "getScheme",
                                                "getHostname",
                                                "getHost",
                                                "getPort",
                                                "getEscapedPath",
                                                "getQuery"};
  return std::ranges::find(kNames, function) != std::end(kNames);
}

bool GoesThroughAll(std::string_view function) {
  static constexpr std::string_view kNames[] = {"isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"};
  return std::ranges::find(kNames, function) != std::end(kNames);
}

uint64_t ActualSize(const Value& v) {
  switch (v.kind()) {
    case ValueKind::kString: return base::CountRunes(v.text());
    case ValueKind::kBytes: return v.text().size();
    case ValueKind::kList: return v.list().size();
    case ValueKind::kMap: return v.map().size();
    case ValueKind::kOptional: return v.has_value() ? ActualSize(v.inner()) : 1;
    case ValueKind::kObject: return v.object().Size();
    default: return 1;
  }
}

}  // namespace keelson::cel
