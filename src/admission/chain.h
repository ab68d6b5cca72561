// The plugins of a server, in upstream's order, and how a write passes them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "admission/duration_metric.h"
#include "admission/plugin.h"
#include "admission/plugins/namespace_lifecycle.h"
#include "admission/selection.h"
#include "admission/settings.h"
#include "admission/webhooks/sender.h"
#include "auth/authorizer.h"
#include "base/metrics.h"
#include "base/result.h"
#include "client/client.h"
#include "client/events.h"

namespace keelson::admission {

// Hands the plugins what they share; borrowed pointers outlive the chain.
struct PluginInitializer {
  const client::Client* objects = nullptr;  // writes as the server itself
  const NamespaceStates* namespaces = nullptr;
  auth::Authorizer* authorizer = nullptr;  // null: whoever must ask it may do nothing
  int64_t not_ready_toleration_seconds = 300;
  int64_t unreachable_toleration_seconds = 300;
  Settings settings;
  ImageReviewer* image_reviewer = nullptr;  // null unless ImagePolicyWebhook is on
  WebhookSender* webhook_sender = nullptr;  // null: both plugins of webhooks are off
  base::Metrics* metrics = nullptr;         // null: nothing is counted
  bool pod_groups_have_priority = false;    // as pods have
  client::EventRecorder* events = nullptr;  // null: nobody tells of webhooks that do not answer
};

class Chain {
 public:
  // Requires: CheckSelection(selection).
  Chain(const Selection& selection, const PluginInitializer& initializer);

  // The plugins that change or check writes of a resource, and where it is told how long they take; borrowed.
  struct Plugins {
    struct Asked {
      const Plugin* plugin = nullptr;
      const DurationMetric* took = nullptr;  // null: nobody wants to know
    };
    std::vector<Asked> asked;
    const DurationMetric* took = nullptr;  // of all together; null: nobody wants to know

    size_t size() const { return asked.size(); }
    bool empty() const { return asked.empty(); }
  };
  Plugins Mutating(const api::ResourceDesc& resource, std::string_view subresource) const;
  Plugins Validating(const api::ResourceDesc& resource, std::string_view subresource) const;

 private:
  struct Member {
    Member(std::string_view name, std::unique_ptr<const Plugin> p, base::Metrics* metrics)
        : plugin(std::move(p)), admit(metrics, name, "admit"), validate(metrics, name, "validate") {}
    const std::unique_ptr<const Plugin> plugin;
    const DurationMetric admit, validate;
  };
  std::vector<std::unique_ptr<const Member>> members_;
  const DurationMetric admit_, validate_;
};

// One after the other; the first that refuses ends it. All are asked once more where a policy or a webhook
// that changed the object wants it (admission/reinvocation.h). `plugins` outlive the task.
base::Task<Verdict> Mutate(const Chain::Plugins& plugins, Attributes request);
base::Task<Verdict> Validate(const Chain::Plugins& plugins, Attributes request);

}  // namespace keelson::admission
