#include "endpoints/exchange.h"
#include "endpoints/respond.h"

namespace keelson::endpoints {

base::Task<Answer> Create(Exchange& exchange) {
  auto parameters = ParseWriteParameters(exchange.query, "CreateOptions");
  if (!parameters) co_return base::Err(std::move(parameters.error()));
  auto doc = co_await ReadObject(exchange, parameters->field_validation);
  if (!doc) co_return base::Err(std::move(doc.error()));
  DropRepeatedOwners(exchange, *doc);
  auto request = exchange.WriteRequest(*parameters);
  if (!exchange.info.subresource.empty()) request.parent = exchange.info.name;
  auto creation = exchange.verbs.create->Create(std::move(request), *std::move(doc));
  auto written = co_await std::move(creation);
  if (!written) co_return base::Err(std::move(written.error()));
  for (std::string& warning : written->warnings) exchange.warnings.push_back(std::move(warning));
  if (written->status) {
    if (written->status->code == 0) written->status->code = 201;
    net::http::Response response = StatusResponse(*written->status, exchange.output);
    response.status = 201;
    co_return response;
  }
  co_return ObjectAnswer(exchange, 201, written->object);
}

}  // namespace keelson::endpoints
