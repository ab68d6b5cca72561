#include "api/patch/json_patch.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "api/codec/json.h"
#include "api/codec/json_reader.h"
#include "api/patch/lazy_json.h"

namespace keelson::api {

namespace {

std::unexpected<JsonPatchError> Fail(JsonPatchError::Kind kind, std::string message) {
  return std::unexpected(JsonPatchError{kind, std::move(message)});
}

std::string_view JsonTypeName(char c) {
  switch (c) {
    case '"': return "string";
    case '{': return "object";
    case '[': return "array";
    case 't':
    case 'f': return "bool";
    default: return "number";
  }
}

}  // namespace

// Reads the operations. A value of the wrong type is noted; the rest is read on, since a
// text that is malformed further down is reported first.
class JsonPatchReader {
 public:
  JsonPatchReader(std::string_view text, Arena& arena, std::vector<std::string>* strict)
      : reader_(text, arena), strict_(strict) {}

  base::Result<JsonPatch, JsonPatchError> Read() {
    const bool well_formed = Array() && reader_.AtEnd();
    if (!well_formed) return Fail(JsonPatchError::Kind::kBadRequest, reader_.error());
    if (mismatch_) return Fail(JsonPatchError::Kind::kBadRequest, *mismatch_);
    if (count_ > kMaxJsonPatchOperations)
      return Fail(JsonPatchError::Kind::kTooLarge, "The allowed maximum operations in a JSON patch is " +
                                                       std::to_string(kMaxJsonPatchOperations) + ", got " +
                                                       std::to_string(count_));
    return std::move(patch_);
  }

 private:
  bool Array() {
    const char c = reader_.Peek();
    if (c == 'n') return reader_.Literal("null");
    if (c != '[')
      return Mismatch(c, strict_ ? "value of type []handlers.jsonPatchOp" : "value of type jsonpatch.Patch");
    if (!reader_.BeginContainer()) return false;
    bool more = true;
    for (bool first = true;; first = false) {
      if (!reader_.NextElement(first, &more)) return false;
      if (!more) break;
      if (!Element()) return false;
      ++count_;
    }
    reader_.EndContainer();
    return true;
  }

  bool Element() {
    JsonPatch::Operation operation;
    const char c = reader_.Peek();
    bool read = true;
    if (c == '{') {
      read = Object(operation);
    } else if (c == 'n') {
      read = reader_.Literal("null");
    } else {
      read =
          Mismatch(c, strict_ ? "value of type handlers.jsonPatchOp" : "value of type jsonpatch.Operation");
    }
    if (read && count_ < kMaxJsonPatchOperations) patch_.operations_.push_back(operation);
    return read;
  }

  bool Object(JsonPatch::Operation& operation) {
    if (!reader_.BeginContainer()) return false;
    bool more = true;
    unsigned seen = 0;
    std::string_view name;
    for (bool first = true;; first = false) {
      if (!reader_.NextMember(first, &name, &more)) return false;
      if (!more) break;
      const unsigned member = name == "op"      ? 1
                              : name == "path"  ? 2
                              : name == "from"  ? 4
                              : name == "value" ? 8
                                                : 0;
      if (member == 0 || (seen & member)) Report(member == 0 ? "unknown" : "duplicate", name);
      seen |= member;
      if (!Member(operation, name)) return false;
    }
    reader_.EndContainer();
    return true;
  }

  bool Member(JsonPatch::Operation& operation, std::string_view name) {
    const char c = reader_.Peek();
    if (name == "value") {
      std::string_view text;
      if (!reader_.Skip(&text)) return false;
      operation.value = LazyJson::FromText(text);
      return true;
    }
    std::string_view* target = name == "op"     ? &operation.op
                               : name == "path" ? &operation.path
                               : name == "from" ? &operation.from
                                                : nullptr;
    if (!target) return reader_.Skip();
    if (c == 'n') return reader_.Literal("null");
    if (c != '"') {
      if (strict_) return Mismatch(c, "struct field jsonPatchOp." + std::string(name) + " of type string");
      return reader_.Skip();
    }
    if (!reader_.String(target)) return false;
    if (name == "path") operation.has_path = true;
    if (name == "from") operation.has_from = true;
    return true;
  }

  bool Mismatch(char c, std::string_view where) {
    if (!reader_.Skip()) return false;
    if (!mismatch_)
      mismatch_ = "json: cannot unmarshal " + std::string(JsonTypeName(c)) + " into Go " + std::string(where);
    return true;
  }

