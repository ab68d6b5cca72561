// JsonWriter: writes JSON by structure, for documents that are made and not converted:
// discovery, OpenAPI. Puts the commas; checks nothing.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "api/codec/json.h"
#include "base/slice.h"

namespace keelson::api::json {

class JsonWriter {
 public:
  // Appends to `out`, which must outlive the writer.
  explicit JsonWriter(base::BufferBuilder& out) : out_(out) {}

  JsonWriter& BeginObject() { return Open('{'); }
  JsonWriter& EndObject() { return Close('}'); }
  JsonWriter& BeginArray() { return Open('['); }
  JsonWriter& EndArray() { return Close(']'); }
  JsonWriter& Key(std::string_view name) {
    Separate();
    EncodeString(name, out_);
    out_.Append(':');
    comma_ = false;
    return *this;
  }
  JsonWriter& String(std::string_view s) {
    Separate();
    EncodeString(s, out_);
    return *this;
  }
  JsonWriter& Int(int64_t i) {
    Separate();
    char* at = out_.Reserve(20);
    out_.Advance(static_cast<size_t>(std::to_chars(at, at + 20, i).ptr - at));
    return *this;
  }
  JsonWriter& Bool(bool b) {
    Separate();
    out_.Append(b ? "true" : "false");
    return *this;
  }
  // Text that is JSON already.
  JsonWriter& Raw(std::string_view json) {
    Separate();
    out_.Append(json);
    return *this;
  }

  JsonWriter& Member(std::string_view name, std::string_view value) { return Key(name).String(value); }
  template <class Strings>
  JsonWriter& Member(std::string_view name, const Strings& values)
    requires(!std::convertible_to<Strings, std::string_view>)
  {
    Key(name).BeginArray();
    for (const auto& v : values) String(v);
    return EndArray();
  }

 private:
  JsonWriter& Open(char c) {
    Separate();
    out_.Append(c);
    comma_ = false;
    return *this;
  }
  JsonWriter& Close(char c) {
    out_.Append(c);
    comma_ = true;
    return *this;
  }
  void Separate() {
    if (comma_) out_.Append(',');
    comma_ = true;
  }

  base::BufferBuilder& out_;
  bool comma_ = false;
};

}  // namespace keelson::api::json
