#include "server/routes/health.h"

#include <algorithm>
#include <set>

#include "base/log.h"
#include "net/http/url.h"
#include "server/text_response.h"

namespace keelson::server {

namespace {

constexpr std::string_view kPageNames[] = {"healthz", "livez", "readyz"};
constexpr size_t kLivez = 1, kReadyz = 2;

}  // namespace

void HealthChecks::Add(std::string name, Scope scope, Check check, std::string group) {
  checks_.emplace_back(std::move(name), scope, std::move(check), std::move(group));
}

void HealthChecks::Results::Count(bool success) const {
  healthy->Set(success ? 1 : 0);
  (success ? successes : errors)->Add();
}

bool HealthChecks::InGracePeriod() const {
  return !livez_grace_period_ || clock_.SteadyNow() - begun_ < *livez_grace_period_;
}

base::Result<void, std::string> HealthChecks::Ask(Named& check, size_t page) const {
  if (page == kLivez && check.scope == Scope::kBootSequence && InGracePeriod()) return {};
  auto healthy = check.check();
  const bool fails = !healthy;
  if (check.failing.exchange(fails, std::memory_order_relaxed) == fails) return healthy;
  base::Log(base::LogLevel::kInfo, fails ? "health check fails" : "health check passes again",
            {{"check", check.name}, {"why", fails ? healthy.error() : std::string()}});
  return healthy;
}

bool HealthChecks::Shows(size_t page, Scope scope) {
  switch (scope) {
    case Scope::kAlways:
    case Scope::kBootSequence: return true;
    case Scope::kNotLiveness: return page != kLivez;
    case Scope::kReadiness: return page == kReadyz;
  }
  return false;
}

net::http::Response HealthChecks::Page(size_t page, IncomingRequest& incoming) {
  incoming.failure_is_told = true;
  const std::string name(kPageNames[page]);
  const auto parameters = net::http::Query::Parse(incoming.request.query);
  std::set<std::string, std::less<>> excluded;
  for (const std::string_view one : parameters.All("exclude")) excluded.emplace(one);
  std::set<std::string, std::less<>> unknown = excluded;
  const bool verbose = parameters.Has("verbose");

  std::string report;
  bool failed = false;
  for (Named& check : checks_) {
    if (!Shows(page, check.scope)) continue;
    if (excluded.contains(check.name)) {
      unknown.erase(check.name);
      report += "[+]" + check.name + " excluded: ok\n";
      continue;
    }
    if (!check.group.empty() && excluded.contains(check.group)) {
      unknown.erase(check.group);
      report += "[+]" + check.name + " excluded with " + check.group + ": ok\n";
      continue;
    }
    const bool healthy = Ask(check, page).has_value();
    check.results[page].Count(healthy);
    report += healthy ? "[+]" + check.name + " ok\n" : "[-]" + check.name + " failed: reason withheld\n";
    failed = failed || !healthy;
  }
  if (!unknown.empty()) {
    report += "warn: some health checks cannot be excluded: no matches for ";
    for (bool first = true; const auto& one : unknown)
      report += std::string(std::exchange(first, false) ? "" : ",") + '"' + one + '"';
    report += '\n';
  }
  if (failed) return TextError(500, report + name + " check failed");
  net::http::Response response = TextResponse(200, verbose ? report + name + " check passed\n" : "ok");
  response.headers.Add("x-content-type-options", "nosniff");
  return response;
}

void HealthChecks::Install(Router& router) {
  for (size_t page = 0; page < kPages; ++page) {
    const std::string type(kPageNames[page]);
    router.AddPage('/' + type, [this, page](IncomingRequest& x) { return Page(page, x); });
    for (Named& check : checks_) {
      if (!Shows(page, check.scope)) continue;
      const auto results = [&](const char* status) {
        return &slis_.GetCounter("kubernetes_healthchecks_total",
                                 "What the pages of health found, by check, page and result.",
                                 {{"name", check.name}, {"status", status}, {"type", type}});
      };
      check.results[page] = {
          .healthy = &slis_.GetGauge("kubernetes_healthcheck", "What a page of health found last: 1 is well.",
                                     {{"name", check.name}, {"type", type}}),
          .successes = results("success"),
          .errors = results("error")};
      router.AddPage('/' + type + '/' + check.name, [this, &check, page](IncomingRequest& x) {
        x.failure_is_told = true;
        const auto healthy = Ask(check, page);
        return healthy ? TextResponse(200, "ok")
                       : TextError(500, "internal server error: " + healthy.error());
      });
    }
  }
}

}  // namespace keelson::server
