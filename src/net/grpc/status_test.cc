#include "net/grpc/status.h"

#include <gtest/gtest.h>

namespace keelson::net::grpc {
namespace {

TEST(GrpcStatusTest, AMessageIsPercentDecoded) {
  EXPECT_EQ(DecodeMessage("etcdserver: request timed out"), "etcdserver: request timed out");
  EXPECT_EQ(DecodeMessage("a%20b%E2%82%ac"), "a b\xe2\x82\xac");
  EXPECT_EQ(DecodeMessage(""), "");
}

TEST(GrpcStatusTest, AMessageIsPercentEncoded) {
  EXPECT_EQ(EncodeMessage("etcdserver: request timed out"), "etcdserver: request timed out");
  EXPECT_EQ(EncodeMessage("100%\n\xe2\x82\xac"), "100%25%0A%E2%82%AC");
  EXPECT_EQ(DecodeMessage(EncodeMessage("100%\n\xe2\x82\xac")), "100%\n\xe2\x82\xac");
}

TEST(GrpcStatusTest, WhatIsNoEscapeStaysAsItIs) {
  EXPECT_EQ(DecodeMessage("100%"), "100%");
  EXPECT_EQ(DecodeMessage("%4"), "%4");
  EXPECT_EQ(DecodeMessage("%zz%4z"), "%zz%4z");
}

}  // namespace
}  // namespace keelson::net::grpc
