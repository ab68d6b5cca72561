#include "extensions/crd/json_path.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "api/patch/go_format.h"

namespace keelson::extensions {
namespace {

using api::Value;

std::string_view Trim(std::string_view s) {
  while (s.starts_with(' ')) s.remove_prefix(1);
  while (s.ends_with(' ')) s.remove_suffix(1);
  return s;
}

// The text between quotes; nullopt: it is not quoted.
std::optional<std::string> Unquoted(std::string_view s) {
  if (s.size() < 2 || (s[0] != '\'' && s[0] != '"') || s.back() != s[0]) return std::nullopt;
  std::string out;
  for (size_t i = 1; i + 1 < s.size(); ++i) {
    if (s[i] == '\\' && i + 2 < s.size()) ++i;
    out += s[i];
  }
  return out;
}

// The end of a bracket that begins at `at`: the place of the one that closes it.
size_t ClosingBracket(std::string_view text, size_t at) {
  char quote = 0;
  int depth = 0;
  for (size_t i = at; i < text.size(); ++i) {
    const char c = text[i];
    if (quote) {
      if (c == '\\') ++i;
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '[') {
      ++depth;
    } else if (c == ']' && --depth == 0) {
      return i;
    }
  }
  return text.npos;
}

// A name up to the next dot or bracket; a backslash makes the next character part of it.
std::string TakeName(std::string_view text, size_t& at) {
  std::string name;
  for (; at < text.size() && text[at] != '.' && text[at] != '['; ++at) {
    if (text[at] == '\\' && at + 1 < text.size()) ++at;
    name += text[at];
  }
  return name;
}

void FindAnywhere(const Value& value, std::string_view name, std::vector<const Value*>& out) {
  if (value.map()) {
    for (const auto& entry : value.map()->entries()) {
      if (entry.key == name) out.push_back(&entry.value);
      FindAnywhere(entry.value, name, out);
    }
  }
  if (value.list())
    for (const Value& item : value.list()->items()) FindAnywhere(item, name, out);
}

}  // namespace

std::optional<JsonPath> JsonPath::Parse(std::string_view text) {
  JsonPath path;
  size_t at = 0;
  if (text.starts_with('$')) at = 1;
  while (at < text.size()) {
    Step step;
    if (text[at] == '[') {
      const size_t end = ClosingBracket(text, at);
      if (end == text.npos || !ParseBracket(Trim(text.substr(at + 1, end - at - 1)), step))
        return std::nullopt;
      at = end + 1;
    } else {
      if (text[at] == '.') ++at;
      const bool anywhere = at < text.size() && text[at] == '.';
      if (anywhere) ++at;
      if (at < text.size() && text[at] == '[' && !anywhere) continue;
      step.name = TakeName(text, at);
      step.kind = anywhere ? Step::Kind::kAnywhere : step.name == "*" ? Step::Kind::kAll : Step::Kind::kField;
      if (step.name.empty()) {
        if (at >= text.size() && path.steps_.empty()) break;  // the object itself
        return std::nullopt;
      }
    }
    path.steps_.push_back(std::move(step));
  }
  return path;
}

bool JsonPath::ParseBracket(std::string_view inside, Step& step) {
  if (inside == "*") {
    step.kind = Step::Kind::kAll;
    return true;
  }
  if (auto name = Unquoted(inside)) {
    step.kind = Step::Kind::kField;
    step.name = *std::move(name);
    return true;
  }
  if (inside.starts_with("?(") && inside.ends_with(')'))
    return ParseFilter(Trim(inside.substr(2, inside.size() - 3)), step);
  step.kind = Step::Kind::kIndex;
  const auto [end, error] = std::from_chars(inside.data(), inside.data() + inside.size(), step.index);
  return error == std::errc() && end == inside.data() + inside.size();
}

bool JsonPath::ParseFilter(std::string_view inside, Step& step) {
  step.kind = Step::Kind::kFilter;
  if (!inside.starts_with('@')) return false;
  size_t at = 1;
  while (at < inside.size() && inside[at] == '.') {
    ++at;
    size_t end = at;
    while (end < inside.size() && std::string_view(".=!<> ").find(inside[end]) == std::string_view::npos)
      ++end;
    step.operand.emplace_back(inside.substr(at, end - at));
    at = end;
  }
  std::string_view rest = Trim(inside.substr(at));
  if (rest.empty()) return !step.operand.empty();
  for (const std::string_view op : {"==", "!=", "<=", ">=", "<", ">"}) {
    if (!rest.starts_with(op)) continue;
    step.comparison = op;
    rest = Trim(rest.substr(op.size()));
    if (auto text = Unquoted(rest)) {
      step.literal = *std::move(text);
      step.quoted = true;
    } else {
      step.literal = rest;
    }
    return true;
  }
  return false;
}

bool JsonPath::Holds(const Step& step, const Value& element) {
  const Value* at = &element;
  for (const std::string& name : step.operand) {
    at = at->map() ? at->map()->Find(name) : nullptr;
    if (!at) return false;
  }
  if (step.comparison.empty()) return true;
  int order = 0;
  if (step.quoted) {
    if (!at->is(Value::Tag::kString)) return false;
    order = at->string().compare(step.literal);
  } else if (at->is(Value::Tag::kInt) || at->is(Value::Tag::kDouble)) {
    const double wanted = std::strtod(step.literal.c_str(), nullptr);
    order = at->real() < wanted ? -1 : at->real() > wanted ? 1 : 0;
  } else {
    order = api::GoFormat(*at).compare(step.literal);
  }
  if (step.comparison == "==") return order == 0;
  if (step.comparison == "!=") return order != 0;
  if (step.comparison == "<") return order < 0;
  if (step.comparison == ">") return order > 0;
  return step.comparison == "<=" ? order <= 0 : order >= 0;
}

void JsonPath::Apply(const Step& step, const Value& value, std::vector<const Value*>& out) {
  switch (step.kind) {
    case Step::Kind::kField:
      if (const Value* found = value.map() ? value.map()->Find(step.name) : nullptr) out.push_back(found);
      return;
    case Step::Kind::kIndex: {
      if (!value.list()) return;
      const int64_t size = value.list()->size, i = step.index < 0 ? step.index + size : step.index;
      if (i >= 0 && i < size) out.push_back(&value.list()->data[i]);
      return;
    }
    case Step::Kind::kAll:
      if (value.list())
        for (const Value& item : value.list()->items()) out.push_back(&item);
      if (value.map())
        for (const auto& entry : value.map()->entries()) out.push_back(&entry.value);
      return;
    case Step::Kind::kFilter:
      if (value.list())
        for (const Value& item : value.list()->items())
          if (Holds(step, item)) out.push_back(&item);
      return;
    case Step::Kind::kAnywhere: return FindAnywhere(value, step.name, out);
  }
}

std::vector<const Value*> JsonPath::Find(const Value& tree) const {
  std::vector<const Value*> found = {&tree};
  for (const Step& step : steps_) {
    std::vector<const Value*> next;
    for (const Value* value : found) Apply(step, *value, next);
    found = std::move(next);
  }
  return found;
}

bool JsonPath::reads_metadata() const {
  if (steps_.empty() || steps_.front().kind != Step::Kind::kField) return true;
  return steps_.front().name == "metadata";
}

}  // namespace keelson::extensions
