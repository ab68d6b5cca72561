#include "api/validation/apiextensions/field_path.h"

namespace keelson::api::apiextensions {
namespace {

// Points, brackets, texts in quotes, and what is between them.
std::string_view NextToken(std::string_view& rest) {
  size_t size = 0;
  if (rest.starts_with('\'')) {
    size_t end = 1;
    while (end < rest.size() && (rest[end] != '\'' || rest[end - 1] == '\\')) ++end;
    size = std::min(rest.size(), end + 1);
  } else {
    size = std::min(rest.size(), rest.find_first_of(".[]"));
    if (size == 0) size = std::min<size_t>(rest.size(), 1);
  }
  const std::string_view token = rest.substr(0, size);
  rest.remove_prefix(size);
  return token;
}

base::Result<std::string, std::string> Unquoted(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    constexpr std::string_view kEscapes = "abfnrtv'\\", kMeanings = "\a\b\f\n\r\t\v'\\";
    const size_t at = kEscapes.find(text[++i]);
    if (at == std::string_view::npos)
      return base::Err("invalid string literal: invalid escape char \\" + std::string(1, text[i]));
    out += kMeanings[at];
  }
  return out;
}

class Finder {
 public:
  Finder(std::string_view path, SchemaView schema) : rest_(path), found_{{}, {}, schema} {}

  base::Result<FieldPath, std::string> Find(bool allow_brackets) {
    while (!rest_.empty()) {
      const std::string_view token = NextToken(rest_);
      if (token == ".") {
        if (rest_.empty()) return base::Err(kEnd);
        TRY(Step(std::string(NextToken(rest_))));
      } else if (token == "[") {
        if (!allow_brackets) return base::Err("array notation is not allowed");
        TRY(Bracket());
      } else {
        return base::Err("expected [ or . but got: " + std::string(token));
      }
    }
    return std::move(found_);
  }

 private:
  using Stepped = base::Result<void, std::string>;

  Stepped Bracket() {
    if (rest_.empty()) return base::Err(kEnd);
    const std::string_view name = NextToken(rest_);
    if (name.size() < 2 || name.front() != '\'' || name.back() != '\'')
      return base::Err("expected single quoted string but got " + std::string(name));
    const auto plain = TRY(Unquoted(name.substr(1, name.size() - 2)));
    TRY(Step(plain));
    if (rest_.empty()) return base::Err(kEnd);
    const std::string_view close = NextToken(rest_);
    if (close != "]") return base::Err("expected ] but got " + std::string(close));
    return {};
  }

  // Into a property, or into an entry of a map.
  Stepped Step(const std::string& name) {
    SchemaView& schema = found_.schema;
    if (schema.properties().empty()) {
      if (!schema.additional_properties().schema()) return base::Err(kNoField);
      found_.text.append("[").append(name).append("]");
      schema = schema.additional_properties().schema();
    } else {
      const Value* const property = schema.properties().Find(name);
      if (!property) return base::Err(kNoField);
      found_.text.append(found_.text.empty() ? "" : ".").append(name);
      schema = SchemaView(property->node());
    }
    if (found_.root.empty()) found_.root = name;
    return {};
  }

  static constexpr const char* kEnd = "unexpected end of JSON path";
  static constexpr const char* kNoField = "does not refer to a valid field";
  std::string_view rest_;
  FieldPath found_;
};

}  // namespace

base::Result<FieldPath, std::string> FindField(std::string_view path, SchemaView schema,
                                               bool allow_brackets) {
  return Finder(path, schema).Find(allow_brackets);
}

}  // namespace keelson::api::apiextensions
