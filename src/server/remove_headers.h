// Takes header fields out of a request, by what their names look like.
#pragma once

#include <string>
#include <vector>

#include "net/http/headers.h"

namespace keelson::server {

template <class Predicate>  // bool(std::string_view lower-case name)
void RemoveHeaders(net::http::Headers& headers, const Predicate& matches) {
  std::vector<std::string> names;
  for (const auto& field : headers)
    if (matches(field.name)) names.push_back(field.name);
  for (const auto& name : names) headers.Remove(name);
}

}  // namespace keelson::server
