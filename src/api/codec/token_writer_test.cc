#include "api/codec/token_writer.h"

#include <gtest/gtest.h>

#include <string>

namespace keelson::api::json {
namespace {

std::string Compacted(std::string_view json) {
  base::BufferBuilder out;
  TokenWriter w(out);
  w.Compact(json);
  w.Flush();
  return std::string(out.view());
}

TEST(TokenWriterTest, StringsOfAnyLengthAreEscapedAtAnyPlace) {
  constexpr std::pair<std::string_view, std::string_view> kEscapes[] = {
      {"\"", "\\\""}, {"\\", "\\\\"},      {"&", "\\u0026"}, {"<", "\\u003c"}, {">", "\\u003e"},
      {"\n", "\\n"},  {"\x01", "\\u0001"}, {"\x7f", "\x7f"}, {"é", "é"},       {"=", "="}};
  for (size_t n = 1; n <= 40; ++n)
    for (size_t at = 0; at < n; ++at)
      for (const auto& [plain, escaped] : kEscapes) {
        const std::string before(at, 'x'), after(n - at - 1, 'y');
        base::BufferBuilder out;
        TokenWriter w(out);
        w.PrefixedString("f:", before + std::string(plain) + after);
        w.Flush();
        EXPECT_EQ(out.view(), "\"f:" + before + std::string(escaped) + after + '"');
      }
}

TEST(TokenWriterTest, PlainStringsOfAnyLengthAreAppendedAndOthersAreNot) {
  for (size_t n = 0; n <= 40; ++n) {
    const std::string plain(n, 'x');
    base::BufferBuilder out;
    out.Append("before ");
    EXPECT_TRUE(TokenWriter::AppendPlain(plain, out));
    EXPECT_EQ(out.view(), "before \"" + plain + '"');
    for (size_t at = 0; at < n; ++at) {
      std::string other = plain;
      other[at] = '"';
      base::BufferBuilder unchanged;
      unchanged.Append("before");
      EXPECT_FALSE(TokenWriter::AppendPlain(other, unchanged));
      EXPECT_EQ(unchanged.view(), "before");
    }
  }
}

TEST(TokenWriterTest, CompactTextOfAnyLengthIsCopied) {
  for (size_t n = 0; n <= 70; ++n) {
    const std::string json = '"' + std::string(n, 'x') + '"';
    EXPECT_EQ(Compacted(json), json);
  }
}

TEST(TokenWriterTest, CompactSeesWhatIsNotPlainAtAnyPlace) {
  for (size_t n = 1; n <= 70; ++n) {
    for (size_t at = 0; at < n; ++at) {
      std::string before(at, 'x'), after(n - at - 1, 'x');
      const std::string in_string = '"' + before + ' ' + after + '"';
      EXPECT_EQ(Compacted(in_string), in_string);
      EXPECT_EQ(Compacted('"' + before + '<' + after + '"'), '"' + before + "\\u003c" + after + '"');
      EXPECT_EQ(Compacted('"' + before + "\":\n" + after), '"' + before + "\":" + after);
      EXPECT_EQ(Compacted('"' + before + "\\\" " + after + "\" "), '"' + before + "\\\" " + after + '"');
    }
  }
}

}  // namespace
}  // namespace keelson::api::json
