#include "aggregator/openapi.h"

#include <utility>

#include "aggregator/ask.h"
#include "aggregator/discovery_document.h"

namespace keelson::aggregator {
namespace {

constexpr std::string_view kOpenApiRoot = "/openapi/v3";

// The key of the version in the index of /openapi/v3: "apis/metrics.k8s.io/v1beta1".
std::string IndexKey(const ApiService& service) { return service.DiscoveryPath().substr(1); }

}  // namespace

OpenApi::OpenApi(Options options)
    : options_(std::move(options)),
      queue_(options_.loop, [this](std::string name) { return Sync(std::move(name)); },
             {.first_retry = std::chrono::milliseconds(500), .max_retry = kRefresh}) {
  options_.table.Observe([this](const std::string& name) { See(name); });
}

void OpenApi::Start() {
  queue_.Start();
  options_.loop.PostAfter(kRefresh, [this] { Refresh(); });
}

ApiServicePtr OpenApi::Route(std::string_view path) const {
  const auto routes = routes_.Read();
  if (routes->by_path.empty()) return nullptr;
  const auto found = routes->by_path.find(path);
  return found == routes->by_path.end() ? nullptr : found->second;
}

void OpenApi::See(const std::string& name) {
  const ApiServicePtr service = options_.table.Find(name);
  if (service && service->service) {
    const auto [known, fresh] = urls_.try_emplace(name);
    queue_.Add(name);
    if (!known->second.empty()) Publish();  // the backend may be another one
  } else if (urls_.erase(name) > 0) {
    Publish();
  }
}

void OpenApi::Refresh() {
  for (const auto& [name, url] : urls_) queue_.Add(name);
  options_.loop.PostAfter(kRefresh, [this] { Refresh(); });
}

base::Task<bool> OpenApi::Sync(std::string name) {
  const ApiServicePtr service = options_.table.Find(name);
  if (!service || !service->service) co_return true;
  const auto answer = co_await Ask(
      options_.backends, service,
      {.path = std::string(kOpenApiRoot), .accept = "application/json", .user = &DescriptionReader()});
  const auto known = urls_.find(name);
  if (known == urls_.end()) co_return true;
  if (!answer || (answer->status != 200 && answer->status != 404)) co_return false;
  // A backend that has no such document is described nowhere.
  std::string url = answer->status == 404 ? "" : ReadOpenApiUrl(answer->body, IndexKey(*service));
  if (url == known->second) co_return true;
  known->second = std::move(url);
  Publish();
  co_return true;
}

void OpenApi::Publish() {
  auto* const next = new Routes();
  Urls urls;
  for (const auto& [name, url] : urls_) {
    const ApiServicePtr service = options_.table.Find(name);
    if (url.empty() || !service) continue;
    const std::string key = IndexKey(*service);
    next->by_path.emplace(std::string(kOpenApiRoot) + "/" + key, service);
    urls.emplace(key, url);
  }
  routes_.Replace(next);
  options_.publish(std::move(urls));
}

}  // namespace keelson::aggregator
