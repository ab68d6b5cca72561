#include "resolve.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "names.h"

namespace schemac {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 15> kScalars = {{
    {"bool", "kBool"},
    {"int32", "kInt32"},
    {"int64", "kInt64"},
    {"double", "kDouble"},
    {"string", "kString"},
    {"bytes", "kBytes"},
    {"quantity", "kQuantity"},
    {"time", "kTime"},
    {"microtime", "kMicroTime"},
    {"duration", "kDuration"},
    {"int-or-string", "kIntOrString"},
    {"raw", "kRaw"},
    {"json", "kJson"},
    {"fields", "kFieldsV1"},
    {"any", "kAny"},
}};

class Resolver {
 public:
  Resolver(Model& model, Diagnostics& diagnostics) : model_(model), diagnostics_(diagnostics) {}

  void Run() {
    for (File& file : model_.files) AddLists(file);
    for (File& file : model_.files) {
      CheckNames(file);
      for (Type& type : file.types)
        for (Field& field : type.fields) Bind(field.type, field.at, file);
    }
    for (File& file : model_.files) {
      for (Type& type : file.types) CheckType(type);
      for (Kind& kind : file.kinds) CheckKind(kind, file);
    }
  }

 private:
  void AddLists(File& file) {
    for (const Kind& kind : file.kinds) {
      if (!kind.HasVerb("list")) continue;
      Type& list = file.types.emplace_back();
      list.at = kind.at;
      list.name = kind.ListName();
      list.root = true;
      list.implicit = true;
      list.group = file.group;
      list.version = file.version;
      auto add = [&](int number, std::string name, std::string word) -> Field& {
        Field& field = list.fields.emplace_back();
        field.at = kind.at;
        field.number = number;
        field.name = std::move(name);
        field.type.word = std::move(word);
        field.omit_empty = true;
        return field;
      };
      add(0, "kind", "string");
      add(0, "apiVersion", "string");
      add(1, "metadata", "ListMeta");
      Field& items = add(2, "items", "");
      items.required = true;
      items.omit_empty = false;
      items.type.shape = TypeRef::Shape::kList;
      items.type.element = std::make_unique<TypeRef>();
      items.type.element->word = kind.name;
    }
  }

  void CheckNames(const File& file) {
    std::set<std::string_view> seen;
    auto once = [&](const std::string& name, const Position& at) {
      if (!seen.insert(name).second) diagnostics_.Error(at, name + " is declared twice");
    };
    for (const Enum& e : file.enums) {
      once(e.name, e.at);
      if (e.values.empty()) diagnostics_.Error(e.at, "enum " + e.name + " has no values");
    }
    for (const Type& type : file.types) once(type.name, type.at);
    std::set<std::string_view> kinds, plurals;
    for (const Kind& kind : file.kinds) {
      if (!kinds.insert(kind.name).second)
        diagnostics_.Error(kind.at, "kind " + kind.name + " is declared twice");
      if (!kind.plural.empty() && !plurals.insert(kind.plural).second) {
        diagnostics_.Error(kind.at, "plural " + kind.plural + " is used twice");
      }
    }
  }

  void Bind(TypeRef& ref, const Position& at, const File& file) {
    if (ref.element) return Bind(*ref.element, at, file);
    if (ref.word.empty()) return;  // reported by the parser
    for (auto [word, kind] : kScalars) {
      if (ref.word == word) {
        ref.scalar = kind;
        return;
      }
    }
    std::string_view name = ref.word;
    if (const size_t dot = name.rfind('.'); dot != std::string_view::npos) {
      const File* other = model_.FindFile(name.substr(0, dot));
      if (other && BindIn(*other, name.substr(dot + 1), ref)) return;
    } else {
      if (BindIn(file, name, ref)) return;
      const File* meta = model_.FindFile("meta_v1");
      if (meta && BindIn(*meta, name, ref)) return;
    }
    diagnostics_.Error(at, "unknown type '" + ref.word + "'");
  }

  static bool BindIn(const File& file, std::string_view name, TypeRef& ref) {
    ref.type = file.FindType(name);
    ref.enumeration = file.FindEnum(name);
    ref.file = &file;
    if (ref.enumeration) ref.scalar = "kString";
    return ref.type || ref.enumeration;
  }

  void CheckType(const Type& type) {
    std::set<int> numbers;
    std::map<std::string, int> members;  // JSON name to the line that gives it
    std::set<std::string> accessors;
    for (const Field& field : type.fields) {
      if (field.number != 0 && !numbers.insert(field.number).second) {
        diagnostics_.Error(field.at,
                           "number " + std::to_string(field.number) + " is used twice in " + type.name);
      }
      if (!accessors.insert(AccessorName(field)).second) {
        diagnostics_.Error(field.at,
                           "field " + field.name + " of " + type.name + " has the accessor of another field");
      }
      auto member = [&](const std::string& name) {
        if (!members.emplace(name, field.at.line).second) {
          diagnostics_.Error(field.at, "member '" + name + "' appears twice in " + type.name);
        }
      };
      if (!field.inlined) {
        member(field.name);
      } else if (!field.type.type || field.pointer) {
        diagnostics_.Error(field.at, "only a struct can be inline");
      } else {
        for (const Field& inner : field.type.type->fields) {
          if (!inner.inlined) {
            member(inner.name);
          } else if (inner.type.type) {
            for (const Field& innermost : inner.type.type->fields) {
              if (innermost.inlined)
                diagnostics_.Error(field.at, "inline structs go two levels deep at most");
              member(innermost.name);
            }
          }
        }
      }
      CheckMarks(field);
    }
    if (type.either) CheckEither(type);
    auto has = [&](const std::string& name) {
      return name.empty() || std::ranges::find(type.fields, name, &Field::name) != type.fields.end();
    };
    for (const std::string& name : type.union_fields)
      if (!has(name)) diagnostics_.Error(type.at, "union of " + type.name + ": there is no field " + name);
    if (!has(type.discriminator))
      diagnostics_.Error(type.at, "union of " + type.name + ": there is no field " + type.discriminator);
  }

