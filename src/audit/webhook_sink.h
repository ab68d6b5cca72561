// WebhookSink: events sent to another server, as EventLists.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "audit/config.h"
#include "audit/sink.h"
#include "base/executor.h"
#include "base/metrics.h"
#include "base/result.h"

namespace keelson::audit {

// Sends the body, JSON, as often as it takes; the error says why it was given up.
using PostEvents = std::function<base::Task<base::Result<void, std::string>>(std::string body)>;

// Posts on `loop`, which outlives the sink.
std::unique_ptr<Sink> MakeWebhookSink(const WebhookConfig& config, base::Executor& loop, PostEvents post,
                                      base::Metrics& metrics);

}  // namespace keelson::audit
