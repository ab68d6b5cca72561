#include "server/routes/version.h"

#include "api/meta/status.h"
#include "base/version.h"
#include "endpoints/respond.h"

// Set by the build, for this file alone.
#if !defined(KEELSON_GIT_COMMIT) || !defined(KEELSON_GIT_DATE)
#error "KEELSON_GIT_COMMIT and KEELSON_GIT_DATE must be defined"
#endif

#if defined(__x86_64__)
#define KEELSON_PLATFORM "linux/amd64"
#elif defined(__aarch64__)
#define KEELSON_PLATFORM "linux/arm64"
#else
#define KEELSON_PLATFORM "linux/unknown"
#endif

#define GIT_VERSION "v" KEELSON_KUBERNETES_VERSION "+keelson-" KEELSON_VERSION

namespace keelson::server {
namespace {

constexpr std::string_view kGitVersion = GIT_VERSION;

constexpr std::string_view kVersionJson =
    "{\n"
    "  \"major\": \"" KEELSON_KUBERNETES_MAJOR
    "\",\n"
    "  \"minor\": \"" KEELSON_KUBERNETES_MINOR
    "\",\n"
    "  \"emulationMajor\": \"" KEELSON_KUBERNETES_MAJOR
    "\",\n"
    "  \"emulationMinor\": \"" KEELSON_KUBERNETES_MINOR
    "\",\n"
    "  \"minCompatibilityMajor\": \"" KEELSON_KUBERNETES_MAJOR
    "\",\n"
    "  \"minCompatibilityMinor\": \"" KEELSON_KUBERNETES_MINOR_BEFORE
    "\",\n"
    "  \"gitVersion\": \"" GIT_VERSION
    "\",\n"
    "  \"gitCommit\": \"" KEELSON_GIT_COMMIT
    "\",\n"
    "  \"gitTreeState\": \"\",\n"
    "  \"buildDate\": \"" KEELSON_GIT_DATE
    "\",\n"
    "  \"goVersion\": \"\",\n"
    "  \"compiler\": \"" __VERSION__
    "\",\n"
    "  \"platform\": \"" KEELSON_PLATFORM
    "\"\n"
    "}";

// As in the JSON above.
struct BuildFact {
  const char *name, *value;
};
constexpr BuildFact kBuildFacts[] = {
    {"build_date", KEELSON_GIT_DATE},    {"compiler", __VERSION__},
    {"git_commit", KEELSON_GIT_COMMIT},  {"git_tree_state", ""},
    {"git_version", GIT_VERSION},        {"go_version", ""},
    {"major", KEELSON_KUBERNETES_MAJOR}, {"minor", KEELSON_KUBERNETES_MINOR},
    {"platform", KEELSON_PLATFORM},
};

net::http::Response Answer(const IncomingRequest& incoming) {
  if (incoming.request.method == "GET" || incoming.request.method == "HEAD")
    return endpoints::JsonResponse(200, std::string(kVersionJson));
  return endpoints::StatusResponse(api::GenericServerResponse(405, "", {}, "", ""), incoming.accept());
}

}  // namespace

std::string_view GitVersion() { return kGitVersion; }
std::string_view VersionJson() { return kVersionJson; }

base::Labels BuildInfoLabels() {
  base::Labels labels;
  for (const BuildFact& fact : kBuildFacts) labels.emplace_back(fact.name, fact.value);
  return labels;
}

void InstallVersion(Router& router) {
  router.AddPage("/version", Answer);
  router.AddPage("/version/", Answer, /*listed=*/false);
}

}  // namespace keelson::server
