#include "storage/selection.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <iterator>

#include "api/validation/field.h"
#include "api/validation/names.h"
#include "api/validation/quote.h"
#include "storage/label_selector_lexer.h"

namespace keelson::storage {
namespace {

using api::field::ErrorList;
using api::field::Path;
using api::field::RenderValue;
using base::Err;

// Go's strconv.ParseInt(s, 10, 64).
std::optional<int64_t> ParseInt(std::string_view s) {
  if (s.starts_with('+')) {
    s.remove_prefix(1);
    if (s.starts_with('-')) return std::nullopt;
  }
  int64_t value = 0;
  auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value);
  if (error != std::errc() || end != s.data() + s.size()) return std::nullopt;
  return value;
}

std::string Join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string joined;
  for (const auto& part : parts) {
    if (&part != &parts.front()) joined += separator;
    joined += part;
  }
  return joined;
}

// Whether a sorted list has `value`.
bool Has(const std::vector<std::string>& sorted, std::string_view value) {
  return std::ranges::binary_search(sorted, value, std::less<>());
}

}  // namespace

// Recursive descent over the token list; each step returns upstream's complaint.
class LabelSelectorParser {
 public:
  explicit LabelSelectorParser(std::string_view text) : tokens_(LexLabelSelector(text)) {}

  base::Result<LabelSelector, std::string> Parse() {
    auto rules = TRY(ParseRules());
    return Gather(std::move(rules));
  }

  base::Result<std::vector<api::SelectorRequirement>, std::string> ParseRequirements() {
    auto rules = TRY(ParseRules());
    std::ranges::stable_sort(rules, {}, &Rule::key);
    std::vector<api::SelectorRequirement> requirements;
    requirements.reserve(rules.size());
    for (Rule& rule : rules) requirements.push_back(RequirementOf(std::move(rule)));
    return requirements;
  }

 private:
  using Type = LabelToken::Type;
  using Rule = LabelSelector::Rule;
  using Values = std::vector<std::string>;

  // One rule for each requirement.
  base::Result<std::vector<Rule>, std::string> ParseRules() {
    std::vector<Rule> rules;
    for (;;) {
      const LabelToken& token = Peek();
      if (token.type == LabelToken::Type::kEnd) break;
      if (!IsWord(token) && token.type != LabelToken::Type::kNot)
        return Err(Found(token) + ", expected: !, identifier, or 'end of string'");
      auto requirement = ParseRequirement();
      if (!requirement) return Err("unable to parse requirement: " + requirement.error());
      rules.push_back(std::move(*requirement));
      const LabelToken& after = Next();
      if (after.type == LabelToken::Type::kEnd) break;
      if (after.type != LabelToken::Type::kComma)
        return Err(Found(after) + ", expected: ',' or 'end of string'");
      if (!IsWord(Peek()) && Peek().type != LabelToken::Type::kNot)
        return Err(Found(Peek()) + ", expected: identifier after ','");
    }
    return rules;
  }

  // Requires: the rule is of one requirement.
  static api::SelectorRequirement RequirementOf(Rule rule) {
    using enum api::SelectorOperator;
    if (rule.absent) return {std::move(rule.key), kDoesNotExist, {}};
    if (rule.in) return {std::move(rule.key), kIn, *std::move(rule.in)};
    if (rule.above) return {std::move(rule.key), kGreaterThan, {std::to_string(*rule.above)}};
    if (rule.below) return {std::move(rule.key), kLessThan, {std::to_string(*rule.below)}};
    if (rule.present) return {std::move(rule.key), kExists, {}};
    return {std::move(rule.key), kNotIn, std::move(rule.not_in)};
  }

  // `in` and `notin` are operators only where one is expected.
  static bool IsWord(const LabelToken& t) {
    return t.type == Type::kIdentifier || t.type == Type::kIn || t.type == Type::kNotIn;
  }
  static std::string Found(const LabelToken& t) { return "found '" + std::string(t.text) + "'"; }
  const LabelToken& Peek() const { return tokens_[position_]; }
  const LabelToken& Next() { return tokens_[position_++]; }

  // One rule for each key.
  static LabelSelector Gather(std::vector<Rule> rules) {
    LabelSelector selector;
    std::ranges::stable_sort(rules, {}, &Rule::key);
    for (Rule& rule : rules) {
      if (!selector.rules_.empty() && selector.rules_.back().key == rule.key)
        selector.rules_.back().Add(std::move(rule));
      else
        selector.rules_.push_back(std::move(rule));
    }
    for (Rule& rule : selector.rules_) {
      std::ranges::sort(rule.not_in);
      selector.present_ += rule.present;
    }
    return selector;
  }

