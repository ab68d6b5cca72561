#include "api/validation/line_diff.h"

#include <gtest/gtest.h>

namespace keelson::api::field {
namespace {

std::string Numbers(int first, int last) {
  std::string out;
  for (int i = first; i <= last; ++i) out += std::to_string(i) + "\n";
  return out;
}

TEST(LineDiffTest, EqualTextsHaveNoDifference) { EXPECT_EQ(LineDiff("a\nb\n", "a\nb\n"), ""); }

TEST(LineDiffTest, AChangeHasThreeLinesOfContext) {
  EXPECT_EQ(LineDiff(Numbers(1, 9), Numbers(1, 4) + "five\n" + Numbers(6, 9)),
            "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
}

TEST(LineDiffTest, ChangesFarApartHaveTheirOwnPlaces) {
  EXPECT_EQ(LineDiff(Numbers(1, 20), "0\n" + Numbers(1, 19)),
            "@@ -1,3 +1,4 @@\n+0\n 1\n 2\n 3\n@@ -17,4 +18,3 @@\n 17\n 18\n 19\n-20\n");
}

TEST(LineDiffTest, AnEmptyRangeStartsAtTheLineBefore) {
  EXPECT_EQ(LineDiff("a\n", "a\nb\n"), "@@ -1 +1,2 @@\n a\n+b\n");
  EXPECT_EQ(LineDiff("", "b\n"), "@@ -0,0 +1 @@\n+b\n");
}

// Of "ab" and "acab" the run "ab" is kept, not the single "a" at the start.
TEST(LineDiffTest, TheLongestRunStays) {
  EXPECT_EQ(LineDiff("a\nb\n", "a\nc\na\nb\n"), "@@ -1,2 +1,4 @@\n+a\n+c\n a\n b\n");
}

// In a long text a frequent line starts no run, though it may lengthen one.
TEST(LineDiffTest, FrequentLinesOfALongTextStartNoRun) {
  std::string now = "x\n";
  for (int i = 0; i < 210; ++i) now += "same\n";
  EXPECT_EQ(LineDiff("same\n", now).substr(0, 28), "@@ -1 +1,211 @@\n-same\n+x\n+sa");
}

TEST(LineDiffTest, VeryLongTextsAreComparedFromTheirEnds) {
  EXPECT_EQ(LineDiff(Numbers(1, 20000), Numbers(1, 10000) + "x\n" + Numbers(10001, 20000)),
            "@@ -9998,6 +9998,7 @@\n 9998\n 9999\n 10000\n+x\n 10001\n 10002\n 10003\n");
}

TEST(LineDiffTest, HostileTextsAreComparedInBoundedTime) {
  std::string was, now;
  for (int i = 0; i < 9000; ++i) {
    was += std::to_string(i * 7 % 100) + "\n";
    now += std::to_string(i * 13 % 100) + "\n";
  }
  EXPECT_NE(LineDiff(was, now), "");
}

}  // namespace
}  // namespace keelson::api::field
