#include "api/managed_fields/fields_v1.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "api/codec/json.h"
#include "api/codec/json_reader.h"
#include "api/codec/passes.h"
#include "api/codec/token_writer.h"

namespace keelson::api::managed_fields {
namespace {

class FieldsReader {
 public:
  FieldsReader(std::string_view text, Arena& arena) : reader_(text, arena), arena_(arena) {}

  base::Result<const FieldSet*, std::string> Read() {
    const FieldSet* set = nullptr;
    bool member = false;
    if (!Node(set, member) || !reader_.AtEnd()) return base::Err(reader_.error());
    return set;
  }

 private:
  // `member`: the path that leads here is in the set, as "." or an empty object say.
  bool Node(const FieldSet*& set, bool& member) {
    set = nullptr;
    if (reader_.Peek() == 'n') {
      member = true;
      return reader_.Literal("null");
    }
    if (reader_.Peek() != '{') return reader_.Unexpected("looking for beginning of object");
    if (depth_ == kMaxDepth) return reader_.Fail("exceeded max depth");
    if (!reader_.BeginContainer()) return false;
    ++depth_;
    FieldSetBuilder builder(arena_);
    const PathElement* last = nullptr;
    PathElement element;
    bool sorted = true, more = true;
    std::string_view key;
    for (bool first = true;; first = false) {
      if (!reader_.NextMember(first, &key, &more)) return false;
      if (!more) break;
      reader_.Peek();
      bool known = false;
      PathElement next;
      if (key == ".") {
        member = true;
      } else if (!Element(key, next, known)) {
        return false;
      }
      if (!known) {
        if (!reader_.Skip()) return false;
        continue;
      }
      const FieldSet* children = nullptr;
      bool child_member = false;
      if (!Node(children, child_member)) return false;
      if (last && Compare(*last, next) >= 0) sorted = false;
      element = next;
      last = &element;
      builder.Add(next, child_member, children);
    }
    reader_.EndContainer();
    --depth_;
    set = sorted ? builder.Finish() : Sorted(builder.Finish());
    if (!set) member = true;
    return true;
  }

  // Puts entries into order; of entries with the same element the last one counts.
  const FieldSet* Sorted(const FieldSet* set) {
    std::vector<FieldSet::Entry> entries(set->data, set->data + set->size);
    std::ranges::stable_sort(entries, [](const FieldSet::Entry& a, const FieldSet::Entry& b) {
      return Compare(a.element, b.element) < 0;
    });
    FieldSetBuilder builder(arena_);
    for (size_t i = 0; i < entries.size(); ++i) {
      FieldSet::Entry e = entries[i];
      for (; i + 1 < entries.size() && Compare(e.element, entries[i + 1].element) == 0; ++i) {
        const FieldSet::Entry& next = entries[i + 1];
        e.member |= next.member;
        if (next.children) e.children = next.children;
      }
      builder.Add(e.element, e.member, e.children);
    }
    return builder.Finish();
  }

  bool Element(std::string_view key, PathElement& element, bool& known) {
    if (key.size() < 2) return reader_.Fail("key must be 2 characters long:");
    if (key[1] != ':') return reader_.Fail("missing colon: " + std::string(key));
    const std::string_view content = key.substr(2);
    known = true;
    switch (key[0]) {
      case 'f': element = PathElement::Field(content); return true;
      case 'v': return ScalarElement(content, element);
      case 'k': return KeyElement(content, element);
      case 'i': return IndexElement(content, element);
      default: known = false; return true;
    }
  }

  bool ScalarElement(std::string_view content, PathElement& element) {
    auto value = json::DecodeAny(content, arena_);
    if (!value) return reader_.Fail(value.error().message);
    element.kind = PathElement::Kind::kValue;
    element.value = *value;
    return true;
  }

  bool KeyElement(std::string_view content, PathElement& element) {
    auto value = json::DecodeAny(content, arena_);
    if (!value) return reader_.Fail(value.error().message);
    if (!value->map()) return reader_.Fail("expected an object of keys: " + std::string(content));
    const MapNode& map = *value->map();
    KeyField* keys = arena_.NewArray<KeyField>(map.size);
    for (uint32_t i = 0; i < map.size; ++i) keys[i] = {map.data[i].key, map.data[i].value};
    element.kind = PathElement::Kind::kKey;
    element.keys = keys;
    element.key_count = map.size;
    return true;
  }

