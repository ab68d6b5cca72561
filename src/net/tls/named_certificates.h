// NamedCertificates: which certificate a client is shown that asks for a name.
//
// Threads: immutable after Create.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "net/server.h"

struct ssl_st;

namespace keelson::net::tls {

class NamedCertificates {
 public:
  // Errors say which certificate is at fault.
  static base::Result<std::unique_ptr<const NamedCertificates>, std::string> Create(
      const std::vector<NamedCertificate>& certificates);

  // Puts the one for the name that the client asks for in use on `ssl`, or the one for `local_address`, which
  // it has come to, if it asks for none. Leaves `ssl` alone where there is no such. False: no memory.
  bool Choose(ssl_st* ssl, std::string_view local_address) const;
  // Whether Choose looks at addresses.
  bool by_address() const { return by_address_; }

 private:
  struct Certificate;

  std::map<std::string, std::shared_ptr<const Certificate>, std::less<>> by_name_;
  bool by_address_ = false;
};

}  // namespace keelson::net::tls
