#include "server/routes/health.h"

#include <algorithm>
#include <set>

#include "base/log.h"
#include "net/http/url.h"
#include "server/text_response.h"

namespace keelson::server {

void HealthChecks::Add(std::string name, Scope scope, Check check) {
  checks_.emplace_back(std::move(name), scope, std::move(check));
}

base::Result<void, std::string> HealthChecks::Named::Ask() {
  auto healthy = check();
  const bool fails = !healthy;
  if (failing.exchange(fails, std::memory_order_relaxed) == fails) return healthy;
  base::Log(base::LogLevel::kInfo, fails ? "health check fails" : "health check passes again",
            {{"check", name}, {"why", fails ? healthy.error() : std::string()}});
  return healthy;
}

bool HealthChecks::Shows(std::string_view page, Scope scope) {
  switch (scope) {
    case Scope::kAlways: return true;
    case Scope::kNotLiveness: return page != "livez";
    case Scope::kReadiness: return page == "readyz";
  }
  return false;
}

net::http::Response HealthChecks::Page(std::string_view page, IncomingRequest& incoming) {
  incoming.failure_is_told = true;
  const auto parameters = net::http::Query::Parse(incoming.request.query);
  std::set<std::string, std::less<>> excluded;
  for (const std::string_view name : parameters.All("exclude")) excluded.emplace(name);
  const bool verbose = parameters.Has("verbose");

  std::string report;
  bool failed = false;
  for (Named& check : checks_) {
    if (!Shows(page, check.scope)) continue;
    if (excluded.erase(check.name) > 0) {
      report += "[+]" + check.name + " excluded: ok\n";
    } else if (const auto healthy = check.Ask(); healthy) {
      report += "[+]" + check.name + " ok\n";
    } else {
      failed = true;
      report += "[-]" + check.name + " failed: reason withheld\n";
    }
  }
  if (!excluded.empty()) {
    report += "warn: some health checks cannot be excluded: no matches for ";
    for (bool first = true; const auto& name : excluded) {
      report += std::string(std::exchange(first, false) ? "" : ",") + '"' + name + '"';
    }
    report += '\n';
  }
  if (failed) return TextError(500, report + std::string(page) + " check failed");
  net::http::Response response =
      TextResponse(200, verbose ? report + std::string(page) + " check passed\n" : "ok");
  response.headers.Add("x-content-type-options", "nosniff");
  return response;
}

void HealthChecks::Install(Router& router) {
  for (const std::string page : {"healthz", "livez", "readyz"}) {
    router.AddPage('/' + page, [this, page](IncomingRequest& x) { return Page(page, x); });
    for (Named& check : checks_) {
      if (!Shows(page, check.scope)) continue;
      router.AddPage('/' + page + '/' + check.name, [&check](IncomingRequest& x) {
        x.failure_is_told = true;
        const auto healthy = check.Ask();
        return healthy ? TextResponse(200, "ok")
                       : TextError(500, "internal server error: " + healthy.error());
      });
    }
  }
}

}  // namespace keelson::server
