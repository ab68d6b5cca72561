#include "endpoints/request_scope.h"

namespace keelson::endpoints {

base::Task<Answer> Get(RequestScope& scope) {
  if (scope.query.Bool("export").value_or(false))
    co_return base::Err(
        api::BadRequest("the export parameter, deprecated since v1.14, is no longer supported"));
  registry::rest::GetOptions options{std::string(scope.query.GetOr("resourceVersion", "")),
                                     scope.output.metadata_only(), scope.occupancy, scope.trace(),
                                     scope.notes};
  if (scope.verbs.show) {
    const auto shown =
        CO_TRY(co_await scope.verbs.show->Show(scope.ns(), scope.info.name, std::move(options)));
    co_return ObjectAnswer(scope, 200, shown);
  }
  auto object = CO_TRY(co_await scope.verbs.get->Get(scope.ns(), scope.info.name, std::move(options)));
  co_return ObjectAnswer(scope, 200, registry::rest::Encoded::Of(std::move(object)));
}

}  // namespace keelson::endpoints
