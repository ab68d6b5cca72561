#include <algorithm>
#include <map>
#include <set>

#include "emit.h"
#include "names.h"

namespace schemac {
namespace {

// "&core_v1::kPodType", "&api::kStringType", "&kListOfVolume".
std::string TypeAddress(const TypeRef& ref, const File& from);

// Identifier of the list or map type: "ListOfVolume", "MapOfString".
std::string Identifier(const TypeRef& ref, const File& from) {
  if (ref.shape == TypeRef::Shape::kList) return "ListOf" + Identifier(*ref.element, from);
  if (ref.shape == TypeRef::Shape::kMap) return "MapOf" + Identifier(*ref.element, from);
  if (!ref.scalar.empty()) return std::string(ref.scalar.substr(1));
  return (ref.file == &from ? "" : ref.file->stem + "_") + ref.type->name;
}

// The notation, with every struct name in full: "[core_v1.Volume]".
std::string Notation(const TypeRef& ref) {
  if (ref.shape == TypeRef::Shape::kList) return "[" + Notation(*ref.element) + "]";
  if (ref.shape == TypeRef::Shape::kMap) return "{" + Notation(*ref.element) + "}";
  if (ref.type) return ref.file->stem + "." + ref.type->name;
  return ref.enumeration ? "string" : ref.word;
}

std::string TypeAddress(const TypeRef& ref, const File& from) {
  if (ref.element) return "&k" + Identifier(ref, from);
  if (!ref.scalar.empty()) return "&api::" + std::string(ref.scalar) + "Type";
  return "&" + ref.file->stem + "::k" + ref.type->name + "Type";
}

class TableWriter {
 public:
  explicit TableWriter(const File& file) : file_(file) {}

  std::string Write() {
    out_ = "// Written by schemac from " + file_.stem + ".kschema.\n#include \"api/generated/" + file_.stem +
           ".h\"\n\n#include \"api/types/builtin_types.h\"\n\nnamespace keelson::api::" + file_.stem +
           " {\nnamespace {\n\nusing F = FieldDesc;\nusing D = DefaultValue;\nusing Names = "
           "std::string_view;\n\n";
    for (const Type& type : file_.types)
      for (const Field& field : type.fields) Container(field.type);
    for (const Type& type : file_.types)
      for (const Field& field : type.fields) EnumArray(field.type.Innermost());
    out_ += "\n";
    for (const Type& type : file_.types) Arrays(type);
    out_ += "}  // namespace\n\n";
    for (const Type& type : file_.types) Definition(type);
    return out_ + "\n}  // namespace keelson::api::" + file_.stem + "\n";
  }

 private:
  void Container(const TypeRef& ref) {
    if (!ref.element) return;
    Container(*ref.element);
    const std::string id = Identifier(ref, file_);
    if (!containers_.insert(id).second) return;
    out_ += "constexpr TypeDesc k" + id + "{.name = " + Quote(Notation(ref)) +
            ", .kind = Kind::" + (ref.shape == TypeRef::Shape::kList ? "kList" : "kMap") +
            ", .element = " + TypeAddress(*ref.element, file_) + "};\n";
  }

  // Each file has its own copy of an enum's values: fields point at them by name.
  void EnumArray(const TypeRef& ref) {
    if (!ref.enumeration || !enums_.insert(ref.enumeration).second) return;
    NameArray(EnumId(ref), ref.enumeration->values);
  }
  std::string EnumId(const TypeRef& ref) const {
    return "kEnum" + (ref.file == &file_ ? "" : ref.file->stem + "_") + ref.enumeration->name;
  }

  void NameArray(const std::string& id, const std::vector<std::string>& values) {
    out_ += "constexpr Names " + id + "[] = {";
    for (size_t i = 0; i < values.size(); ++i) out_ += (i ? ", " : "") + Quote(values[i]);
    out_ += "};\n";
  }

  // The array of names `keys`, written once per distinct content.
  std::string Keys(const std::vector<std::string>& keys) {
    std::string id = "kKeys";
    for (const auto& key : keys) id += "_" + SnakeCase(key);
    if (keys_.insert(id).second) NameArray(id, keys);
    return id;
  }

  void Arrays(const Type& type) {
    if (type.fields.empty()) return;
    for (const Field& field : type.fields)
      if (!field.keys.empty()) Keys(field.keys);
    out_ += "constexpr FieldDesc k" + type.name + "Fields[] = {\n";
    for (size_t i = 0; i < type.fields.size(); ++i) out_ += "    {" + FieldEntry(type, i) + "},\n";
    out_ += "};\n";
    ByNumber(type);
    Members(type);
  }

