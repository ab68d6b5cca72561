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
