// The chain of servers behind the filters: aggregator, kube API, API extensions, not found. Each answers what
// it serves and hands on what it does not know, so that none has to know what the others serve.
//
// Handing on costs a virtual call: Handle is no coroutine but gives the task of whoever answers.
#pragma once

#include <functional>

#include "base/task.h"
#include "endpoints/api_handler.h"
#include "server/incoming_request.h"

namespace keelson::server {

// Threads: any loop.
class ApiServer {
 public:
  virtual ~ApiServer() = default;
  // This server's answer to a request below /api or /apis, or that of a server after it. `incoming` outlives
  // the task.
  virtual base::Task<net::http::Response> Handle(IncomingRequest& incoming) const = 0;
};

// Serves what is built in. Borrows both.
class KubeApi final : public ApiServer {
 public:
  KubeApi(const endpoints::ApiHandler& handler, const ApiServer& next) : handler_(handler), next_(next) {}
  base::Task<net::http::Response> Handle(IncomingRequest& incoming) const override;

 private:
  const endpoints::ApiHandler& handler_;
  const ApiServer& next_;
};

// Whether a definition is being established, and what ends when that is settled: who has read that it is
// established finds what it defines. Any loop.
struct Establishing {
  std::function<bool()> now;
  std::function<base::Task<void>()> settled;
};

// Serves custom resources. A request that it does not know waits while a definition is being established.
// Borrows `handler` and `next`.
class ApiExtensions final : public ApiServer {
 public:
  ApiExtensions(const endpoints::ApiHandler& handler, Establishing establishing, const ApiServer& next)
      : handler_(handler), establishing_(std::move(establishing)), next_(next) {}
  base::Task<net::http::Response> Handle(IncomingRequest& incoming) const override;

 private:
  base::Task<net::http::Response> HandleNow(IncomingRequest& incoming) const;
  base::Task<net::http::Response> HandleSettled(IncomingRequest& incoming) const;

  const endpoints::ApiHandler& handler_;
  const Establishing establishing_;
  const ApiServer& next_;
};

// The end of the chain: nobody serves that. Borrows `handler`, which knows in which words.
class NotFound final : public ApiServer {
 public:
  explicit NotFound(const endpoints::ApiHandler& handler) : handler_(handler) {}
  base::Task<net::http::Response> Handle(IncomingRequest& incoming) const override;

 private:
  const endpoints::ApiHandler& handler_;
};

}  // namespace keelson::server