  void Report(std::string_view what, std::string_view name) {
    constexpr size_t kMaxReports = 100;
    if (!strict_ || strict_->size() >= kMaxReports) return;
    strict_->push_back(std::string(what) + " field \"[" + std::to_string(count_) + "]." + std::string(name) +
                       "\"");
  }

  json::JsonReader reader_;
  std::vector<std::string>* const strict_;
  JsonPatch patch_;
  size_t count_ = 0;
  std::optional<std::string> mismatch_;
};

base::Result<JsonPatch, JsonPatchError> JsonPatch::Parse(std::string_view text, Arena& arena,
                                                         std::vector<std::string>* strict) {
  // JsonReader does not look at the encoding.
  if (!json::IsValid(text)) {
    Arena scratch;
    auto decoded = json::DecodeAny(text, scratch);
    if (!decoded) return Fail(JsonPatchError::Kind::kBadRequest, decoded.error().message);
  }
  return JsonPatchReader(text, arena, strict).Read();
}

class JsonPatch::Applier {
 public:
  Applier(Value document, Arena& arena) : document_(document), arena_(arena), json_(arena) {}

  // Why the operation does not apply; empty: it did.
  std::string_view Apply(const Operation& o) {
    if (o.op == "add") return o.has_path ? Add(o.path, o.value) : kMissingPath;
    if (o.op == "remove") return o.has_path ? Remove(o.path) : kMissingPath;
    if (o.op == "replace") return o.has_path ? Replace(o.path, o.value) : kMissingPath;
    if (o.op == "test") return o.has_path ? Test(o.path, o.value) : kMissingPath;
    if (o.op == "move") return o.has_path && o.has_from ? Move(o.from, o.path) : kMissingPath;
    if (o.op == "copy") return o.has_path && o.has_from ? Copy(o.from, o.path) : kMissingPath;
    return kNoSuchOperation;
  }
  // What upstream's library says of an operation that does not apply.
  static std::string Describe(const Operation& o, std::string_view why);
  const Value& document() const { return document_; }

 private:
  static constexpr std::string_view kNoSuchOperation = "Unexpected kind";
  static constexpr std::string_view kMissingPath = "operation missing path field";
  static constexpr std::string_view kNoSuchPath = "doc is missing path";
  static constexpr std::string_view kNoSuchFrom = "doc is missing from path";
  static constexpr std::string_view kNoSuchKey = "missing value";
  static constexpr std::string_view kBadIndex = "invalid index referenced";
  static constexpr std::string_view kTestFailed = "test failed";

  // A container of the document and the key of a value that is or may be in it.
  struct Place {
    Value* container = nullptr;  // null: the path leads nowhere
    std::string_view key;
  };

  Place Find(std::string_view path) {
    size_t slash = path.find('/');
    if (slash == path.npos) return {};
    // What stands before the first slash does not count.
    path.remove_prefix(slash + 1);
    Value* at = &document_;
    while ((slash = path.find('/')) != path.npos) {
      if (!json_.Open(*at)) return {};
      at = Child(*at, Unescape(path.substr(0, slash)));
      if (!at) return {};
      path.remove_prefix(slash + 1);
    }
    if (!json_.Open(*at)) return {};
    return {at, Unescape(path)};
  }

  std::string_view Unescape(std::string_view token) {
    if (token.find('~') == token.npos) return token;
    std::string plain;
    for (size_t i = 0; i < token.size(); ++i) {
      const bool escape =
          token[i] == '~' && i + 1 < token.size() && (token[i + 1] == '0' || token[i + 1] == '1');
      plain += escape ? (token[++i] == '0' ? '~' : '/') : token[i];
    }
    return arena_.CopyString(plain);
  }

