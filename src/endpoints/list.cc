#include "endpoints/exchange.h"

namespace keelson::endpoints {

base::Task<Answer> List(Exchange& exchange) {
  auto parameters =
      CO_TRY(ParseListParameters(exchange.query, /*watch=*/false, exchange.info.name, exchange.desc()));
  registry::rest::ListOptions options{exchange.ns(),    std::move(parameters.resource_version),
                                      parameters.match, std::move(parameters.selection),
                                      parameters.limit, std::move(parameters.continue_token)};
  auto list = CO_TRY(co_await exchange.verbs.list->List(std::move(options)));
  co_return ListAnswer(exchange, std::move(list));
}

}  // namespace keelson::endpoints
