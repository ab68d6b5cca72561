#include <algorithm>
#include <set>

#include "emit.h"
#include "names.h"

namespace schemac {
namespace {

// What an accessor of a scalar gives and how it is written.
struct ScalarAccess {
  std::string_view kind;    // of api::Kind
  std::string_view cpp;     // what the accessor returns
  std::string_view read;    // from the slot
  std::string_view setter;  // of namespace edit
  bool text = false;        // the setter copies into the arena
  bool presence = false;    // zero differs from absent even without a pointer
};

constexpr ScalarAccess kScalarAccesses[] = {
    {"kBool", "bool", ".boolean()", "SetBool"},
    {"kInt32", "int32_t", ".integer()", "SetInt"},
    {"kInt64", "int64_t", ".integer()", "SetInt"},
    {"kDouble", "double", ".real()", "SetDouble"},
    {"kString", "std::string_view", ".string()", "SetString", true},
    {"kQuantity", "std::string_view", ".string()", "SetString", true, true},
    {"kRaw", "std::string_view", ".string()", "SetString", true},
    {"kJson", "std::string_view", ".string()", "SetString", true},
    {"kFieldsV1", "std::string_view", ".string()", "SetString", true},
    {"kBytes", "std::string_view", ".string()", "SetBytes", true},
    {"kTime", "int64_t", ".integer()", "SetInt", false, true},
    {"kMicroTime", "int64_t", ".integer()", "SetInt", false, true},
    {"kDuration", "int64_t", ".integer()", "SetInt"},
    {"kIntOrString", "const Value&", "", "SetValue", false, true},
    {"kAny", "const Value&", "", "SetValue", false, true},
};

const ScalarAccess& AccessOf(std::string_view kind) {
  return *std::ranges::find(kScalarAccesses, kind, &ScalarAccess::kind);
}

std::string Upper(const std::string& s) {
  std::string out = s;
  if (!out.empty() && out[0] >= 'a' && out[0] <= 'z') out[0] = static_cast<char>(out[0] - 'a' + 'A');
  return out;
}

class ViewWriter {
 public:
  explicit ViewWriter(const File& file) : file_(file) {}

  std::string Write() {
    std::set<std::string> includes;
    for (const Type& type : file_.types) {
      for (const Field& field : type.fields) {
        const File* other = field.type.Innermost().type ? field.type.Innermost().file : nullptr;
        if (other && other != &file_) includes.insert(other->stem);
      }
    }
    out_ = "// Written by schemac from " + file_.stem +
           ".kschema.\n#pragma once\n\n#include \"api/types/view.h\"\n";
    for (const auto& stem : includes) out_ += "#include \"api/generated/" + stem + ".h\"\n";
    out_ += "\nnamespace keelson::api::" + file_.stem + " {\n\n";
    for (const Enum& e : file_.enums) Constants(e);
    for (const Type& type : file_.types) out_ += "extern const TypeDesc k" + type.name + "Type;\n";
    out_ += "\n";
    for (const Type& type : file_.types) Visit(type);
    out_ += late_ + "\n}  // namespace keelson::api::" + file_.stem + "\n";
    return out_;
  }

 private:
  void Constants(const Enum& e) {
    out_ += "struct " + e.name + " {\n";
    for (const auto& value : e.values) {
      const bool identifier =
          !value.empty() && std::ranges::all_of(value, [](unsigned char c) { return std::isalnum(c); });
      if (identifier) {
        out_ += "  static constexpr std::string_view k" + Upper(value) + " = " + Quote(value) + ";\n";
      }
    }
    out_ += "};\n";
  }

  // Writes the classes of what `type` holds before its own, so that accessors can be
  // written in place. Only a type that holds itself needs one behind its class.
  void Visit(const Type& type) {
    if (!started_.insert(&type).second) return;
    for (const Field& field : type.fields) {
      const TypeRef& inner = field.type.Innermost();
      if (inner.type && inner.file == &file_) Visit(*inner.type);
    }
    View(type);
    Editor(type);
    done_.insert(&type);
  }

