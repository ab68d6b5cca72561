#include "app/flow_control_feed.h"

#include "storage/cacher/cacher.h"

namespace keelson::app {

using server::flow_control::FlowControl;

FlowControlFeed::FlowControlFeed(FlowControl& control, const client::Client& client,
                                 const registry::StoreCatalog& stores, base::Executor& loop)
    : control_(control),
      sizes_(stores),
      informers_(client, control, loop),
      adjustment_(loop, FlowControl::kAdjustmentPeriod, [this]() -> base::Task<void> {
        control_.Adjust();
        co_return;
      }) {
  control.UseSizes(&sizes_);
  loop.Post([this] { informers_.Start(); });
}

std::optional<server::flow_control::ResourceSize> FlowControlFeed::Sizes::SizeOf(
    const endpoints::RequestInfo& info) const {
  const auto entry = stores_.Find(info.group, info.resource);
  const auto* const cache = entry ? dynamic_cast<const storage::Cacher*>(entry->storage) : nullptr;
  if (!cache) return std::nullopt;
  const auto stats = cache->ReadStats();
  return server::flow_control::ResourceSize{.objects = stats.objects, .bytes = stats.object_bytes};
}

}  // namespace keelson::app
