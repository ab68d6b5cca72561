#include "storage/selection.h"

#include <algorithm>
#include <charconv>

#include "api/validation/names.h"
#include "api/validation/quote.h"
#include "storage/label_selector_lexer.h"

namespace keelson::storage {
namespace {

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

std::string Invalid(std::string_view path, std::string_view value, std::string_view why) {
  std::string text(path);
  text += ": Invalid value: ";
  api::AppendQuoted(value, text);
  text += ": ";
  text += why;
  return text;
}

std::string Join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string joined;
  for (const auto& part : parts) {
    if (&part != &parts.front()) joined += separator;
    joined += part;
  }
  return joined;
}

// Several complaints as one text, each named once.
std::string Aggregate(const std::vector<std::string>& errors) {
  if (errors.size() == 1) return errors.front();
  std::vector<std::string> unique;
  for (const auto& e : errors)
    if (std::ranges::find(unique, e) == unique.end()) unique.push_back(e);
  if (unique.size() == 1) return unique.front();
  return "[" + Join(unique, ", ") + "]";
}

}  // namespace

// Recursive descent over the token list; each step returns upstream's complaint.
class LabelSelectorParser {
 public:
  explicit LabelSelectorParser(std::string_view text) : tokens_(LexLabelSelector(text)) {}

  base::Result<LabelSelector, std::string> Parse() {
    LabelSelector selector;
    for (;;) {
      const LabelToken& token = Peek();
      if (token.type == LabelToken::Type::kEnd) break;
      if (!IsWord(token) && token.type != LabelToken::Type::kNot)
        return Err(Found(token) + ", expected: !, identifier, or 'end of string'");
      auto requirement = ParseRequirement();
      if (!requirement) return Err("unable to parse requirement: " + requirement.error());
      selector.requirements_.push_back(std::move(*requirement));
      const LabelToken& after = Next();
      if (after.type == LabelToken::Type::kEnd) break;
      if (after.type != LabelToken::Type::kComma)
        return Err(Found(after) + ", expected: ',' or 'end of string'");
      if (!IsWord(Peek()) && Peek().type != LabelToken::Type::kNot)
        return Err(Found(Peek()) + ", expected: identifier after ','");
    }
    return selector;
  }

 private:
  using Type = LabelToken::Type;
  using Op = LabelSelector::Op;
  using Requirement = LabelSelector::Requirement;
  using Values = std::vector<std::string>;

  // `in` and `notin` are operators only where one is expected.
  static bool IsWord(const LabelToken& t) {
    return t.type == Type::kIdentifier || t.type == Type::kIn || t.type == Type::kNotIn;
  }
  static std::string Found(const LabelToken& t) { return "found '" + std::string(t.text) + "'"; }
  const LabelToken& Peek() const { return tokens_[position_]; }
  const LabelToken& Next() { return tokens_[position_++]; }

