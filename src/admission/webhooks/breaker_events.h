// Events that tell of a webhook's breaker, about the object that configures the webhook.
#pragma once

#include <string>

#include "admission/webhooks/breaker.h"
#include "client/events.h"

namespace keelson::admission {

// A webhook, as events speak of it.
struct ReportedWebhook {
  std::string group, plural, name;  // of the object that configures it
  std::string what;                 // "Webhook \"a.example.com\""
  std::string consequence;          // of its not being asked: "its failurePolicy decides"
};
// Tells `events`, which is borrowed, of every change. Null: nobody is told.
Breaker::Changed TellEvents(client::EventRecorder* events, ReportedWebhook webhook);

}  // namespace keelson::admission
