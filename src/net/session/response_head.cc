#include "net/session/response_head.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>

#include "base/control_bytes.h"

namespace keelson::net {

std::string_view ReasonPhrase(int status) {
  switch (status) {
    case 100: return "Continue";
    case 101: return "Switching Protocols";
    case 200: return "OK";
    case 201: return "Created";
    case 202: return "Accepted";
    case 203: return "Non-Authoritative Information";
    case 204: return "No Content";
    case 206: return "Partial Content";
    case 301: return "Moved Permanently";
    case 302: return "Found";
    case 303: return "See Other";
    case 304: return "Not Modified";
    case 307: return "Temporary Redirect";
    case 308: return "Permanent Redirect";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 406: return "Not Acceptable";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 410: return "Gone";
    case 411: return "Length Required";
    case 412: return "Precondition Failed";
    case 413: return "Request Entity Too Large";
    case 415: return "Unsupported Media Type";
    case 417: return "Expectation Failed";
    case 422: return "Unprocessable Entity";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 501: return "Not Implemented";
    case 502: return "Bad Gateway";
    case 503: return "Service Unavailable";
    case 504: return "Gateway Timeout";
    case 505: return "HTTP Version Not Supported";
    default: return {};
  }
}

std::string_view HttpDate() {
  thread_local std::time_t second = -1;
  thread_local std::array<char, 32> text;
  thread_local size_t size = 0;
  if (const std::time_t now = std::time(nullptr); now != second) {
    static constexpr const char* kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    static constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                              "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    std::tm tm{};
    gmtime_r(&now, &tm);
    // Not strftime's names: those follow the locale.
    size = static_cast<size_t>(std::snprintf(text.data(), text.size(), "%s, %02d %s %04d %02d:%02d:%02d GMT",
                                             kDays[tm.tm_wday], tm.tm_mday, kMonths[tm.tm_mon],
                                             tm.tm_year + 1900, tm.tm_hour, tm.tm_min, tm.tm_sec));
    second = now;
  }
  return {text.data(), size};
}

bool IsConnectionField(std::string_view name) {
  return name == "connection" || name == "transfer-encoding" || name == "keep-alive" ||
         name == "proxy-connection" || name == "upgrade";
}

std::string_view WireValue(std::string_view value, std::forward_list<std::string>& storage) {
  if (!base::HasByteBelow(value, '\r' + 1)) return value;
  const auto forbidden = [](char c) { return c == '\r' || c == '\n' || c == '\0'; };
  if (std::ranges::none_of(value, forbidden)) return value;
  std::string& cleaned = storage.emplace_front(value);
  std::ranges::replace_if(cleaned, forbidden, ' ');
  return cleaned;
}

http::Response PlainError(int status, std::string_view detail) {
  std::string text = std::to_string(status);
  text.append(" ").append(ReasonPhrase(status));
  if (!detail.empty()) text.append(": ").append(detail);
  http::Response response;
  response.status = status;
  response.headers.Add("content-type", "text/plain; charset=utf-8");
  if (status == 429) response.headers.Add("retry-after", "1");
  response.body = http::FixedBody(base::Slice::Copy(text));
  return response;
}

}  // namespace keelson::net
