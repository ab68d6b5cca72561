#include "aggregator/availability.h"

#include <optional>

#include "aggregator/identity.h"
#include "api/generated/apiregistration_v1.h"
#include "api/generated/core_v1.h"
#include "api/generated/discovery_v1.h"
#include "api/meta/labels.h"
#include "api/meta/object_meta.h"
#include "api/validation/quote.h"
#include "base/log.h"
#include "controllers/conditions.h"
#include "registry/core/kubelet_location.h"

namespace keelson::aggregator {
namespace {

using api::discovery_v1::EndpointSliceView;

constexpr client::Resource kApiServices{"apiregistration.k8s.io", "apiservices"};
constexpr client::Resource kServices{"", "services"}, kSlices{"discovery.k8s.io", "endpointslices"};
constexpr std::string_view kGauge = "aggregator_unavailable_apiservice";
constexpr std::string_view kGaugeHelp =
    "Gauge of APIServices which are marked as unavailable broken down by APIService name.";
constexpr std::string_view kCounterHelp =
    "Counter of APIServices which are marked as unavailable broken down by APIService name and reason.";

std::string_view ServiceOf(EndpointSliceView slice) {
  const api::Value* const name = slice.metadata().labels().Find(api::kServiceNameLabel);
  return name ? name->string() : std::string_view();
}

bool HasReadyEndpoint(EndpointSliceView slice) {
  for (const auto endpoint : slice.endpoints())
    if (!endpoint.conditions().has_ready() || endpoint.conditions().ready()) return true;
  return false;
}

bool HasPort(EndpointSliceView slice, std::string_view name) {
  for (const auto port : slice.ports())
    if (port.has_name() && port.name() == name && port.has_port()) return true;
  return false;
}

std::string Named(const ServiceReference& service) {
  return "service/" + service.name + " in " + api::Quoted(service.ns);
}

}  // namespace

// Several requests under way, of which one success is enough.
struct Availability::Attempts {
  int under_way = kAttempts;
  base::Completion<std::string> ended;  // why the last one failed; empty: one did not
  bool over = false;

