#include "server/routes/version.h"

#include "api/meta/status.h"
#include "endpoints/respond.h"

// Set by the build, for this file alone.
#if !defined(KEELSON_VERSION) || !defined(KEELSON_GIT_COMMIT) || !defined(KEELSON_GIT_DATE)
#error "KEELSON_VERSION, KEELSON_GIT_COMMIT and KEELSON_GIT_DATE must be defined"
#endif

#if defined(__x86_64__)
#define KEELSON_PLATFORM "linux/amd64"
#elif defined(__aarch64__)
#define KEELSON_PLATFORM "linux/arm64"
#else
#define KEELSON_PLATFORM "linux/unknown"
#endif

namespace keelson::server {
namespace {

constexpr std::string_view kGitVersion = "v1.36.4+keelson-" KEELSON_VERSION;

constexpr std::string_view kVersionJson =
    "{\n"
    "  \"major\": \"1\",\n"
    "  \"minor\": \"36\",\n"
    "  \"emulationMajor\": \"1\",\n"
    "  \"emulationMinor\": \"36\",\n"
    "  \"minCompatibilityMajor\": \"1\",\n"
    "  \"minCompatibilityMinor\": \"35\",\n"
    "  \"gitVersion\": \"v1.36.4+keelson-" KEELSON_VERSION
    "\",\n"
    "  \"gitCommit\": \"" KEELSON_GIT_COMMIT
    "\",\n"
    "  \"gitTreeState\": \"\",\n"
    "  \"buildDate\": \"" KEELSON_GIT_DATE
    "\",\n"
    "  \"goVersion\": \"\",\n"
    "  \"compiler\": \"g++ " __VERSION__
    "\",\n"
    "  \"platform\": \"" KEELSON_PLATFORM
    "\"\n"
    "}";

net::http::Response Answer(const Exchange& exchange) {
  if (exchange.request.method == "GET" || exchange.request.method == "HEAD")
    return endpoints::JsonResponse(200, std::string(kVersionJson));
  return endpoints::StatusResponse(api::GenericServerResponse(405, "", {}, "", ""), exchange.accept());
}

}  // namespace

std::string_view GitVersion() { return kGitVersion; }
std::string_view VersionJson() { return kVersionJson; }

void InstallVersion(Router& router) {
  router.AddPage("/version", Answer);
  router.AddPage("/version/", Answer, /*listed=*/false);
}

}  // namespace keelson::server
