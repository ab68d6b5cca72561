#include "base/slice.h"

#include <gtest/gtest.h>

namespace keelson::base {
namespace {

struct Tracked : RefCounted<Tracked> {
  explicit Tracked(bool& gone) : gone(gone) {}
  ~Tracked() { gone = true; }
  bool& gone;
  std::string bytes = "hello world";
};

TEST(SliceTest, TheOwnerLivesUntilTheLastSliceGoes) {
  bool gone = false;
  IntrusivePtr<Tracked> owner(new Tracked(gone));
  Slice whole = Slice::Share(owner->bytes, owner);
  owner = nullptr;
  Slice part = whole.Sub(6);
  whole = Slice();
  EXPECT_FALSE(gone);
  EXPECT_EQ(part.view(), "world");
  part = Slice();
  EXPECT_TRUE(gone);
}

TEST(SliceTest, CopyingSharesAndMovingLeavesNothingBehind) {
  Slice a = Slice::Copy("abc");
  Slice b = a;
  EXPECT_EQ(a.data(), b.data());
  Slice c = std::move(a);
  EXPECT_TRUE(a.empty());
  EXPECT_EQ(c.view(), "abc");
}

TEST(SliceTest, PartsAndPrefixesStayInside) {
  Slice s = Slice::Static("abcdef");
  EXPECT_EQ(s.Sub(2, 3).view(), "cde");
  s.RemovePrefix(4);
  EXPECT_EQ(s.view(), "ef");
}

TEST(BufferBuilderTest, ClearingKeepsCommonRoomAndLetsALargeOneGo) {
  BufferBuilder builder;
  builder.Append("abc");
  const size_t room = builder.capacity();
  builder.Clear();
  EXPECT_EQ(builder.view(), "");
  EXPECT_EQ(builder.capacity(), room);
  builder.Append(std::string(2 * BufferBuilder::kKeptRoom, 'x'));
  builder.Clear();
  EXPECT_EQ(builder.capacity(), 0u);
  builder.Append("abc");
  EXPECT_EQ(builder.view(), "abc");
}

TEST(BufferBuilderTest, GrowsKeepingWhatWasWritten) {
  BufferBuilder b;
  std::string expected;
  for (int i = 0; i < 1000; ++i) {
    b.Append("chunk");
    b.Append(static_cast<char>('a' + i % 26));
    expected += "chunk";
    expected += static_cast<char>('a' + i % 26);
  }
  EXPECT_EQ(b.view(), expected);
  const char* data = b.data();
  Slice taken = b.Take();
  EXPECT_EQ(taken.data(), data) << "taking must not copy";
  EXPECT_EQ(taken.view(), expected);
  EXPECT_EQ(b.size(), 0u);
}

TEST(BufferBuilderTest, ReserveAdvanceAndTruncate) {
  BufferBuilder b(8);
  std::char_traits<char>::copy(b.Reserve(3), "xyz", 3);
  b.Advance(3);
  b.Append("tail");
  b.Truncate(4);
  EXPECT_EQ(b.Take().view(), "xyzt");
  EXPECT_TRUE(b.Take().empty());
}

}  // namespace
}  // namespace keelson::base
