// Certificates made on the spot, for tests.
#pragma once

#include <string>
#include <vector>

namespace keelson::net::testing {

struct KeyPair {
  std::string certificate_pem;
  std::string key_pem;
};

struct Subject {
  std::string common_name;
  std::vector<std::string> organizations;
  std::string uid;  // 1.3.6.1.4.1.57683.2
  std::vector<std::string> dns_names;
  std::vector<std::string> addresses;
  bool server = false;  // else a client's
  bool expired = false;
  bool any_usage = false;
};

// P-256 keys, valid from an hour ago for a day. Abort on failure: only tests call them.
KeyPair MakeCa(const std::string& common_name);
KeyPair Issue(const KeyPair& ca, const Subject& subject);

}  // namespace keelson::net::testing
