#include "server/routes/index.h"

#include "endpoints/respond.h"

namespace keelson::server {

void InstallIndex(Router& router) {
  const auto answer = [&router](const IncomingRequest&) {
    // Paths are our own and need no escaping.
    std::string body = "{\n  \"paths\": [";
    for (bool first = true; const auto& path : router.ListedPaths()) {
      body += std::string(first ? "" : ",") + "\n    \"" + path + '"';
      first = false;
    }
    body += "\n  ]\n}";
    return endpoints::JsonResponse(200, std::move(body));
  };
  router.AddPage("/", answer, /*listed=*/false);
  router.AddPage("/index.html", answer, /*listed=*/false);
}

}  // namespace keelson::server
