#include "aggregator/openapi.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "aggregator/ask.h"
#include "aggregator/discovery_document.h"
#include "base/fingerprint.h"
#include "base/log.h"

namespace keelson::aggregator {
namespace {

constexpr std::string_view kOpenApiRoot = "/openapi/v3", kSpecPath = "/openapi/v2";
// Documents of OpenAPI v2 are made when they are asked for, which takes servers a while.
constexpr std::chrono::seconds kSpecTimeout{60};

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
    const auto [known, fresh] = entries_.try_emplace(name);
    queue_.Add(name);
    if (!known->second.url.empty()) Publish();  // the backend may be another one
    if (known->second.spec) PublishSpecs();     // its priority may be another one
    return;
  }
  const auto gone = entries_.extract(name);
  if (gone.empty()) return;
  Publish();
  if (gone.mapped().spec) PublishSpecs();
}

void OpenApi::Refresh() {
  for (const auto& [name, entry] : entries_) queue_.Add(name);
  options_.loop.PostAfter(kRefresh, [this] { Refresh(); });
}

base::Task<bool> OpenApi::Sync(std::string name) {
  const ApiServicePtr service = options_.table.Find(name);
  if (!service || !service->service) co_return true;
  const bool url = co_await SyncUrl(service);
  const bool spec = co_await SyncSpec(service);
  co_return (url && spec);
}

base::Task<bool> OpenApi::SyncUrl(ApiServicePtr service) {
  const auto answer = co_await Ask(
      options_.backends, service,
      {.path = std::string(kOpenApiRoot), .accept = "application/json", .user = &DescriptionReader()});
  const auto known = entries_.find(service->name);
  if (known == entries_.end()) co_return true;
  if (!answer || (answer->status != 200 && answer->status != 404)) co_return false;
  // A backend that has no such document is described nowhere.
  std::string url = answer->status == 404 ? "" : ReadOpenApiUrl(answer->body, IndexKey(*service));
  if (url == known->second.url) co_return true;
  known->second.url = std::move(url);
  Publish();
  co_return true;
}

base::Task<bool> OpenApi::SyncSpec(ApiServicePtr service) {
  auto known = entries_.find(service->name);
  if (known == entries_.end()) co_return true;
  const auto answer = co_await Ask(options_.backends, service,
                                   {.path = std::string(kSpecPath),
                                    .accept = "application/json",
                                    .user = &DescriptionReader(),
                                    .etag = known->second.etag,
                                    .timeout = kSpecTimeout});
  known = entries_.find(service->name);
  if (known == entries_.end()) co_return true;
  if (!answer) co_return false;
  if (answer->status == 304 || answer->status == 404) co_return true;  // what was said last stays
  if (answer->status != 200) co_return false;
  if (!TakeSpec(*service, answer->body)) co_return false;
  entries_.find(service->name)->second.etag = answer->headers.Get("etag").value_or("");
  co_return true;
}

bool OpenApi::TakeSpec(const ApiService& service, std::string_view body) {
  Entry& entry = entries_.find(service.name)->second;
  std::string body_hash = base::Fingerprint(body);
  if (body_hash == entry.body_hash) return true;
  auto read = endpoints::openapi::ReadRemoteSpec(body, service.DiscoveryPath() + "/");
  size_t others = 0;
  for (const auto& [name, other] : entries_)
    if (name != service.name && other.spec) others += other.spec->Bytes();
  if (read && others + read->Bytes() > kMaxSpecBytes)
    read = base::Err("the documents of all aggregated APIs are too large");
  if (!read) {
    base::Log(base::LogLevel::kWarning, "the OpenAPI document of an aggregated API cannot be used",
              {{"name", service.name}, {"why", read.error()}});
    return false;
  }
  entry.body_hash = std::move(body_hash);
  if (entry.spec && entry.spec->hash == read->hash) return true;
  entry.spec = std::make_shared<const endpoints::openapi::RemoteSpec>(*std::move(read));
  PublishSpecs();
  return true;
}

void OpenApi::Publish() {
  auto* const next = new Routes();
  Urls urls;
  for (const auto& [name, entry] : entries_) {
    const ApiServicePtr service = options_.table.Find(name);
    if (entry.url.empty() || !service) continue;
    const std::string key = IndexKey(*service);
    next->by_path.emplace(std::string(kOpenApiRoot) + "/" + key, service);
    urls.emplace(key, entry.url);
  }
  routes_.Replace(next);
  options_.publish(std::move(urls));
}

void OpenApi::PublishSpecs() {
  std::vector<std::pair<ApiServicePtr, endpoints::openapi::RemoteSpecPtr>> all;
  for (const auto& [name, entry] : entries_)
    if (const ApiServicePtr service = options_.table.Find(name); service && entry.spec)
      all.emplace_back(service, entry.spec);
  // Higher priorities come first; of one group, its versions together.
  std::ranges::sort(all, {}, [](const auto& item) {
    const ApiService& s = *item.first;
    return std::tuple(-int64_t{s.group_priority}, std::string_view(s.group), -int64_t{s.version_priority},
                      std::string_view(s.name));
  });
  std::vector<endpoints::openapi::RemoteSpecPtr> specs;
  for (auto& [service, spec] : all) specs.push_back(std::move(spec));
  options_.publish_specs(std::move(specs));
}

}  // namespace keelson::aggregator
