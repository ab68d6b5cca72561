// ConversionParts: what conversion webhooks are asked with, and where it is told how that goes.
#pragma once

#include "base/clock.h"

namespace keelson::admission {
class WebhookSender;
}
namespace keelson::base {
class Metrics;
}
namespace keelson::client {
class EventRecorder;
}

namespace keelson::extensions {

// Borrowed, all of it.
struct ConversionParts {
  admission::WebhookSender* sender = nullptr;  // null: nothing can be converted
  base::Metrics* metrics = nullptr;            // null: nothing is counted
  client::EventRecorder* events = nullptr;     // null: nobody tells of webhooks that do not answer
  const base::Clock* clock = &base::Clock::Real();
};

}  // namespace keelson::extensions
