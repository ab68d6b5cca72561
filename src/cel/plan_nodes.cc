#include "cel/plan_nodes.h"

#include <cmath>
#include <utility>

namespace keelson::cel::plan {
namespace {

constexpr uint32_t kInterruptFrequency = 100;  // steps of comprehensions between two questions

Value MissingKey(const Value& key) { return Value::Error("no such key: " + ToText(key)); }
Value MissingIndex(const Value& index) { return Value::Error("index out of bounds: " + ToText(index)); }

// The index a value stands for in a list; an error for what is no whole number.
Value ListIndex(const Value& key) {
  switch (key.kind()) {
    case ValueKind::kInt: return key;
    case ValueKind::kUint:
      if (key.unsigned_integer() > INT64_MAX) break;
      return Value::Int(key.integer());
    case ValueKind::kDouble:
      if (key.real() != std::floor(key.real())) break;
      return Value::Int(static_cast<int64_t>(key.real()));
    default: break;
  }
  return Value::Error("unsupported index type '" + TypeOf(key)->name() + "' in list");
}

struct Step {
  bool present = false;
  Value value;  // or an error
};

// Where `presence` is asked for, what is missing is no error.
Step Into(const Value& object, const Value& key, bool presence) {
  const auto missing = [&](Value error) { return presence ? Step{} : Step{true, std::move(error)}; };
  switch (object.kind()) {
    case ValueKind::kMap: {
      std::optional<Value> found = object.map().Find(key);
      if (!found) return missing(MissingKey(key));
      return {true, std::move(*found)};
    }
    case ValueKind::kList: {
      const Value index = ListIndex(key);
      if (index.is_error()) return {true, index};
      const int64_t i = index.integer();
      if (i < 0 || static_cast<size_t>(i) >= object.list().size()) return missing(MissingIndex(key));
      return {true, object.list().At(static_cast<size_t>(i))};
    }
    case ValueKind::kObject: {
      if (!object.object().has_fields() || !key.is(ValueKind::kString)) return missing(MissingKey(key));
      if (presence && !object.object().Has(key.text())) return {};
      return {true, object.object().Field(key.text())};
    }
    case ValueKind::kError: return {true, object};
    default: return missing(MissingKey(key));
  }
}

// Steps through all qualifiers; once one is optional, all that follow are.
Value Walk(Value object, std::span<const std::shared_ptr<const Qualifier>> qualifiers, Frame& frame) {
  bool optional = object.is(ValueKind::kOptional);
  if (qualifiers.empty()) return object;
  if (optional) {
    if (!object.has_value()) return object;
    object = object.inner();
  }
  for (const auto& qualifier : qualifiers) {
    Value computed;
    if (qualifier->computed) {
      computed = qualifier->attribute ? static_cast<const Attribute&>(*qualifier->computed).Resolve(frame)
                                      : qualifier->computed->Eval(frame);
      if (computed.is_error()) return computed;
    }
    const Value& key = qualifier->computed ? computed : qualifier->key;
    if (qualifier->test) {
      const Step step = Into(object, key, true);
      frame.Pay(1);
      if (step.value.is_error()) return step.value;
      object = Value::Bool(step.present);
      continue;
    }
    optional = optional || qualifier->optional;
    Step step = Into(object, key, optional);
    if (!step.present) return Value::None();
    frame.Pay(1);
    if (step.value.is_error()) return step.value;
    object = std::move(step.value);
  }
  return optional ? Value::OptionalOf(std::move(object)) : object;
}

Value NotOptional(std::string_view what, const Value& value) {
  return Value::Error("cannot initialize optional " + std::string(what) + " from non-optional value " +
                      ToText(value));
}

// What upstream calls the kind of a value that cannot be gone through.
std::string RangeName(const Value& v) {
  switch (v.kind()) {
    case ValueKind::kNull: return "types.Null";
    case ValueKind::kBool: return "types.Bool";
    case ValueKind::kInt: return "types.Int";
    case ValueKind::kUint: return "types.Uint";
    case ValueKind::kDouble: return "types.Double";
    case ValueKind::kString: return "types.String";
    case ValueKind::kBytes: return "types.Bytes";
    case ValueKind::kDuration: return "types.Duration";
    case ValueKind::kTimestamp: return "types.Timestamp";
    case ValueKind::kType: return "*types.Type";
    case ValueKind::kOptional: return "*types.Optional";
    default: return TypeOf(v)->name();
  }
}

// True: the entry is left out.
bool Unwrap(Value& value, const std::string& what) {
  if (!value.is(ValueKind::kOptional)) {
    value = NotOptional(what, value);
    return false;
  }
  if (!value.has_value()) return true;
  value = Value(value.inner());
  return false;
}

}  // namespace

Value Attribute::Start(Frame& frame) const {
  switch (root) {
    case Root::kVariable: return frame.variables[index];
    case Root::kLocal:
      // What a comprehension starts with is evaluated when somebody asks for it.
      if (const Fold* fold = std::exchange(frame.waiting[index], nullptr))
        frame.locals[index] = fold->init->Eval(frame);
      return frame.locals[index];
    default: return operand->Eval(frame);
  }
}

Value Attribute::Resolve(Frame& frame) const {
  if (root == Root::kConditional) {
    const Value condition = operand->Eval(frame);
    if (!condition.is(ValueKind::kBool)) return NoSuchOverload(condition);
    return (condition.boolean() ? truthy : falsy)->Resolve(frame);
  }
  Value start = Start(frame);
  if (start.is_error()) return start;
  return Walk(std::move(start), qualifiers, frame);
}

Value Attribute::Eval(Frame& frame) const {
  Value value = Resolve(frame);
  if (root != Root::kConditional && !test) frame.Pay(1);
  return value;
}

void Attribute::Add(std::shared_ptr<const Qualifier> qualifier) {
  if (root == Root::kConditional) {
    truthy->Add(qualifier);
    falsy->Add(std::move(qualifier));
    return;
  }
  qualifiers.push_back(std::move(qualifier));
}

Value And::Eval(Frame& frame) const {
  Value error;
  for (const NodePtr& term : terms) {
    Value value = term->Eval(frame);
    if (value.is(ValueKind::kBool)) {
      if (value.boolean() == is_or) return value;
    } else if (!error.is_error()) {
      error = NoSuchOverload(value);
    }
  }
  return error.is_error() ? error : Value::Bool(!is_or);
}

Value Equality::Eval(Frame& frame) const {
  const Value args[] = {left->Eval(frame), right->Eval(frame)};
  Value result;
  if (args[0].is_error() || args[1].is_error()) {
    result = args[0].is_error() ? args[0] : args[1];
  } else {
    result = Equal(args[0], args[1]);
    if (negated) result = Value::Bool(!result.is_true());
  }
  static const CallCost equal = FindCallCost("_==_", "equals"), unequal = FindCallCost("_!=_", "not_equals");
  frame.Pay((negated ? unequal : equal)(Args(args), result));
  return result;
}

Value Call::Eval(Frame& frame) const {
  constexpr size_t kFew = 4;
  Value few[kFew];
  std::vector<Value> many;
  if (args.size() > kFew) many.resize(args.size());
  const std::span<Value> values(args.size() > kFew ? many.data() : few, args.size());
  const Value* error = nullptr;
  for (size_t i = 0; i < args.size(); ++i) {
    values[i] = args[i]->Eval(frame);
    if (!values[i].is_error() || function->non_strict) continue;
    if (!error) error = &values[i];
    if (args.size() > 2) return *error;  // the rest is not looked at, and costs nothing
  }
  Value result = error ? *error : Apply(values);
  frame.Pay(cost(values, result));
  return result;
}

Value Call::Apply(Args values) const {
  if (regex) {
    const Value& text = values[0];
    if (!text.is(ValueKind::kString)) return NoSuchOverload(text);
    if (function->name == "matches") return Value::Bool(regex->Matches(text.text()));
    if (function->name == "find") return Value::String(std::string(regex->Find(text.text())));
    std::vector<std::string> found;
    for (const std::string_view match :
         regex->FindAll(text.text(), values.size() == 3 ? values[2].integer() : -1))
      found.emplace_back(match);
    return Value::Strings(std::move(found));
  }
  if (function->singleton) {
    if (!function->takes || function->takes(values[0])) return function->singleton(values);
    // Texts and times have functions of their own, and miss this one in other words.
    if (values[0].is(ValueKind::kString) || values[0].is(ValueKind::kTimestamp) ||
        values[0].is(ValueKind::kDuration))
      return NoSuchOverload();
    return Value::Error("no such overload: " + function->name);
  }
  if (overload) {
    if (function->guarded && !Function::Fits(*overload, values)) return NoMatch(function->name, values);
    return overload->call ? overload->call(values) : NoMatch(function->name, values);
  }
  for (const Overload& candidate : function->overloads)
    if (candidate.call &&
        (function->guarded ? Function::Fits(candidate, values) : candidate.args.size() == values.size()))
      return candidate.call(values);
  return NoMatch(function->name, values);
}

Value Membership::Eval(Frame& frame) const {
  Value value = item->Eval(frame);
  if (value.is_error()) return value;
  for (size_t i = 0; i < list.list().size(); ++i)
    if (IsEqual(list.list().At(i), value)) return Value::Bool(true);
  return Value::Bool(false);
}

Value OptionalOr::Eval(Frame& frame) const {
  Value first = left->Eval(frame);
  if (!first.is(ValueKind::kOptional)) return first;
  if (!first.has_value()) return right->Eval(frame);
  return value ? first.inner() : first;
}

Value MakeList::Eval(Frame& frame) const {
  std::vector<Value> values;
  values.reserve(items.size());
  Value error;
  for (size_t i = 0; i < items.size(); ++i) {
    Value item = items[i]->Eval(frame);
    if (!item.is_error() && i < optional.size() && optional[i] && Unwrap(item, "list element")) continue;
    if (item.is_error()) {
      error = std::move(item);
      break;
    }
    values.push_back(std::move(item));
  }
  frame.Pay(kListCreation);
  return error.is_error() ? error : Value::ListOf(std::move(values));
}

Value MakeMap::Eval(Frame& frame) const {
  auto map = std::make_shared<VectorMap>();
  Value error;
  for (size_t i = 0; i < keys.size() && !error.is_error(); ++i) {
    Value key = keys[i]->Eval(frame);
    if (key.is_error()) {
      error = std::move(key);
      break;
    }
    Value value = values[i]->Eval(frame);
    if (!value.is_error() && optional[i] && Unwrap(value, "entry '" + ToText(key) + "'")) {
      map->Erase(key);
      continue;
    }
    if (value.is_error()) {
      error = std::move(value);
    } else {
      map->Set(std::move(key), std::move(value));
    }
  }
  frame.Pay(kMapCreation);
  return error.is_error() ? error : Value::Of(std::shared_ptr<const Map>(std::move(map)));
}

Value MakeObject::Eval(Frame& frame) const {
  std::vector<std::pair<std::string, Value>> set;
  Value error;
  for (size_t i = 0; i < fields.size() && !error.is_error(); ++i) {
    Value value = values[i]->Eval(frame);
    if (!value.is_error() && optional[i] && Unwrap(value, "entry '" + fields[i] + "'")) continue;
    if (value.is_error()) {
      error = std::move(value);
    } else {
      set.emplace_back(fields[i], std::move(value));
    }
  }
  frame.Pay(kStructCreation);
  return error.is_error() ? error : types->New(name, std::move(set));
}

bool Fold::Step(Frame& frame) const {
  const Value more = condition->Eval(frame);
  if (more.is(ValueKind::kBool) && !more.boolean()) return false;
  Value next = step->Eval(frame);
  frame.waiting[accumulator] = nullptr;
  frame.locals[accumulator] = std::move(next);
  if (++frame.steps % kInterruptFrequency == 0 && frame.options.interrupted && frame.options.interrupted())
    throw Interrupted();
  return true;
}

Value Fold::Eval(Frame& frame) const {
  Value over = range->Eval(frame);
  if (over.is_error()) return over;
  if (!over.is(ValueKind::kList) && !over.is(ValueKind::kMap))
    return Value::Error(two ? "unsupported comprehension range type: " + RangeName(over)
                            : "got '" + RangeName(over) + "', expected iterable type");
  frame.waiting[accumulator] = this;
  const bool list = over.is(ValueKind::kList);
  const size_t size = list ? over.list().size() : over.map().size();
  for (size_t i = 0; i < size; ++i) {
    if (two) {
      frame.locals[variable] = list ? Value::Int(static_cast<int64_t>(i)) : over.map().KeyAt(i);
      frame.locals[variable2] = list ? over.list().At(i) : over.map().ValueAt(i);
    } else {
      frame.locals[variable] = list ? over.list().At(i) : over.map().KeyAt(i);
    }
    if (!Step(frame)) break;
  }
  return result->Eval(frame);
}

}  // namespace keelson::cel::plan
