#include "cel/ast.h"

namespace keelson::cel {

std::string QualifiedName(const Expr& expr) {
  if (expr.kind == Expr::Kind::kIdent) return expr.name;
  if (expr.kind != Expr::Kind::kSelect || expr.test_only) return "";
  const std::string prefix = QualifiedName(*expr.target);
  return prefix.empty() ? "" : prefix + "." + expr.name;
}

}  // namespace keelson::cel
