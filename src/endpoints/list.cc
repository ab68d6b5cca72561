#include "endpoints/request_scope.h"

namespace keelson::endpoints {

base::Task<Answer> List(RequestScope& scope) {
  auto parameters = CO_TRY(ParseListParameters(scope.query, /*watch=*/false, scope.info.name, scope.desc()));
  registry::rest::ListOptions options{scope.ns(),
                                      std::move(parameters.resource_version),
                                      parameters.match,
                                      std::move(parameters.selection),
                                      parameters.limit,
                                      std::move(parameters.continue_token),
                                      scope.output.metadata_only(),
                                      scope.occupancy,
                                      scope.trace(),
                                      scope.notes};
  auto list = CO_TRY(co_await scope.verbs.list->List(std::move(options)));
  co_return ListAnswer(scope, std::move(list));
}

}  // namespace keelson::endpoints
