#include "storage/etcd3/messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/etcd3/endpoint.h"
#include "storage/etcd3/errors.h"

namespace keelson::storage::etcd3 {
namespace {

using testing::SizeIs;

std::string Bytes(std::initializer_list<int> bytes) {
  std::string out;
  for (int b : bytes) out += static_cast<char>(b);
  return out;
}
base::Slice Message(std::initializer_list<int> bytes) { return base::Slice::Copy(Bytes(bytes)); }

TEST(EtcdMessagesTest, ATransactionComparesWritesAndReadsOnFailure) {
  Txn txn;
  txn.compares.push_back({"k", 0});
  txn.writes.push_back({.key = "k", .value = base::Slice::Static("v"), .lease = 5});
  EXPECT_EQ(EncodeTxn(txn), Bytes({0x0a, 7,  0x10, 2, 0x1a, 1, 'k', 0x30, 0,  // mod_revision of k == 0
                                   0x12, 10, 0x12, 8, 0x0a, 1, 'k', 0x12, 1, 'v', 0x18, 5,  // put
                                   0x1a, 5,  0x0a, 3, 0x0a, 1, 'k'}));                      // else read k
  txn.writes = {{.type = Write::Type::kDelete, .key = "k"}};
  txn.compares.clear();
  EXPECT_EQ(EncodeTxn(txn), Bytes({0x12, 5, 0x1a, 3, 0x0a, 1, 'k'}));
}

TEST(EtcdMessagesTest, OpenRangesAreOneZeroByte) {
  EXPECT_EQ(EncodeRange("", "", {}), Bytes({0x0a, 1, 0, 0x12, 1, 0}));
  EXPECT_EQ(EncodeRange("a", "b", {.revision = 3, .limit = 2, .keys_only = true}),
            Bytes({0x0a, 1, 'a', 0x12, 1, 'b', 0x18, 2, 0x20, 3, 0x40, 1}));
}

TEST(EtcdMessagesTest, AnAnswersValuesLieInTheMessage) {
  const base::Slice message =
      Message({0x0a, 4,  0x08, 9, 0x18, 7,                                        // header
               0x12, 12, 0x0a, 1, 'k',  0x10, 2, 0x18, 3, 0x20, 1, 0x2a, 1, 'v',  // kv
               0x18, 1,  0x20, 5});                                               // more, count
  const auto answer = DecodeRange(message);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->header.cluster_id, 9U);
  EXPECT_EQ(answer->header.revision, 7);
  EXPECT_TRUE(answer->more);
  EXPECT_EQ(answer->count, 5);
  ASSERT_THAT(answer->items, SizeIs(1));
  EXPECT_EQ(answer->items[0].key, "k");
  EXPECT_EQ(answer->items[0].value.view(), "v");
  EXPECT_EQ(answer->items[0].create_revision, 2);
  EXPECT_EQ(answer->items[0].mod_revision, 3);
  EXPECT_EQ(answer->items[0].value.data(), message.data() + 19);
}

TEST(EtcdMessagesTest, AWatchTellsEventsAndWhyItEnded) {
  const base::Slice message = Message({0x5a, 7, 0x08, 1, 0x12, 3, 0x0a, 1, 'k'});
  const auto events = DecodeWatch(message);  // whose keys lie in the message
  ASSERT_TRUE(events);
  ASSERT_THAT(events->events, SizeIs(1));
  EXPECT_EQ(events->events[0].type, Write::Type::kDelete);
  EXPECT_EQ(events->events[0].kv.key, "k");
  const auto ended = DecodeWatch(Message({0x20, 1, 0x28, 12, 0x32, 2, 'n', 'o'}));
  ASSERT_TRUE(ended);
  EXPECT_TRUE(ended->canceled);
  EXPECT_EQ(ended->compact_revision, 12);
  EXPECT_EQ(ended->cancel_reason, "no");
}

TEST(EtcdMessagesTest, WhatIsCutOffIsNoMessage) {
  EXPECT_FALSE(DecodeRange(Message({0x12, 12, 0x0a, 1, 'k'})));
  EXPECT_FALSE(DecodeTxn(Message({0x10})));
  EXPECT_FALSE(DecodeWatch(Message({0x5a, 1})));
  EXPECT_FALSE(DecodeHeaderOnly(Message({0x0a, 2, 0x18})));
  EXPECT_FALSE(DecodeLeaseGrant(Message({})));
}

TEST(EtcdMessagesTest, AStatusTellsTheSizeOfTheDatabase) {
  const base::Slice status = Message({0x0a, 2, 0x18, 7,                       // header
                                      0x12, 3, '3', '.', '4', 0x18, 0xac, 2,  // version, dbSize
                                      0x20, 5});
  EXPECT_EQ(DecodeDatabaseBytes(status), 300);
  EXPECT_EQ(DecodeDatabaseBytes(Message({0x18})), std::nullopt);
}

TEST(EtcdEndpointTest, SchemeHostAndPort) {
  const auto plain = ParseEndpoint("http://127.0.0.1:2379", nullptr, true);
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->host, "127.0.0.1");
  EXPECT_EQ(plain->port, 2379);
  const auto ipv6 = ParseEndpoint("http://[::1]:2379/", nullptr, false);
  ASSERT_TRUE(ipv6);
  EXPECT_EQ(ipv6->host, "::1");
  EXPECT_TRUE(ParseEndpoint("etcd.example.com:2379", nullptr, false));
  for (const char* bad : {"http://host", "http://[::1]", "ftp://host:1", "http://host:0", "http://host:x",
                          "http://:2379", "http://host/path:2379", "http://host:99999"})
    EXPECT_FALSE(ParseEndpoint(bad, nullptr, false)) << bad;
}