  std::string FieldEntry(const Type& type, size_t ordinal) {
    const Field& field = type.fields[ordinal];
    std::string s;
    if (!field.inlined) {
      s = ".name = " + Quote(field.name) + ", .json_key = " + Quote("\"" + field.name + "\":") + ", ";
    }
    s += ".number = " + std::to_string(field.number) + ", .ordinal = " + std::to_string(ordinal);
    const std::string flags = Flags(field, type.root && ordinal < 2);
    if (!flags.empty()) s += ", .flags = " + flags;
    if (IsSequence(field.type)) {
      if (field.atomic) s += ", .list_type = ListType::kAtomic";
      if (field.set) s += ", .list_type = ListType::kSet";
      if (!field.keys.empty()) s += ", .list_type = ListType::kMap";
    }
    s += ", .type = " + TypeAddress(field.type, file_);
    if (!field.keys.empty()) s += ", .list_map_keys = " + Keys(field.keys);
    if (!field.merge_key.empty()) s += ", .patch_merge_key = " + Quote(field.merge_key);
    if (const TypeRef& inner = field.type.Innermost(); inner.enumeration) {
      s += ", .enum_values = " + EnumId(inner);
    }
    if (field.has_default) s += ", .default_value = " + Default(field);
    return s;
  }

  // What Go has as a slice.
  static bool IsSequence(const TypeRef& ref) {
    return ref.shape == TypeRef::Shape::kList || ref.scalar == "kBytes";
  }

  static std::string Flags(const Field& field, bool type_meta) {
    const std::pair<bool, const char*> all[] = {
        {field.pointer, "kPointer"},
        {field.omit_empty, "kOmitEmpty"},
        {field.omit_zero, "kOmitZero"},
        {field.inlined, "kInline"},
        {field.required, "kRequired"},
        {type_meta, "kTypeMeta"},
        {field.immutable, "kImmutable"},
        {field.wrapped, "kMessageList"},
        {field.merge, "kPatchMerge"},
        {field.retain_keys, "kPatchRetainKeys"},
        {field.atomic && !IsSequence(field.type), "kAtomicMap"},
        {field.granular, "kGranularMap"},
    };
    std::string s;
    for (auto [set, name] : all)
      if (set) s += (s.empty() ? "F::" : " | F::") + std::string(name);
    return s;
  }

  static std::string Default(const Field& field) {
    const std::string& text = field.default_text;
    if (field.type.type) return "{.tag = D::Tag::kEmptyStruct}";
    if (field.type.scalar == "kBool") {
      return std::string("{.tag = D::Tag::kBool, .number = ") + (text == "true" ? "1}" : "0}");
    }
    if (field.type.scalar == "kString") return "{.tag = D::Tag::kString, .text = " + Quote(text) + "}";
    return "{.tag = D::Tag::kInt, .number = " + text + "}";
  }

  void ByNumber(const Type& type) {
    std::map<int, size_t> ordinals;
    for (size_t i = 0; i < type.fields.size(); ++i)
      if (type.fields[i].number != 0) ordinals[type.fields[i].number] = i;
    if (ordinals.empty()) return;
    std::string sorted, indexed;
    int next = 0;
    for (auto [number, ordinal] : ordinals) {
      sorted += (sorted.empty() ? "" : ", ") + std::to_string(ordinal);
      for (; next < number; ++next) indexed += "0, ";
      indexed += std::to_string(ordinal + 1) + ", ";
      ++next;
    }
    out_ += "constexpr uint16_t k" + type.name + "ByNumber[] = {" + sorted + "};\n";
    out_ += "constexpr uint16_t k" + type.name + "Numbers[] = {" + indexed + "};\n";
    numbered_.insert(&type);
  }

  void Members(const Type& type) {
    std::map<std::string, std::string> members;  // where each is: "outer, inner, field"
    CollectMembers(type, {}, members);
    out_ += "constexpr TypeDesc::Member k" + type.name + "Members[] = {";
    for (const auto& [name, at] : members) out_ += "{" + Quote(name) + ", " + at + "}, ";
    out_ += "};\n\n";
  }

  // `steps`: ordinals of the inline fields on the way to `type`.
  static void CollectMembers(const Type& type, const std::vector<size_t>& steps,
                             std::map<std::string, std::string>& members) {
    for (size_t i = 0; i < type.fields.size(); ++i) {
      const Field& field = type.fields[i];
      if (field.inlined) {
        std::vector<size_t> deeper = steps;
        deeper.push_back(i);
        CollectMembers(*field.type.type, deeper, members);
        continue;
      }
      std::string at;
      for (size_t level = 0; level < 2; ++level)
        at += (level < steps.size() ? std::to_string(steps[level] + 1) : "0") + ", ";
      members[field.name] = at + std::to_string(i);
    }
  }

  void Definition(const Type& type) {
    const std::string k = "k" + type.name;
    out_ += "constinit const TypeDesc " + k + "Type{.name = " + Quote(file_.stem + "." + type.name) +
            ", .kind = Kind::kStruct";
    if (!type.fields.empty()) out_ += ", .fields = " + k + "Fields";
    if (numbered_.contains(&type))
      out_ += ", .by_number = " + k + "ByNumber, .number_to_ordinal = " + k + "Numbers";
    if (!type.fields.empty()) out_ += ", .members = " + k + "Members";
    if (type.root) out_ += ", .root = true";
    if (type.atomic) out_ += ", .atomic = true";
    if (type.either) out_ += ", .either = true";
    out_ += "};\n";
  }

  const File& file_;
  std::string out_;
  std::set<std::string> containers_, keys_;
  std::set<const Type*> numbered_;
  std::set<const Enum*> enums_;
};

}  // namespace

std::string EmitTables(const File& file) { return TableWriter(file).Write(); }

}  // namespace schemac
