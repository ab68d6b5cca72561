#include "endpoints/exchange.h"

namespace keelson::endpoints {

base::Task<Answer> Get(Exchange& exchange) {
  if (exchange.query.Bool("export").value_or(false))
    co_return base::Err(
        api::BadRequest("the export parameter, deprecated since v1.14, is no longer supported"));
  registry::rest::GetOptions options{std::string(exchange.query.GetOr("resourceVersion", ""))};
  if (exchange.verbs.show) {
    auto showing = exchange.verbs.show->Show(exchange.ns(), exchange.info.name, std::move(options));
    const auto shown = co_await std::move(showing);
    if (!shown) co_return base::Err(shown.error());
    co_return ObjectAnswer(exchange, 200, *shown);
  }
  auto lookup = exchange.verbs.get->Get(exchange.ns(), exchange.info.name, std::move(options));
  auto object = co_await std::move(lookup);
  if (!object) co_return base::Err(std::move(object.error()));
  co_return ObjectAnswer(exchange, 200, registry::rest::Encoded::Of(*std::move(object)));
}

}  // namespace keelson::endpoints