  base::Result<Rule, std::string> ParseRequirement() {
    Rule r;
    const bool negated = Peek().type == Type::kNot;
    if (negated) Next();
    const LabelToken& key = Next();
    if (!IsWord(key)) return Err(Found(key) + ", expected: identifier");
    if (auto errors = api::IsQualifiedName(key.text); !errors.empty())
      return Err(api::field::Invalid(Path("<nil>"), RenderValue(key.text), Join(errors, "; ")).ToString());
    r.key = key.text;
    if (negated) {
      r.absent = true;
      return r;
    }
    if (Peek().type == Type::kEnd || Peek().type == Type::kComma) {
      r.present = true;
      return r;
    }
    const LabelToken& op = Next();
    base::Result<Values, std::string> values;
    switch (op.type) {
      case Type::kIn:
      case Type::kNotIn: values = ParseValues(); break;
      case Type::kEquals:
      case Type::kNotEquals:
      case Type::kGreater:
      case Type::kLess: values = ParseExactValue(); break;
      default: return Err(Found(op) + ", expected: in, notin, =, ==, !=, gt, lt");
    }
    if (!values) return Err(std::move(values.error()));
    std::ranges::sort(*values);
    values->erase(std::ranges::unique(*values).begin(), values->end());
    return Complete(std::move(r), op.type, std::move(*values));
  }

  static base::Result<Rule, std::string> Complete(Rule r, Type op, Values values) {
    ErrorList errors;
    const Path path("values");
    r.present = op != Type::kNotIn && op != Type::kNotEquals;
    if (op == Type::kGreater || op == Type::kLess) {
      auto bound = ParseInt(values.front());
      if (!bound)
        errors.Add(api::field::Invalid(path.Index(0), RenderValue(values.front()),
                                       "for 'Gt', 'Lt' operators, the value must be an integer"));
      (op == Type::kGreater ? r.above : r.below) = bound;
    }
    for (size_t i = 0; i < values.size(); ++i) {
      if (auto wrong = api::IsLabelValue(values[i]); !wrong.empty())
        errors.Add(api::field::Invalid(path.Index(i).Key(r.key), RenderValue(values[i]), Join(wrong, "; ")));
    }
    if (!errors.empty()) return Err(errors.Aggregate());
    if (!r.present)
      r.not_in = std::move(values);
    else if (op != Type::kGreater && op != Type::kLess)
      r.in = std::move(values);
    return r;
  }

  base::Result<Values, std::string> ParseValues() {
    const LabelToken& open = Next();
    if (open.type != Type::kOpen) return Err(Found(open) + " expected: '('");
    const LabelToken& first = Peek();
    if (first.type == Type::kClose) {
      Next();
      return Values{""};
    }
    if (!IsWord(first) && first.type != Type::kComma)
      return Err(Found(first) + ", expected: ',', ')' or identifier");
    auto values = ParseIdentifiers();
    if (values) Next();  // the ')' that ended the list
    return values;
  }

  // A list of words and empty words: "a,b", ",a", "a,,b", "a,". Ends before ')'.
  base::Result<Values, std::string> ParseIdentifiers() {
    Values values;
    for (;;) {
      const LabelToken& token = Next();
      if (IsWord(token)) {
        values.emplace_back(token.text);
        if (Peek().type == Type::kClose) return values;
        if (Peek().type != Type::kComma) return Err(Found(Peek()) + ", expected: ',' or ')'");
      } else if (token.type == Type::kComma) {
        if (values.empty() || Peek().type == Type::kComma || Peek().type == Type::kClose)
          values.emplace_back();
        if (Peek().type == Type::kClose) return values;
      } else {
        return Err(Found(token) + ", expected: ',', or identifier");
      }
    }
  }

  base::Result<Values, std::string> ParseExactValue() {
    if (Peek().type == Type::kEnd || Peek().type == Type::kComma) return Values{""};
    const LabelToken& token = Next();
    if (!IsWord(token)) return Err(Found(token) + ", expected: identifier");
    return Values{std::string(token.text)};
  }

  const std::vector<LabelToken> tokens_;  // ends with kEnd
  size_t position_ = 0;
};

base::Result<LabelSelector, std::string> LabelSelector::Parse(std::string_view text) {
  return LabelSelectorParser(text).Parse();
}

api::SelectorRequirements LabelSelector::ParseRequirements(std::string_view text) {
  auto requirements = LabelSelectorParser(text).ParseRequirements();
  if (!requirements) return {.error = std::move(requirements.error())};
  return {.requirements = *std::move(requirements)};
}

