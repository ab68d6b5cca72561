#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <ctime>

#include "server/profiling/cpu_sampler.h"
#include "server/profiling/profile.h"

namespace keelson::server::profiling {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

// The fields of a message: number, and what is in it.
struct Field {
  uint32_t number = 0;
  uint64_t varint = 0;
  std::string_view bytes;
};
std::vector<Field> Fields(std::string_view message) {
  std::vector<Field> fields;
  size_t at = 0;
  const auto varint = [&] {
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(message.at(at++));
      value |= static_cast<uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < message.size()) {
    const uint64_t tag = varint();
    Field field{.number = static_cast<uint32_t>(tag >> 3)};
    field.varint = varint();
    if ((tag & 7) == 2) {
      field.bytes = message.substr(at, field.varint);
      at += field.varint;
    }
    fields.push_back(field);
  }
  return fields;
}
std::vector<std::string_view> BytesOf(std::string_view message, uint32_t number) {
  std::vector<std::string_view> found;
  for (const Field& field : Fields(message))
    if (field.number == number) found.push_back(field.bytes);
  return found;
}
uint64_t NumberOf(std::string_view message, uint32_t number) {
  for (const Field& field : Fields(message))
    if (field.number == number) return field.varint;
  return 0;
}

constexpr Profile::ValueType kTypes[] = {{"objects", "count"}, {"space", "bytes"}};

TEST(ProfileTest, SamplesReferToTheirLocationsAndThoseToMappings) {
  Profile profile(kTypes, kTypes[1], 7);
  const auto here = reinterpret_cast<uintptr_t>(&Fields);
  const uintptr_t stack[] = {here, 1};
  const int64_t values[] = {3, 300};
  profile.AddStack(stack, values);
  profile.AddNamed("blocks", values);
  const base::Slice encoded = profile.Encode();

  const auto samples = BytesOf(encoded.view(), 2);
  ASSERT_EQ(samples.size(), 2u);
  EXPECT_EQ(BytesOf(samples[0], 1).front(), std::string_view("\1\2", 2));
  EXPECT_EQ(BytesOf(samples[0], 2).front(), std::string_view("\3\xAC\2", 3));
  EXPECT_EQ(NumberOf(encoded.view(), 12), 7u);

  bool found = false;
  for (const std::string_view location : BytesOf(encoded.view(), 4)) {
    if (NumberOf(location, 3) != here) continue;
    found = true;
    const uint64_t id = NumberOf(location, 2);
    ASSERT_NE(id, 0u);
    const std::string_view mapping = BytesOf(encoded.view(), 3).at(id - 1);
    EXPECT_LE(NumberOf(mapping, 2), here);
    EXPECT_GT(NumberOf(mapping, 3), here);
    const auto texts = BytesOf(encoded.view(), 6);
    EXPECT_TRUE(texts.at(NumberOf(mapping, 5)).ends_with("server_test"));
  }
  EXPECT_TRUE(found);
}

TEST(ProfileTest, TheTextsBeginWithAnEmptyOneAndHaveEachOnce) {
  Profile profile(kTypes, kTypes[1], 1);
  const int64_t values[] = {1, 1};
  profile.AddNamed("space", values);
  const base::Slice encoded = profile.Encode();
  const auto texts = BytesOf(encoded.view(), 6);
  EXPECT_THAT(std::vector(texts.begin(), texts.begin() + 5),
              ElementsAre("", "objects", "count", "space", "bytes"));
  EXPECT_THAT(BytesOf(encoded.view(), 5).size(), 1u);
}

TEST(CpuSamplerTest, WorkIsSeenAndOnlyOneSamplerIsAtWork) {
  auto sampler = CpuSampler::Start(std::chrono::seconds(10));
  ASSERT_TRUE(sampler) << sampler.error();
  EXPECT_EQ(CpuSampler::Start(std::chrono::seconds(1)).error(), "cpu profiling already in use");
  // By its own processor time: others may keep the processor for long.
  volatile uint64_t sink = 0;
  const std::clock_t until = std::clock() + CLOCKS_PER_SEC / 2;
  while (std::clock() < until)
    for (int i = 0; i < 1000; ++i) sink = sink + 1;
  const base::Slice encoded = (*sampler)->Finish().Encode();
  EXPECT_THAT(BytesOf(encoded.view(), 6), Contains("cpu"));
  EXPECT_FALSE(BytesOf(encoded.view(), 2).empty());
  EXPECT_TRUE(CpuSampler::Start(std::chrono::seconds(1))) << "the other has ended";
}

}  // namespace
}  // namespace keelson::server::profiling
