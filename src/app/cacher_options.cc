#include "app/cacher_options.h"

namespace keelson::app {
namespace {

// A window that is switched off: enough for watches that are open to come to their turn.
constexpr size_t kLeastWindowBytes = size_t{1} << 20;
constexpr std::chrono::seconds kLeastWindowAge{30};

}  // namespace

storage::CacherOptions CacherOptionsFor(const Config& config, const api::ResourceDesc& resource,
                                        base::Metrics* metrics) {
  const std::string name = api::GroupResource{resource.group, resource.plural}.ToString();
  const WindowConfig& window = config.watch_window;
  storage::CacherOptions options{.registry_prefix = config.etcd_prefix,
                                 .max_object_bytes = config.max_object_bytes,
                                 .lease_reuse = config.lease_reuse,
                                 .metrics = metrics};
  const bool off = window.off || window.off_for.contains(name);
  options.log = {.max_bytes = off ? kLeastWindowBytes : window.bytes,
                 .max_age = off ? kLeastWindowAge : window.age};
  if (const auto quota = config.storage_quotas.find(name); quota != config.storage_quotas.end())
    options.quota_bytes = quota->second;
  return options;
}

}  // namespace keelson::app
