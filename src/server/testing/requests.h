// Requests and responses for tests.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "net/http/message.h"

namespace keelson::server::testing {

inline net::http::Request MakeRequest(std::string method, std::string_view target) {
  net::http::Request request;
  request.method = std::move(method);
  const size_t mark = std::min(target.find('?'), target.size());
  request.path = target.substr(0, mark);
  request.query = target.substr(std::min(mark + 1, target.size()));
  request.connection = std::make_shared<net::http::ConnectionInfo>();
  return request;
}

// The whole body; stops where it sleeps.
inline std::string ReadBody(net::http::Response& response) {
  std::string body;
  if (!response.body) return body;
  for (auto state = net::http::BodySource::State::kMore; state == net::http::BodySource::State::kMore;) {
    std::vector<base::Slice> slices;
    state = response.body->Next(1 << 16, slices);
    for (const auto& slice : slices) body += slice.view();
  }
  return body;
}

}  // namespace keelson::server::testing
