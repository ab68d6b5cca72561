#include "net/http1/parser.h"

#include <gtest/gtest.h>

namespace keelson::net::http1 {
namespace {

RequestHead Parse(std::string_view head) {
  auto parsed = ParseRequestHead(head, 1000);
  EXPECT_TRUE(parsed) << parsed.error().detail;
  return parsed ? std::move(*parsed) : RequestHead();
}

int StatusOf(std::string_view head) {
  auto parsed = ParseRequestHead(head, 1000);
  return parsed ? 200 : parsed.error().status;
}

TEST(HeadScannerTest, FindsTheEndHoweverTheBytesArrive) {
  const std::string head = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
  const std::string bytes = head + "rest";
  for (size_t step = 1; step <= bytes.size(); ++step) {
    HeadScanner scanner;
    size_t found = 0;
    for (size_t n = step; found == 0 && n < bytes.size() + step; n += step) {
      found = scanner.Scan(std::string_view(bytes).substr(0, n)).value();
    }
    EXPECT_EQ(found, head.size()) << step;
  }
}

TEST(HeadScannerTest, ABareLineFeedIsRefused) {
  HeadScanner scanner;
  EXPECT_EQ(scanner.Scan("GET / HTTP/1.1\n").error().status, 400);
  scanner.Reset();
  EXPECT_EQ(scanner.Scan("\n").error().status, 400);
}

TEST(ParseRequestHeadTest, SplitsTargetAndFields) {
  const auto head =
      Parse("GET /api/v1/pods?watch=1&x=? HTTP/1.1\r\nHost: h:1\r\nACCEPT:  a \r\naccept:b\r\n\r\n");
  EXPECT_EQ(head.method, "GET");
  EXPECT_EQ(head.path, "/api/v1/pods");
  EXPECT_EQ(head.query, "watch=1&x=?");
  EXPECT_EQ(head.headers.Get("host"), "h:1");
  EXPECT_EQ(head.headers.Joined("accept"), "a, b");
  EXPECT_TRUE(head.keep_alive);
  EXPECT_FALSE(head.content_length);
}

TEST(ParseRequestHeadTest, AnAbsoluteTargetNamesTheHost) {
  const auto head = Parse("GET https://real:6443/x?y HTTP/1.1\r\nHost: other\r\n\r\n");
  EXPECT_EQ(head.path, "/x");
  EXPECT_EQ(head.query, "y");
  EXPECT_EQ(head.headers.Get("host"), "real:6443");
  EXPECT_EQ(Parse("GET http://real?y HTTP/1.1\r\nHost: o\r\n\r\n").path, "/");
}

TEST(ParseRequestHeadTest, TellsHowTheConnectionGoesOn) {
  EXPECT_FALSE(Parse("GET / HTTP/1.1\r\nHost: x\r\nConnection: foo, Close\r\n\r\n").keep_alive);
  EXPECT_FALSE(Parse("GET / HTTP/1.0\r\n\r\n").keep_alive);
  EXPECT_TRUE(Parse("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").keep_alive);
  EXPECT_TRUE(Parse("PUT / HTTP/1.1\r\nHost: x\r\nExpect: 100-Continue\r\n\r\n").expects_continue);
}

TEST(ParseRequestHeadTest, TellsHowLongTheBodyIs) {
  EXPECT_EQ(Parse("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 12\r\n\r\n").content_length, 12u);
  EXPECT_EQ(
      Parse("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n").content_length,
      5u);
  EXPECT_TRUE(Parse("PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: Chunked\r\n\r\n").chunked);
}

TEST(ParseRequestHeadTest, RefusesWhatCouldBeReadInTwoWays) {
  EXPECT_EQ(StatusOf("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: +5\r\n\r\n"), 400);
  EXPECT_EQ(StatusOf("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 5, 5\r\n\r\n"), 400);
  EXPECT_EQ(StatusOf("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n"), 400);
  EXPECT_EQ(StatusOf("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"),
            400);
  EXPECT_EQ(
      StatusOf(
          "PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n"),
      501);
  EXPECT_EQ(StatusOf("PUT / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"), 400);
  EXPECT_EQ(StatusOf("GET / HTTP/1.1\r\nHost: x\r\n folded: y\r\n\r\n"), 400);
  EXPECT_EQ(StatusOf("GET / HTTP/1.1\r\nHost: x\r\nname : y\r\n\r\n"), 400);
  EXPECT_EQ(StatusOf("GET / HTTP/1.1\r\nHost: x\r\n: y\r\n\r\n"), 400);
  EXPECT_EQ(StatusOf("GET / HTTP/1.1\r\nHost: x\r\nA: b\rc\r\n\r\n"), 400);
  EXPECT_EQ(StatusOf(std::string_view("GET / HTTP/1.1\r\nHost: x\r\nA: b\0c\r\n\r\n", 37)), 400);
  EXPECT_EQ(StatusOf("GET / HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n"), 400);
  EXPECT_EQ(StatusOf("GET /a b HTTP/1.1\r\nHost: x\r\n\r\n"), 400);
  EXPECT_EQ(StatusOf("GET /a#b HTTP/1.1\r\nHost: x\r\n\r\n"), 400);
  EXPECT_EQ(StatusOf("GET / HTTP/1.x\r\nHost: x\r\n\r\n"), 400);
  EXPECT_EQ(StatusOf("GET / HTTP/3.0\r\nHost: x\r\n\r\n"), 505);
  EXPECT_EQ(StatusOf("GET / HTTP/1.1\r\nHost: x\r\nExpect: magic\r\n\r\n"), 417);
  EXPECT_EQ(StatusOf("\r\n\r\n"), 400);
}

std::pair<std::string, ChunkedDecoder::Status> Decode(std::string_view bytes, size_t step) {
  ChunkedDecoder decoder;
  std::string out;
  auto status = ChunkedDecoder::Status::kNeedMore;
  for (size_t at = 0; at < bytes.size(); at += step) {
    std::string_view input = bytes.substr(at, step), payload;
    while ((status = decoder.Next(input, payload)) == ChunkedDecoder::Status::kPayload) out += payload;
    if (status != ChunkedDecoder::Status::kNeedMore) break;
  }
  return {out, status};
}

TEST(ChunkedDecoderTest, DecodesHoweverTheBytesArrive) {
  const std::string_view bytes = "4\r\nWiki\r\n0b;a=b\r\npedia chunk\r\n0\r\nX: y\r\nZ: w\r\n\r\n";
  for (size_t step = 1; step <= bytes.size(); ++step) {
    EXPECT_EQ(Decode(bytes, step), std::pair(std::string("Wikipedia chunk"), ChunkedDecoder::Status::kEnd))
        << step;
  }
}

TEST(ChunkedDecoderTest, RefusesBrokenFraming) {
  const std::string long_extension = "4;" + std::string(20'000, 'x');
  for (std::string_view bytes :
       {std::string_view("x\r\n"), std::string_view("\r\n"), std::string_view("4\nWiki"),
        std::string_view("4\r\nWikiX"), std::string_view("4\r\nWiki\rX"), std::string_view("4\rX"),
        std::string_view("1234567890abcdef0\r\n"), std::string_view("0\r\nX\n"), std::string_view("-1\r\n"),
        std::string_view(long_extension)}) {
    EXPECT_EQ(Decode(bytes, bytes.size()).second, ChunkedDecoder::Status::kBad) << bytes.substr(0, 30);
  }
}

}  // namespace
}  // namespace keelson::net::http1
