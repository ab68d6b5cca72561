#include "etcd/watch_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <semaphore>
#include <thread>

#include "base/sync_wait.h"
#include "etcd/testing.h"
#include "net/grpc/message_reader.h"
#include "storage/etcd3/messages.h"
#include "storage/memory/memory_backend.h"

namespace keelson::etcd {
namespace {

using storage::etcd3::WatchEvent;
using SentAnswer = storage::etcd3::WatchAnswer;  // as a client reads it

class WatchStreamTest : public testing::Test {
 protected:
  WatchStreamTest()
      : store_(std::move(*Store::Open(*backend_, loop_, {}))),
        out_(std::make_shared<MessageQueue>()),
        response_(out_->MakeResponse()),
        stream_(std::make_shared<WatchStream>(*store_, loop_, Header{.cluster_id = 5}, out_)) {}

  Revision Put(std::string_view key, std::string_view value) {
    return base::SyncWait(store_->Commit(base::Slice(), OnlyDo(PutOf(key, value))))->revision;
  }
  Revision Delete(std::string_view key) {
    return base::SyncWait(store_->Commit(base::Slice(), OnlyDo(DeleteRangeRequest{.key = key})))->revision;
  }

  // Everything that was sent since the last time.
  std::vector<SentAnswer> Sent() {
    loop_.Run();
    std::vector<base::Slice> pieces;
    while (response_.body->Next(1 << 20, pieces) == net::http::BodySource::State::kMore) {
    }
    std::vector<SentAnswer> answers;
    for (const base::Slice& piece : pieces)
      EXPECT_TRUE(reader_.Feed(piece.view(), [&](const base::Slice& message) {
        messages_.push_back(message);  // what the answers point into
        answers.push_back(storage::etcd3::DecodeWatch(messages_.back()).value());
      }));
    return answers;
  }
  static std::vector<std::string> Texts(const SentAnswer& answer) {
    std::vector<std::string> texts;
    for (const WatchEvent& e : answer.events)
      texts.push_back(e.type == storage::Write::Type::kDelete
                          ? "-" + std::string(e.kv.key)
                          : std::string(e.kv.key) + "=" + std::string(e.kv.value.view()));
    return texts;
  }

  ManualLoop loop_;
  std::unique_ptr<storage::Backend> backend_ = storage::OpenMemoryBackend();
  std::unique_ptr<Store> store_;
  std::shared_ptr<MessageQueue> out_;
  net::http::Response response_;
  std::shared_ptr<WatchStream> stream_;
  net::grpc::MessageReader reader_;
  std::vector<base::Slice> messages_;
};

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

TEST_F(WatchStreamTest, AWatchTellsOfItsKeysFromNowOn) {
  Put("a/1", "before");
  stream_->Take(WatchCreateRequest{.key = "a/", .range_end = "a0"});
  const auto created = Sent();
  ASSERT_THAT(created, SizeIs(1));
  EXPECT_TRUE(created[0].created);
  EXPECT_EQ(created[0].header.cluster_id, 5U);
  Put("a/1", "x");
  Put("b", "not watched");
  const Revision last = Delete("a/1");
  const auto sent = Sent();
  ASSERT_THAT(sent, SizeIs(2));
  EXPECT_THAT(Texts(sent[0]), ElementsAre("a/1=x"));
  EXPECT_THAT(Texts(sent[1]), ElementsAre("-a/1"));
  EXPECT_EQ(sent[1].header.revision, last);
  EXPECT_EQ(sent[1].events[0].kv.mod_revision, last);
}

TEST_F(WatchStreamTest, AWatchOfThePastAndOfTheFutureBeginWhereTheySay) {
  const Revision first = Put("a", "1");
  Put("a", "2");
  stream_->Take(WatchCreateRequest{.key = "a", .start_revision = first});
  const auto past = Sent();
  ASSERT_THAT(past, SizeIs(2));
  EXPECT_THAT(Texts(past[1]), ElementsAre("a=1", "a=2"));
  stream_->Take(WatchCancelRequest{.watch_id = 0});
  stream_->Take(WatchCreateRequest{.key = "a", .start_revision = first + 3});
  Sent();
  Put("a", "too early");
  Put("a", "now");
  const auto future = Sent();
  ASSERT_THAT(future, SizeIs(1));
  EXPECT_THAT(Texts(future[0]), ElementsAre("a=now"));
}

TEST_F(WatchStreamTest, AWatchOfWhatIsCompactedIsToldWhereHistoryBegins) {
  const Revision first = Put("a", "1");
  const Revision second = Put("a", "2");
  ASSERT_TRUE(base::SyncWait(store_->Compact(second)));
  stream_->Take(WatchCreateRequest{.key = "a", .start_revision = first});
  const auto sent = Sent();
  ASSERT_THAT(sent, SizeIs(2));
  EXPECT_TRUE(sent[0].created);
  EXPECT_TRUE(sent[1].canceled);
  EXPECT_EQ(sent[1].compact_revision, second);
}

TEST_F(WatchStreamTest, WhatIsFilteredIsNotTold) {
  stream_->Take(WatchCreateRequest{.key = "a", .no_delete = true});
  stream_->Take(WatchCreateRequest{.key = "a", .no_put = true});
  Sent();
  Put("a", "1");
  Delete("a");
  const auto sent = Sent();
  ASSERT_THAT(sent, SizeIs(2));
  EXPECT_THAT(Texts(sent[0]), ElementsAre("a=1"));
  EXPECT_THAT(Texts(sent[1]), ElementsAre("-a"));
}

TEST_F(WatchStreamTest, ProgressIsToldAfterWhatCameBefore) {
  stream_->Take(WatchCreateRequest{.key = "a"});
  Sent();
  const Revision now = Put("a", "1");
  stream_->Take(WatchProgressRequest{});
  const auto sent = Sent();
  ASSERT_THAT(sent, SizeIs(2));
  EXPECT_THAT(Texts(sent[0]), ElementsAre("a=1"));
  EXPECT_THAT(sent[1].events, IsEmpty());
  EXPECT_EQ(sent[1].header.revision, now);
}

// Holds up the backend while it tells its observers of a change.
class SlowObserver final : public storage::Observer {
 public:
  void OnChanges(std::span<const storage::Change> changes, Revision) override {
    if (changes.empty()) return;
    told.release();
    go_on.acquire();
  }
  void OnBroken(const storage::Error&) override {}

