#include "app/backends.h"

#include <algorithm>
#include <utility>

namespace keelson::app {
namespace {

std::vector<std::string> Sorted(std::vector<std::string> servers) {
  std::ranges::sort(servers);
  return servers;
}

// The number of the cluster with these servers.
size_t NumberOf(const std::vector<std::vector<std::string>>& clusters,
                const std::vector<std::string>& servers) {
  const auto found = std::ranges::find(clusters, Sorted(servers), Sorted);
  return static_cast<size_t>(found - clusters.begin());
}

}  // namespace

std::vector<std::vector<std::string>> OverrideClusters(const Config& config) {
  std::vector<std::vector<std::string>> clusters;
  for (const EtcdOverride& one : config.etcd_servers_overrides)
    if (NumberOf(clusters, one.servers) == clusters.size()) clusters.push_back(one.servers);
  return clusters;
}

std::optional<size_t> OverrideClusterOf(const Config& config, std::string_view group,
                                        std::string_view resource) {
  const EtcdOverride* found = nullptr;
  for (const EtcdOverride& one : config.etcd_servers_overrides) {
    if (one.group != group || (one.resource != resource && one.resource != kEveryResource)) continue;
    if (!found || one.resource == resource || found->resource == kEveryResource) found = &one;
  }
  if (!found) return std::nullopt;
  return NumberOf(OverrideClusters(config), found->servers);
}

Backends::Backends(const Config& config, OpenedBackend opened) : config_(config), main_(std::move(opened)) {}

base::Result<std::unique_ptr<Backends>, std::string> Backends::Open(const Config& config,
                                                                    const DataDir& dir) {
  auto main = TRY(OpenBackend(config, dir));
  std::unique_ptr<Backends> all(new Backends(config, std::move(main)));
  for (const auto& servers : OverrideClusters(config)) {
    if (Sorted(servers) == Sorted(config.etcd_servers)) {
      all->clusters_.push_back(all->main_.backend.get());
      continue;
    }
    auto opened = TRY(OpenOverride(config, servers, dir));
    all->clusters_.push_back(opened.backend.get());
    all->others_.push_back(std::move(opened));
  }
  return all;
}

storage::Backend& Backends::For(std::string_view group, std::string_view resource) const {
  const auto cluster = OverrideClusterOf(config_, group, resource);
  return cluster ? OfCluster(*cluster) : main();
}

template <class Member>
std::vector<Member> Backends::Each(Member OpenedBackend::* member) const {
  std::vector<Member> all;
  if (main_.*member) all.push_back(main_.*member);
  for (const OpenedBackend& one : others_)
    if (one.*member) all.push_back(one.*member);
  return all;
}

std::vector<std::function<base::Task<void>()>> Backends::Compactions() const {
  return Each(&OpenedBackend::compact);
}

std::vector<std::function<base::Task<void>()>> Backends::EncryptionReloads() const {
  return Each(&OpenedBackend::reload_encryption);
}

std::vector<std::function<base::Task<std::optional<int64_t>>()>> Backends::DatabaseBytes() const {
  return Each(&OpenedBackend::database_bytes);
}

base::Result<void, std::string> Backends::ReloadTls() const {
  for (const auto& reload : Each(&OpenedBackend::reload_tls)) TRY(reload());
  return {};
}

base::Result<void, std::string> Backends::KeyServicesHealth() const {
  for (const auto& health : Each(&OpenedBackend::key_services_health)) TRY(health());
  return {};
}

}  // namespace keelson::app
