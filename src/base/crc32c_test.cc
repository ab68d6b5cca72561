#include "base/crc32c.h"

#include <gtest/gtest.h>

#include <string>

namespace keelson::base {
namespace {

// Values of RFC 3720, B.4.
TEST(Crc32cTest, IsWhatOthersCompute) {
  EXPECT_EQ(Crc32c(0, ""), 0u);
  EXPECT_EQ(Crc32c(0, "123456789"), 0xe3069283u);
  EXPECT_EQ(Crc32c(0, std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(Crc32c(0, std::string(32, '\xff')), 0x62a8ab43u);
}

TEST(Crc32cTest, GoesOnWhereItWas) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text.push_back(static_cast<char>(i * 7));
  for (size_t cut = 0; cut <= text.size(); cut += 13)
    EXPECT_EQ(Crc32c(Crc32c(0, text.substr(0, cut)), text.substr(cut)), Crc32c(0, text));
}

}  // namespace
}  // namespace keelson::base
