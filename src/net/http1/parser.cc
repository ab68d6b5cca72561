#include "net/http1/parser.h"

#include <array>
#include <charconv>
#include <cstring>

#include "base/control_bytes.h"
#include "net/http/text.h"

namespace keelson::net::http1 {
namespace {

using http::EqualsIgnoreCase;
using http::ListHas;
using http::Trim;

constexpr uint32_t kMaxChunkOverhead = 16 * 1024;
constexpr size_t kMaxResponseFields = 10'000;

constexpr std::array<bool, 256> MakeTokenTable() {
  std::array<bool, 256> table{};
  for (int c = '0'; c <= '9'; ++c) table[c] = true;
  for (int c = 'a'; c <= 'z'; ++c) table[c] = true;
  for (int c = 'A'; c <= 'Z'; ++c) table[c] = true;
  for (char c : std::string_view("!#$%&'*+-.^_`|~")) table[static_cast<unsigned char>(c)] = true;
  return table;
}
constexpr auto kToken = MakeTokenTable();

std::string LowerCase(std::string_view s) {
  std::string out(s);
  for (char& c : out) c = http::LowerCase(c);
  return out;
}

std::string_view TakeLine(std::string_view& text) {
  const size_t end = text.find("\r\n");
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 2);
  return line;
}

using Failure = std::optional<ParseError>;

// Splits the target into path and query; an absolute one also names the host.
Failure ParseTarget(std::string_view target, RequestHead& head, std::string& absolute_host) {
  if (!IsTarget(target)) return ParseError{400, "malformed request target"};
  if (target.front() != '/') {
    const size_t scheme = target.find("://");
    if (scheme == std::string_view::npos || !(EqualsIgnoreCase(target.substr(0, scheme), "http") ||
                                              EqualsIgnoreCase(target.substr(0, scheme), "https"))) {
      return ParseError{400, "malformed request target"};
    }
    target.remove_prefix(scheme + 3);
    const size_t end = target.find_first_of("/?");
    absolute_host = std::string(target.substr(0, end));
    if (absolute_host.empty()) return ParseError{400, "malformed request target"};
    target = end == std::string_view::npos ? std::string_view() : target.substr(end);
  }
  const size_t question = target.find('?');
  head.path = std::string(target.substr(0, question));
  if (head.path.empty()) head.path = "/";
  if (question != std::string_view::npos) head.query = std::string(target.substr(question + 1));
  return std::nullopt;
}

Failure ParseRequestLine(std::string_view line, RequestHead& head, std::string& absolute_host) {
  const size_t first = line.find(' ');
  const size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return ParseError{400, "malformed request line"};
  const std::string_view method = line.substr(0, first);
  const std::string_view version = line.substr(last + 1);
  if (!IsToken(method)) return ParseError{400, "malformed method"};
  if (version.size() != 8 || !version.starts_with("HTTP/") || version[6] != '.' || version[5] < '0' ||
      version[5] > '9' || version[7] < '0' || version[7] > '9') {
    return ParseError{400, "malformed HTTP version"};
  }
  if (version[5] != '1') return ParseError{505, "unsupported protocol version"};
  head.http10 = version[7] == '0';
  head.keep_alive = !head.http10;
  head.method = std::string(method);
  return ParseTarget(line.substr(first + 1, last - first - 1), head, absolute_host);
}

Failure ParseContentLength(std::string_view value, std::optional<uint64_t>& content_length) {
  uint64_t length = 0;
  auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), length);
  if (value.empty() || error != std::errc() || end != value.data() + value.size()) {
    return ParseError{400, "bad Content-Length"};
  }
  if (content_length && *content_length != length) return ParseError{400, "bad Content-Length"};
  content_length = length;
  return std::nullopt;
}

// All lines after the first, up to the empty one.
Failure ParseFields(std::string_view text, size_t max_fields, http::Headers& headers) {
  while (true) {
    const std::string_view line = TakeLine(text);
    if (line.empty()) return std::nullopt;
    if (headers.size() >= max_fields) return ParseError{431, "too many header fields"};
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos || !IsToken(line.substr(0, colon)))
      return ParseError{400, "malformed header field name"};
    const std::string_view value = Trim(line.substr(colon + 1));
    if (!IsFieldValue(value)) return ParseError{400, "malformed header field value"};
    headers.Add(LowerCase(line.substr(0, colon)), value);
  }
}

// What the fields mean for the connection.
Failure Interpret(RequestHead& head) {
  int hosts = 0;
  for (const auto& [name, value] : head.headers) {
    if (name == "host") {
      ++hosts;
    } else if (name == "content-length") {
      if (auto failure = ParseContentLength(value, head.content_length)) return failure;
    } else if (name == "transfer-encoding") {
      if (head.http10) return ParseError{400, "Transfer-Encoding in HTTP/1.0"};
      if (head.chunked || !EqualsIgnoreCase(value, "chunked")) {
        return ParseError{501, "unsupported transfer encoding"};
      }
      head.chunked = true;
    } else if (name == "connection") {
      if (ListHas(value, "close")) {
        head.keep_alive = false;
      } else if (head.http10 && ListHas(value, "keep-alive")) {
        head.keep_alive = true;
      }
    } else if (name == "expect") {
      if (!EqualsIgnoreCase(value, "100-continue")) return ParseError{417, "unknown expectation"};
      head.expects_continue = !head.http10;
    }
  }
  if (hosts > 1) return ParseError{400, "too many Host headers"};
  if (hosts == 0 && !head.http10) return ParseError{400, "missing required Host header"};
  if (hosts == 0) head.headers.Add("host", "");
  if (head.chunked && head.content_length)
    return ParseError{400, "both Transfer-Encoding and Content-Length"};
  return std::nullopt;
}

}  // namespace

