#include "net/grpc/message_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace keelson::net::grpc {
namespace {

using ::testing::ElementsAre;

std::string Framed(std::string_view message) {
  return std::string(MessageHead(message.size()).view()) + std::string(message);
}

std::vector<std::string> ReadInPieces(const std::string& bytes, size_t piece) {
  MessageReader reader;
  std::vector<std::string> messages;
  for (size_t at = 0; at < bytes.size(); at += piece)
    EXPECT_TRUE(reader.Feed(std::string_view(bytes).substr(at, piece),
                            [&](base::Slice m) { messages.emplace_back(m.view()); }));
  EXPECT_TRUE(reader.between_messages());
  return messages;
}

TEST(MessageReaderTest, MessagesAreTheSameHoweverTheBytesAreCut) {
  const std::string big(70'000, 'x');
  const std::string bytes = Framed("one") + Framed("") + Framed(big) + Framed("four");
  for (size_t piece : {size_t{1}, size_t{4}, size_t{5}, size_t{6}, size_t{16384}, bytes.size()})
    EXPECT_THAT(ReadInPieces(bytes, piece), ElementsAre("one", "", big, "four")) << piece;
}

TEST(MessageReaderTest, AMessageThatIsNotWholeIsNotDelivered) {
  MessageReader reader;
  int delivered = 0;
  const std::string bytes = Framed("abc");
  EXPECT_TRUE(reader.Feed(std::string_view(bytes).substr(0, 7), [&](base::Slice) { ++delivered; }));
  EXPECT_EQ(delivered, 0);
  EXPECT_FALSE(reader.between_messages());
}

TEST(MessageReaderTest, CompressedAndHugeMessagesAreRefused) {
  EXPECT_FALSE(MessageReader().Feed(std::string("\1\0\0\0\1x", 6), [](base::Slice) {}));
  EXPECT_FALSE(MessageReader().Feed(std::string("\0\xff\xff\xff\xff", 5), [](base::Slice) {}));
}

}  // namespace
}  // namespace keelson::net::grpc
