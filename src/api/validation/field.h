// Field errors: what is wrong, where in the object, with which value.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace keelson::api::field {

// A place in an object, as a chain of steps on the stack: rendered only when an error
// needs it. A Path must not outlive its parent.
class Path {
 public:
  explicit Path(std::string_view root) : name_(root) {}
  Path Child(std::string_view name) const { return Path(this, name, Step::kName, 0); }
  Path Index(size_t i) const { return Path(this, {}, Step::kIndex, i); }
  Path Key(std::string_view key) const { return Path(this, key, Step::kKey, 0); }
  std::string ToString() const;  // "spec.containers[0].env[KEY]"

 private:
  enum class Step : uint8_t { kName, kIndex, kKey };
  Path(const Path* parent, std::string_view name, Step step, size_t index)
      : parent_(parent), name_(name), index_(index), step_(step) {}
  const Path* parent_ = nullptr;
  std::string_view name_;
  size_t index_ = 0;
  Step step_ = Step::kName;
};

enum class ErrorType : uint8_t {
  kNotFound,
  kRequired,
  kDuplicate,
  kInvalid,
  kNotSupported,
  kForbidden,
  kTooLong,
  kTooMany,
  kInternal,
  kTypeInvalid,
  kTooFew,
};

struct Error {
  ErrorType type;
  std::string field;
  std::string bad_value;  // already rendered as upstream prints it; see RenderXxx
  bool has_value = false;
  std::string detail;

  std::string_view Reason() const;  // "FieldValueInvalid"
  std::string Body() const;         // `Invalid value: "x": detail`
  std::string ToString() const;     // field + ": " + Body()
};

// How a value appears in messages: strings quoted as Go's %q, numbers and booleans plain.
std::string RenderValue(std::string_view s);
// Without it a literal would convert to bool.
inline std::string RenderValue(const char* s) { return RenderValue(std::string_view(s)); }
inline std::string RenderValue(const std::string& s) { return RenderValue(std::string_view(s)); }
std::string RenderValue(bool b);
template <std::integral T>
std::string RenderValue(T i) {
  return std::to_string(i);
}

// A list keeps errors up to kMostBytes of text, the first one in any case, and counts the
// rest: what is wrong with an object may be many times as long as the object.
class ErrorList {
 public:
  static constexpr size_t kMostBytes = 1 << 20;

  void Add(Error e);
  void Append(ErrorList other);
  // One Invalid error for each message a name check gave.
  void AddInvalid(const Path& p, std::string_view value, std::span<const std::string> messages);
  // Counts an error without its text: for errors that are costly to put in words, once the
  // list is full.
  void Omit() { ++omitted_; }
  bool full() const { return omitted_ > 0; }

  bool empty() const { return size() == 0; }
  size_t size() const { return errors_.size() + omitted_; }  // of all errors
  // The errors that fit into the list; later ones are only counted.
  std::span<const Error> errors() const { return errors_; }
  auto begin() const { return errors_.begin(); }
  auto end() const { return errors_.end(); }
  // How many were left out, as a message; empty when the list is complete.
  std::string OmittedText() const;
  // As upstream joins them into one message: one alone, or "[a, b]".
  std::string Aggregate() const;

 private:
  std::vector<Error> errors_;
  size_t bytes_ = 0;  // of errors_
  size_t omitted_ = 0;
};

Error NotFound(const Path& p, std::string rendered_value);
Error Required(const Path& p, std::string_view detail);
Error Duplicate(const Path& p, std::string rendered_value);
Error Invalid(const Path& p, std::string rendered_value, std::string_view detail);
Error NotSupported(const Path& p, std::string rendered_value, std::span<const std::string_view> supported);
Error Forbidden(const Path& p, std::string_view detail);
Error TooLong(const Path& p, size_t max_bytes);
Error TooMany(const Path& p, size_t actual, size_t max);
Error TypeInvalid(const Path& p, std::string rendered_value, std::string_view detail);
Error Internal(const Path& p, std::string_view detail);

}  // namespace keelson::api::field