  std::string ClassName(const TypeRef& ref, const char* suffix) const {
    return (ref.file == &file_ ? "" : ref.file->stem + "::") + ClassStem(*ref.type) + suffix;
  }
  bool Complete(const TypeRef& ref) const { return ref.file != &file_ || done_.contains(ref.type); }

  // A member function of `cls` that needs the class of `ref`: in place where that class
  // is known, else declared here and defined behind all classes.
  void Function(const std::string& cls, const TypeRef& ref, const std::string& result,
                const std::string& signature, const std::string& body) {
    if (Complete(ref)) {
      out_ += "  " + result + " " + signature + " { " + body + " }\n";
    } else {
      out_ += "  " + result + " " + signature + ";\n";
      late_ += "inline " + result + " " + cls + "::" + signature + " { " + body + " }\n";
    }
  }

  void ForwardDeclare(const Type& type) {
    for (const Field& field : type.fields) {
      const TypeRef& inner = field.type.Innermost();
      if (inner.type && !Complete(inner)) {
        out_ += "class " + ClassStem(*inner.type) + "View;\nclass " + ClassStem(*inner.type) + "Editor;\n";
      }
    }
  }

  void View(const Type& type) {
    ForwardDeclare(type);
    const std::string cls = ClassStem(type) + "View";
    out_ += "class " + cls + " : public StructView {\n public:\n  using StructView::StructView;\n";
    out_ += "  explicit " + cls + "(const Doc& doc) : StructView(doc, k" + type.name + "Type) {}\n";
    out_ += "  static const TypeDesc& Type() { return k" + type.name + "Type; }\n";
    for (size_t i = 0; i < type.fields.size(); ++i) ReadAccessors(cls, type.fields[i], i);
    out_ += "};\n";
  }

  void ReadAccessors(const std::string& cls, const Field& field, size_t ordinal) {
    const std::string name = AccessorName(field);
    const std::string at = "at(" + std::to_string(ordinal) + ")";
    const TypeRef& ref = field.type;
    if (ref.shape == TypeRef::Shape::kMap) {
      out_ += "  MapView " + name + "() const { return MapView(" + at + ".map()); }\n";
    } else if (ref.shape == TypeRef::Shape::kList) {
      if (ref.element->type) {
        const std::string view = "ListView<" + ClassName(*ref.element, "View") + ">";
        Function(cls, *ref.element, view, name + "() const", "return " + view + "(" + at + ".list());");
      } else {
        out_ += "  ScalarList " + name + "() const { return ScalarList(" + at + ".list()); }\n";
      }
    } else if (ref.type) {
      const std::string view = ClassName(ref, "View");
      Function(cls, ref, view, name + "() const", "return " + view + "(" + at + ".node());");
    } else {
      const ScalarAccess& access = AccessOf(ref.scalar);
      out_ += "  " + std::string(access.cpp) + " " + name + "() const { return " + Narrow(access) + at +
              std::string(access.read) + (access.cpp == "int32_t" ? ")" : "") + "; }\n";
      if (field.pointer || access.presence) {
        out_ += "  bool has_" + AccessorStem(field) + "() const { return !" + at + ".absent(); }\n";
      }
    }
  }
  static std::string Narrow(const ScalarAccess& access) {
    return access.cpp == "int32_t" ? "static_cast<int32_t>(" : "";
  }

  void Editor(const Type& type) {
    const std::string cls = ClassStem(type) + "Editor", view = ClassStem(type) + "View";
    out_ += "class " + cls + " : public " + view + " {\n public:\n  " + cls + "() = default;\n";
    out_ += "  " + cls + "(StructNode* node, Arena* arena) : " + view + "(node), arena_(arena) {}\n";
    out_ += "  explicit " + cls + "(Doc& doc) : " + view + "(doc), arena_(&doc.arena()) {}\n";
    out_ += "  StructNode* node() const { return writable(); }\n  Arena& arena() const { return *arena_; }\n";
    for (size_t i = 0; i < type.fields.size(); ++i) {
      WriteAccessors(cls, type.fields[i], i);
      out_ += "  void clear_" + AccessorStem(type.fields[i]) + "() { writable()->slot(" + std::to_string(i) +
              ") = {}; }\n";
    }
    out_ += "\n private:\n  Arena* arena_ = nullptr;\n};\n\n";
  }

