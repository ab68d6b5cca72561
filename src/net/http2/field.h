// Header fields and texts as nghttp2 takes and gives them.
#pragma once

#include <nghttp2/nghttp2.h>

#include <string_view>

namespace keelson::net::http2 {

// Borrows both.
inline nghttp2_nv Field(std::string_view name, std::string_view value, uint8_t flags = NGHTTP2_NV_FLAG_NONE) {
  return {reinterpret_cast<uint8_t*>(const_cast<char*>(name.data())),
          reinterpret_cast<uint8_t*>(const_cast<char*>(value.data())), name.size(), value.size(), flags};
}

inline std::string_view View(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace keelson::net::http2
