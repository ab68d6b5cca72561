// The server's side of TLS that all connections share: keys, suites, client CAs.
//
// Threads: immutable after Create; streams of any thread may use it.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "net/server.h"

struct ssl_ctx_st;

namespace keelson::net::tls {

class Context {
 public:
  // Errors say which part of the configuration is at fault.
  static base::Result<std::unique_ptr<Context>, std::string> Create(const TlsConfig& config);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  ssl_ctx_st* native() const { return ctx_; }

 private:
  explicit Context(ssl_ctx_st* ctx) : ctx_(ctx) {}
  ssl_ctx_st* const ctx_;
};

}  // namespace keelson::net::tls
