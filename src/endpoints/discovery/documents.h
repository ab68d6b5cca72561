// Discovery: what this server serves, in the classic and the aggregated form. All
// documents are made at once; when what is served changes, they are made anew.
//
// Threads: immutable, any.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/slice.h"
#include "endpoints/api_handler.h"
#include "endpoints/discovery/registered.h"
#include "net/http/message.h"

namespace keelson::endpoints::discovery {

class Documents {
 public:
  // Borrowed for the call. Built-in resources come first, in the order of discovery, which holds for all
  // where nothing is registered.
  Documents(std::span<const ServedResource* const> resources, std::string_view server_address,
            const Registered& registered = {});

  // "/api", "/api/v1", "/apis", "/apis/<group>", "/apis/<group>/<version>", with or
  // without a slash at the end; nullopt: `path` is no discovery document.
  std::optional<net::http::Response> Handle(std::string_view path, const net::http::Request& request) const;

 private:
  struct Document {
    base::Slice json;             // compact, ends with a newline
    std::string kind;             // to find its type for protobuf
    base::Slice aggregated;       // the other form, of the roots only
    std::string aggregated_etag;  // quoted
  };
  net::http::Response Serve(const Document& document, const net::http::Request& request) const;

  std::map<std::string, Document, std::less<>> documents_;  // by path
};

}  // namespace keelson::endpoints::discovery
