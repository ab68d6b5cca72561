#include "endpoints/decode.h"
#include "endpoints/exchange.h"
#include "endpoints/respond.h"

namespace keelson::endpoints {
namespace {

base::Task<Parsed<registry::DeleteOptions>> ReadDeleteOptions(Exchange& exchange) {
  auto body = CO_TRY(co_await ReadBody(exchange.request));
  Media media = Media::kJson;
  if (!body.empty()) media = CO_TRY(NegotiateInput(exchange.request.headers, exchange.options.media));
  co_return ParseDeleteOptions(exchange.query, body, media);
}

}  // namespace

base::Task<Answer> Delete(Exchange& exchange) {
  auto options = CO_TRY(co_await ReadDeleteOptions(exchange));
  for (std::string& warning : exchange.verbs.remove->WarningsOnDelete(options))
    exchange.warnings.push_back(std::move(warning));
  bool cascade = options.orphan_dependents == false;
  auto request = exchange.WriteRequest(options.dry_run);
  auto deleted = CO_TRY(
      co_await exchange.verbs.remove->Delete(std::move(request), exchange.info.name, std::move(options)));

  int code = !deleted.gone && cascade ? 202 : 200;
  if (!deleted.answer_with_status) co_return ObjectAnswer(exchange, code, deleted.object);
  api::Status status;
  status.code = 0;  // a Success tells none
  status.status = "Success";
  status.details = api::StatusDetails{exchange.info.name, std::string(exchange.desc().group),
                                      std::string(exchange.desc().plural), std::move(deleted.uid)};
  net::http::Response response = StatusResponse(status, exchange.output);
  response.status = code;
  co_return response;
}

base::Task<Answer> DeleteCollection(Exchange& exchange) {
  auto parameters =
      CO_TRY(ParseListParameters(exchange.query, /*watch=*/false, exchange.info.name, exchange.desc()));
  auto options = CO_TRY(co_await ReadDeleteOptions(exchange));
  for (std::string& warning : exchange.verbs.remove_collection->WarningsOnDelete(options))
    exchange.warnings.push_back(std::move(warning));
  registry::rest::ListOptions list{exchange.ns(),    std::move(parameters.resource_version),
                                   parameters.match, std::move(parameters.selection),
                                   parameters.limit, std::move(parameters.continue_token)};
  auto request = exchange.WriteRequest(options.dry_run);
  auto deleted = CO_TRY(co_await exchange.verbs.remove_collection->DeleteCollection(
      std::move(request), std::move(options), std::move(list)));
  co_return ListAnswer(exchange, std::move(deleted));
}

}  // namespace keelson::endpoints