bool IsToken(std::string_view s) {
  for (char c : s)
    if (!kToken[static_cast<unsigned char>(c)]) return false;
  return !s.empty();
}

bool IsFieldValue(std::string_view s) {
  if (!base::HasByteBelow(s, 0x20)) return s.find('\x7f') == s.npos;
  for (char c : s) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && byte != '\t') || byte == 0x7f) return false;
  }
  return true;
}

bool IsTarget(std::string_view s) {
  for (char c : s) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= 0x20 || byte == 0x7f || byte == '#') return false;  // '#' never travels
  }
  return !s.empty();
}

base::Result<size_t, ParseError> HeadScanner::Scan(std::string_view buffer) {
  while (scanned_ < buffer.size()) {
    const void* found = std::memchr(buffer.data() + scanned_, '\n', buffer.size() - scanned_);
    if (!found) {
      scanned_ = buffer.size();
      break;
    }
    const size_t lf = static_cast<size_t>(static_cast<const char*>(found) - buffer.data());
    if (lf == line_start_ || buffer[lf - 1] != '\r') {
      return base::Err(ParseError{400, "line does not end in CRLF"});
    }
    const bool empty = lf == line_start_ + 1;
    scanned_ = line_start_ = lf + 1;
    if (empty) return scanned_;
  }
  return size_t{0};
}

base::Result<RequestHead, ParseError> ParseRequestHead(std::string_view text, size_t max_fields) {
  RequestHead head;
  std::string absolute_host;
  if (auto failure = ParseRequestLine(TakeLine(text), head, absolute_host)) return base::Err(*failure);
  if (auto failure = ParseFields(text, max_fields, head.headers)) return base::Err(*failure);
  if (auto failure = Interpret(head)) return base::Err(*failure);
  if (!absolute_host.empty()) head.headers.Set("host", absolute_host);
  return head;
}

base::Result<ResponseHead, ParseError> ParseResponseHead(std::string_view text) {
  ResponseHead head;
  const std::string_view line = TakeLine(text);
  const std::string_view code = line.size() >= 12 ? line.substr(9, 3) : std::string_view();
  const auto [end, error] = std::from_chars(code.data(), code.data() + code.size(), head.status);
  if (!line.starts_with("HTTP/1.") || code.empty() || error != std::errc() ||
      end != code.data() + code.size() || head.status < 100)
    return base::Err(ParseError{502, "malformed status line"});
  head.minor_version = line[7] == '0' ? 0 : 1;
  if (auto failure = ParseFields(text, kMaxResponseFields, head.headers)) return base::Err(*failure);
  for (const auto& [name, value] : head.headers) {
    if (name == "transfer-encoding") {
      if (head.chunked || !EqualsIgnoreCase(value, "chunked"))
        return base::Err(ParseError{502, "unsupported transfer encoding"});
      head.chunked = true;
    } else if (name == "content-length") {
      if (auto failure = ParseContentLength(value, head.content_length)) return base::Err(*failure);
    }
  }
  return head;
}

ChunkedDecoder::Status ChunkedDecoder::TakeFraming(char c) {
  auto go = [this](State next) {
    state_ = next;
    return Status::kNeedMore;
  };
  auto overhead = [this] { return ++overhead_ > kMaxChunkOverhead ? Status::kBad : Status::kNeedMore; };
  switch (state_) {
    case State::kSize: {
      const char l = http::LowerCase(c);
      const int digit = c >= '0' && c <= '9' ? c - '0' : l >= 'a' && l <= 'f' ? l - 'a' + 10 : -1;
      if (digit >= 0) {
        if (++digits_ > 15) return Status::kBad;
        remaining_ = remaining_ << 4 | static_cast<uint64_t>(digit);
        return Status::kNeedMore;
      }
      if (digits_ == 0) return Status::kBad;
      if (c == '\r') return go(State::kSizeLf);
      return c == ';' || c == ' ' || c == '\t' ? go(State::kExtension) : Status::kBad;
    }
    case State::kExtension:
      if (c == '\r') return go(State::kSizeLf);
      return c == '\n' ? Status::kBad : overhead();
    case State::kSizeLf:
      if (c != '\n') return Status::kBad;
      digits_ = 0;
      line_empty_ = true;
      return go(remaining_ > 0 ? State::kData : State::kTrailer);
    case State::kDataCr: return c == '\r' ? go(State::kDataLf) : Status::kBad;
    case State::kDataLf: return c == '\n' ? go(State::kSize) : Status::kBad;
    case State::kTrailer:
      if (c == '\r') return go(State::kTrailerLf);
      line_empty_ = false;
      return c == '\n' ? Status::kBad : overhead();
    case State::kTrailerLf:
      if (c != '\n') return Status::kBad;
      if (line_empty_) return Status::kEnd;
      line_empty_ = true;
      return go(State::kTrailer);
    case State::kData: break;
  }
  return Status::kBad;
}

ChunkedDecoder::Status ChunkedDecoder::Next(std::string_view& input, std::string_view& payload) {
  while (!input.empty()) {
    if (state_ == State::kData) {
      payload = input.substr(0, static_cast<size_t>(std::min<uint64_t>(remaining_, input.size())));
      input.remove_prefix(payload.size());
      remaining_ -= payload.size();
      if (remaining_ == 0) state_ = State::kDataCr;
      return Status::kPayload;
    }
    const Status status = TakeFraming(input.front());
    input.remove_prefix(1);
    if (status != Status::kNeedMore) return status;
  }
  return Status::kNeedMore;
}

}  // namespace keelson::net::http1
