#include "api/patch/raw_text.h"

#include <set>
#include <unordered_map>

#include "api/codec/json.h"
#include "api/types/builtin_types.h"

namespace keelson::api {
namespace {

using Seen = std::set<const TypeDesc*>;

// Metadata holds only what the server itself has written.
bool IsMetadata(const TypeDesc& type) { return type.name == "meta_v1.ObjectMeta"; }

bool Embeds(const TypeDesc& type, Seen& seen) {
  if (&type == &kRawType) return true;
  if (type.element) return Embeds(*type.element, seen);
  if (type.kind != Kind::kStruct || IsMetadata(type) || !seen.insert(&type).second) return false;
  for (const FieldDesc& field : type.fields)
    if (Embeds(*field.type, seen)) return true;
  return false;
}

bool Embeds(const TypeDesc& root) {
  thread_local std::unordered_map<const TypeDesc*, bool> known;
  const auto found = known.find(&root);
  if (found != known.end()) return found->second;
  Seen seen;
  return known[&root] = Embeds(root, seen);
}

void Rewrite(Value& value, const TypeDesc& type, Arena& arena) {
  if (value.absent()) return;
  if (&type == &kRawType) {
    auto tree = json::DecodeAny(value.string(), arena);
    if (!tree) return;
    base::BufferBuilder out;
    json::EncodeAny(*tree, out);
    value = Value::String(arena.CopyString(out.view()));
  } else if (ListNode* const list = value.list()) {
    for (Value& item : list->items()) Rewrite(item, *type.element, arena);
  } else if (MapNode* const map = value.map(); map && type.element) {
    for (MapNode::Entry& entry : map->entries()) Rewrite(entry.value, *type.element, arena);
  } else if (StructNode* const node = value.node(); node && !IsMetadata(type)) {
    for (const FieldDesc& field : type.fields) Rewrite(node->slot(field.ordinal), *field.type, arena);
  }
}

// Who owns what does not count; a map that is there and empty does.
bool SameContent(const StructNode& a, const StructNode& b) {
  for (const FieldDesc& field : a.type->fields) {
    const Value &x = a.slot(field.ordinal), &y = b.slot(field.ordinal);
    if (field.name == "managedFields") continue;
    if (x.absent() != y.absent()) return false;
    if (IsMetadata(*field.type) && x.node() && y.node() ? !SameContent(*x.node(), *y.node())
                                                        : !Equal(x, y, *field.type))
      return false;
  }
  return true;
}

}  // namespace

void RewriteEmbedded(Doc& doc, const Doc& was) {
  const TypeDesc& type = *doc.root()->type;
  if (!Embeds(type) || (was && SameContent(*was.root(), *doc.root()))) return;
  Value root = Value::Of(doc.root());
  Rewrite(root, type, doc.arena());
}

}  // namespace keelson::api
