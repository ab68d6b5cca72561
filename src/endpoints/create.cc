#include "endpoints/exchange.h"
#include "endpoints/respond.h"

namespace keelson::endpoints {

base::Task<Answer> Create(Exchange& exchange) {
  auto parameters = CO_TRY(ParseWriteParameters(exchange.query, "CreateOptions"));
  auto doc = CO_TRY(co_await ReadObject(exchange, parameters.field_validation));
  DropRepeatedOwners(exchange, doc);
  auto request = exchange.WriteRequest(parameters);
  if (!exchange.info.subresource.empty()) request.parent = exchange.info.name;
  auto written = CO_TRY(co_await exchange.verbs.create->Create(std::move(request), std::move(doc)));
  if (written.status) {
    if (written.status->code == 0) written.status->code = 201;
    net::http::Response response = StatusResponse(*written.status, exchange.output);
    response.status = 201;
    co_return response;
  }
  co_return ObjectAnswer(exchange, 201, written.object);
}

}  // namespace keelson::endpoints