  // An index in [-size, size); negative ones count from the end.
  static std::optional<size_t> Index(std::string_view token, size_t size) {
    int64_t i = 0;
    std::string_view digits = token.starts_with('+') ? token.substr(1) : token;
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), i);
    if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
    if (i < 0) i += static_cast<int64_t>(size);
    if (i < 0 || i >= static_cast<int64_t>(size)) return std::nullopt;
    return static_cast<size_t>(i);
  }

  static Value* Child(Value& container, std::string_view key) {
    if (container.map()) return container.map()->Find(key);
    auto i = Index(key, container.list()->size);
    return i ? &container.list()->data[*i] : nullptr;
  }

  std::string_view Add(std::string_view path, const Value& value) {
    Place place = Find(path);
    if (!place.container) return kNoSuchPath;
    if (MapNode* map = place.container->map()) {
      map->Set(place.key, value, arena_);
      return {};
    }
    ListNode* list = place.container->list();
    const size_t size = list->size;
    auto at = place.key == "-" ? std::optional(size) : Index(place.key, size + 1);
    if (!at) return kBadIndex;
    list->Append(value, arena_);
    std::rotate(list->data + *at, list->data + size, list->data + size + 1);
    return {};
  }

  std::string_view Remove(std::string_view path) {
    Place place = Find(path);
    if (!place.container) return kNoSuchPath;
    if (MapNode* map = place.container->map()) {
      if (!map->Find(place.key)) return kNoSuchKey;
      map->Erase(place.key);
      return {};
    }
    auto at = Index(place.key, place.container->list()->size);
    if (!at) return kBadIndex;
    place.container->list()->Erase(*at);
    return {};
  }

  std::string_view Replace(std::string_view path, Value value) {
    if (path.empty()) {
      if (!json_.Open(value)) return "replace operation value must be object or array";
      document_ = value;
      return {};
    }
    Place place = Find(path);
    if (!place.container) return kNoSuchPath;
    if (MapNode* map = place.container->map()) {
      map->Set(place.key, value, arena_);
      return {};
    }
    auto at = Index(place.key, place.container->list()->size);
    if (!at) return kBadIndex;
    place.container->list()->data[*at] = value;
    return {};
  }

  std::string_view Test(std::string_view path, Value value) {
    if (path.empty()) return json_.Equal(document_, value) ? std::string_view() : kTestFailed;
    Place place = Find(path);
    if (!place.container) return kNoSuchPath;
    Value* found = Child(*place.container, place.key);
    if (!found && place.container->list()) return kBadIndex;
    Value absent = Value::Null();
    return json_.Equal(found ? *found : absent, value) ? std::string_view() : kTestFailed;
  }

  std::string_view Move(std::string_view from, std::string_view to) {
    Place place = Find(from);
    if (!place.container) return kNoSuchFrom;
    const Value* found = Child(*place.container, place.key);
    if (!found) return kNoSuchFrom;
    const Value value = *found;
    if (auto why = Remove(from); !why.empty()) return why;
    return Add(to, value);
  }

  std::string_view Copy(std::string_view from, std::string_view to) {
    Place place = Find(from);
    if (!place.container) return kNoSuchFrom;
    const Value* found = Child(*place.container, place.key);
    if (!found && place.container->list()) return kBadIndex;
    if (!found) return Add(to, Value::Null());
    base::BufferBuilder text;
    LazyJson::Encode(*found, text);
    copied_bytes_ += text.size();
    if (copied_bytes_ > kMaxJsonPatchCopyBytes) return "unable to complete the copy: too large";
    return Add(to, LazyJson::FromText(arena_.CopyString(text.view())));
  }

  Value document_;
  Arena& arena_;
  LazyJson json_;
  size_t copied_bytes_ = 0;
};

std::string JsonPatch::Applier::Describe(const Operation& o, std::string_view why) {
  const std::string op(o.op), path(o.path), from(o.from), missing = ": missing value";
  if (why == kNoSuchOperation) return "Unexpected kind: " + op;
  if (why == kMissingPath)
    return op + " operation failed to decode " + (o.has_path ? "from" : "path") + missing;
  if (why == kTestFailed) return "testing value " + path + " failed: test failed";
  if (why == kNoSuchFrom)
    return op + " operation does not apply: doc is missing from path: " + from + missing;
  if (why == kNoSuchPath) {
    if (op == "test") return "test operation does not apply: is missing path: " + path + missing;
    if (op == "add" || op == "remove")
      return op + " operation does not apply: doc is missing path: \"" + path + "\"" + missing;
    const std::string which = op == "replace" ? "path: " : "destination path: ";
    return op + " operation does not apply: doc is missing " + which + path + missing;
  }
  if (why != kBadIndex && why != kNoSuchKey) return std::string(why);
  if (op == "replace") return "replace operation does not apply: doc is missing key: " + path + missing;
  const std::string key = path.substr(path.rfind('/') + 1);
  return "error in " + op + " for path: '" + path + "': " +
         (why == kNoSuchKey ? "Unable to remove nonexistent key: " : "Unable to access invalid index: ") +
         key + ": " + std::string(why);
}

base::Result<Value, JsonPatchError> JsonPatch::Apply(Value document, Arena& arena) const {
  Applier applier(document, arena);
  for (const Operation& operation : operations_)
    if (std::string_view why = applier.Apply(operation); !why.empty())
      return Fail(JsonPatchError::Kind::kUnprocessable, Applier::Describe(operation, why));
  return applier.document();
}

}  // namespace keelson::api
