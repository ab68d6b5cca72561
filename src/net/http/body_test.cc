#include "net/http/body.h"

#include <gtest/gtest.h>

#include <deque>

#include "base/sync_wait.h"
#include "net/http/headers.h"

namespace keelson::net::http {
namespace {

// Gives the pieces it was made with, then the end or an error.
class Pieces final : public BodyReader {
 public:
  explicit Pieces(std::deque<std::string> pieces) : pieces_(std::move(pieces)) {}
  std::optional<uint64_t> size;
  std::optional<BodyError> error;
  int reads = 0;

  std::optional<uint64_t> Size() const override { return size; }
  base::Task<base::Result<std::optional<base::Slice>, BodyError>> Read() override {
    using Piece = base::Result<std::optional<base::Slice>, BodyError>;
    ++reads;
    if (pieces_.empty() && error) co_return Piece(base::Err(*error));
    if (pieces_.empty()) co_return Piece(std::nullopt);
    std::optional<base::Slice> piece = base::Slice::Copy(pieces_.front());
    pieces_.pop_front();
    last = piece->data();
    co_return Piece(std::move(piece));
  }
  const char* last = nullptr;

 private:
  std::deque<std::string> pieces_;
};

TEST(ReadAllTest, JoinsPieces) {
  Pieces body({"one ", "two ", "three"});
  EXPECT_EQ(base::SyncWait(body.ReadAll(13))->view(), "one two three");
}

TEST(ReadAllTest, DoesNotCopyASinglePiece) {
  Pieces body({"only"});
  auto all = base::SyncWait(body.ReadAll(100));
  EXPECT_EQ(all->view(), "only");
  EXPECT_EQ(all->data(), body.last);
}

TEST(ReadAllTest, AnEmptyBodyIsEmpty) {
  Pieces body({});
  EXPECT_EQ(base::SyncWait(body.ReadAll(0))->view(), "");
}

TEST(ReadAllTest, FailsAsSoonAsTheLimitIsPassed) {
  Pieces body({"12345", "6", "7"});
  EXPECT_EQ(base::SyncWait(body.ReadAll(5)).error(), BodyError::kTooLarge);
  EXPECT_EQ(body.reads, 2);
}

TEST(ReadAllTest, AnAnnouncedSizeOverTheLimitFailsBeforeReading) {
  Pieces body({"12345"});
  body.size = 6;
  EXPECT_EQ(base::SyncWait(body.ReadAll(5)).error(), BodyError::kTooLarge);
  EXPECT_EQ(body.reads, 0);
}

TEST(ReadAllTest, PassesErrorsOn) {
  Pieces body({"123"});
  body.error = BodyError::kClosed;
  EXPECT_EQ(base::SyncWait(body.ReadAll(5)).error(), BodyError::kClosed);
}

TEST(FixedBodyTest, GivesItsSlicesWithinTheLimit) {
  std::vector<base::Slice> slices{base::Slice::Static("abc"), base::Slice::Static("def"),
                                  base::Slice::Static("g")};
  auto body = FixedBody(std::move(slices));
  EXPECT_EQ(body->Size(), 7u);
  std::vector<base::Slice> out;
  EXPECT_EQ(body->Next(4, out), BodySource::State::kMore);
  EXPECT_EQ(out.size(), 2u);
  EXPECT_EQ(body->Next(4, out), BodySource::State::kEnd);
  EXPECT_EQ(out.size(), 3u);
}

TEST(HeadersTest, JoinedHoldsEveryValueInOrder) {
  Headers headers;
  headers.Add("accept", "a");
  headers.Add("other", "x");
  headers.Add("accept", "b;q=0.5, c");
  EXPECT_EQ(headers.Joined("accept"), "a, b;q=0.5, c");
  EXPECT_EQ(headers.Joined("none"), "");
}

}  // namespace
}  // namespace keelson::net::http