  base::Result<Requirement, std::string> ParseRequirement() {
    Requirement r;
    const bool negated = Peek().type == Type::kNot;
    if (negated) Next();
    const LabelToken& key = Next();
    if (!IsWord(key)) return Err(Found(key) + ", expected: identifier");
    if (auto errors = api::IsQualifiedName(key.text); !errors.empty())
      return Err(Invalid("<nil>", key.text, Join(errors, "; ")));
    r.key = key.text;
    if (negated) {
      r.op = Op::kNotExists;
      return r;
    }
    if (Peek().type == Type::kEnd || Peek().type == Type::kComma) return r;
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

  static base::Result<Requirement, std::string> Complete(Requirement r, Type op, Values values) {
    std::vector<std::string> errors;
    switch (op) {
      case Type::kNotIn:
      case Type::kNotEquals: r.op = Op::kNotIn; break;
      case Type::kGreater:
      case Type::kLess: {
        r.op = op == Type::kGreater ? Op::kGreater : Op::kLess;
        auto bound = ParseInt(values.front());
        if (bound) r.bound = *bound;
        if (!bound)
          errors.push_back(
              Invalid("values[0]", values.front(), "for 'Gt', 'Lt' operators, the value must be an integer"));
        break;
      }
      default: r.op = Op::kIn;
    }
    for (size_t i = 0; i < values.size(); ++i) {
      auto wrong = api::IsLabelValue(values[i]);
      if (!wrong.empty())
        errors.push_back(
            Invalid("values[" + std::to_string(i) + "][" + r.key + "]", values[i], Join(wrong, "; ")));
    }
    if (!errors.empty()) return Err(Aggregate(errors));
    r.values = std::move(values);
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

bool LabelSelector::Matches(const Object& object) const {
  return MatchesLabels([&](std::string_view key) { return object.FindLabel(key); });
}

bool LabelSelector::Requirement::Holds(std::optional<std::string_view> value) const {
  switch (op) {
    case Op::kIn: return value && std::ranges::find(values, *value) != values.end();
    case Op::kNotIn: return !value || std::ranges::find(values, *value) == values.end();
    case Op::kExists: return value.has_value();
    case Op::kNotExists: return !value.has_value();
    case Op::kGreater:
    case Op::kLess: {
      if (!value) return false;
      auto number = ParseInt(*value);
      return number && (op == Op::kGreater ? *number > bound : *number < bound);
    }
  }
  return false;
}

namespace {

// Splits at commas that no backslash protects.
std::vector<std::string_view> SplitTerms(std::string_view text) {
  std::vector<std::string_view> terms;
  if (text.empty()) return terms;
  size_t start = 0;
  bool escaped = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (escaped) {
      escaped = false;
    } else if (text[i] == '\\') {
      escaped = true;
    } else if (text[i] == ',') {
      terms.push_back(text.substr(start, i - start));
      start = i + 1;
    }
  }
  terms.push_back(text.substr(start));
  return terms;
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
  auto parts = SplitTerms(text);
  std::ranges::sort(parts);
  for (std::string_view part : parts) {
    if (part.empty()) continue;
    // The first operator splits the term; "==" goes before "=".
    size_t at = 0;
    size_t width = 0;
    for (; at < part.size() && width == 0; ++at) {
      const auto rest = part.substr(at);
      if (rest.starts_with("!=") || rest.starts_with("=="))
        width = 2;
      else if (rest.starts_with('='))
        width = 1;
      if (width) break;
    }
    if (width == 0)
      return Err("invalid selector: '" + std::string(text) + "'; can't understand '" + std::string(part) +
                 "'");
    auto value = UnescapeValue(part.substr(at + width));
    if (!value) return Err(std::move(value.error()));
    selector.terms_.push_back(
        {.field = std::string(part.substr(0, at)), .value = std::move(*value), .equal = part[at] != '!'});
  }
  return selector;
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
    BoundTerm bound{.value = term.value, .equal = term.equal};
    if (term.field == "metadata.name") {
      bound.what = What::kName;
    } else if (term.field == "metadata.namespace" && (namespaced || selectable_fields.empty())) {
      bound.what = What::kNamespace;
    } else {
      auto it = std::ranges::find(selectable_fields, term.field);
      if (it == selectable_fields.end()) {
        if (!selectable_fields.empty()) return Err("field label not supported: " + term.field);
        return Err(api::Quoted(term.field) +
                   R"( is not a known field selector: only "metadata.name", "metadata.namespace")");
      }
      bound.what = What::kField;
      bound.index = static_cast<size_t>(it - selectable_fields.begin());
    }
    s.terms_.push_back(std::move(bound));
  }
  return s;
}

bool Selection::Matches(const Object& object) const {
  for (const auto& t : terms_) {
    std::string_view value;
    switch (t.what) {
      case BoundTerm::What::kName: value = object.name(); break;
      case BoundTerm::What::kNamespace: value = object.ns(); break;
      case BoundTerm::What::kField: value = object.field(t.index); break;
    }
    if ((value == t.value) != t.equal) return false;
  }
  return labels_.Matches(object);
}

std::optional<std::string_view> Selection::Exact(BoundTerm::What what, size_t index) const {
  for (const auto& t : terms_)
    if (t.equal && t.what == what && t.index == index) return t.value;
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
