// A handler for fuzzing sessions: reads or ignores bodies, answers with bodies of every kind.
#pragma once

#include <memory>
#include <string>

#include "net/http/message.h"
#include "net/server.h"

namespace keelson::fuzz {

// Sleeps at first, then gives some bytes per wake, then ends when drained.
class DozingBody final : public net::http::BodySource {
 public:
  State Next(size_t, std::vector<base::Slice>& out) override {
    if (++asked_ % 2 == 1) return State::kSleep;
    out.push_back(base::Slice::Static("event\n"));
    return drained_ ? State::kEnd : State::kMore;
  }
  void Drain() override {
    drained_ = true;
    Wake();
  }

 private:
  int asked_ = 0;
  bool drained_ = false;
};

class FuzzHandler final : public net::http::Handler {
 public:
  base::Task<net::http::Response> Handle(net::http::Request& request) override {
    net::http::Response response;
    if (request.path.empty() || request.path.front() != '/' || request.method.empty()) __builtin_trap();
    if (!request.headers.Get("host")) __builtin_trap();
    if (request.method == "GET") {
      response.body = std::make_unique<DozingBody>();
    } else if (request.method == "DELETE") {
      response.status = 204;
    } else if (request.method == "PUT") {
      response.body = net::http::FixedBody(base::Slice::Copy(std::string(100'000, 'x')));
    } else {
      auto body = co_await request.body->ReadAll(4096);
      if (body && body->size() > 4096) __builtin_trap();
      response.status = body ? 200 : 413;
      if (body) response.body = net::http::FixedBody(std::move(*body));
    }
    co_return response;
  }
};

inline net::ServerConfig FuzzConfig() {
  net::ServerConfig config;
  config.max_header_bytes = 4096;
  config.max_concurrent_streams = 16;
  return config;
}

}  // namespace keelson::fuzz
