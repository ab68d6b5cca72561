#include "endpoints/exchange.h"

namespace keelson::endpoints {

base::Task<Answer> Create(Exchange& exchange) {
  auto parameters = ParseWriteParameters(exchange.query, "CreateOptions");
  if (!parameters) co_return base::Err(std::move(parameters.error()));
  auto doc = co_await ReadObject(exchange, parameters->field_validation);
  if (!doc) co_return base::Err(std::move(doc.error()));
  auto creation = exchange.verbs.create->Create(exchange.WriteRequest(parameters->dry_run), *std::move(doc));
  auto written = co_await std::move(creation);
  if (!written) co_return base::Err(std::move(written.error()));
  for (std::string& warning : written->warnings) exchange.warnings.push_back(std::move(warning));
  co_return ObjectAnswer(exchange, 201, written->object);
}

}  // namespace keelson::endpoints
