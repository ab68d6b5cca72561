// Asking other servers: identity providers and webhooks.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/slice.h"
#include "base/task.h"
#include "net/http/client.h"

namespace keelson::auth {

// Whom a client trusts, and by what it proves who it is.
struct RemoteTrust {
  std::string ca_pem;                            // empty: the system's authorities
  std::string certificate_pem, private_key_pem;  // both or neither
  bool verify = true;                            // false: any certificate of the server will do
};

// Makes clients; the composition root knows how. The error says what is wrong with the trust.
using MakeRemoteClient =
    std::function<base::Result<std::unique_ptr<net::http::Client>, std::string>(const RemoteTrust&)>;

// "https://host:port/path?query" taken apart.
struct RemoteUrl {
  net::http::Destination destination;
  std::string authority;  // for the field "host"
  std::string target;     // path and query; at least "/"
};
// An error for anything but http and https with a host; without user, password and fragment.
base::Result<RemoteUrl, std::string> ParseRemoteUrl(std::string_view url);

struct RemoteRequest {
  std::string method = "GET";
  RemoteUrl url;
  net::http::Headers headers;  // besides "host"
  base::Slice body;
  size_t limit_bytes = size_t{1} << 20;  // of the answer's body; a longer one is an error
  std::chrono::nanoseconds timeout = std::chrono::seconds(30);
};
struct RemoteAnswer {
  int status = 0;
  std::string body;
  net::http::Headers headers;
};
struct RemoteError {
  bool may_pass = false;  // the connection broke: the same request may do better
  std::string message;    // repeats nothing of the request's body and fields
  bool timed_out = false;
  bool answered = false;  // the head of an answer came, but not its body
  std::string cause;      // without who was asked, as Go's client would say it
};

// The whole answer. A redirect is an answer like others and is not followed: whoever answers must not choose
// whom this server asks next. Requires: called on an event loop. Borrows `client`.
base::Task<base::Result<RemoteAnswer, RemoteError>> AskRemote(net::http::Client& client,
                                                              RemoteRequest request);

// Waits on the current executor; at once where there is none.
base::Task<void> WaitFor(std::chrono::nanoseconds delay);

}  // namespace keelson::auth
