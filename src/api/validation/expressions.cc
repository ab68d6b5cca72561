#include "api/validation/expressions.h"

#include "api/validation/render.h"

namespace keelson::api {

void AddProblem(const MaybeProblem& problem, std::string_view shown, const field::Path& path,
                field::ErrorList& errors) {
  if (!problem) return;
  switch (problem->kind) {
    case ExpressionProblem::Kind::kInvalid:
      return errors.Add(field::Invalid(path, field::RenderValue(shown), problem->detail));
    case ExpressionProblem::Kind::kInternal: return errors.Add(field::Internal(path, problem->detail));
    case ExpressionProblem::Kind::kForbidden: return errors.Add(field::Forbidden(path, problem->detail));
  }
}

}  // namespace keelson::api
