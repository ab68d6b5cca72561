// RequestInfo: what a request is about, read from its method, path and query once, and
// used by authorization, audit, flow control and routing alike.
#pragma once

#include <string>
#include <string_view>

namespace keelson::endpoints {

struct RequestInfo {
  bool resource_request = false;
  std::string path;  // percent-decoded
  std::string
      verb;  // get list watch create update patch delete deletecollection; else the method in lower case
  std::string api_prefix;  // "api" or "apis"
  std::string group, version;
  std::string ns, resource, subresource, name;
  bool verb_in_path = false;  // /api/v1/watch/...: selectors do not count there
  bool has_subpath = false;   // the path goes on behind the subresource (proxy)
};

// `path` and `query` as sent. As upstream: list becomes watch when ?watch=true, and a list
// or watch by metadata.name carries that name; namespaces are their own namespace.
//
// Anybody may send a request, so this takes time linear in its length: selectors are parsed
// for authorization, once it is known who asks, and by the verbs, whose matter those are that do not parse.
RequestInfo ParseRequestInfo(std::string_view method, std::string_view path, std::string_view query);

}  // namespace keelson::endpoints
