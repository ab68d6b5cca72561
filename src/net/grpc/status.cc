#include "net/grpc/status.h"

#include <charconv>

namespace keelson::net::grpc {

std::string DecodeMessage(std::string_view field) {
  std::string out;
  out.reserve(field.size());
  for (size_t i = 0; i < field.size(); ++i) {
    unsigned byte = 0;
    if (field[i] == '%' && field.size() - i > 2) {
      const char* const digits = field.data() + i + 1;
      if (std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
        out += static_cast<char>(byte);
        i += 2;
        continue;
      }
    }
    out += field[i];
  }
  return out;
}

std::string EncodeMessage(std::string_view message) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string out;
  out.reserve(message.size());
  for (const char c : message) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7F && c != '%')
      out += c;
    else
      (out += '%') += {kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return out;
}

}  // namespace keelson::net::grpc
