#include "extensions/schema/validate.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <unordered_map>
#include <vector>

#include "api/codec/to_tree.h"
#include "api/patch/go_format.h"
#include "api/types/builtin_types.h"
#include "api/validation/quote.h"
#include "base/utf8.h"
#include "extensions/schema/list_types.h"
#include "extensions/schema/render.h"
#include "extensions/schema/unchanged.h"

namespace keelson::extensions {
namespace {

using api::ListNode;
using api::MapNode;
using api::Value;
using api::field::Error;
using api::field::ErrorList;
using api::field::ErrorType;
using Tag = Value::Tag;

// Where the validator is: spelled out only for errors.
struct Place {
  const Place* parent = nullptr;
  std::string_view name;
  int64_t index = -1;
  bool extra = false;  // an additional property, whose path has its dot also at the root

  std::string ToString() const {
    std::string path = parent ? parent->ToString() : std::string();
    if (index >= 0) return path + "[" + std::to_string(index) + "]";
    if (!path.empty() || extra) path += '.';
    return path.append(name);
  }
};

std::string TextOf(const Place* at) { return at ? at->ToString() : std::string(); }

std::string_view WithoutDot(std::string_view path) {
  if (path.starts_with('.')) path.remove_prefix(1);
  return path;
}

// What one schema found. How many checks held decides which alternative's errors are shown.
struct Found {
  std::vector<Error> errors;
  int matches = 0;

  bool valid() const { return errors.empty(); }
  void Add(Error error) {
    const auto same = [&](const Error& e) {
      return e.field == error.field && e.type == error.type && e.detail == error.detail &&
             e.bad_value == error.bad_value;
    };
    if (std::ranges::none_of(errors, same)) errors.push_back(std::move(error));
  }
  void Merge(Found other) {
    matches += other.matches;
    if (errors.empty()) {
      errors = std::move(other.errors);
      return;
    }
    for (Error& error : other.errors) Add(std::move(error));
  }
};

std::string_view JsonTypeName(const Value& v) {
  switch (v.tag()) {
    case Tag::kBool: return "boolean";
    case Tag::kInt: return "integer";
    case Tag::kDouble: return "number";
    case Tag::kString: return "string";
    case Tag::kList: return "array";
    case Tag::kMap: return "object";
    default: return "null";
  }
}

// As Go's swag decides it.
bool IsJsonInteger(double f) {
  constexpr double kLargest = 9007199254740991.0;
  if (std::isnan(f) || std::isinf(f) || f < -kLargest || f > kLargest) return false;
  const double g = std::trunc(f);
  if (f == g) return true;
  const double difference = std::abs(f - g), sum = std::abs(f) + std::abs(g);
  if (f == 0 || g == 0) return false;
  return difference / sum < 1e-9;
}

class Validator {
 public:
  // `at` null: the whole object.
  Found Any(const Value& v, const Schema& s, const Place* at, const Value* old) {
    Found found;
    if (v.is(Tag::kNull)) {
      found.Merge(Type(v, s, at));
      CheckEnum(v, s, at, found);
      return found;
    }
    if (HasType(s) || s.format != Format::kNone) {
      found.Merge(Type(v, s, at));
      ++found.matches;
    }
    found.Merge(Junctors(v, s, at, old));
    ++found.matches;
    if (v.is(Tag::kString)) {
      String(v, s, at, found);
      ++found.matches;
      if (IsStringFormat(s)) {
        CheckFormat(v, s, at, found);
        ++found.matches;
      }
    }
    if (v.is(Tag::kInt) || v.is(Tag::kDouble)) {
      Number(v, s, at, found);
      found.matches += 2;
    }
    if (v.list()) {
      List(*v.list(), s, at, old, found);
      found.matches += 2;
    }
    CheckEnum(v, s, at, found);
    ++found.matches;
    if (v.map()) {
      Object(*v.map(), s, at, old, found);
      ++found.matches;
    }
    ++found.matches;
    return found;
  }

  // The same of a part that was something else before: what did not change is not held against it.
  Found Ratcheted(const Value& v, const Schema& s, const Place* at, const Value* old) {
    Found found = Any(v, s, at, old);
    if (old && !found.valid() && Unchanged(v, *old, s)) found.errors.clear();
    return found;
  }

