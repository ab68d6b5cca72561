// The objects that mutating policies write: Object{spec: Object.spec{…}} for what is applied,
// JSONPatch{op: …} for patches.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cel/environment.h"

namespace keelson::cel {

const StructTypes& PatchTypes();

// An object with any fields, whose type says where in the document it belongs.
class PatchObject final : public Object {
 public:
  using Fields = std::vector<std::pair<std::string, Value>>;
  PatchObject(TypeRef type, Fields fields) : type_(std::move(type)), fields_(std::move(fields)) {}
  const TypeRef& type() const override { return type_; }
  bool has_fields() const override { return true; }
  bool Has(std::string_view name) const override { return Find(name) != nullptr; }
  Value Field(std::string_view name) const override;
  Value Equals(const Object& other) const override;
  const Fields& fields() const { return fields_; }

 private:
  const Value* Find(std::string_view name) const;
  TypeRef type_;
  Fields fields_;
};

// One operation of a patch.
class JsonPatchObject final : public Object {
 public:
  const TypeRef& type() const override;
  bool has_fields() const override { return true; }
  bool Has(std::string_view name) const override;
  Value Field(std::string_view name) const override;
  Value Equals(const Object& other) const override;

  std::string op, path, from;
  std::optional<Value> value;
};

}  // namespace keelson::cel
