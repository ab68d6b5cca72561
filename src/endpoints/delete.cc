#include "endpoints/audit_bodies.h"
#include "endpoints/decode.h"
#include "endpoints/request_scope.h"
#include "endpoints/respond.h"

namespace keelson::endpoints {
namespace {

base::Task<Parsed<registry::DeleteOptions>> ReadDeleteOptions(RequestScope& scope) {
  auto body = CO_TRY(co_await ReadBody(scope.request));
  Media media = Media::kJson;
  if (!body.empty()) media = CO_TRY(NegotiateInput(scope.request.headers, scope.options.media));
  auto options = ParseDeleteOptions(scope.query, body, media);
  if (options) AuditDeleteOptions(scope, body, media);
  co_return options;
}

}  // namespace

base::Task<Answer> Delete(RequestScope& scope) {
  auto options = CO_TRY(co_await ReadDeleteOptions(scope));
  for (std::string& warning : scope.verbs.remove->WarningsOnDelete(options))
    scope.warnings.push_back(std::move(warning));
  bool cascade = options.orphan_dependents == false;
  auto request = scope.WriteRequest(options.dry_run);
  auto deleted =
      CO_TRY(co_await scope.verbs.remove->Delete(std::move(request), scope.info.name, std::move(options)));

  int code = !deleted.gone && cascade ? 202 : 200;
  if (!deleted.answer_with_status) co_return ObjectAnswer(scope, code, deleted.object);
  api::Status status;
  status.code = 0;  // a Success tells none
  status.status = "Success";
  status.details = api::StatusDetails{scope.info.name, std::string(scope.desc().group),
                                      std::string(scope.desc().plural), std::move(deleted.uid)};
  net::http::Response response = StatusResponse(status, scope.output);
  response.status = code;
  co_return response;
}

base::Task<Answer> DeleteCollection(RequestScope& scope) {
  auto parameters = CO_TRY(ParseListParameters(scope.query, /*watch=*/false, scope.info.name, scope.desc()));
  auto options = CO_TRY(co_await ReadDeleteOptions(scope));
  for (std::string& warning : scope.verbs.remove_collection->WarningsOnDelete(options))
    scope.warnings.push_back(std::move(warning));
  registry::rest::ListOptions list{scope.ns(),       std::move(parameters.resource_version),
                                   parameters.match, std::move(parameters.selection),
                                   parameters.limit, std::move(parameters.continue_token)};
  list.occupancy = scope.occupancy;
  auto request = scope.WriteRequest(options.dry_run);
  auto deleted = CO_TRY(co_await scope.verbs.remove_collection->DeleteCollection(
      std::move(request), std::move(options), std::move(list)));
  co_return ListAnswer(scope, std::move(deleted));
}

}  // namespace keelson::endpoints
