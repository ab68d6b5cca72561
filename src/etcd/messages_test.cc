// Requests as the client of this tree writes them, answers as it reads them, and bytes that are neither.
#include "etcd/messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "etcd/stored_value.h"
#include "storage/etcd3/messages.h"

namespace keelson::etcd {
namespace {

using testing::ElementsAre;

base::Slice Message(const std::string& bytes) { return base::Slice::Copy(bytes); }

TEST(EtcdServerMessagesTest, ATransactionIsReadAsItWasWritten) {
  storage::Txn txn;
  txn.compares.push_back({"k", 7});
  txn.writes.push_back({.key = "k", .value = base::Slice::Static("v"), .lease = 5});
  txn.writes.push_back({.type = storage::Write::Type::kDelete, .key = "gone"});
  const base::Slice message = Message(storage::etcd3::EncodeTxn(txn));
  const auto read = DecodeTxn(message);
  ASSERT_TRUE(read);
  ASSERT_EQ(read->compares.size(), 1U);
  EXPECT_EQ(read->compares[0].key, "k");
  EXPECT_EQ(read->compares[0].number, 7);
  EXPECT_EQ(static_cast<Compare::Target>(read->compares[0].target), Compare::Target::kMod);
  ASSERT_EQ(read->success.size(), 2U);
  const auto& put = std::get<PutRequest>(read->success[0]);
  EXPECT_EQ(put.key, "k");
  EXPECT_EQ(put.value.view(), "v");
  EXPECT_EQ(put.lease, 5);
  EXPECT_EQ(std::get<DeleteRangeRequest>(read->success[1]).key, "gone");
  EXPECT_EQ(std::get<RangeRequest>(read->failure.at(0)).key, "k");
}

TEST(EtcdServerMessagesTest, ARangeIsReadAsItWasWritten) {
  const base::Slice message =
      Message(storage::etcd3::EncodeRange("a", "b", {.revision = 9, .limit = 3, .keys_only = true}));
  const auto read = DecodeRange(message);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->key, "a");
  EXPECT_EQ(read->range_end, "b");
  EXPECT_EQ(read->revision, 9);
  EXPECT_EQ(read->limit, 3);
  EXPECT_TRUE(read->keys_only);
  EXPECT_FALSE(read->count_only);
}

TEST(EtcdServerMessagesTest, AWatchIsCreatedCanceledOrAskedForProgress) {
  const base::Slice create = Message(storage::etcd3::EncodeWatchCreate(12));
  EXPECT_EQ(std::get<WatchCreateRequest>(*DecodeWatch(create)).start_revision, 12);
  const base::Slice filters = Message(std::string("\x0a\x05\x0a\x01k\x28\x01", 7));
  EXPECT_TRUE(std::get<WatchCreateRequest>(*DecodeWatch(filters)).no_delete);
  const base::Slice packed = Message(std::string("\x0a\x07\x0a\x01k\x2a\x02\x00\x01", 9));
  EXPECT_TRUE(std::get<WatchCreateRequest>(*DecodeWatch(packed)).no_put);
  EXPECT_TRUE(std::get<WatchCreateRequest>(*DecodeWatch(packed)).no_delete);
  const base::Slice cancel = Message("\x12\x02\x08\x04");
  EXPECT_EQ(std::get<WatchCancelRequest>(*DecodeWatch(cancel)).watch_id, 4);
  const base::Slice progress = Message(std::string("\x1a\x00", 2));
  EXPECT_TRUE(std::holds_alternative<WatchProgressRequest>(*DecodeWatch(progress)));
}

TEST(EtcdServerMessagesTest, AnswersAreReadByTheClient) {
  const Header header{.cluster_id = 3, .member_id = 4, .revision = 20};
  const Entry entry{.key = "k",
                    .value = base::Slice::Static("v"),
                    .create_revision = 2,
                    .mod_revision = 7,
                    .version = 3,
                    .lease = 9};
  const base::Slice range =
      Message(Encode(header, RangeAnswer{.entries = {entry}, .more = true, .count = 5}));
  const auto read = storage::etcd3::DecodeRange(range);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->header.cluster_id, 3U);
  EXPECT_EQ(read->header.revision, 20);
  EXPECT_EQ(read->items.at(0).version, 3);
  EXPECT_EQ(read->items.at(0).lease, 9);
  EXPECT_EQ(read->count, 5);
  EXPECT_TRUE(read->more);
  TxnAnswer txn{.succeeded = false, .answers = {}};
  txn.answers.emplace_back(RangeAnswer{.entries = {entry}, .more = false, .count = 1});
  const base::Slice answered = Message(Encode(header, txn));
  const auto refused = storage::etcd3::DecodeTxn(answered);
  ASSERT_TRUE(refused);
  EXPECT_FALSE(refused->succeeded);
  EXPECT_EQ(refused->ranges.at(0).items.at(0).key, "k");
  EXPECT_EQ(storage::etcd3::DecodeLeaseGrant(Message(Encode(header, LeaseAnswer{.id = 6, .ttl = 10}))), 6);
}

TEST(EtcdServerMessagesTest, BytesThatAreNoMessageAreRefused) {
  EXPECT_FALSE(DecodeRange(Message("\x0a\x05k")));
  EXPECT_FALSE(DecodePut(Message("\x08\x01")));
  EXPECT_FALSE(DecodeTxn(Message("\x0a\x02\x1a\x05")));
  EXPECT_FALSE(DecodeWatch(Message("")));
  std::string deep;
  for (int i = 0; i < 40; ++i) {
    std::string op = "\x22" + std::string(1, static_cast<char>(deep.size())) + deep;
    deep = "\x12" + std::string(1, static_cast<char>(op.size())) + op;
  }
  EXPECT_FALSE(DecodeTxn(Message(deep)));
}

TEST(StoredValueTest, AValueIsKeptWithItsVersionAndLease) {
  const auto plain =
      Unpack({.key = "k", .value = PackValue(3, 0, 0, "v"), .create_revision = 1, .mod_revision = 2});
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->entry.version, 3);
  EXPECT_EQ(plain->entry.lease, 0);
  EXPECT_EQ(plain->entry.value.view(), "v");
  const auto leased = Unpack({.key = "k", .value = PackValue(1, -5, 60, "")});
  ASSERT_TRUE(leased);
  EXPECT_EQ(leased->entry.lease, -5);
  EXPECT_EQ(leased->lease_ttl, 60);
  EXPECT_TRUE(leased->entry.value.empty());
  EXPECT_FALSE(Unpack({.key = "k", .value = base::Slice::Static("\x80")}));
}

}  // namespace
}  // namespace keelson::etcd
