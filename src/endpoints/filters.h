// Sources over sources: what changes the bytes of an answer on their way out.
#pragma once

#include <memory>

#include "net/http/body.h"

namespace keelson::endpoints {

// Compact JSON reindented by two spaces, as Go's encoder prints it: no newline at the end.
std::unique_ptr<net::http::BodySource> Prettied(std::unique_ptr<net::http::BodySource> source);

// Below this size compressing costs more than it saves.
constexpr uint64_t kGzipThresholdBytes = 128 * 1024;
std::unique_ptr<net::http::BodySource> Gzipped(std::unique_ptr<net::http::BodySource> source);

}  // namespace keelson::endpoints
