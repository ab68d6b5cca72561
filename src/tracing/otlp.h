// Spans as the OpenTelemetry protocol (OTLP) has them on the wire.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/trace.h"

namespace keelson::tracing {

inline constexpr std::string_view kExportMethod =
    "/opentelemetry.proto.collector.trace.v1.TraceService/Export";

// Who made the spans: the resource that all of them belong to.
struct Resource {
  std::string service_name, instance_id;
};

// An ExportTraceServiceRequest.
std::string EncodeExport(const Resource& resource, std::span<const base::SpanPtr> spans);

// What an ExportTraceServiceResponse says of spans that were not taken.
struct PartialSuccess {
  int64_t rejected = 0;
  std::string why;
};
// nullopt: malformed.
std::optional<PartialSuccess> DecodeExported(std::string_view message);

}  // namespace keelson::tracing
