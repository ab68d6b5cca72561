#include "api/validation/field.h"

#include <unordered_set>

#include "api/validation/quote.h"

namespace keelson::api::field {
namespace {

struct TypeText {
  std::string_view reason, text;
};

TypeText TextOf(ErrorType type) {
  switch (type) {
    case ErrorType::kNotFound: return {"FieldValueNotFound", "Not found"};
    case ErrorType::kRequired: return {"FieldValueRequired", "Required value"};
    case ErrorType::kDuplicate: return {"FieldValueDuplicate", "Duplicate value"};
    case ErrorType::kInvalid: return {"FieldValueInvalid", "Invalid value"};
    case ErrorType::kNotSupported: return {"FieldValueNotSupported", "Unsupported value"};
    case ErrorType::kForbidden: return {"FieldValueForbidden", "Forbidden"};
    case ErrorType::kTooLong: return {"FieldValueTooLong", "Too long"};
    case ErrorType::kTooMany: return {"FieldValueTooMany", "Too many"};
    case ErrorType::kInternal: return {"InternalError", "Internal error"};
    case ErrorType::kTypeInvalid: return {"FieldValueTypeInvalid", "Invalid value"};
    case ErrorType::kTooFew: return {"FieldValueTooFew", "Too few"};
  }
  __builtin_unreachable();
}

Error WithValue(ErrorType type, const Path& p, std::string rendered_value, std::string_view detail) {
  return {type, p.ToString(), std::move(rendered_value), true, std::string(detail)};
}

Error WithoutValue(ErrorType type, const Path& p, std::string_view detail) {
  return {type, p.ToString(), {}, false, std::string(detail)};
}

std::string Counted(size_t n, std::string_view one, std::string_view many) {
  return std::to_string(n) + " " + std::string(n == 1 ? one : many);
}

}  // namespace

std::string Path::ToString() const {
  std::string out = parent_ ? parent_->ToString() : std::string();
  switch (step_) {
    case Step::kName:
      if (parent_) out += '.';
      return out.append(name_);
    case Step::kIndex: return out.append("[").append(std::to_string(index_)).append("]");
    case Step::kKey: return out.append("[").append(name_).append("]");
  }
  __builtin_unreachable();
}

std::string_view Error::Reason() const { return TextOf(type).reason; }

std::string Error::Body() const {
  std::string out(TextOf(type).text);
  if (has_value) out.append(": ").append(bad_value);
  if (!detail.empty()) out.append(": ").append(detail);
  return out;
}

std::string Error::ToString() const { return field + ": " + Body(); }

std::string RenderValue(std::string_view s) { return Quoted(s); }
std::string RenderValue(bool b) { return b ? "true" : "false"; }

void ErrorList::Add(Error e) {
  const size_t bytes = sizeof(Error) + e.field.size() + e.bad_value.size() + e.detail.size();
  if (full() || (!errors_.empty() && bytes_ + bytes > kMostBytes)) return Omit();
  bytes_ += bytes;
  errors_.push_back(std::move(e));
}

void ErrorList::Append(ErrorList other) {
  if (empty()) {
    *this = std::move(other);
    return;
  }
  for (Error& e : other.errors_) Add(std::move(e));
  omitted_ += other.omitted_;
}

void ErrorList::AddInvalid(const Path& p, std::string_view value, std::span<const std::string> messages) {
  for (const std::string& message : messages) Add(Invalid(p, RenderValue(value), message));
}

std::string ErrorList::OmittedText() const {
  if (omitted_ == 0) return {};
  return Counted(omitted_, "more error is", "more errors are") + " not shown";
}

std::string ErrorList::Aggregate() const {
  // A set, since a hostile object can hold thousands of mistakes.
  std::unordered_set<std::string> seen;
  std::string out;
  const auto add = [&](std::string error) {
    const auto [text, fresh] = seen.insert(std::move(error));
    if (!fresh) return;
    if (seen.size() > 1) out += ", ";
    out += *text;
  };
  for (const Error& e : errors_) add(e.ToString());
  if (omitted_ > 0) add(OmittedText());
  return seen.size() > 1 ? "[" + out + "]" : out;
}

Error NotFound(const Path& p, std::string rendered_value) {
  return WithValue(ErrorType::kNotFound, p, std::move(rendered_value), {});
}

Error Required(const Path& p, std::string_view detail) {
  return WithoutValue(ErrorType::kRequired, p, detail);
}

Error Duplicate(const Path& p, std::string rendered_value) {
  return WithValue(ErrorType::kDuplicate, p, std::move(rendered_value), {});
}

Error Invalid(const Path& p, std::string rendered_value, std::string_view detail) {
  return WithValue(ErrorType::kInvalid, p, std::move(rendered_value), detail);
}

Error NotSupported(const Path& p, std::string rendered_value, std::span<const std::string_view> supported) {
  std::string detail;
  for (std::string_view value : supported) {
    detail += detail.empty() ? "supported values: " : ", ";
    AppendQuoted(value, detail);
  }
  return WithValue(ErrorType::kNotSupported, p, std::move(rendered_value), detail);
}

Error Forbidden(const Path& p, std::string_view detail) {
  return WithoutValue(ErrorType::kForbidden, p, detail);
}

Error TooLong(const Path& p, size_t max_bytes) {
  return WithoutValue(ErrorType::kTooLong, p, "may not be more than " + Counted(max_bytes, "byte", "bytes"));
}

Error TooMany(const Path& p, size_t actual, size_t max) {
  return WithValue(ErrorType::kTooMany, p, RenderValue(actual),
                   "must have at most " + Counted(max, "item", "items"));
}

Error TypeInvalid(const Path& p, std::string rendered_value, std::string_view detail) {
  return WithValue(ErrorType::kTypeInvalid, p, std::move(rendered_value), detail);
}

Error Internal(const Path& p, std::string_view detail) {
  return WithoutValue(ErrorType::kInternal, p, detail);
}

}  // namespace keelson::api::field
