// LogSink: events as lines of a file, or of standard output. Loops write to a file themselves while it is
// quick, and a thread does all else.
#pragma once

#include <memory>
#include <string>

#include "audit/config.h"
#include "audit/sink.h"
#include "base/metrics.h"
#include "base/result.h"

namespace keelson::audit {

base::Result<std::unique_ptr<Sink>, std::string> MakeLogSink(const LogConfig& config, base::Metrics& metrics);

}  // namespace keelson::audit
