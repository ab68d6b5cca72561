// Endpoints of an etcd cluster as --etcd-servers names them.
#pragma once

#include <string>

#include "base/result.h"
#include "net/grpc/channel.h"

namespace keelson::storage::etcd3 {

// "http://host:port", "https://host:port", "unix:///path", "unixs:///path"; without a scheme, and with
// "unix", as the etcd client has it, plain unless there is a TLS configuration. `tls` is what a secure
// endpoint uses.
base::Result<net::grpc::Target, std::string> ParseEndpoint(const std::string& endpoint,
                                                           const net::tls::ClientContext* tls,
                                                           bool tls_configured);
// Whether the endpoint needs TLS whatever else is configured.
bool IsSecureEndpoint(const std::string& endpoint);

}  // namespace keelson::storage::etcd3
