// The documents of discovery: what this server serves, in the classic and the aggregated form.
//
// Threads: immutable, any.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/slice.h"
#include "endpoints/discovery/group.h"
#include "net/http/message.h"

namespace keelson::endpoints::discovery {

struct Document {
  base::Slice json;                  // compact, ends with a newline
  std::string_view kind;             // to find its type for protobuf
  base::Slice aggregated = {};       // the other form, of the roots only
  std::string aggregated_etag = {};  // quoted
};

// The documents of all groups together, put together from what each group adds to them.
struct Roots {
  // `groups`: in the order of the aggregated form where nothing is served by backends.
  Roots(std::vector<GroupPtr> groups, Order order, std::string_view server_address);

  Document core;    // "/api"
  Document groups;  // "/apis"
};

// Whether a client asks for what all servers of the cluster serve: the aggregated form, and not what this one
// serves by itself ("profile=nopeer").
bool AsksForAllServers(const net::http::Request& request);

// The document in the form that the client asks for.
net::http::Response Serve(const Document& document, const net::http::Request& request);

}  // namespace keelson::endpoints::discovery
