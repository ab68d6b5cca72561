#include "aggregator/api_service_table.h"

#include <utility>

#include "api/generated/apiregistration_v1.h"
#include "base/log.h"
#include "client/object.h"

namespace keelson::aggregator {
namespace {

// "/api" of "/api/v1/pods", "/apis/g/v" of "/apis/g/v/things"; empty: `path` is above any version.
std::string_view VersionPath(std::string_view path) {
  if (path == "/api" || path.starts_with("/api/")) return path.substr(0, 4);
  if (!path.starts_with("/apis/")) return {};
  const size_t group_end = path.find('/', 6);
  if (group_end == path.npos || group_end + 1 == path.size()) return {};
  return path.substr(0, path.find('/', group_end + 1));
}

}  // namespace

ApiServiceTable::ApiServiceTable(const client::Client& client, base::Executor& loop)
    : informer_(client, {"apiregistration.k8s.io", "apiservices"}, loop) {}

void ApiServiceTable::Start() {
  informer_.Start({.changed = [this](const client::Change& change) { See(change); },
                   .relisting = [this](bool again) { unconfirmed_ = again ? all_ : All(); },
                   .told_all =
                       [this] {
                         for (const auto& [name, service] : std::exchange(unconfirmed_, {}))
                           Set(name, nullptr);
                         if (std::exchange(rerouted_, false)) Publish();
                       }});
}

ApiServicePtr ApiServiceTable::Find(std::string_view name) const {
  const auto found = all_.find(name);
  return found == all_.end() ? nullptr : found->second;
}

ApiServicePtr ApiServiceTable::Route(std::string_view path) const {
  const auto routes = routes_.Read();
  if (routes->by_path.empty()) return nullptr;
  const auto found = routes->by_path.find(VersionPath(path));
  return found == routes->by_path.end() ? nullptr : found->second;
}

void ApiServiceTable::See(const client::Change& change) {
  const std::string name(change.object.name());
  unconfirmed_.erase(name);
  if (change.gone) return Set(name, nullptr);
  const auto doc = client::Decode(change.object, api::apiregistration_v1::kAPIServiceType);
  if (!doc) {
    base::Log(base::LogLevel::kError, "an APIService cannot be read",
              {{"name", name}, {"why", doc.error().message}});
    return;
  }
  Set(name, std::make_shared<const ApiService>(ReadApiService(*doc)));
}

void ApiServiceTable::Set(const std::string& name, ApiServicePtr service) {
  const auto known = all_.find(name);
  if (service) {
    if (known != all_.end() && *known->second == *service) return;
    all_.insert_or_assign(name, std::move(service));
  } else {
    if (known == all_.end()) return;
    all_.erase(known);
  }
  // Most are of this server's own versions, one for each group of custom resources.
  const ApiServicePtr now = Find(name);
  const bool was_backed = backed_.erase(name) > 0, is_backed = now && now->service;
  if (is_backed) backed_.emplace(name, now);
  rerouted_ = rerouted_ || was_backed || is_backed;
  // Before anybody asks who may have been told of it.
  for (const Observer& observer : observers_) observer(name);
}

void ApiServiceTable::Publish() {
  auto* const next = new Routes();
  for (const auto& [name, service] : backed_) next->by_path.emplace(service->Path(), service);
  routes_.Replace(next);
}

}  // namespace keelson::aggregator
