// What bodies lose before they are kept: white space, and where the policy says so their managed fields.
#include "api/codec/json.h"
#include "api/codec/json_reader.h"
#include "audit/encoding.h"

namespace keelson::audit {
namespace {

// Copies one JSON text but for the managed fields. The text comes from this server's own encoder.
class ManagedFieldsCutter {
 public:
  ManagedFieldsCutter(std::string_view text, base::BufferBuilder& out) : reader_(text, arena_), out_(out) {}

  bool Run() {
    return Object([this](std::string_view name) { return RootMember(name); }) && reader_.AtEnd();
  }

 private:
  // Copies an object whose members `member` copies; anything else as it is.
  template <class Member>
  bool Object(const Member& member) {
    if (reader_.Peek() != '{') return Copy();
    if (!reader_.BeginContainer()) return false;
    out_.Append('{');
    bool comma = false;
    for (bool first = true;; first = false) {
      std::string_view name;
      bool more = false;
      if (!reader_.NextMember(first, &name, &more)) return false;
      if (!more) break;
      reader_.Peek();
      const size_t before = out_.size();
      if (comma) out_.Append(',');
      api::json::EncodeString(name, out_);
      out_.Append(':');
      cut_ = false;
      if (!member(name)) return false;
      if (cut_)
        out_.Truncate(before);
      else
        comma = true;
      cut_ = false;
    }
    reader_.EndContainer();
    out_.Append('}');
    return true;
  }

  // Copies a list whose elements are objects with members that `member` copies.
  template <class Member>
  bool List(const Member& member) {
    if (reader_.Peek() != '[') return Copy();
    if (!reader_.BeginContainer()) return false;
    out_.Append('[');
    for (bool first = true;; first = false) {
      bool more = false;
      if (!reader_.NextElement(first, &more)) return false;
      if (!more) break;
      reader_.Peek();
      if (!first) out_.Append(',');
      if (!Object(member)) return false;
    }
    reader_.EndContainer();
    out_.Append(']');
    return true;
  }

  bool RootMember(std::string_view name) {
    if (name == "items") return List([this](std::string_view item) { return ObjectMember(item); });
    if (name == "rows")
      return List([this](std::string_view row) {
        return row == "object" ? Object([this](std::string_view inner) { return ObjectMember(inner); })
                               : Copy();
      });
    return ObjectMember(name);
  }

  bool ObjectMember(std::string_view name) {
    if (name != "metadata") return Copy();
    return Object([this](std::string_view member) {
      if (member != "managedFields") return Copy();
      cut_ = true;
      return reader_.Skip();
    });
  }

  bool Copy() {
    std::string_view token;
    if (!reader_.Skip(&token)) return false;
    out_.Append(token);
    return true;
  }

  api::Arena arena_;
  api::json::JsonReader reader_;
  base::BufferBuilder& out_;
  bool cut_ = false;  // the member that was just read is to be left out
};

bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

}  // namespace

base::Slice WithoutManagedFields(const base::Slice& json) {
  if (json.view().find(R"("managedFields")") == std::string_view::npos) return json;
  base::BufferBuilder out(json.size());
  if (!ManagedFieldsCutter(json.view(), out).Run()) return json;
  return out.Take();
}

base::Slice Compacted(const base::Slice& json) {
  const std::string_view text = json.view();
  if (text.find_first_of(" \n\r\t") == std::string_view::npos) return json;
  base::BufferBuilder out(text.size());
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (!quoted && IsSpace(c)) continue;
    out.Append(c);
    if (c == '"')
      quoted = !quoted;
    else if (quoted && c == '\\' && i + 1 < text.size())
      out.Append(text[++i]);
  }
  return out.Take();
}

}  // namespace keelson::audit
