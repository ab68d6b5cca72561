// How long a request may take, and what ends the wait for it.
#pragma once

#include <chrono>
#include <optional>

#include "api/meta/status.h"
#include "base/clock.h"
#include "base/result.h"
#include "base/task.h"
#include "net/http/message.h"
#include "server/body_with_deadline.h"

namespace keelson::server {

// The server's maximum, or less when the client asks so with ?timeout=; 400 when that is
// no duration.
base::Result<std::chrono::nanoseconds, api::Status> RequestTimeout(std::string_view query,
                                                                   std::chrono::nanoseconds maximum);

// When the work that a request asks for must be done, if it begins now: at the request's deadline, and
// where it is to write one object, within the time that upstream's handlers give it.
base::Clock::SteadyTime WorkDeadline(std::string_view verb, base::Clock::SteadyTime deadline,
                                     base::Clock::SteadyTime now);

// Waits for `work`, but not past `deadline`: then nullopt, `body` fails from there on, and
// `work` goes on alone; its answer is dropped. What it uses must live for as long as it
// runs. When it waits for the body, that wait is ended first, however slowly the client sends.
//
// Work that does not suspend costs no timer; the rest of a loop shares one tick of kTick.
// Without an executor there is no deadline.
base::Task<std::optional<net::http::Response>> WithDeadline(base::Task<net::http::Response> work,
                                                            BodyWithDeadline& body,
                                                            base::Clock::SteadyTime deadline,
                                                            const base::Clock& clock);
inline constexpr std::chrono::milliseconds kTick{100};

}  // namespace keelson::server
