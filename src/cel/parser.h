// From text to tree.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "cel/ast.h"
#include "cel/macros.h"
#include "cel/source.h"

namespace keelson::cel {

struct ParserOptions {
  std::vector<Macro> macros;
  bool optional_syntax = false;  // a.?b, a[?b], [?a], {?a: b}
};

struct Parsed {
  ExprPtr root;  // not to be used when there are issues
  Positions positions;
};

// The most code points an expression may have.
constexpr size_t kMaxExpressionSize = 100'000;
// How deep a rule of the grammar may nest in itself.
constexpr int kMaxRecursion = 250;

Parsed Parse(const Source& source, const ParserOptions& options, Issues& issues);

}  // namespace keelson::cel