 private:
  static bool HasType(const Schema& s) { return s.type != JsonType::kNone || s.int_or_string; }
  static bool IsStringFormat(const Schema& s) {
    return s.format != Format::kNone && s.format < Format::kInt32;
  }
  static std::string TypeNames(const Schema& s) {
    return s.int_or_string ? "integer,string" : std::string(NameOf(s.type));
  }
  static bool Allows(const Schema& s, std::string_view type) {
    return s.int_or_string ? type == "integer" || type == "string" : NameOf(s.type) == type;
  }

  static Error Make(ErrorType type, const Place* at, std::string value, std::string detail) {
    return {.type = type,
            .field = std::string(WithoutDot(TextOf(at))),
            .bad_value = std::move(value),
            .has_value = true,
            .detail = std::move(detail)};
  }
  static Error Invalid(const Place* at, const Value& value, std::string_view what) {
    return Make(ErrorType::kInvalid, at, RenderTree(value), TextOf(at) + " in body " + std::string(what));
  }
  static Error TypeInvalid(const Place* at, std::string_view wanted, std::string_view given) {
    const std::string quoted = api::Quoted(given);
    return Make(ErrorType::kTypeInvalid, at, quoted,
                TextOf(at) + " in body must be of type " + std::string(wanted) + ": " + quoted);
  }
  // Upstream does not say where, but in the text.
  static Error Nowhere(std::string text) {
    return {.type = ErrorType::kInvalid,
            .field = "<nil>",
            .bad_value = "\"\"",
            .has_value = true,
            .detail = std::move(text)};
  }
  static Error TooMany(const Place* at, size_t actual, int64_t most) {
    return Make(ErrorType::kTooMany, at, std::to_string(actual),
                "must have at most " + std::to_string(most) + (most == 1 ? " item" : " items"));
  }

  Found Type(const Value& v, const Schema& s, const Place* at) {
    Found found;
    if (v.is(Tag::kNull)) {
      if (HasType(s) && !s.nullable) {
        found.Add(TypeInvalid(at, TypeNames(s), "null"));
        return found;
      }
      ++found.matches;
      return found;
    }
    const std::string_view given = JsonTypeName(v);
    const bool number = Allows(s, "number"), integer = Allows(s, "integer");
    const bool float_as_int = v.is(Tag::kDouble) && integer && IsJsonInteger(v.real());
    const bool int_as_float = v.is(Tag::kInt) && number;
    const bool text_or_list = v.is(Tag::kString) || v.list();
    const bool fits = Allows(s, given) || float_as_int || int_as_float;
    if (s.format != Format::kNone && !text_or_list && !fits) {
      const std::string_view actual = v.is(Tag::kInt) ? "int64" : v.is(Tag::kDouble) ? "float64" : "";
      if (actual != s.format_name) {
        found.Add(TypeInvalid(at, s.format_name, actual));
        return found;
      }
    }
    const bool by_format = !number && !integer && s.format != Format::kNone && text_or_list;
    if (!by_format && !fits) {
      found.Add(TypeInvalid(at, TypeNames(s), given));
      return found;
    }
    ++found.matches;
    return found;
  }

  void String(const Value& v, const Schema& s, const Place* at, Found& found) {
    const Checks* c = s.checks;
    if (!c) return;
    const std::string_view text = v.string();
    const auto length = static_cast<int64_t>(c->max_length || c->min_length ? base::CountRunes(text) : 0);
    if (c->max_length && length > *c->max_length) {
      Error error = Make(ErrorType::kTooLong, at, "",
                         "may not be more than " + std::to_string(*c->max_length) +
                             (*c->max_length == 1 ? " byte" : " bytes"));
      error.has_value = false;
      return found.Add(std::move(error));
    }
    if (c->min_length && length < *c->min_length)
      return found.Add(
          Invalid(at, v, "should be at least " + std::to_string(*c->min_length) + " chars long"));
    if (!c->pattern) return;
    const auto& pattern = c->pattern->Get();
    const std::string shown(c->pattern->text());
    if (!pattern)
      return found.Add(
          Invalid(at, v, "should match '" + shown + ", but pattern is invalid: " + pattern.error() + "'"));
    if (!pattern->Matches(text)) found.Add(Invalid(at, v, "should match '" + shown + "'"));
  }

  void CheckFormat(const Value& v, const Schema& s, const Place* at, Found& found) {
    if (!HasFormat(v.string(), s.format)) found.Add(TypeInvalid(at, s.format_name, v.string()));
  }

