#include "storage/resource_metrics.h"

namespace keelson::storage {
namespace {

constexpr double kRequestBounds[] = {0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 2,
                                     3,     4,     5,    6,   8,   10,  15,  20,  30,  45,   60};
constexpr double kWaitBounds[] = {0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 2, 3};
constexpr std::string_view kOperationNames[] = {"create", "update", "delete", "list"};

}  // namespace

ResourceMetrics::ResourceMetrics(const api::ResourceDesc& resource, base::Metrics& metrics)
    : metrics_(metrics),
      labels_{{"group", std::string(resource.group)}, {"resource", std::string(resource.plural)}},
      loads_(Count("apiserver_watch_cache_initializations_total", "How often a cache was loaded.")),
      store_lists_(Count("apiserver_storage_list_total", "Lists read from the store.")),
      store_fetched_(
          Count("apiserver_storage_list_fetched_objects_total", "Objects read from the store for lists.")),
      store_evaluated_(Count("apiserver_storage_list_evaluated_objects_total",
                             "Objects read from the store for lists and looked at.")),
      store_returned_(
          Count("apiserver_storage_list_returned_objects_total", "Objects that lists from the store gave.")),
      store_events_(Count("apiserver_storage_events_received_total", "Changes that the store told of.")),
      received_(Count("apiserver_watch_cache_events_received_total", "Changes that a cache was told of.")),
      dispatched_(
          Count("apiserver_watch_cache_events_dispatched_total", "Events that a cache told its watches of.")),
      list_returned_(
          Count("apiserver_cache_list_returned_objects_total", "Objects that lists from a cache gave.")),
      ended_watchers_(Count("apiserver_terminated_watchers_total",
                            "Watches that were ended because they were too slow.")),
      revision_(metrics_.GetGauge("apiserver_watch_cache_resource_version",
                                  "The resourceVersion of the newest change in a cache.", labels_)),
      waits_(metrics_.GetHistogram("apiserver_watch_cache_read_wait_seconds",
                                   "How long reads waited for a cache to be fresh.", kWaitBounds, labels_)) {
  for (const bool success : {false, true})
    fresh_reads_[success ? 1 : 0] = &metrics_.GetCounter(
        "apiserver_watch_cache_consistent_read_total", "Reads that had to see everything that is written.",
        {{"fallback", "false"}, labels_[0], labels_[1], {"success", success ? "true" : "false"}});
  for (const std::string_view field : resource.indexed_fields)
    lists_.push_back(ListsOf("f:" + std::string(field)));
  lists_.push_back(ListsOf(""));
}

base::Counter& ResourceMetrics::Count(std::string_view name, std::string_view help) {
  return metrics_.GetCounter(name, help, labels_);
}

ResourceMetrics::Lists ResourceMetrics::ListsOf(std::string_view index) {
  const base::Labels labels = {labels_[0], {"index", std::string(index)}, labels_[1]};
  return {.total = metrics_.GetCounter("apiserver_cache_list_total", "Lists from a cache.", labels),
          .fetched = metrics_.GetCounter("apiserver_cache_list_fetched_objects_total",
                                         "Objects that were looked at for lists from a cache.", labels)};
}

void ResourceMetrics::Asked(Operation operation, std::chrono::nanoseconds took, bool failed) {
  Request& request = requests_[static_cast<size_t>(operation)];
  std::call_once(request.made, [&] {
    const base::Labels labels = {
        labels_[0], {"operation", std::string(kOperationNames[static_cast<size_t>(operation)])}, labels_[1]};
    request.duration = &metrics_.GetHistogram(
        "etcd_request_duration_seconds", "How long the store took over a request.", kRequestBounds, labels);
    request.total = &metrics_.GetCounter("etcd_requests_total", "Requests to the store.", labels);
    request.errors =
        &metrics_.GetCounter("etcd_request_errors_total", "Requests that the store failed.", labels);
  });
  request.duration->Observe(std::chrono::duration<double>(took).count());
  request.total->Add();
  if (failed) request.errors->Add();
}

void ResourceMetrics::Loaded(size_t objects, int64_t revision) {
  loads_.Add();
  store_lists_.Add();
  for (base::Counter* const counter : {&store_fetched_, &store_evaluated_, &store_returned_})
    counter->Add(objects);
  revision_.Set(revision);
}

void ResourceMetrics::Received(size_t changes, size_t events, int64_t revision) {
  store_events_.Add(changes);
  received_.Add(changes);
  dispatched_.Add(events);
  revision_.Set(revision);
}

void ResourceMetrics::Listed(int index, size_t fetched, size_t returned) {
  const Lists& lists = index < 0 ? lists_.back() : lists_[static_cast<size_t>(index)];
  lists.total.Add();
  lists.fetched.Add(fetched);
  list_returned_.Add(returned);
}

void ResourceMetrics::ReadFresh(std::chrono::nanoseconds took, bool success) {
  waits_.Observe(std::chrono::duration<double>(took).count());
  fresh_reads_[success ? 1 : 0]->Add();
}

}  // namespace keelson::storage