  std::binary_semaphore told{0}, go_on{0};
};

TEST_F(WatchStreamTest, WhoIsToldOfARevisionIsNotAnsweredWithAnOlderOne) {
  const Revision before = Put("a", "1");
  stream_->Take(WatchCreateRequest{.key = "a"});
  Sent();
  SlowObserver slow;
  const auto subscription = backend_->Subscribe("a", before, slow);
  ASSERT_TRUE(subscription);
  std::thread writer([&] { Put("a", "2"); });
  slow.told.acquire();
  // The backend has told the stream, yet others are to be told: the revision is not its current one.
  EXPECT_EQ(store_->Range({.key = "a"})->revision, before);
  EXPECT_THAT(Sent(), IsEmpty());
  stream_->Take(WatchProgressRequest{});
  const auto progress = Sent();
  ASSERT_THAT(progress, SizeIs(1));
  EXPECT_EQ(progress[0].header.revision, before);
  slow.go_on.release();
  writer.join();
  const auto sent = Sent();
  ASSERT_THAT(sent, SizeIs(1));
  EXPECT_THAT(Texts(sent[0]), ElementsAre("a=2"));
  EXPECT_EQ(sent[0].header.revision, before + 1);
  EXPECT_EQ(store_->Range({.key = "a"})->revision, before + 1);
}

TEST_F(WatchStreamTest, ProgressIsToldAfterWhatTheLoopHasNotLookedAtYet) {
  stream_->Take(WatchCreateRequest{.key = "a", .progress_notify = true});
  Sent();
  Put("a", "1");
  stream_->NotifyProgress();
  stream_->NotifyProgress();
  const auto sent = Sent();
  ASSERT_THAT(sent, SizeIs(2));
  EXPECT_THAT(Texts(sent[0]), ElementsAre("a=1"));
  EXPECT_THAT(sent[1].events, IsEmpty());
}

TEST_F(WatchStreamTest, ThoseWhoHadNoEventsAreToldHowFarTheyAre) {
  stream_->Take(WatchCreateRequest{.key = "a", .progress_notify = true});
  stream_->Take(WatchCreateRequest{.key = "b"});
  Sent();
  Put("a", "1");
  EXPECT_THAT(Sent(), SizeIs(1));
  stream_->NotifyProgress();
  EXPECT_THAT(Sent(), IsEmpty());
  const Revision now = Put("c", "1");
  stream_->NotifyProgress();
  const auto sent = Sent();
  ASSERT_THAT(sent, SizeIs(1));
  EXPECT_EQ(sent[0].header.revision, now);
}

TEST_F(WatchStreamTest, ACanceledWatchSaysSoAndNothingMore) {
  stream_->Take(WatchCreateRequest{.key = "a"});
  Sent();
  stream_->Take(WatchCancelRequest{.watch_id = 0});
  Put("a", "1");
  const auto sent = Sent();
  ASSERT_THAT(sent, SizeIs(1));
  EXPECT_TRUE(sent[0].canceled);
  EXPECT_EQ(sent[0].compact_revision, 0);
}

TEST_F(WatchStreamTest, AnIdThatIsTakenIsRefused) {
  stream_->Take(WatchCreateRequest{.key = "a", .watch_id = 4});
  stream_->Take(WatchCreateRequest{.key = "a", .watch_id = 4});
  const auto sent = Sent();
  ASSERT_THAT(sent, SizeIs(2));
  EXPECT_FALSE(sent[0].canceled);
  EXPECT_TRUE(sent[1].created);
  EXPECT_TRUE(sent[1].canceled);
}

}  // namespace
}  // namespace keelson::etcd
