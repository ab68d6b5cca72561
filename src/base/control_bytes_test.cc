#include "base/control_bytes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace keelson::base {
namespace {

TEST(ControlBytesTest, FindsAByteAtEveryPlaceOfTextsOfEveryLength) {
  for (size_t size = 1; size <= 40; ++size) {
    const std::string none(size, ' ');
    EXPECT_FALSE(HasByteBelow(none, 0x20)) << size;
    for (size_t at = 0; at < size; ++at) {
      std::string one = none;
      one[at] = '\x1f';
      EXPECT_TRUE(HasByteBelow(one, 0x20)) << at << " of " << size;
    }
  }
  EXPECT_FALSE(HasByteBelow("", 0x20));
}

TEST(ControlBytesTest, SaysOfEveryByteAmongOthersWhatComparingItSays) {
  for (const int limit : {1, 0x0e, 0x20, 0x80})
    for (int byte = 0; byte < 256; ++byte)
      for (const int other : {limit, 0x80, 0xff}) {
        std::string text(11, static_cast<char>(other));
        text[5] = static_cast<char>(byte);
        const bool expected =
            std::ranges::any_of(text, [&](char c) { return static_cast<unsigned char>(c) < limit; });
        EXPECT_EQ(HasByteBelow(text, static_cast<uint8_t>(limit)), expected)
            << byte << " among " << other << ", limit " << limit;
      }
}

}  // namespace
}  // namespace keelson::base