  // Whether a number can be what the type and format say; the error tells what it is the value of.
  static bool InRange(const Value& v, const Schema& s, std::string_view what, const Place* at, Found& found) {
    const double d = v.real();
    std::string format;
    bool fits = true;
    if (!s.int_or_string && s.type == JsonType::kInteger) {
      const bool whole = v.is(Tag::kInt) || (d == std::trunc(d) && std::abs(d) < 9.3e18);
      fits = whole;
      if (s.format == Format::kInt32) {
        fits = whole && d >= std::numeric_limits<int32_t>::min() && d <= std::numeric_limits<int32_t>::max();
        format = "int32";
      } else if (s.format == Format::kInt64) {
        format = "int64";
      }
    } else if (!s.int_or_string && s.type == JsonType::kNumber && s.format == Format::kFloat) {
      fits = std::abs(d) <= std::numeric_limits<float>::max();
      format = "float";
    }
    if (fits) return true;
    found.Add(Nowhere(std::string(what) + " value must be of type " + std::string(NameOf(s.type)) +
                      (format.empty() ? " (default format)" : " with format " + format) + " in " +
                      TextOf(at)));
    return false;
  }

  void Number(const Value& v, const Schema& s, const Place* at, Found& found) {
    InRange(v, s, "Checked", at, found);
    const Checks* c = s.checks;
    if (!c) return;
    const auto bound = [&](double limit, std::string_view what) {
      const bool native = InRange(Value::Double(limit), s, what, at, found);
      return native && v.is(Tag::kInt) ? Value::Int(static_cast<int64_t>(limit)) : Value::Double(limit);
    };
    const auto less = [&](const Value& a, const Value& b) {
      return a.is(Tag::kInt) && b.is(Tag::kInt) ? a.integer() < b.integer() : a.real() < b.real();
    };
    if (c->multiple_of) {
      const Value factor = bound(*c->multiple_of, "MultipleOf");
      if (factor.real() <= 0) {
        found.Add(Make(
            ErrorType::kInvalid, at, RenderTree(factor),
            "factor MultipleOf declared for " + TextOf(at) + " must be positive: " + api::GoFormat(factor)));
      } else if (!IsMultiple(v, factor)) {
        found.Add(Invalid(at, v, "should be a multiple of " + api::GoFormat(factor)));
      }
    }
    if (c->minimum) {
      const Value least = bound(*c->minimum, "Minimum boundary");
      if (c->exclusive_minimum ? !less(least, v) : less(v, least))
        found.Add(Invalid(
            at, v,
            (c->exclusive_minimum ? "should be greater than " : "should be greater than or equal to ") +
                api::GoFormat(least)));
    }
    if (c->maximum) {
      const Value most = bound(*c->maximum, "Maximum boundary");
      if (c->exclusive_maximum ? !less(v, most) : less(most, v))
        found.Add(
            Invalid(at, v,
                    (c->exclusive_maximum ? "should be less than " : "should be less than or equal to ") +
                        api::GoFormat(most)));
    }
  }

  static bool IsMultiple(const Value& v, const Value& factor) {
    if (v.is(Tag::kInt) && factor.is(Tag::kInt)) return v.integer() % factor.integer() == 0;
    const double f = factor.real();
    return IsJsonInteger(f < 1 ? 1 / f * v.real() : v.real() / f);
  }

  void CheckEnum(const Value& v, const Schema& s, const Place* at, Found& found) {
    if (!s.checks || s.checks->values.empty()) return;
    for (const Value& allowed : s.checks->values)
      if (SameAsEnum(v, allowed)) return;
    std::string detail;
    for (const Value& allowed : s.checks->values)
      detail.append(detail.empty() ? "supported values: " : ", ")
          .append(api::Quoted(allowed.is(Tag::kString) ? std::string(allowed.string()) : TreeJson(allowed)));
    found.Add(Make(ErrorType::kNotSupported, at, RenderTree(v), std::move(detail)));
  }

  // Numbers are compared as the type of what is allowed.
  static bool SameAsEnum(const Value& v, const Value& allowed) {
    if (v.is(Tag::kNull)) return false;
    if (v.is(Tag::kDouble) && allowed.is(Tag::kInt)) return std::trunc(v.real()) == allowed.real();
    return api::Equal(v, allowed, api::kAnyType);
  }

