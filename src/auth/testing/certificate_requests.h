// Certificate requests for tests, of one EC key each, correctly signed.
#pragma once

#include <string_view>

namespace keelson::auth {

// O=system:nodes, CN=system:node:n1
inline constexpr std::string_view kRequestOfNode1 =
    "-----BEGIN CERTIFICATE REQUEST-----\n"
    "MIHqMIGSAgEAMDAxFTATBgNVBAoMDHN5c3RlbTpub2RlczEXMBUGA1UEAwwOc3lz\n"
    "dGVtOm5vZGU6bjEwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATcZpMdxetiOq7r\n"
    "EgUScLcqobN/Lyb7iQ9HfnHFJeyqGtOczz6ioKPjsz7IvyVqDOqrY18JpoJ9nWq7\n"
    "bsx5Rky3oAAwCgYIKoZIzj0EAwIDRwAwRAIgC3FrZnRSzuOvygZ26t9rkte6O48p\n"
    "1gYe2AdVnreqyFUCIHiAyKIhTbTCefyUjgW1XapR6Sp75W5cSlyi0vGhiFpQ\n"
    "-----END CERTIFICATE REQUEST-----\n";
// O=devs, CN=jane
inline constexpr std::string_view kRequestOfJane =
    "-----BEGIN CERTIFICATE REQUEST-----\n"
    "MIHZMIGAAgEAMB4xDTALBgNVBAoMBGRldnMxDTALBgNVBAMMBGphbmUwWTATBgcq\n"
    "hkjOPQIBBggqhkjOPQMBBwNCAATcZpMdxetiOq7rEgUScLcqobN/Lyb7iQ9HfnHF\n"
    "JeyqGtOczz6ioKPjsz7IvyVqDOqrY18JpoJ9nWq7bsx5Rky3oAAwCgYIKoZIzj0E\n"
    "AwIDSAAwRQIgT0aGf2Bnv3vOX6jsnzXGHLWMoNlwhvQKv7YMtYwT5q4CIQCwWgjy\n"
    "ALdVAAlNSzfT4PncBuwX0G8XmKixI4mn8Kg9Kw==\n"
    "-----END CERTIFICATE REQUEST-----\n";
// O=devs, O=system:masters, CN=root
inline constexpr std::string_view kRequestOfMaster =
    "-----BEGIN CERTIFICATE REQUEST-----\n"
    "MIHzMIGZAgEAMDcxDTALBgNVBAoMBGRldnMxFzAVBgNVBAoMDnN5c3RlbTptYXN0\n"
    "ZXJzMQ0wCwYDVQQDDARyb290MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE3GaT\n"
    "HcXrYjqu6xIFEnC3KqGzfy8m+4kPR35xxSXsqhrTnM8+oqCj47M+yL8lagzqq2Nf\n"
    "CaaCfZ1qu27MeUZMt6AAMAoGCCqGSM49BAMCA0kAMEYCIQDP1Tkr6QYkzjsqzokQ\n"
    "qF9+dJXZhy5Mzqz6ngAuP8S/igIhANVMGc1cN0rcEAX1O/7ao+vIvbmPgzvSKrTV\n"
    "2OhVeoM0\n"
    "-----END CERTIFICATE REQUEST-----\n";
// O=devs + O=system:masters in one relative name, CN=root
inline constexpr std::string_view kRequestOfHiddenMaster =
    "-----BEGIN CERTIFICATE REQUEST-----\n"
    "MIHvMIGXAgEAMDUxJDALBgNVBAoMBGRldnMwFQYDVQQKDA5zeXN0ZW06bWFzdGVy\n"
    "czENMAsGA1UEAwwEcm9vdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABNxmkx3F\n"
    "62I6rusSBRJwtyqhs38vJvuJD0d+ccUl7Koa05zPPqKgo+OzPsi/JWoM6qtjXwmm\n"
    "gn2dartuzHlGTLegADAKBggqhkjOPQQDAgNHADBEAiAvUveYl8D8lIDVez7lIraW\n"
    "FD7MdTNW2r58iIgNQ9/WTAIgAmBhDOLwXWaMnUgnkgTZM5ecdL56OUR0I5LUpEvx\n"
    "IRo=\n"
    "-----END CERTIFICATE REQUEST-----\n";

}  // namespace keelson::auth
