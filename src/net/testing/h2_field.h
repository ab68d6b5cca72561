// A header field as nghttp2 takes it.
#pragma once

#include <nghttp2/nghttp2.h>

#include <string_view>

namespace keelson::net::testing {

// Borrows both.
inline nghttp2_nv Field(std::string_view name, std::string_view value) {
  return {reinterpret_cast<uint8_t*>(const_cast<char*>(name.data())),
          reinterpret_cast<uint8_t*>(const_cast<char*>(value.data())), name.size(), value.size(),
          NGHTTP2_NV_FLAG_NONE};
}

}  // namespace keelson::net::testing