  void List(const ListNode& list, const Schema& s, const Place* at, const Value* old, Found& found) {
    if (s.items) {
      const OldElements old_elements(s, old);
      for (uint32_t i = 0; i < list.size; ++i) {
        const Place place{at, {}, i};
        const Value* was = old_elements.Find(list.data[i]);
        found.Merge(was ? Ratcheted(list.data[i], *s.items, &place, was)
                        : Any(list.data[i], *s.items, &place, nullptr));
      }
    }
    const Checks* c = s.checks;
    if (!c) return;
    const Value size = Value::Int(list.size);
    if (c->min_items && list.size < *c->min_items)
      found.Add(Invalid(at, size, "should have at least " + std::to_string(*c->min_items) + " items"));
    if (c->max_items && list.size > *c->max_items) found.Add(TooMany(at, list.size, *c->max_items));
    if (c->unique_items && HasRepeated(list))
      found.Add(Invalid(at, Value::String(""), "shouldn't contain duplicates"));
  }

  static bool HasRepeated(const ListNode& list) {
    std::vector<std::string> texts;
    for (const Value& item : list.items()) texts.push_back(TreeJson(item));
    std::ranges::sort(texts);
    return std::ranges::adjacent_find(texts) != texts.end();
  }

  // The elements that a list had before, by their keys. Lists are not compared by place.
  class OldElements {
   public:
    OldElements(const Schema& s, const Value* old) : schema_(s) {
      if (!old || !old->list() || s.list_type != api::ListType::kMap) return;
      if (s.list_map_keys.size() == 1 && ArePlainlyDistinct(old->list()->items(), s)) {
        plain_ = old->list()->items();
        return;
      }
      for (const Value& was : old->list()->items())
        if (was.map()) by_keys_.try_emplace(ListKeysOf(was, s), &was);
    }
    // Null: none.
    const Value* Find(const Value& item) const {
      if (!item.map()) return nullptr;
      if (!plain_.empty()) return FindPlain(item);
      if (by_keys_.empty()) return nullptr;
      const auto found = by_keys_.find(ListKeysOf(item, schema_));
      return found == by_keys_.end() ? nullptr : found->second;
    }

   private:
    const Value* FindPlain(const Value& item) const {
      const std::string_view name = schema_.list_map_keys[0];
      const Value* const key = item.map()->Find(name);
      if (!key) return nullptr;
      for (const Value& was : plain_) {
        const Value& other = *was.map()->Find(name);
        // Numbers are the same key if they are the same JSON.
        const bool same = key->tag() == other.tag()
                              ? key->string() == other.string() && key->integer() == other.integer()
                              : TreeJson(*key) == TreeJson(other);
        if (same) return &was;
      }
      return nullptr;
    }

    const Schema& schema_;
    std::span<const Value> plain_;  // few elements whose keys are read where they are
    std::unordered_map<std::string, const Value*> by_keys_;
  };

  void Object(const MapNode& map, const Schema& s, const Place* at, const Value* old, Found& found) {
    const Checks* c = s.checks;
    if (c && c->min_properties && map.size < *c->min_properties)
      found.Add(Invalid(at, Value::Int(map.size),
                        "should have at least " + std::to_string(*c->min_properties) + " properties"));
    if (c && c->max_properties && map.size > *c->max_properties)
      found.Add(TooMany(at, map.size, *c->max_properties));
    for (const auto& entry : map.entries()) {
      if (s.Find(entry.key)) continue;
      if (s.additional_forbidden) {
        const std::string path = TextOf(at);
        found.Add(Make(ErrorType::kInvalid, at, api::Quoted(entry.key),
                       path + "." + std::string(entry.key) + " in body is a forbidden property"));
      } else if (s.additional) {
        Member(entry, *s.additional, {at, entry.key, -1, true}, old, found);
      }
    }
    for (const auto& entry : map.entries())
      if (const Schema* property = s.Find(entry.key)) Member(entry, *property, {at, entry.key}, old, found);
    for (const std::string_view name : s.required) {
      if (map.Find(name)) continue;
      const Place place{at, name};
      found.Add({.type = ErrorType::kRequired, .field = std::string(WithoutDot(place.ToString()))});
    }
  }

  void Member(const MapNode::Entry& entry, const Schema& s, const Place& place, const Value* old,
              Found& found) {
    const bool identity = !place.parent && (entry.key == "kind" || entry.key == "apiVersion");
    const Value* was = old && old->map() && !identity ? old->map()->Find(entry.key) : nullptr;
    found.Merge(was ? Ratcheted(entry.value, s, &place, was) : Any(entry.value, s, &place, nullptr));
  }

