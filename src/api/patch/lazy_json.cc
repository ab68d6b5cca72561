#include "api/patch/lazy_json.h"

#include "api/codec/json_reader.h"
#include "api/codec/map_builder.h"
#include "api/codec/token_writer.h"

namespace keelson::api {
namespace {

bool OpenObject(json::JsonReader& reader, Value& v, Arena& arena) {
  if (!reader.BeginContainer()) return false;
  MapNode* map = MapNode::New(nullptr, arena);
  MapBuilder builder(*map, arena);
  std::string_view name, text;
  bool more = true;
  for (bool first = true;; first = false) {
    if (!reader.NextMember(first, &name, &more)) return false;
    if (!more) break;
    reader.Peek();
    if (!reader.Skip(&text)) return false;
    builder.Add(name, LazyJson::FromText(text));
  }
  builder.Finish();
  v = Value::Of(map);
  return true;
}

bool OpenArray(json::JsonReader& reader, Value& v, Arena& arena) {
  if (!reader.BeginContainer()) return false;
  ListNode* list = ListNode::New(nullptr, arena);
  std::string_view text;
  bool more = true;
  for (bool first = true;; first = false) {
    if (!reader.NextElement(first, &more)) return false;
    if (!more) break;
    reader.Peek();
    if (!reader.Skip(&text)) return false;
    list->Append(LazyJson::FromText(text), arena);
  }
  v = Value::Of(list);
  return true;
}

void Write(const Value& v, json::TokenWriter& w) {
  if (const MapNode* map = v.map()) {
    w.Raw('{');
    for (const MapNode::Entry& e : map->entries()) {
      w.String(e.key);
      w.Raw(':');
      Write(e.value, w);
      w.Comma();
    }
    w.CloseObject();
  } else if (const ListNode* list = v.list()) {
    w.Raw('[');
    for (const Value& item : list->items()) {
      Write(item, w);
      w.Comma();
    }
    w.CloseArray();
  } else if (v.is(Value::Tag::kBytes)) {
    w.Compact(v.string());
  } else {
    w.Null();
  }
}

}  // namespace

Value LazyJson::FromText(std::string_view text) {
  return text == "null" ? Value::Null() : Value::Bytes(text);
}

bool LazyJson::Open(Value& v) {
  if (v.map() || v.list()) return true;
  if (!v.is(Value::Tag::kBytes)) return false;
  opened_bytes_ += v.string().size();
  if (opened_bytes_ > kMaxOpenedBytes) return false;
  json::JsonReader reader(v.string(), arena_);
  switch (reader.Peek()) {
    case '{': return OpenObject(reader, v, arena_);
    case '[': return OpenArray(reader, v, arena_);
    default: return false;
  }
}

bool LazyJson::Equal(Value& a, Value& b) {
  const bool open = Open(a);
  if (open != Open(b)) return false;
  if (!open) return a.tag() == b.tag() && a.string() == b.string();
  if (a.map()) {
    if (!b.map() || a.map()->size != b.map()->size) return false;
    for (uint32_t i = 0; i < a.map()->size; ++i) {
      MapNode::Entry &x = a.map()->data[i], &y = b.map()->data[i];
      if (x.key != y.key || !Equal(x.value, y.value)) return false;
    }
    return true;
  }
  if (!b.list() || a.list()->size != b.list()->size) return false;
  for (uint32_t i = 0; i < a.list()->size; ++i)
    if (!Equal(a.list()->data[i], b.list()->data[i])) return false;
  return true;
}

void LazyJson::Encode(const Value& v, base::BufferBuilder& out) {
  json::TokenWriter w(out);
  Write(v, w);
  w.Flush();
}

}  // namespace keelson::api
