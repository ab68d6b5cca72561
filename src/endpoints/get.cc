#include "endpoints/exchange.h"

namespace keelson::endpoints {

base::Task<Answer> Get(Exchange& exchange) {
  if (exchange.query.Bool("export").value_or(false))
    co_return base::Err(
        api::BadRequest("the export parameter, deprecated since v1.14, is no longer supported"));
  registry::rest::GetOptions options{std::string(exchange.query.GetOr("resourceVersion", ""))};
  if (exchange.verbs.show) {
    const auto shown =
        CO_TRY(co_await exchange.verbs.show->Show(exchange.ns(), exchange.info.name, std::move(options)));
    co_return ObjectAnswer(exchange, 200, shown);
  }
  auto object =
      CO_TRY(co_await exchange.verbs.get->Get(exchange.ns(), exchange.info.name, std::move(options)));
  co_return ObjectAnswer(exchange, 200, registry::rest::Encoded::Of(std::move(object)));
}

}  // namespace keelson::endpoints
