// Declarations: how values of a schema look to expressions: their types, and how large they can get.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "cel/environment.h"
#include "cel/estimate.h"
#include "extensions/schema/schema.h"

namespace keelson::extensions {

// The largest object that can be sent.
constexpr int64_t kMaxObjectBytes = 3 * 1024 * 1024;

struct Declaration {
  enum class Shape : uint8_t { kScalar, kObject, kList, kMap };
  using Fields = std::map<std::string, const Declaration*, std::less<>>;  // by escaped name

  Shape shape = Shape::kScalar;
  cel::TypeRef scalar;                   // kScalar
  int64_t min_json_size = 2;             // bytes
  int64_t max_elements = 0;              // characters, items or entries; 0 where nobody asks for it
  Fields fields;                         // kObject
  const Declaration* element = nullptr;  // kList, kMap
};

// Of the schemas of one tree, each made once. Threads: one.
class Declarations {
 public:
  // Null: expressions do not see values of this schema. `whole`: an object with kind, apiVersion and
  // metadata, of which names are seen whatever the schema says.
  const Declaration* For(const Schema& schema, bool whole);

 private:
  const Declaration* Make(const Schema& schema, bool whole);
  const Declaration* MakeObject(const Schema& schema, bool whole);
  const Declaration* MakeText(const Schema& schema);
  const Declaration* Add(Declaration declaration) { return &all_.emplace_back(std::move(declaration)); }

  std::deque<Declaration> all_;
  std::unordered_map<const Schema*, const Declaration*> known_;
};

// The types below `self`, by names that say where they are: selfType1.spec.items.@idx.
// Borrows the declaration until Forget is called; after that no expression is checked any more.
class SelfTypes final : public cel::StructTypes {
 public:
  SelfTypes(const Declaration& self, std::string name) : self_(&self), name_(std::move(name)) {}

  cel::TypeRef self() const { return TypeOf(*self_, name_); }
  bool Has(std::string_view name) const override;
  cel::TypeRef Field(std::string_view name, std::string_view field) const override;
  void Forget() { self_ = nullptr; }

 private:
  static cel::TypeRef TypeOf(const Declaration& declaration, const std::string& name);
  const Declaration* Find(std::string_view name) const;

  const Declaration* self_;
  std::string name_;
};

// How large what an expression looks at may be.
cel::SizeOracle SizesOf(const Declaration& self);

// Whether every object has this member, whatever its schema says: kind, apiVersion, metadata.
bool IsImplied(std::string_view name);
// How the schema reads where kind, apiVersion and metadata are always there. Null: nothing is said of it.
const Schema* MemberOf(const Schema& schema, bool whole, std::string_view name);

}  // namespace keelson::extensions
