// Type: what the checker knows of an expression's value, and what type() gives at run time.
//
// Immutable and shared; equality is by structure.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace keelson::cel {

class Type;
using TypeRef = std::shared_ptr<const Type>;

class Type {
 public:
  enum class Kind : uint8_t {
    kError,
    kDyn,
    kNull,
    kBool,
    kInt,
    kUint,
    kDouble,
    kString,
    kBytes,
    kDuration,
    kTimestamp,
    kList,
    kMap,
    kType,
    kStruct,     // has fields; its name is known to the environment
    kOpaque,     // known by name and parameters alone: optional_type(int)
    kTypeParam,  // A in list(A)
  };

  Type(Kind kind, std::string name, std::vector<TypeRef> parameters = {})
      : kind_(kind), name_(std::move(name)), parameters_(std::move(parameters)) {}

  Kind kind() const { return kind_; }
  // What values of this type say they are: "int", "list", "google.protobuf.Duration".
  const std::string& name() const { return name_; }
  const std::vector<TypeRef>& parameters() const { return parameters_; }
  const TypeRef& parameter(size_t i) const { return parameters_[i]; }

  bool is(Kind kind) const { return kind_ == kind; }
  bool IsOptional() const { return kind_ == Kind::kOpaque && name_ == "optional_type"; }

 private:
  Kind kind_;
  std::string name_;
  std::vector<TypeRef> parameters_;
};
using TypeKind = Type::Kind;

bool SameType(const Type& a, const Type& b);

// As messages of the checker show it: "list(int)", "map(string, dyn)", "duration".
std::string FormatType(const Type& type);
// As it names itself: "google.protobuf.Duration", "null_type".
std::string TypeText(const Type& type);

namespace types {

const TypeRef& Error();
const TypeRef& Dyn();
const TypeRef& Any();  // another name of dyn, for values that nobody declared
const TypeRef& Null();
const TypeRef& Bool();
const TypeRef& Int();
const TypeRef& Uint();
const TypeRef& Double();
const TypeRef& String();
const TypeRef& Bytes();
const TypeRef& Duration();
const TypeRef& Timestamp();
const TypeRef& AnyType();  // type, of what is not said

TypeRef ListOf(TypeRef element);
TypeRef MapOf(TypeRef key, TypeRef value);
TypeRef Optional(TypeRef inner);
TypeRef TypeOf(TypeRef type);  // the type of a type
TypeRef Struct(std::string name);
TypeRef Opaque(std::string name, std::vector<TypeRef> parameters = {});
TypeRef Parameter(std::string name);

}  // namespace types

}  // namespace keelson::cel
