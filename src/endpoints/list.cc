#include "endpoints/exchange.h"

namespace keelson::endpoints {

base::Task<Answer> List(Exchange& exchange) {
  auto parameters = ParseListParameters(exchange.query, /*watch=*/false, exchange.info.name, exchange.desc());
  if (!parameters) co_return base::Err(std::move(parameters.error()));
  registry::rest::ListOptions options{exchange.ns(),     std::move(parameters->resource_version),
                                      parameters->match, std::move(parameters->selection),
                                      parameters->limit, std::move(parameters->continue_token)};
  auto listing = exchange.verbs.list->List(std::move(options));
  auto list = co_await std::move(listing);
  if (!list) co_return base::Err(std::move(list.error()));
  co_return ListAnswer(exchange, *std::move(list));
}

}  // namespace keelson::endpoints