TEST(EtcdEndpointTest, ASocketOnThisMachineIsNamedByItsPath) {
  const auto absolute = ParseEndpoint("unix:///run/kine.sock", nullptr, false);
  ASSERT_TRUE(absolute) << absolute.error();
  EXPECT_EQ(absolute->unix_path, "/run/kine.sock");
  const auto relative = ParseEndpoint("unix://kine.sock", nullptr, false);
  ASSERT_TRUE(relative) << relative.error();
  EXPECT_EQ(relative->unix_path, "kine.sock");
  EXPECT_TRUE(IsSecureEndpoint("unixs:///run/etcd.sock"));
  EXPECT_FALSE(IsSecureEndpoint("unix:///run/etcd.sock"));
  EXPECT_FALSE(ParseEndpoint("unix://", nullptr, false));
}

TEST(EtcdErrorsTest, OnlyCertainRefusalsCountAsNotWritten) {
  using Rpc = net::grpc::Code;
  EXPECT_TRUE(NotWritten({.code = Rpc::kUnavailable, .unprocessed = true}));
  EXPECT_TRUE(NotWritten({.code = Rpc::kResourceExhausted, .from_server = true}));
  EXPECT_FALSE(NotWritten(
      {.code = Rpc::kUnavailable, .message = "etcdserver: request timed out", .from_server = true}));
  EXPECT_FALSE(NotWritten({.code = Rpc::kUnavailable}));
  EXPECT_FALSE(NotWritten({.code = Rpc::kDeadlineExceeded}));
}

TEST(EtcdErrorsTest, RefusalsOfRevisionsAreTold) {
  using Rpc = net::grpc::Code;
  EXPECT_EQ(ToError({Rpc::kOutOfRange, "etcdserver: mvcc: required revision has been compacted"}).code,
            Code::kExpired);
  EXPECT_EQ(ToError({Rpc::kOutOfRange, "etcdserver: mvcc: required revision is a future revision"}).code,
            Code::kTooLarge);
  EXPECT_EQ(ToError({Rpc::kNotFound, "etcdserver: requested lease not found"}).code, Code::kNotFound);
  EXPECT_EQ(ToError({Rpc::kUnavailable, "etcdserver: no leader"}).code, Code::kUnreachable);
}

TEST(EtcdErrorsTest, WhatIsTooLargeStaysTooLarge) {
  using Rpc = net::grpc::Code;
  EXPECT_EQ(ToError({Rpc::kInvalidArgument, "etcdserver: request is too large"}).code, Code::kTooBig);
  const Error message =
      ToError({Rpc::kResourceExhausted, "grpc: received message larger than max (2500069 vs. 2097152)"});
  EXPECT_EQ(message.code, Code::kTooBig);
  EXPECT_EQ(message.detail,
            "rpc error: code = ResourceExhausted desc = grpc: received message larger than max (2500069 vs. "
            "2097152)");
  EXPECT_EQ(ToError({Rpc::kResourceExhausted, "etcdserver: mvcc: database space exceeded"}).code,
            Code::kUnreachable);
}

}  // namespace
}  // namespace keelson::storage::etcd3
