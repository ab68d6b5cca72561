// The client's side of TLS that connections to one service share: whom to trust, who we are.
//
// Threads: any.
#pragma once

#include <memory>
#include <string>

#include "base/mutex.h"
#include "base/result.h"

struct ssl_ctx_st;

namespace keelson::net::tls {

struct ClientTlsConfig {
  std::string ca_pem;                            // empty: the system's authorities
  std::string certificate_pem, private_key_pem;  // both or neither
  bool verify = true;                            // false: any certificate of the server will do
  // Connections keep their buffers, of 34 kB, between records: for few that are used often.
  bool keep_buffers = false;
};

class ClientContext {
 public:
  // Errors say which part of the configuration is at fault.
  static base::Result<std::unique_ptr<ClientContext>, std::string> Create(const ClientTlsConfig& config);
  ClientContext(const ClientContext&) = delete;
  ClientContext& operator=(const ClientContext&) = delete;

  // Streams from now on are made with `config`. An error: nothing changes.
  base::Result<void, std::string> Replace(const ClientTlsConfig& config);

  std::shared_ptr<ssl_ctx_st> native() const;

 private:
  explicit ClientContext(std::shared_ptr<ssl_ctx_st> ctx) : ctx_(std::move(ctx)) {}

  mutable base::Mutex mu_;
  std::shared_ptr<ssl_ctx_st> ctx_ GUARDED_BY(mu_);
};

}  // namespace keelson::net::tls
