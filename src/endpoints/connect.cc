#include "endpoints/request_scope.h"

namespace keelson::endpoints {
namespace {

// What follows the subresource in the path as it was sent.
std::string PathAfter(const RequestInfo& info, std::string_view path, bool namespaced) {
  size_t segments = info.api_prefix == "apis" ? 3 : 2;  // prefix, group and version
  segments += (namespaced ? 2 : 0) + 3;                 // resource, name and subresource
  size_t at = 0;
  for (; at != path.npos && segments > 0; --segments) at = path.find('/', at + 1);
  return at == path.npos ? std::string() : std::string(path.substr(at));
}

}  // namespace

base::Task<Answer> Connect(RequestScope& scope) {
  registry::rest::ConnectRequest request{
      .user = &scope.user,
      .request = &scope.request,
      .ns = scope.ns(),
      .name = scope.info.name,
      .path = PathAfter(scope.info, scope.request.path, scope.desc().namespaced),
      .warnings = &scope.warnings,
      .audit = scope.audit,
      .occupancy = scope.occupancy,
      .notes = scope.notes};
  co_return co_await scope.verbs.connect->Connect(std::move(request));
}

}  // namespace keelson::endpoints
