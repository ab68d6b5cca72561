#include "cel/patch_types.h"

namespace keelson::cel {
namespace {

const TypeRef& JsonPatchType() {
  static const TypeRef type = types::Struct("JSONPatch");
  return type;
}

// What Go calls the kind of a value in a field that wants a text.
std::string GoKind(const Value& v) {
  switch (v.kind()) {
    case Value::Kind::kBool: return "bool";
    case Value::Kind::kInt: return "int64";
    case Value::Kind::kUint: return "uint64";
    case Value::Kind::kDouble: return "float64";
    case Value::Kind::kBytes: return "[]uint8";
    case Value::Kind::kNull: return "structpb.NullValue";
    case Value::Kind::kDuration: return "time.Duration";
    case Value::Kind::kTimestamp: return "time.Time";
    case Value::Kind::kList: return "[]ref.Val";
    case Value::Kind::kMap: return "map[ref.Val]ref.Val";
    default: return TypeOf(v)->name();
  }
}

Value NewJsonPatch(PatchObject::Fields fields) {
  auto patch = std::make_shared<JsonPatchObject>();
  for (auto& [name, value] : fields) {
    if (name == "value") {
      patch->value = std::move(value);
      continue;
    }
    std::string* const text = name == "op"     ? &patch->op
                              : name == "path" ? &patch->path
                              : name == "from" ? &patch->from
                                               : nullptr;
    if (!text) return Value::Error("unexpected JSONPatchType field: " + name);
    if (!value.is(Value::Kind::kString))
      return Value::Error("unexpected type " + GoKind(value) + " for JSONPatchType '" + name + "' field");
    *text = std::string(value.text());
  }
  return Value::Of(std::shared_ptr<const Object>(std::move(patch)));
}

class Types final : public StructTypes {
 public:
  bool Has(std::string_view name) const override {
    return name == "JSONPatch" || name == "Object" || name.starts_with("Object.");
  }
  TypeRef Field(std::string_view name, std::string_view field) const override {
    if (name != "JSONPatch") return types::Dyn();
    if (field == "op" || field == "path" || field == "from") return types::String();
    return field == "value" ? types::Dyn() : nullptr;
  }
  Value New(std::string_view name, std::vector<std::pair<std::string, Value>> fields) const override {
    if (name == "JSONPatch") return NewJsonPatch(std::move(fields));
    return Value::Of(
        std::make_shared<const PatchObject>(types::Struct(std::string(name)), std::move(fields)));
  }
};

}  // namespace

const StructTypes& PatchTypes() {
  static const Types types;
  return types;
}

const Value* PatchObject::Find(std::string_view name) const {
  for (const auto& [field, value] : fields_)
    if (field == name) return &value;
  return nullptr;
}

Value PatchObject::Field(std::string_view name) const {
  const Value* const found = Find(name);
  return found ? *found : Value();
}

Value PatchObject::Equals(const Object& other) const {
  const auto* o = dynamic_cast<const PatchObject*>(&other);
  if (!o || type_->name() != o->type_->name() || fields_.size() != o->fields_.size())
    return Value::Bool(false);
  for (const auto& [field, value] : fields_) {
    const Value* const there = o->Find(field);
    if (!there || !IsEqual(value, *there)) return Value::Bool(false);
  }
  return Value::Bool(true);
}

const TypeRef& JsonPatchObject::type() const { return JsonPatchType(); }

bool JsonPatchObject::Has(std::string_view name) const {
  if (name == "op") return !op.empty();
  if (name == "path") return !path.empty();
  if (name == "from") return !from.empty();
  return name == "value" && value.has_value();
}

Value JsonPatchObject::Field(std::string_view name) const {
  if (name == "op") return Value::String(op);
  if (name == "path") return Value::String(path);
  if (name == "from") return Value::String(from);
  if (name == "value") return value.value_or(Value());
  return Value::Error("unsupported indexer: " + std::string(name));
}

Value JsonPatchObject::Equals(const Object& other) const {
  const auto* o = dynamic_cast<const JsonPatchObject*>(&other);
  if (!o || op != o->op || path != o->path || from != o->from || value.has_value() != o->value.has_value())
    return Value::Bool(false);
  return value ? Equal(*value, *o->value) : Value::Bool(true);
}

}  // namespace keelson::cel
