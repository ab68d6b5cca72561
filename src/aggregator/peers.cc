#include "aggregator/peers.h"

#include <utility>

#include "aggregator/ask.h"
#include "api/generated/coordination_v1.h"
#include "base/fingerprint.h"
#include "base/log.h"
#include "client/object.h"

namespace keelson::aggregator {
namespace {

using api::coordination_v1::LeaseView;
using Clock = std::chrono::steady_clock;

constexpr std::string_view kIdentityNamespace = "kube-system";
constexpr std::string_view kComponentLabel = "apiserver.kubernetes.io/identity";
constexpr std::string_view kComponent = "kube-apiserver";
// The name that the certificates of all servers are for.
constexpr std::string_view kTlsName = "kubernetes.default.svc";
// Asks a peer for its own resources alone (profile=nopeer): it must not list those it knows from this server.
constexpr std::string_view kAccept =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList;profile=nopeer,"
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";

// Who this server is where it asks peers for itself: anybody may read discovery.
const auth::User& PeerReader() {
  static const auth::User user{
      .name = "system:apiserver", .uid = "system:apiserver", .groups = {"system:authenticated"}, .extra = {}};
  return user;
}

std::string ResourceKey(std::string_view group, std::string_view version, std::string_view resource) {
  return std::string(group) + "/" + std::string(version) + "/" + std::string(resource);
}

}  // namespace

Peers::Peers(Options options)
    : options_(std::move(options)),
      identities_(options_.client, {"coordination.k8s.io", "leases"}, options_.loop),
      queue_(options_.loop, [this](std::string id) { return Sync(std::move(id)); }) {
  options_.table.Observe([this](const std::string& name) { SeeApiService(name); });
}

void Peers::Start() {
  queue_.ReportTo(options_.metrics, "peer-discovery-cache-sync");
  queue_.Start();
  identities_.Start({.changed = [this](const client::Change& change) { SeeLease(change); },
                     .relisting =
                         [this](bool again) {
                           if (again) unconfirmed_ = peers_;
                         },
                     .told_all =
                         [this] {
                           for (const auto& [id, peer] : std::exchange(unconfirmed_, {})) Forget(id);
                         }});
}

void Peers::Stop() {
  identities_.Stop();
  queue_.Stop();
}

void Peers::SeeLease(const client::Change& change) {
  if (change.object.ns() != kIdentityNamespace) return;
  const std::string id(change.object.name());
  if (id == options_.own_id) return;
  unconfirmed_.erase(id);
  if (change.gone) return Forget(id);
  const auto doc = client::Decode(change.object, api::coordination_v1::kLeaseType);
  if (!doc) return;
  const LeaseView lease(*doc);
  const api::Value* const component = lease.metadata().labels().Find(kComponentLabel);
  if (!component || component->string() != kComponent || lease.spec().holder_identity().empty())
    return Forget(id);
  Peer& peer = peers_[id];
  if (std::exchange(peer.holder, std::string(lease.spec().holder_identity())) ==
      lease.spec().holder_identity())
    return;
  peer.asked = false;
  queue_.Add(id);
}

void Peers::Forget(const std::string& id) {
  if (peers_.erase(id) > 0) Publish();
}

// The APIServices of built-in versions are managed once, at the start; those of definitions all the time.
void Peers::SeeApiService(const std::string& name) {
  const ApiServicePtr service = options_.table.Find(name);
  if (service && (service->service || service->custom)) {
    if (!std::exchange(excluded_[name], Clock::time_point::max()).time_since_epoch().count()) Publish();
  } else if (const auto known = excluded_.find(name); known != excluded_.end()) {
    known->second = Clock::now();
    options_.loop.PostAfter(kExclusionGrace, [this, name] {
      const auto gone = excluded_.find(name);
      if (gone == excluded_.end() || gone->second + kExclusionGrace > Clock::now()) return;
      excluded_.erase(gone);
      Publish();
    });
  }
}

base::Task<base::Result<net::http::Destination, std::string>> Peers::Locate(std::string id) const {
  const auto lease = CO_TRY(co_await options_.leases.Find(id));
  if (!lease || lease->address.empty() || lease->port == 0)
    co_return base::Err("the server " + id + " has not said lately where it is");
  net::http::Destination destination;
  destination.host = lease->address;
  destination.port = lease->port;
  destination.tls_name = kTlsName;
  co_return destination;
}

base::Task<base::Result<ServedGroups, std::string>> Peers::Ask(net::http::Destination peer,
                                                               std::string path) const {
  const auto client = CO_TRY(Connect());
  const auto answer = CO_TRY(co_await AskAt(
      *client, std::move(peer), {.path = path, .accept = std::string(kAccept), .user = &PeerReader()}));
  if (answer.status != 200)
    co_return base::Err("discovery request failed with status: " + std::to_string(answer.status));
  co_return ReadServedGroups(answer.body);
}

base::Task<bool> Peers::Sync(std::string id) {
  const auto found = peers_.find(id);
  if (found == peers_.end()) co_return true;
  const std::string holder = found->second.holder;
  const auto where = co_await Locate(id);
  if (!where) {
    // It writes that once it is ready.
    CountError("hostport_resolution");
    co_return false;
  }
  auto core = co_await Ask(*where, "/api");
  auto groups = co_await Ask(*where, "/apis");
  const auto asked = peers_.find(id);
  if (asked == peers_.end() || asked->second.holder != holder) co_return true;  // it comes up again
  if (!core || !groups) {
    CountError("fetch_discovery");
    base::Log(base::LogLevel::kWarning, "the discovery of another server cannot be read",
              {{"server", id}, {"why", core ? groups.error() : core.error()}});
    co_return false;
  }
  asked->second.asked = true;
  asked->second.core = *std::move(core);
  asked->second.groups = *std::move(groups);
  Publish();
  co_return true;
}

ServedGroups Peers::Filtered(const ServedGroups& groups) const {
  ServedGroups filtered = groups;
  for (ServedGroup& group : filtered)
    std::erase_if(group.versions, [&](const ServedGroup::Version& version) {
      return excluded_.contains(version.name + "." + group.name);
    });
  std::erase_if(filtered, [](const ServedGroup& group) { return group.versions.empty(); });
  return filtered;
}

void Peers::Publish() {
  auto known = std::make_unique<Known>();
  for (const auto& [id, peer] : peers_) {
    if (!peer.asked) continue;
    const ServedGroups groups = Filtered(peer.groups);
    for (const ServedGroups* const served : {&peer.core, &groups})
      for (const ServedGroup& group : *served)
        for (const ServedGroup::Version& version : group.versions)
          for (const ServedGroup::Resource& resource : version.resources)
            known->by_resource[ResourceKey(group.name, version.name, resource.name)].push_back(id);
    known->groups.emplace(id, groups);
  }
  known_.Replace(known.release());
}

void Peers::CountError(std::string type) {
  options_.metrics
      .GetCounter("apiserver_peer_discovery_sync_errors_total",
                  "Questions about what other API servers serve that had no answer, by what went wrong.",
                  {{"type", std::move(type)}})
      .Add();
}

std::vector<std::string> Peers::WhoServes(std::string_view group, std::string_view version,
                                          std::string_view resource) const {
  const auto known = known_.Read();
  if (known->by_resource.empty()) return {};
  const auto found = known->by_resource.find(ResourceKey(group, version, resource));
  return found == known->by_resource.end() ? std::vector<std::string>() : found->second;
}

endpoints::discovery::Document Peers::WithPeers(endpoints::discovery::Document own) const {
  auto known = known_.Read();
  if (known->groups.empty()) return own;
  const auto made = [&] {
    const base::MutexLock lock(mu_);
    return made_;
  }();
  if (made && made->own_etag == own.aggregated_etag && made->known.get() == known.get())
    return made->document;
  auto served = ReadServedGroups(own.aggregated.view());
  if (!served) return own;  // it is our own document
  std::map<std::string_view, const ServedGroups*> by_id{{options_.own_id, &*served}};
  for (const auto& [id, groups] : known->groups) by_id.emplace(id, &groups);
  std::vector<const ServedGroups*> servers;
  size_t own_place = 0;
  for (const auto& [id, groups] : by_id) {
    if (groups == &*served) own_place = servers.size();
    servers.push_back(groups);
  }
  endpoints::discovery::Document document = own;
  if (auto merged = MergeServedGroups(servers, own_place)) {
    document.aggregated_etag = "\"" + base::Fingerprint(merged->view()) + "\"";
    document.aggregated = *std::move(merged);
  }
  auto fresh = std::make_shared<const Made>(
      Made{.own_etag = own.aggregated_etag, .known = std::move(known), .document = document});
  const base::MutexLock lock(mu_);
  made_ = std::move(fresh);
  return document;
}

}  // namespace keelson::aggregator
