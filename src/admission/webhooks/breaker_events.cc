#include "admission/webhooks/breaker_events.h"

#include <utility>

namespace keelson::admission {

Breaker::Changed TellEvents(client::EventRecorder* events, ReportedWebhook webhook) {
  if (!events) return nullptr;
  return [events, webhook = std::move(webhook)](bool open) {
    client::Occurrence what{.group = webhook.group, .plural = webhook.plural, .name = webhook.name};
    what.warning = open;
    what.reason = open ? "WebhookTimingOut" : "WebhookAnswering";
    what.message = open ? webhook.what + " timed out " + std::to_string(Breaker::kTimeouts) +
                              " times in a row and is not asked until it answers again; meanwhile " +
                              webhook.consequence
                        : webhook.what + " answers again, and is asked as before";
    events->Record(std::move(what));
  };
}

}  // namespace keelson::admission
