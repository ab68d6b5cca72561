// FromTree: typed values out of schema-less ones, with the errors of upstream's converter
// of unstructured content.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/types/doc.h"
#include "base/result.h"

namespace keelson::api {

// Where in a document a value is: a chain on the stack, spelled out only for errors.
struct TreePath {
  const TreePath* parent = nullptr;
  std::string_view name;
  int64_t index = -1;  // of a list element, which has no name

  std::string ToString() const;  // "spec.containers[0].name"
};

class FromTree {
 public:
  // Values are made in `arena` and share strings with the trees, which must live as long.
  // Fields that a type does not know are dropped and, when `unknown` is given, reported
  // there as `unknown field "spec.foo"`.
  FromTree(Arena& arena, std::vector<std::string>* unknown) : arena_(arena), unknown_(unknown) {}

  using Result = base::Result<Value, std::string>;
  // A member of a struct: null is absent.
  Result Field(const Value& tree, const TypeDesc& type, const TreePath* at);
  // An element of a list or a map: null is the zero value.
  Result Element(const Value& tree, const TypeDesc& type, const TreePath* at);

  void ReportUnknown(std::string_view name, const TreePath* at);

 private:
  Result Convert(const Value& tree, const TypeDesc& type, const TreePath* at);
  Result Struct(const Value& tree, const TypeDesc& type, const TreePath* at);
  Result List(const Value& tree, const TypeDesc& type, const TreePath* at);
  Result Map(const Value& tree, const TypeDesc& type, const TreePath* at);
  Result Bytes(const Value& tree);
  Result Quantity(const Value& tree);
  Result Timely(const Value& tree, Kind kind);
  std::string_view TextOf(const Value& tree);

  Arena& arena_;
  std::vector<std::string>* const unknown_;
};

}  // namespace keelson::api