bool LabelSelector::Matches(const Object& object) const {
  const size_t count = object.label_count();
  if (present_ > count) return false;
  if (rules_.size() <= count + 1)
    return MatchesLabels([&](std::string_view key) { return object.FindLabel(key); });
  size_t met = 0;
  for (size_t i = 0; i < count; ++i) {
    const auto [key, value] = object.label(i);
    const auto rule = std::ranges::lower_bound(rules_, key, std::less<>(), &Rule::key);
    if (rule == rules_.end() || rule->key != key) continue;
    if (!rule->Holds(value)) return false;
    met += rule->present;
  }
  return met == present_;
}

bool LabelSelector::Rule::Holds(std::optional<std::string_view> value) const {
  if (!value) return !present;
  if (absent || (in && !Has(*in, *value)) || Has(not_in, *value)) return false;
  if (!above && !below) return true;
  const auto number = ParseInt(*value);
  return number && (!above || *number > *above) && (!below || *number < *below);
}

void LabelSelector::Rule::Add(Rule other) {
  present |= other.present;
  absent |= other.absent;
  if (in && other.in) {
    std::vector<std::string> both;
    std::ranges::set_intersection(*in, *other.in, std::back_inserter(both));
    in = std::move(both);
  } else if (other.in) {
    in = std::move(other.in);
  }
  std::ranges::move(other.not_in, std::back_inserter(not_in));
  if (other.above) above = std::max(above.value_or(*other.above), *other.above);
  if (other.below) below = std::min(below.value_or(*other.below), *other.below);
}

namespace {

// Takes the text up to the next comma that no backslash protects, and the comma, from `rest`.
std::string_view TakeTerm(std::string_view& rest) {
  size_t end = 0;
  for (; end < rest.size() && rest[end] != ','; ++end)
    if (rest[end] == '\\') ++end;
  end = std::min(end, rest.size());
  const std::string_view term = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return term;
}

struct RawTerm {
  std::string_view field, value;
  bool equal = true;
};

// The first operator splits the term; "==" goes before "=". nullopt: there is none.
std::optional<RawTerm> SplitTerm(std::string_view term) {
  for (size_t at = 0; at < term.size(); ++at) {
    const auto rest = term.substr(at);
    const size_t width = rest.starts_with("!=") || rest.starts_with("==") ? 2 : rest.starts_with('=') ? 1 : 0;
    if (width) return RawTerm{term.substr(0, at), rest.substr(width), rest[0] != '!'};
  }
  return std::nullopt;
}

base::Result<std::string, std::string> UnescapeValue(std::string_view s) {
  constexpr std::string_view kSpecial = "\\,=";
  if (s.find_first_of(kSpecial) == std::string_view::npos) return std::string(s);
  constexpr std::string_view kReplacement = "\xef\xbf\xbd";
  constexpr std::string_view kBadEscape = "invalid field selector: invalid escape sequence: \\";
  std::string value;
  bool escaped = false;
  while (!s.empty()) {
    const api::Rune rune = api::FirstRune(s);
    const std::string_view text = rune.valid ? s.substr(0, rune.size) : kReplacement;
    s.remove_prefix(rune.size);
    const bool special = text.size() == 1 && kSpecial.find(text[0]) != std::string_view::npos;
    if (escaped) {
      if (!special) return Err(std::string(kBadEscape).append(text));
      value += text;
      escaped = false;
    } else if (text == "\\") {
      escaped = true;
    } else if (special) {
      return Err("invalid field selector: unescaped character in value: " + std::to_string(rune.value));
    } else {
      value += text;
    }
  }
  if (escaped) return Err(std::string(kBadEscape));
  return value;
}

}  // namespace

base::Result<FieldSelector, std::string> FieldSelector::Parse(std::string_view text) {
  FieldSelector selector;
  std::vector<std::string_view> parts;
  for (std::string_view rest = text; !rest.empty();) parts.push_back(TakeTerm(rest));
  std::ranges::sort(parts);
  for (std::string_view part : parts) {
    if (part.empty()) continue;
    const auto term = SplitTerm(part);
    if (!term)
      return Err("invalid selector: '" + std::string(text) + "'; can't understand '" + std::string(part) +
                 "'");
    auto value = TRY(UnescapeValue(term->value));
    selector.terms_.push_back(
        {.field = std::string(term->field), .value = std::move(value), .equal = term->equal});
  }
  return selector;
}

