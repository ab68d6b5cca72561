// How the cache of a resource is made, by the flags on watch caches, sizes and quotas.
#pragma once

#include "api/types/resource_desc.h"
#include "app/config.h"
#include "base/metrics.h"
#include "storage/cacher/cacher.h"

namespace keelson::app {

// `metrics`: null: nothing is counted.
storage::CacherOptions CacherOptionsFor(const Config& config, const api::ResourceDesc& resource,
                                        base::Metrics* metrics = nullptr);

}  // namespace keelson::app
