// URLs as Go parses them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace keelson::cel {

struct GoUrl {
  std::string scheme, user, host, path, raw_query, fragment;  // path decoded, the rest as written
  std::string raw_path;                                       // as written, where that is not the default
  bool has_user = false, omit_host = false;

  std::string_view Hostname() const;
  std::string_view Port() const;
  std::string EscapedPath() const;
  // Names and their values; what is no query is left out.
  std::map<std::string, std::vector<std::string>> Query() const;
};

// Only absolute URLs and paths. The error is Go's.
base::Result<GoUrl, std::string> ParseRequestUri(std::string_view text);

}  // namespace keelson::cel
