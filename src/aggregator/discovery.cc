#include "aggregator/discovery.h"

#include <utility>

#include "aggregator/ask.h"
#include "base/log.h"

namespace keelson::aggregator {
namespace {

constexpr std::string_view kAcceptAggregated =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList";

std::chrono::steady_clock::time_point Now() { return std::chrono::steady_clock::now(); }

}  // namespace

endpoints::discovery::RegisteredVersion RegisteredFrom(const ApiService& service) {
  return {.group = service.group,
          .version = service.version,
          .group_priority = service.group_priority,
          .version_priority = service.version_priority,
          .remote = std::nullopt};
}

Discovery::Discovery(Options options)
    : options_(std::move(options)),
      queue_(options_.loop, [this](std::string name) { return Sync(std::move(name)); },
             {.first_retry = std::chrono::milliseconds(500), .max_retry = kRefresh}) {
  for (const auto& version : options_.built_in) built_in_names_.insert(version.version + "." + version.group);
  options_.table.Observe([this](const std::string& name) { See(name); });
}

void Discovery::Start() {
  queue_.Start();
  options_.loop.PostAfter(kRefresh, [this] { Refresh(); });
}

bool Discovery::GoesWithoutSaying(const ApiService& service) const {
  return !service.service && service.group_priority == endpoints::discovery::kCustomGroupPriority &&
         service.version_priority == endpoints::discovery::kCustomVersionPriority &&
         !built_in_names_.contains(service.name);
}

void Discovery::See(const std::string& name) {
  const ApiServicePtr service = options_.table.Find(name);
  const bool was_told = told_.erase(name) > 0, is_told = service && !GoesWithoutSaying(*service);
  if (is_told) told_.insert(name);
  if (service && service->service) {
    entries_[name].dirty = Now();
    queue_.Add(name);
  } else if (entries_.erase(name) == 0) {
    if (was_told || is_told) PublishSoon();
    return;
  } else {
    // Documents of services that no APIService names any more are dropped.
    std::set<ServiceReference> used;
    for (const auto& [other, entry] : entries_)
      if (const ApiServicePtr its = options_.table.Find(other)) used.insert(*its->service);
    std::erase_if(cached_, [&](const auto& item) { return !used.contains(item.first); });
  }
  PublishNext();
}

void Discovery::Refresh() {
  for (auto& [name, entry] : entries_) {
    entry.dirty = Now();
    queue_.Add(name);
  }
  options_.loop.PostAfter(kRefresh, [this] { Refresh(); });
}

base::Task<bool> Discovery::Sync(std::string name) {
  const ApiServicePtr service = options_.table.Find(name);
  auto entry = entries_.find(name);
  if (!service || !service->service || entry == entries_.end()) co_return true;
  auto fetched = co_await Fetch(service, entry->second.dirty);
  entry = entries_.find(name);
  if (entry == entries_.end()) co_return true;
  const bool stale = !fetched;
  const bool changed =
      stale != entry->second.stale || (fetched && fetched->view() != entry->second.resources.view());
  if (stale && !entry->second.stale)
    base::Log(base::LogLevel::kWarning, "what an aggregated API serves cannot be asked",
              {{"name", name}, {"why", fetched.error()}});
  entry->second.stale = stale;
  if (fetched) entry->second.resources = *std::move(fetched);
  if (changed) PublishNext();
  co_return !stale;
}

Discovery::Fetched Discovery::VersionIn(const Cached& cached, const ApiService& service) const {
  const auto found = cached.versions.find({service.group, service.version});
  return found == cached.versions.end() ? base::Slice::Static("[]") : found->second;
}

base::Task<Discovery::Fetched> Discovery::Fetch(ApiServicePtr service,
                                                std::chrono::steady_clock::time_point dirty) {
  const ServiceReference reference = *service->service;
  auto known = cached_.find(reference);
  if (known != cached_.end() && known->second.asked > dirty) co_return VersionIn(known->second, *service);
  const auto asked = Now();
  auto answer = co_await Ask(options_.backends, service,
                             {.path = "/apis",
                              .accept = std::string(kAcceptAggregated),
                              .etag = known == cached_.end() ? "" : known->second.etag});
  if (!answer) co_return base::Err(std::move(answer.error()));
  known = cached_.find(reference);
  if (answer->status == 304 && known != cached_.end()) {
    known->second.asked = asked;
    co_return VersionIn(known->second, *service);
  }
  if (answer->status == 503)
    co_return base::Err("service " + reference.ns + "/" + reference.name + ":" +
                        std::to_string(reference.port) + " returned non-success response code: 503");
  if (answer->status != 200 || !IsGroupDiscoveryList(answer->headers.Get("content-type").value_or("")))
    co_return co_await FetchLegacy(std::move(service));
  Cached fresh{.versions = CO_TRY(ReadGroupDiscoveryList(answer->body)),
               .etag = std::string(answer->headers.Get("etag").value_or("")),
               .asked = asked};
  co_return VersionIn(cached_.insert_or_assign(reference, std::move(fresh)).first->second, *service);
}

// Tells of one version only, so it is not kept for the others.
base::Task<Discovery::Fetched> Discovery::FetchLegacy(ApiServicePtr service) {
  const std::string path = service->DiscoveryPath();
  auto answer = CO_TRY(
      co_await Ask(options_.backends, std::move(service), {.path = path, .accept = "application/json"}));
  if (answer.status != 200)
    co_return base::Err("failed to download legacy discovery for " + path + ": " +
                        std::to_string(answer.status));
  co_return ReadResourceList(answer.body);
}

void Discovery::PublishNext() {
  if (std::exchange(publishing_next_, true)) return;
  options_.loop.Post([this] {
    publishing_next_ = false;
    Publish();
  });
}

// Publishing rebuilds discovery from all APIServices, so changes that come together are published once.
void Discovery::PublishSoon() {
  if (std::exchange(publishing_soon_, true)) return;
  options_.loop.PostAfter(kGather, [this] {
    publishing_soon_ = false;
    Publish();
  });
}

void Discovery::Publish() {
  auto registered = std::make_shared<endpoints::discovery::Registered>();
  for (const std::string& name : told_) {
    const ApiServicePtr service = options_.table.Find(name);
    if (!service) continue;
    registered->push_back(RegisteredFrom(*service));
    const auto entry = entries_.find(name);
    if (entry == entries_.end()) continue;
    registered->back().remote = entry->second.resources;
    registered->back().stale = entry->second.stale;
  }
  for (const auto& version : options_.built_in)
    if (!options_.table.Find(version.version + "." + version.group)) registered->push_back(version);
  options_.publish(std::move(registered));
}

}  // namespace keelson::aggregator