api::SelectorRequirements FieldSelector::ParseRequirements(std::string_view text) {
  auto selector = Parse(text);
  if (!selector) return {.error = std::move(selector.error())};
  api::SelectorRequirements read;
  read.requirements.reserve(selector->terms_.size());
  for (Term& term : selector->terms_) {
    if (term.field.empty() && term.value.empty()) continue;  // selects everything
    read.requirements.push_back(
        {.key = std::move(term.field),
         .op = term.equal ? api::SelectorOperator::kIn : api::SelectorOperator::kNotIn,
         .values = {std::move(term.value)}});
  }
  return read;
}

std::optional<std::string> FieldSelector::FindExactMatch(std::string_view text, std::string_view field) {
  std::optional<std::string> found;
  std::string_view first;  // Parse takes the terms in order of their text
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view part = TakeTerm(rest);
    if (part.empty()) continue;
    const auto term = SplitTerm(part);
    if (!term) return std::nullopt;
    auto value = UnescapeValue(term->value);
    if (!value) return std::nullopt;
    if (!term->equal || term->field != field || (found && first <= part)) continue;
    found = std::move(*value);
    first = part;
  }
  return found;
}

std::optional<std::string_view> FieldSelector::RequiresExactMatch(std::string_view field) const {
  for (const auto& t : terms_)
    if (t.equal && t.field == field) return t.value;
  return std::nullopt;
}

void FieldSelector::Rename(std::string_view field, std::string_view stored) {
  for (auto& t : terms_)
    if (t.field == field) t.field = stored;
}

base::Result<Selection, std::string> Selection::Bind(LabelSelector labels, const FieldSelector& fields,
                                                     std::span<const std::string_view> selectable_fields,
                                                     bool namespaced) {
  using What = BoundTerm::What;
  Selection s;
  s.labels_ = std::move(labels);
  for (const auto& term : fields.terms()) {
    What what = What::kField;
    size_t index = 0;
    if (term.field == "metadata.name") {
      what = What::kName;
    } else if (term.field == "metadata.namespace" && (namespaced || selectable_fields.empty())) {
      what = What::kNamespace;
    } else {
      auto it = std::ranges::find(selectable_fields, term.field);
      if (it == selectable_fields.end()) {
        if (!selectable_fields.empty()) return Err("field label not supported: " + term.field);
        return Err(api::Quoted(term.field) +
                   R"( is not a known field selector: only "metadata.name", "metadata.namespace")");
      }
      index = static_cast<size_t>(it - selectable_fields.begin());
    }
    BoundTerm& bound = s.TermOf(what, index);
    if (!term.equal) {
      bound.not_equal.push_back(term.value);
    } else if (!bound.equal) {
      bound.equal = term.value;
    } else {
      bound.contradictory |= *bound.equal != term.value;
    }
  }
  for (BoundTerm& bound : s.terms_) std::ranges::sort(bound.not_equal);
  return s;
}

bool Selection::has_fields() const {
  return std::ranges::any_of(terms_, [](const BoundTerm& t) { return t.what == BoundTerm::What::kField; });
}

Selection Selection::WithoutFields() const {
  Selection rest = *this;
  std::erase_if(rest.terms_, [](const BoundTerm& t) { return t.what == BoundTerm::What::kField; });
  return rest;
}

Selection::BoundTerm& Selection::TermOf(BoundTerm::What what, size_t index) {
  for (BoundTerm& t : terms_)
    if (t.what == what && t.index == index) return t;
  return terms_.emplace_back(BoundTerm{.what = what, .index = index});
}

bool Selection::BoundTerm::Holds(std::string_view value) const {
  return !contradictory && (!equal || *equal == value) && !Has(not_equal, value);
}

bool Selection::Matches(const Object& object) const {
  for (const auto& t : terms_) {
    std::string_view value;
    switch (t.what) {
      case BoundTerm::What::kName: value = object.name(); break;
      case BoundTerm::What::kNamespace: value = object.ns(); break;
      case BoundTerm::What::kField: value = object.field(t.index); break;
    }
    if (!t.Holds(value)) return false;
  }
  return labels_.Matches(object);
}

std::optional<std::string_view> Selection::Exact(BoundTerm::What what, size_t index) const {
  for (const auto& t : terms_)
    if (t.equal && t.what == what && t.index == index) return *t.equal;
  return std::nullopt;
}

std::optional<std::string_view> Selection::exact_field(size_t i) const {
  return Exact(BoundTerm::What::kField, i);
}
std::string_view Selection::exact_name() const { return Exact(BoundTerm::What::kName, 0).value_or(""); }
std::string_view Selection::exact_namespace() const {
  return Exact(BoundTerm::What::kNamespace, 0).value_or("");
}

}  // namespace keelson::storage
