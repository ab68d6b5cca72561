// FlowControlFeed: gives flow control the objects that configure it, the sizes of what is stored, and its
// regular adjustments.
#pragma once

#include "app/periodic.h"
#include "base/executor.h"
#include "client/client.h"
#include "registry/client/store_catalog.h"
#include "server/flow_control/configuration_informers.h"
#include "server/flow_control/flow_control.h"

namespace keelson::app {

// Threads: made anywhere; works on `loop`, whose running it outlives.
class FlowControlFeed {
 public:
  // Borrows all. Requires: `stores` is open.
  FlowControlFeed(server::flow_control::FlowControl& control, const client::Client& client,
                  const registry::StoreCatalog& stores, base::Executor& loop);
  ~FlowControlFeed() { control_.UseSizes(nullptr); }

 private:
  class Sizes final : public server::flow_control::ResourceSizes {
   public:
    explicit Sizes(const registry::StoreCatalog& stores) : stores_(stores) {}
    std::optional<server::flow_control::ResourceSize> SizeOf(
        const endpoints::RequestInfo& info) const override;

   private:
    const registry::StoreCatalog& stores_;
  };

  server::flow_control::FlowControl& control_;
  const Sizes sizes_;
  server::flow_control::ConfigurationInformers informers_;
  const Periodic adjustment_;
};

}  // namespace keelson::app