  Found Junctors(const Value& v, const Schema& s, const Place* at, const Value* old) {
    Found found;
    ++found.matches;
    const Checks* c = s.checks;
    if (!c) return found;
    if (!c->any_of.empty()) AnyOf(v, *c, at, old, found);
    if (!c->one_of.empty()) OneOf(v, *c, at, old, found);
    if (!c->all_of.empty()) AllOf(v, *c, at, old, found);
    if (c->not_of && Any(v, *c->not_of, at, old).valid())
      found.Add(Nowhere(api::Quoted(TextOf(at)) + " must not validate the schema (not)"));
    return found;
  }

  void AnyOf(const Value& v, const Checks& c, const Place* at, const Value* old, Found& found) {
    std::optional<Found> best;
    for (const Schema* one : c.any_of) {
      Found result = Any(v, *one, at, old);
      if (result.valid()) return found.Merge(std::move(result));
      if (!best || result.matches > best->matches) best = std::move(result);
    }
    found.Add(Nowhere(api::Quoted(TextOf(at)) + " must validate at least one schema (anyOf)"));
    found.Merge(*std::move(best));
  }

  void OneOf(const Value& v, const Checks& c, const Place* at, const Value* old, Found& found) {
    std::optional<Found> best, first;
    int valid = 0;
    for (const Schema* one : c.one_of) {
      Found result = Any(v, *one, at, old);
      if (result.valid()) {
        ++valid;
        best.reset();
        if (!first) first = std::move(result);
      } else if (valid == 0 && (!best || result.matches > best->matches)) {
        best = std::move(result);
      }
    }
    if (valid == 1) return found.Merge(*std::move(first));
    const std::string count =
        valid == 0 ? "Found none valid" : "Found " + std::to_string(valid) + " valid alternatives";
    found.Add(Nowhere(api::Quoted(TextOf(at)) + " must validate one and only one schema (oneOf). " + count));
    if (best) found.Merge(*std::move(best));
  }

  void AllOf(const Value& v, const Checks& c, const Place* at, const Value* old, Found& found) {
    size_t valid = 0;
    for (const Schema* one : c.all_of) {
      Found result = Any(v, *one, at, old);
      if (result.valid()) ++valid;
      found.Merge(std::move(result));
    }
    if (valid == c.all_of.size()) return;
    found.Add(Nowhere(api::Quoted(TextOf(at)) + " must validate all the schemas (allOf)" +
                      (valid == 0 ? ". None validated" : "")));
  }
};

}  // namespace

ErrorList ValidateValue(const Value& value, const Schema& schema, std::string_view path, const Value* old) {
  // A whole object has metadata that no schema knows, so it is never as it was.
  Found found = path.empty() ? Validator().Any(value, schema, nullptr, old)
                             : Validator().Ratcheted(value, schema, nullptr, old);
  ErrorList errors;
  for (Error& error : found.errors) {
    if (!path.empty()) {
      const bool nowhere = error.field.empty() || error.field == "<nil>";
      error.field = nowhere ? std::string(path) : std::string(path) + "." + error.field;
    }
    errors.Add(std::move(error));
  }
  return errors;
}

Value WholeTree(const api::StructNode& root, const Schema& schema, api::Arena& arena) {
  constexpr size_t kKind = 0, kApiVersion = 1, kMetadata = 2;  // ordinals
  MapNode* whole = MapNode::New(nullptr, arena);
  whole->Set("apiVersion", Value::String(root.slot(kApiVersion).string()), arena);
  whole->Set("kind", Value::String(root.slot(kKind).string()), arena);
  const Schema* of_metadata = schema.Find("metadata");
  Value metadata = Value::Of(MapNode::New(nullptr, arena));
  if (of_metadata && root.slot(kMetadata).node() &&
      (of_metadata->checks || !of_metadata->properties.empty() || !of_metadata->required.empty()))
    metadata = api::json::ToTree(*root.slot(kMetadata).node(), arena);
  whole->Set("metadata", metadata, arena);
  if (const MapNode* content = root.slot(root.type->fields.size() - 1).map())
    for (const auto& entry : content->entries()) whole->Set(entry.key, entry.value, arena);
  return Value::Of(whole);
}

}  // namespace keelson::extensions
