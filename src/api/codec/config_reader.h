// ConfigReader: the members of a configuration file, YAML or JSON, one after the other.
#pragma once

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/codec/json_reader.h"
#include "base/ascii.h"
#include "base/go_duration.h"
#include "base/result.h"

namespace keelson::api {

// Each function takes the value that comes next and returns whether it had the expected type; null stands for
// the empty value. What was wrong first, with its path, is in error().
class ConfigReader {
 public:
  // Text as JSON. With `strict`, Unknown is an error, and so is a member that comes twice.
  ConfigReader(std::string_view json, bool strict) : reader_(json, arena_), strict_(strict) {}

  template <class Member>
  bool Object(const Member& member) {
    if (Null()) return true;
    if (reader_.Peek() != '{') return Wrong("an object");
    if (!reader_.BeginContainer()) return false;
    std::vector<std::string> names;
    for (bool first = true;; first = false) {
      std::string_view name;
      bool more = false;
      if (!reader_.NextMember(first, &name, &more)) return false;
      if (!more) break;
      reader_.Peek();
      const size_t length = path_.size();
      path_.append(path_.empty() ? "" : ".").append(name);
      if (strict_ && std::ranges::find(names, name) != names.end())
        return Fail("duplicate field \"" + path_ + "\"");
      names.emplace_back(name);
      if (!member(name)) return false;
      path_.resize(length);
    }
    reader_.EndContainer();
    return true;
  }

  template <class Element>
  bool List(const Element& element) {
    if (Null()) return true;
    if (reader_.Peek() != '[') return Wrong("a list");
    if (!reader_.BeginContainer()) return false;
    for (size_t i = 0;; ++i) {
      bool more = false;
      if (!reader_.NextElement(i == 0, &more)) return false;
      if (!more) break;
      reader_.Peek();
      const size_t length = path_.size();
      path_ += "[" + std::to_string(i) + "]";
      if (!element()) return false;
      path_.resize(length);
    }
    reader_.EndContainer();
    return true;
  }

  bool Text(std::string& out) {
    if (Null()) return true;
    std::string_view text;
    if (reader_.Peek() != '"') return Wrong("a string");
    if (!reader_.String(&text)) return false;
    out = text;
    return true;
  }
  bool Text(std::optional<std::string>& out) {
    if (Null()) return true;
    return Text(out.emplace());
  }
  bool Bool(bool& out) {
    switch (reader_.Peek()) {
      case 'n': return reader_.Literal("null");
      case 't': out = true; return reader_.Literal("true");
      case 'f': out = false; return reader_.Literal("false");
      default: return Wrong("a boolean");
    }
  }
  bool Int32(std::optional<int32_t>& out) {
    if (Null()) return true;
    std::string_view token;
    if (reader_.Peek() != '-' && !base::IsDigit(reader_.Peek())) return Wrong("a number");
    if (!reader_.Number(&token)) return false;
    int32_t number = 0;
    const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), number);
    if (error != std::errc() || end != token.data() + token.size()) return Wrong("a number of 32 bits");
    out = number;
    return true;
  }
  // As Go writes durations: "1m30s".
  bool Duration(std::chrono::nanoseconds& out) {
    std::string text;
    if (Null()) return true;
    if (!Text(text)) return false;
    const auto parsed = base::ParseGoDuration(text);
    if (!parsed) return Fail(path_ + ": " + parsed.error());
    out = *parsed;
    return true;
  }
  // Takes a null; false: there is something else.
  bool Null() { return reader_.Peek() == 'n' && reader_.Literal("null"); }
  bool Skip() { return reader_.Skip(); }
  bool Unknown() { return strict_ ? Fail("unknown field \"" + path_ + "\"") : Skip(); }
  bool AtEnd() { return reader_.AtEnd(); }

  std::string error() const { return error_.empty() ? reader_.error() : error_; }

 private:
  bool Wrong(std::string_view expected) {
    return Fail((path_.empty() ? "the file" : path_) + ": " + std::string(expected) + " is expected");
  }
  bool Fail(std::string what) {
    error_ = std::move(what);
    return false;
  }

  Arena arena_;
  json::JsonReader reader_;
  const bool strict_;
  std::string path_, error_;
};

}  // namespace keelson::api
