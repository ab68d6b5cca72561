// HTTP/1.x messages as bytes: where a head ends, what it says, and chunked bodies.
// Strict where leniency has let requests be smuggled past proxies: lines end in CRLF,
// no folded fields, one way to tell the length of a body.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "net/http/headers.h"

namespace keelson::net::http1 {

struct ParseError {
  int status;               // what to answer before closing
  std::string_view detail;  // a literal
};

// What the parts of a head may be made of: a method or a field's name, a field's value, a request's
// target. Nothing that passes can end its line.
bool IsToken(std::string_view s);
bool IsFieldValue(std::string_view s);
bool IsTarget(std::string_view s);

// Looks for the empty line that ends a head, remembering how far it has looked.
class HeadScanner {
 public:
  // `buffer` is all that has arrived of this head. The size of the head, including its
  // empty line; 0 when it is not complete.
  base::Result<size_t, ParseError> Scan(std::string_view buffer);
  void Reset() { *this = HeadScanner(); }

 private:
  size_t line_start_ = 0;
  size_t scanned_ = 0;
};

struct RequestHead {
  std::string method;
  std::string path;  // starts with '/'
  std::string query;
  http::Headers headers;  // "host" is always there
  bool http10 = false;
  bool keep_alive = true;
  bool chunked = false;
  bool expects_continue = false;
  std::optional<uint64_t> content_length;
};

// Requires: `head` is what HeadScanner measured. 431: it has more than `max_fields` fields.
base::Result<RequestHead, ParseError> ParseRequestHead(std::string_view head, size_t max_fields);

struct ResponseHead {
  int minor_version = 1;  // of HTTP/1
  int status = 0;
  http::Headers headers;
  bool chunked = false;
  std::optional<uint64_t> content_length;
};

// Requires: `head` is what HeadScanner measured. The error's status has no meaning.
base::Result<ResponseHead, ParseError> ParseResponseHead(std::string_view head);

// Decodes a chunked body piece by piece in constant memory; trailers are dropped.
class ChunkedDecoder {
 public:
  enum class Status : uint8_t { kNeedMore, kPayload, kEnd, kBad };

  // Consumes from the front of `input`. kPayload: `payload` is the next part of the body.
  Status Next(std::string_view& input, std::string_view& payload);

 private:
  enum class State : uint8_t { kSize, kExtension, kSizeLf, kData, kDataCr, kDataLf, kTrailer, kTrailerLf };

  // Takes one byte of the framing.
  Status TakeFraming(char c);

  State state_ = State::kSize;
  uint64_t remaining_ = 0;
  uint8_t digits_ = 0;
  uint32_t overhead_ = 0;   // bytes of extensions and trailers so far
  bool line_empty_ = true;  // of the trailer's line
};

}  // namespace keelson::net::http1