  bool IndexElement(std::string_view content, PathElement& element) {
    int64_t i = 0;
    auto [end, error] = std::from_chars(content.data(), content.data() + content.size(), i);
    if (error != std::errc() || end != content.data() + content.size())
      return reader_.Fail("parsing index " + std::string(content));
    element.kind = PathElement::Kind::kIndex;
    element.value = Value::Int(i);
    return true;
  }

  // Far beyond any type; what is deeper only means to use up the stack.
  static constexpr int kMaxDepth = 1000;

  json::JsonReader reader_;
  Arena& arena_;
  int depth_ = 0;
};

class Writer {
 public:
  explicit Writer(base::BufferBuilder& out, bool by_key = false) : w_(out, 1024), by_key_(by_key) {}
  ~Writer() { w_.Flush(); }

  void Node(const FieldSet* set, bool self) {
    w_.Raw('{');
    if (set) {
      if (self) w_.Raw("\".\":{},");
      // Fields are in the order of their names.
      const bool sorted =
          std::ranges::all_of(set->entries(), [](const FieldSet::Entry& e) { return IsField(e.element); });
      by_key_ && !sorted ? EntriesByKey(*set) : Entries(*set);
    }
    w_.CloseObject();
  }

 private:
  static bool IsField(const PathElement& element) { return element.kind == PathElement::Kind::kField; }

  void Entries(const FieldSet& set) {
    for (const FieldSet::Entry& e : set.entries()) {
      Key(e.element);
      Children(e);
    }
  }

  void EntriesByKey(const FieldSet& set) {
    std::vector<std::pair<std::string, const FieldSet::Entry*>> keyed;
    keyed.reserve(set.size);
    for (const FieldSet::Entry& e : set.entries()) keyed.emplace_back(KeyText(e.element), &e);
    std::ranges::sort(keyed, {}, &std::pair<std::string, const FieldSet::Entry*>::first);
    for (const auto& [key, entry] : keyed) {
      w_.String(key);
      Children(*entry);
    }
  }

  void Children(const FieldSet::Entry& e) {
    if (!e.children) return w_.Raw(":{},");
    w_.Raw(':');
    Node(e.children, e.member);
    w_.Comma();
  }

  std::string KeyText(const PathElement& element) {
    switch (element.kind) {
      case PathElement::Kind::kField: return "f:" + std::string(element.name);
      case PathElement::Kind::kIndex: return "i:" + std::to_string(element.value.integer());
      case PathElement::Kind::kValue: json::EncodeAny(element.value, text_); break;
      case PathElement::Kind::kKey: Keys(element); break;
    }
    std::string key = element.kind == PathElement::Kind::kKey ? "k:" : "v:";
    key.append(text_.view());
    text_.Truncate(0);
    return key;
  }

  void Key(const PathElement& element) {
    switch (element.kind) {
      case PathElement::Kind::kField: return w_.PrefixedString("f:", element.name);
      case PathElement::Kind::kIndex: return w_.PrefixedString("i:", std::to_string(element.value.integer()));
      case PathElement::Kind::kValue: json::EncodeAny(element.value, text_); break;
      case PathElement::Kind::kKey: Keys(element); break;
    }
    w_.PrefixedString(element.kind == PathElement::Kind::kKey ? "k:" : "v:", text_.view());
    text_.Truncate(0);
  }

  void Keys(const PathElement& element) {
    text_.Append('{');
    for (const KeyField& k : element.key_fields()) {
      if (&k != element.keys) text_.Append(',');
      json::EncodeString(k.name, text_);
      text_.Append(':');
      json::EncodeAny(k.value, text_);
    }
    text_.Append('}');
  }

  json::TokenWriter w_;
  const bool by_key_;
  base::BufferBuilder text_;
};

}  // namespace

base::Result<const FieldSet*, std::string> DecodeFields(std::string_view text, Arena& arena) {
  if (text.empty()) return nullptr;
  const auto part = codec::Pass::Part();
  return FieldsReader(text, arena).Read();
}

void EncodeFields(const FieldSet* set, base::BufferBuilder& out) {
  const auto part = codec::Pass::Part();
  Writer(out).Node(set, false);
}

void EncodeFieldsByKey(const FieldSet* set, base::BufferBuilder& out) {
  const auto part = codec::Pass::Part();
  Writer(out, /*by_key=*/true).Node(set, false);
}

}  // namespace keelson::api::managed_fields