  // What JSON shows must tell which field is meant.
  void CheckEither(const Type& type) {
    std::set<std::string> shapes;
    for (const Field& field : type.fields) {
      const bool list = field.type.shape == TypeRef::Shape::kList;
      const std::string shape = list ? "list" : field.type.type ? "struct" : std::string(field.type.scalar);
      if ((shape != "list" && shape != "struct" && shape != "kBool") || !shapes.insert(shape).second) {
        diagnostics_.Error(field.at,
                           "field " + field.name + ": 'either' tells a struct, a list and a bool apart");
      }
    }
  }

  void CheckMarks(const Field& field) {
    const bool list = field.type.shape == TypeRef::Shape::kList;
    const bool map = field.type.shape == TypeRef::Shape::kMap;
    auto refuse = [&](std::string_view mark, std::string_view why) {
      diagnostics_.Error(field.at,
                         "field " + field.name + ": '" + std::string(mark) + "' " + std::string(why));
    };
    if ((field.set || field.wrapped) && !list) refuse(field.set ? "set" : "wrapped", "needs a list");
    if (field.atomic && !list && !map && !field.type.type && field.type.scalar != "kBytes")
      refuse("atomic", "needs a list, bytes, a map or a struct");
    if (field.granular && !map && !field.type.type) refuse("granular", "needs a map or a struct");
    if (field.pointer && (list || map)) refuse("?", "is for scalars and structs");
    if (field.atomic + field.set + !field.keys.empty() > 1) refuse("keyed by", "excludes 'atomic' and 'set'");
    if (!field.keys.empty() || !field.merge_key.empty()) CheckKeys(field, list, refuse);
    if (field.has_default) CheckDefault(field, refuse);
  }

  template <class Refuse>
  void CheckKeys(const Field& field, bool list, Refuse refuse) {
    const Type* element = list ? field.type.element->type : nullptr;
    if (!element) return refuse("keyed by", "needs a list of structs");
    auto known = [&](const std::string& key) {
      for (const Field& f : element->fields) {
        if (f.name == key) return true;
        if (!f.inlined || !f.type.type) continue;
        for (const Field& inner : f.type.type->fields)
          if (inner.name == key) return true;
      }
      return false;
    };
    for (const auto& key : field.keys)
      if (!known(key)) refuse("keyed by", "names " + key + ", which " + element->name + " does not have");
    if (!field.merge_key.empty() && !known(field.merge_key)) {
      refuse("merge by", "names " + field.merge_key + ", which " + element->name + " does not have");
    }
  }

  template <class Refuse>
  void CheckDefault(const Field& field, Refuse refuse) {
    const std::string& text = field.default_text;
    const std::string_view kind = field.type.scalar;
    if (kind == "kBool") {
      if (text != "true" && text != "false") refuse("default", "must be true or false");
    } else if (kind == "kInt32" || kind == "kInt64") {
      if (text.empty() || text.find_first_not_of("0123456789", text[0] == '-' ? 1 : 0) != std::string::npos) {
        refuse("default", "must be a number");
      }
    } else if (kind == "kString") {
      const Enum* e = field.type.enumeration;
      if (e && std::ranges::find(e->values, text) == e->values.end()) {
        refuse("default", "'" + text + "' is not a value of " + e->name);
      }
    } else if (!(field.type.type && text == "{}")) {
      refuse("default", "does not fit the type");
    }
  }

  void CheckKind(const Kind& kind, const File& file) {
    if (kind.plural.empty()) diagnostics_.Error(kind.at, "kind " + kind.name + " has no plural");
    const Type* type = file.FindType(kind.name);
    if (!type || !type->root) {
      diagnostics_.Error(kind.at, "kind " + kind.name + " has no object of that name");
    }
    if (!kind.prefix.empty() && !FindStored(kind)) {
      diagnostics_.Error(kind.at, "kind " + kind.name + " is stored as a version that has no such object");
    }
    for (const std::string& field : kind.indexed) {
      if (std::ranges::find(kind.selectable, field) == kind.selectable.end())
        diagnostics_.Error(kind.at, "indexed field " + field + " of " + kind.name + " is not selectable");
    }
    std::set<std::string_view> names;
    for (const Subresource& sub : kind.subresources) {
      if (!names.insert(sub.name).second) {
        diagnostics_.Error(kind.at, "subresource " + sub.name + " of " + kind.name + " is declared twice");
      }
    }
  }

  const Type* FindStored(const Kind& kind) const {
    for (const File& file : model_.files)
      if (file.group == kind.storage_group && file.version == kind.storage_version)
        return file.FindType(kind.name);
    return nullptr;
  }

  Model& model_;
  Diagnostics& diagnostics_;
};

}  // namespace

void Resolve(Model& model, Diagnostics& diagnostics) { Resolver(model, diagnostics).Run(); }

}  // namespace schemac
