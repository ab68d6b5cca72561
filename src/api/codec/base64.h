// Standard base64 with padding, as Go's encoder and decoder treat it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace keelson::api {

constexpr size_t Base64EncodedSize(size_t n) { return (n + 2) / 3 * 4; }
constexpr size_t Base64DecodedBound(size_t n) { return n / 4 * 3 + 3; }

// Writes Base64EncodedSize(bytes.size()) characters; returns their end.
char* Base64Encode(std::string_view bytes, char* out);
// Writes at most Base64DecodedBound(text.size()) bytes and returns how many. Line breaks
// are skipped. The error is `illegal base64 data at input byte N`.
base::Result<size_t, std::string> Base64Decode(std::string_view text, char* out);

}  // namespace keelson::api
