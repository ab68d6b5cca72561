#include "endpoints/request_scope.h"
#include "endpoints/respond.h"

namespace keelson::endpoints {

base::Task<Answer> Create(RequestScope& scope) {
  auto parameters = CO_TRY(ParseWriteParameters(scope.query, "CreateOptions"));
  auto doc = CO_TRY(co_await ReadObject(scope, parameters.field_validation));
  DropRepeatedOwners(scope, doc);
  auto request = scope.WriteRequest(parameters);
  if (!scope.info.subresource.empty()) request.parent = scope.info.name;
  auto written = CO_TRY(co_await scope.verbs.create->Create(std::move(request), std::move(doc)));
  if (written.status) {
    if (written.status->code == 0) written.status->code = 201;
    net::http::Response response = StatusResponse(*written.status, scope.output);
    response.status = 201;
    co_return response;
  }
  co_return ObjectAnswer(scope, 201, written.object);
}

}  // namespace keelson::endpoints