  void End(std::string why) {
    --under_way;
    if (over || (!why.empty() && under_way > 0)) return;
    over = true;
    ended.Set(std::move(why));
  }
};

Availability::Availability(const Options& options)
    : options_(options),
      services_(options_.client, kServices, options_.loop),
      slices_(options_.client, kSlices, options_.loop),
      queue_(options_.loop, [this](std::string name) { return Sync(std::move(name)); },
             {.first_retry = std::chrono::milliseconds(5), .max_retry = kInterval, .again_at_once = true}) {
  Report(options_.metrics);
  options_.table.Observe([this](const std::string& name) { See(name); });
}

Availability::~Availability() = default;

void Availability::Start() {
  active_ = true;
  queue_.Start();
  for (const auto& [name, service] : options_.table.all()) See(name);
  options_.loop.PostAfter(kInterval, [this, run = ++run_] { Again(run); });
}

void Availability::Stop() {
  active_ = false;
  ++run_;
  if (std::exchange(following_, false)) {
    services_.Stop();
    slices_.Stop();
  }
  queue_.Stop();
}

void Availability::See(const std::string& name) {
  if (const auto known = references_.find(name); known != references_.end()) {
    const auto of_service = referrers_.find(known->second);
    of_service->second.erase(name);
    if (of_service->second.empty()) referrers_.erase(of_service);
    references_.erase(known);
  }
  const ApiServicePtr service = options_.table.Find(name);
  if (!service) return Forget(name);
  if (!service->service) return Show(name, !service->available);
  ServiceName reference{service->service->ns, service->service->name};
  referrers_[reference].insert(name);
  references_.emplace(name, std::move(reference));
  queue_.Add(name);
  // Where nothing is aggregated, nobody follows services.
  if (!active_ || std::exchange(following_, true)) return;
  services_.Start(
      [this](const client::Change& change) { SeeService(change.object.ns(), change.object.name()); });
  slices_.Start([this](const client::Change& change) {
    SeeService(change.object.ns(), change.object.FindLabel(api::kServiceNameLabel).value_or(""));
  });
}

void Availability::SeeService(std::string_view ns, std::string_view name) {
  const auto found = referrers_.find({std::string(ns), std::string(name)});
  if (found == referrers_.end()) return;
  for (const std::string& api_service : found->second) queue_.Add(api_service);
}

void Availability::Again(uint64_t run) {
  if (run != run_) return;
  for (const auto& [name, service] : references_) queue_.Add(name);
  options_.loop.PostAfter(kInterval, [this, run] { Again(run); });
}

base::Task<bool> Availability::Sync(std::string name) {
  const ApiServicePtr service = options_.table.Find(name);
  if (!service || !service->service) co_return true;
  Verdict verdict = co_await Judge(service);
  const bool ask_again = verdict.ask_again;
  if (!co_await Write(std::move(name), std::move(verdict))) co_return false;
  co_return !ask_again;
}

base::Task<Availability::Verdict> Availability::Judge(ApiServicePtr service) {
  Verdict verdict = co_await JudgeService(service);
  if (!verdict.reason.empty()) co_return verdict;
  std::string why = co_await AskSeveralTimes(std::move(service));
  if (!why.empty()) co_return Verdict{"False", "FailedDiscoveryCheck", std::move(why), /*ask_again=*/true};
  co_return Verdict{"True", "Passed", "all checks passed"};
}

base::Task<Availability::Verdict> Availability::JudgeService(ApiServicePtr service) {
  const ServiceReference& reference = *service->service;
  const auto found =
      co_await options_.client.Get(kServices, reference.ns, reference.name, client::Fresh::kAbsenceIsSure);
  if (!found)
    co_return Verdict{"Unknown", "ServiceAccessError",
                      Named(reference) + " cannot be checked due to: " + found.error().message};
  if (!*found) co_return Verdict{"False", "ServiceNotFound", Named(reference) + " is not present"};
  const api::core_v1::ServiceView view(**found);
  if (view.spec().type() != "ClusterIP") co_return Verdict();

  std::optional<std::string> port_name;
  for (const auto port : view.spec().ports())
    if (port.port() == reference.port && !port_name) port_name = port.name();
  if (!port_name)
    co_return Verdict{"False", "ServicePortError",
                      Named(reference) + " is not listening on port " + std::to_string(reference.port)};
  const auto slices = co_await options_.client.List(kSlices, reference.ns);
  if (!slices)
    co_return Verdict{"Unknown", "EndpointsAccessError",
                      Named(reference) + " cannot be checked due to: " + slices.error().message};
  bool any = false, ready = false;
  for (const api::Doc& doc : **slices) {
    const EndpointSliceView slice(doc);
    if (ServiceOf(slice) != reference.name) continue;
    any = true;
    ready = ready || (HasReadyEndpoint(slice) && HasPort(slice, *port_name));
  }
  if (!any)
    co_return Verdict{"False", "EndpointsNotFound", "cannot find endpointslices for " + Named(reference)};
  if (!ready)
    co_return Verdict{"False", "MissingEndpoints",
                      "endpointslices for " + Named(reference) + " have no addresses with port name " +
                          api::Quoted(*port_name)};
  co_return Verdict();
}

base::Task<std::string> Availability::AskSeveralTimes(ApiServicePtr service) {
  const auto attempts = std::make_shared<Attempts>();
  for (int i = 0; i < kAttempts; ++i) base::Spawn(AskOnce(service, attempts));
  co_return co_await attempts->ended;
}

base::Task<void> Availability::AskOnce(ApiServicePtr service, std::shared_ptr<Attempts> attempts) {
  const auto client = options_.backends.ClientFor(*service);
  if (!client) co_return attempts->End(client.error());
  auto destination = co_await options_.backends.Locate(*service->service);
  if (!destination) co_return attempts->End(destination.error());
  const std::string authority = registry::core::HostPort(destination->host, destination->port);
  const std::string url = "https://" + authority + service->DiscoveryPath();
  net::http::ClientRequest request{.method = "GET",
                                   .target = service->DiscoveryPath(),
                                   .head_timeout = kTimeout,
                                   .whole_timeout = kTimeout};
  request.headers.Add("host", authority);
  request.headers.Add("user-agent", "Go-http-client/2.0");
  SetIdentity(AggregatorUser(), request.headers);
  const auto answer = co_await (*client)->Send(*std::move(destination), std::move(request));
  if (answer && answer->status >= 200 && answer->status < 300) co_return attempts->End("");
  std::string why = "failing or missing response from " + url + ": ";
  if (answer) {
    why += "bad status from " + url + ": " + std::to_string(answer->status);
  } else {
    why += "Get " + api::Quoted(url) + ": " +
           (answer.error().timed_out
                ? "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
                : answer.error().message);
  }
  attempts->End(std::move(why));
}

base::Task<bool> Availability::Write(std::string name, Verdict verdict) {
  const controllers::Condition wanted{"Available", verdict.status, verdict.reason, verdict.message};
  const auto found = co_await options_.client.Get(kApiServices, "", name, client::Fresh::kCached);
  if (!found) co_return false;
  if (!*found) co_return true;
  Show(name, verdict.status != "True");
  const api::apiregistration_v1::APIServiceView before(**found);
  const auto said = controllers::FindCondition(before.status(), wanted.type);
  if (controllers::Says(said, wanted)) co_return true;
  const bool was_available = said && said.status() == "True";
  const auto updated = co_await options_.client.Update(
      kApiServices.Sub("status"), "", name,
      [&wanted, this](api::Doc& doc) {
        controllers::SetCondition(api::apiregistration_v1::APIServiceEditor(doc).mutable_status(), wanted,
                                  api::NowSeconds(options_.clock));
        return true;
      },
      std::string(before.metadata().uid()));
  if (!updated) co_return updated.error().code == 404 || updated.error().code == 409;
  if (was_available && verdict.status != "True")
    options_.metrics
        .GetCounter("aggregator_unavailable_apiservice_total", kCounterHelp,
                    {{"name", name}, {"reason", verdict.reason}})
        .Add();
  base::Log(
      base::LogLevel::kInfo, "the availability of an APIService has changed",
      {{"name", name}, {"status", verdict.status}, {"reason", verdict.reason}, {"message", verdict.message}});
  co_return true;
}

void Availability::Show(const std::string& name, bool unavailable) {
  auto& shown = unavailable_[name];
  if (!shown) {
    shown = std::make_shared<std::atomic<bool>>();
    options_.metrics.AddCallback(kGauge, kGaugeHelp, [shown] { return shown->load() ? 1.0 : 0.0; },
                                 {{"name", name}});
  }
  shown->store(unavailable);
}

void Availability::Forget(const std::string& name) {
  if (unavailable_.erase(name) > 0) options_.metrics.RemoveCallback(kGauge, {{"name", name}});
}

}  // namespace keelson::aggregator
