#include "endpoints/decode.h"
#include "endpoints/exchange.h"
#include "endpoints/respond.h"

namespace keelson::endpoints {
namespace {

base::Task<Parsed<registry::DeleteOptions>> ReadDeleteOptions(Exchange& exchange) {
  auto body = co_await ReadBody(exchange.request);
  if (!body) co_return base::Err(std::move(body.error()));
  Media media = Media::kJson;
  if (!body->empty()) {
    auto negotiated = NegotiateInput(exchange.request.headers, exchange.options.media);
    if (!negotiated) co_return base::Err(std::move(negotiated.error()));
    media = *negotiated;
  }
  co_return ParseDeleteOptions(exchange.query, *body, media);
}

}  // namespace

base::Task<Answer> Delete(Exchange& exchange) {
  auto options = co_await ReadDeleteOptions(exchange);
  if (!options) co_return base::Err(std::move(options.error()));
  for (std::string& warning : exchange.verbs.remove->WarningsOnDelete(*options))
    exchange.warnings.push_back(std::move(warning));
  bool cascade = options->orphan_dependents == false;
  auto request = exchange.WriteRequest(options->dry_run);
  auto deletion = exchange.verbs.remove->Delete(std::move(request), exchange.info.name, *std::move(options));
  auto deleted = co_await std::move(deletion);
  if (!deleted) co_return base::Err(std::move(deleted.error()));

  int code = !deleted->gone && cascade ? 202 : 200;
  if (!deleted->answer_with_status) co_return ObjectAnswer(exchange, code, deleted->object);
  api::Status status;
  status.code = 0;  // a Success tells none
  status.status = "Success";
  status.details = api::StatusDetails{exchange.info.name, std::string(exchange.desc().group),
                                      std::string(exchange.desc().plural), std::move(deleted->uid)};
  net::http::Response response = StatusResponse(status, exchange.output);
  response.status = code;
  co_return response;
}

base::Task<Answer> DeleteCollection(Exchange& exchange) {
  auto parameters = ParseListParameters(exchange.query, /*watch=*/false, exchange.info.name, exchange.desc());
  if (!parameters) co_return base::Err(std::move(parameters.error()));
  auto options = co_await ReadDeleteOptions(exchange);
  if (!options) co_return base::Err(std::move(options.error()));
  for (std::string& warning : exchange.verbs.remove_collection->WarningsOnDelete(*options))
    exchange.warnings.push_back(std::move(warning));
  registry::rest::ListOptions list{exchange.ns(),     std::move(parameters->resource_version),
                                   parameters->match, std::move(parameters->selection),
                                   parameters->limit, std::move(parameters->continue_token)};
  auto request = exchange.WriteRequest(options->dry_run);
  auto deletion = exchange.verbs.remove_collection->DeleteCollection(std::move(request), *std::move(options),
                                                                     std::move(list));
  auto deleted = co_await std::move(deletion);
  if (!deleted) co_return base::Err(std::move(deleted.error()));
  co_return ListAnswer(exchange, *std::move(deleted));
}

}  // namespace keelson::endpoints
