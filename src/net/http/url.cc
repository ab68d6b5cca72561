#include "net/http/url.h"

#include "base/ascii.h"

namespace keelson::net::http {
namespace {

base::Result<std::string, std::string> Unescape(std::string_view in, bool plus_is_space) {
  std::string out;
  out.reserve(in.size());
  for (size_t i = 0; i < in.size(); ++i) {
    const char c = in[i];
    if (c == '+' && plus_is_space) {
      out += ' ';
    } else if (c != '%') {
      out += c;
    } else {
      const int high = i + 2 < in.size() ? base::HexValue(in[i + 1]) : -1;
      const int low = i + 2 < in.size() ? base::HexValue(in[i + 2]) : -1;
      if (high < 0 || low < 0) {
        return base::Err("invalid URL escape \"" + std::string(in.substr(i, 3)) + "\"");
      }
      out += static_cast<char>(high << 4 | low);
      i += 2;
    }
  }
  return out;
}

bool Unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
         c == '.' || c == '~';
}

void AppendEscaped(char c, std::string& out) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  const auto byte = static_cast<unsigned char>(c);
  out += '%';
  out += kHex[byte >> 4];
  out += kHex[byte & 15];
}

}  // namespace

base::Result<std::string, std::string> PathUnescape(std::string_view encoded) {
  return Unescape(encoded, /*plus_is_space=*/false);
}

base::Result<std::string, std::string> QueryUnescape(std::string_view encoded) {
  return Unescape(encoded, /*plus_is_space=*/true);
}

std::string QueryEscape(std::string_view plain) {
  std::string out;
  out.reserve(plain.size());
  for (char c : plain) {
    if (Unreserved(c)) {
      out += c;
    } else if (c == ' ') {
      out += '+';
    } else {
      AppendEscaped(c, out);
    }
  }
  return out;
}

std::string PathEscape(std::string_view plain) {
  constexpr std::string_view kOfPaths = "$&+,/:;=@";
  std::string out;
  out.reserve(plain.size());
  for (char c : plain) {
    if (Unreserved(c) || kOfPaths.find(c) != kOfPaths.npos) {
      out += c;
    } else {
      AppendEscaped(c, out);
    }
  }
  return out;
}

Query Query::Parse(std::string_view encoded) {
  Query query;
  auto fail = [&](std::string error) {
    if (!query.error_) query.error_ = std::move(error);
  };
  while (!encoded.empty()) {
    const size_t end = encoded.find('&');
    const std::string_view pair = encoded.substr(0, end);
    encoded = end == std::string_view::npos ? std::string_view() : encoded.substr(end + 1);
    if (pair.empty()) continue;
    if (pair.find(';') != std::string_view::npos) {
      fail("invalid semicolon separator in query");
      continue;
    }
    const size_t equals = pair.find('=');
    auto key = QueryUnescape(pair.substr(0, equals));
    auto value =
        QueryUnescape(equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1));
    if (!key) {
      fail(std::move(key.error()));
    } else if (!value) {
      fail(std::move(value.error()));
    } else {
      query.parameters_.push_back({std::move(*key), std::move(*value)});
    }
  }
  return query;
}

std::optional<std::string_view> Query::Get(std::string_view key) const {
  for (const auto& p : parameters_)
    if (p.key == key) return p.value;
  return std::nullopt;
}

std::vector<std::string_view> Query::All(std::string_view key) const {
  std::vector<std::string_view> values;
  for (const auto& p : parameters_)
    if (p.key == key) values.push_back(p.value);
  return values;
}

}  // namespace keelson::net::http