  void WriteAccessors(const std::string& cls, const Field& field, size_t ordinal) {
    const std::string stem = AccessorStem(field);
    const std::string slot = "writable(), " + std::to_string(ordinal);
    const TypeRef& ref = field.type;
    if (ref.shape == TypeRef::Shape::kMap) {
      out_ += "  MapNode& mutable_" + stem + "() { return edit::MutableMap(" + slot + ", *arena_); }\n";
      if (!ref.element->element && !ref.element->scalar.empty() && AccessOf(ref.element->scalar).text) {
        out_ += "  void put_" + stem + "(std::string_view key, std::string_view v) { edit::Put(" + slot +
                ", key, v, *arena_); }\n";
      }
    } else if (ref.shape == TypeRef::Shape::kList) {
      out_ += "  ListNode& mutable_" + stem + "() { return edit::MutableList(" + slot + ", *arena_); }\n";
      AddAccessors(cls, field, stem, slot, std::to_string(ordinal));
    } else if (ref.type) {
      const std::string editor = ClassName(ref, "Editor");
      Function(cls, ref, editor, "mutable_" + stem + "()",
               "return " + editor + "(edit::MutableStruct(" + slot + ", *arena_), arena_);");
      Function(cls, ref, editor, "edit_" + stem + "()",
               "return " + editor + "(writable()->slot(" + std::to_string(ordinal) + ").node(), arena_);");
    } else {
      SetAccessors(field, stem, slot);
    }
  }

  void AddAccessors(const std::string& cls, const Field& field, const std::string& stem,
                    const std::string& slot, const std::string& ordinal) {
    const TypeRef& element = *field.type.element;
    if (element.type) {
      const std::string editor = ClassName(element, "Editor");
      Function(cls, element, editor, "add_" + stem + "()",
               "return " + editor + "(edit::AddStruct(" + slot + ", *arena_), arena_);");
      Function(cls, element, "EditList<" + editor + ">", "edit_" + stem + "()",
               "return EditList<" + editor + ">(writable()->slot(" + ordinal + ").list(), arena_);");
    } else if (!element.scalar.empty() && AccessOf(element.scalar).text) {
      out_ += "  void add_" + stem + "(std::string_view v) { edit::AddString(" + slot + ", v, *arena_); }\n";
    } else {
      out_ += "  void add_" + stem + "(Value v) { edit::MutableList(" + slot +
              ", *arena_).Append(v, *arena_); }\n";
    }
  }

  void SetAccessors(const Field& field, const std::string& stem, const std::string& slot) {
    const ScalarAccess& access = AccessOf(field.type.scalar);
    const std::string keep = field.pointer || access.presence ? "true" : "false";
    const std::string call = "edit::" + std::string(access.setter) + "(" + slot;
    if (access.text) {
      out_ += "  void set_" + stem + "(std::string_view v) { " + call + ", arena_->CopyString(v), " + keep +
              "); }\n";
      out_ += "  void set_" + stem + "_static(std::string_view v) { " + call + ", v, " + keep + "); }\n";
    } else {
      const std::string parameter = access.setter == "SetValue" ? "Value" : std::string(access.cpp);
      out_ += "  void set_" + stem + "(" + parameter + " v) { " + call + ", v, " + keep + "); }\n";
    }
  }

  const File& file_;
  std::string out_, late_;
  std::set<const Type*> started_, done_;
};

}  // namespace

std::string EmitViews(const File& file) { return ViewWriter(file).Write(); }

}  // namespace schemac
