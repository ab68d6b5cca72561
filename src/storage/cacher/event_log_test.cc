#include "storage/cacher/event_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "storage/object_factory.h"
#include "storage/testing/test_objects.h"

namespace keelson::storage {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;

// A log fed as the cache feeds it.
class EventLogTest : public testing::Test {
 protected:
  void Open(EventLogOptions options) { log_ = std::make_unique<EventLog>(options, std::vector<size_t>{0}); }

  // "ns/name" on `node` at the next revision; null node: deleted.
  void Change(const std::string& key, const char* node, size_t padding = 0) {
    if (log_->NeedsSegment()) log_->StartSegment(editor_.Snapshot(), now_);
    auto* event = new Event();
    EventPtr holder(event);
    event->revision = ++revision_;
    if (node) {
      const auto stored = StoredPod({.name = "n", .node = node, .padding = padding});
      event->object = *factory_.Make(std::string(kPodPrefix) + key, stored.view(), 1, revision_);
      event->previous = editor_.Put(event->object);
      event->type = event->previous ? EventType::kModified : EventType::kAdded;
    } else {
      event->previous = editor_.Erase({key, {}});
      event->object = factory_.AtRevision(*event->previous, revision_);
      event->type = EventType::kDeleted;
    }
    log_->Append(std::move(holder), now_);
    log_->Trim(now_);
  }

  static std::vector<Revision> Concerning(const EventLogView& view, uint64_t seq, TriggerId trigger) {
    std::vector<Revision> revisions;
    for (; (seq = view.NextConcerning(seq, trigger)) != view.end(); ++seq)
      revisions.push_back(view.at(seq)->revision);
    return revisions;
  }

  ObjectFactory factory_{ResourceNamed("pods"), "/registry/pods"};
  SnapshotMapEditor editor_{SnapshotMap(MapOrder{.prefix_size = kPodPrefix.size()})};
  std::unique_ptr<EventLog> log_;
  base::Clock::SteadyTime now_{};
  Revision revision_ = 0;
};

TEST_F(EventLogTest, FindsTheFirstEventAfterARevision) {
  Open({});
  for (int i = 0; i < 1000; ++i) Change("ns/p" + std::to_string(i % 7), "n");
  const EventLogView view = log_->View();
  EXPECT_EQ(view.floor(), 0);
  EXPECT_EQ(view.end() - view.begin(), 1000u);
  for (Revision r = 0; r < 1000; ++r) ASSERT_EQ(view.at(view.FirstAfter(r))->revision, r + 1);
  EXPECT_EQ(view.FirstAfter(1000), view.end());
  EXPECT_EQ(view.FirstAfter(5000), view.end());
}

TEST_F(EventLogTest, DropsTheOldestPastItsBytes) {
  Open({.max_bytes = 100'000});
  for (int i = 0; i < 2000; ++i) Change("ns/p", "n", 100);
  EXPECT_LE(log_->bytes(), 110'000u);
  const EventLogView view = log_->View();
  EXPECT_GT(view.floor(), 1000);
  EXPECT_EQ(view.at(view.begin())->revision, view.floor() + 1);
  EXPECT_EQ(view.at(view.end() - 1)->revision, 2000);
}

TEST_F(EventLogTest, DropsTheOldestPastItsAge) {
  Open({.max_age = seconds(60)});
  for (int i = 0; i < 300; ++i) {
    Change("ns/p", "n");
    now_ += seconds(1);
  }
  const EventLogView view = log_->View();
  EXPECT_GT(view.floor(), 50);
  EXPECT_LT(view.floor(), 240);
}

TEST_F(EventLogTest, ForgetsWhatIsOldWhenNothingHappensAnyMore) {
  Open({.max_age = seconds(60)});
  for (int i = 0; i < 10; ++i) Change("ns/p", "n");
  const uint64_t end = log_->View().end();
  now_ += seconds(59);
  EXPECT_FALSE(log_->ForgetOld(editor_.Snapshot(), now_));
  EXPECT_EQ(log_->View().end() - log_->View().begin(), 10u);
  now_ += seconds(2);
  EXPECT_TRUE(log_->ForgetOld(editor_.Snapshot(), now_));
  EXPECT_FALSE(log_->ForgetOld(editor_.Snapshot(), now_)) << "there is nothing left to forget";
  EXPECT_EQ(log_->bytes(), 0u);
  EXPECT_EQ(log_->View().begin(), end) << "who has seen everything misses nothing";
  EXPECT_EQ(log_->View().floor(), 10);
  Change("ns/p", "n");
  EXPECT_EQ(log_->View().at(end)->revision, 11);
}

TEST_F(EventLogTest, ALargeLogKeepsNothingThatIsNotFresh) {
  Open({.max_bytes = 4'000'000, .max_age = seconds(300), .fresh_age = seconds(75), .old_bytes = 100'000});
  Change("ns/small", "n");
  now_ += seconds(76);
  EXPECT_FALSE(log_->HasOld(now_));
  EXPECT_FALSE(log_->ForgetOld(editor_.Snapshot(), now_)) << "a small log keeps its events for longer";

  for (int i = 0; i < 500; ++i) Change("ns/p" + std::to_string(i), "n", 1000);
  for (int i = 0; i < 500; ++i) Change("ns/p" + std::to_string(i), nullptr);
  const size_t full = log_->bytes();
  EXPECT_GT(full, 1'000'000u);
  now_ += seconds(75);
  EXPECT_FALSE(log_->ForgetOld(editor_.Snapshot(), now_));
  EXPECT_EQ(log_->bytes(), full);
  now_ += seconds(1);
  EXPECT_TRUE(log_->HasOld(now_));
  EXPECT_TRUE(log_->ForgetOld(editor_.Snapshot(), now_));
  EXPECT_LE(log_->bytes(), 100'000u) << "what was deleted is not kept by its events";
  EXPECT_FALSE(log_->HasOld(now_));
  EXPECT_EQ(log_->View().ObjectsAt(revision_).size(), 1u);
}

TEST_F(EventLogTest, AViewOutlivesTheTrimming) {
  Open({.max_bytes = 50'000});
  Change("ns/first", "n");
  const EventLogView old = log_->View();
  for (int i = 0; i < 1000; ++i) Change("ns/p", "n", 100);
  EXPECT_GT(log_->View().begin(), old.begin());
  EXPECT_EQ(old.at(old.begin())->object->name(), "first");
  EXPECT_EQ(old.end() - old.begin(), 1u);
}

TEST_F(EventLogTest, NarrowReadersSkipWhatDoesNotConcernThem) {
  Open({});
  for (int i = 0; i < 2000; ++i) {
    if (i == 700)
      Change("other/x", "n9");
    else if (i == 1500)
      Change("other/x", "n8");
    else
      Change("ns/p" + std::to_string(i % 50), "n1");
  }
  const EventLogView view = log_->View();
  const uint64_t begin = view.begin();
  // The newest segment is not indexed: it may be read in full.
  const auto in_index = [&](std::vector<Revision> revisions) {
    std::erase_if(revisions, [](Revision r) { return r > 1744; });
    return revisions;
  };
  EXPECT_THAT(in_index(Concerning(view, begin, NamespaceTrigger("other"))), ElementsAre(701, 1501));
  EXPECT_THAT(in_index(Concerning(view, begin, ObjectTrigger("/registry/pods/other/x"))),
              ElementsAre(701, 1501));
  EXPECT_THAT(in_index(Concerning(view, begin, FieldTrigger(0, "n8"))), ElementsAre(1501));
  // It left n9 with its second event.
  EXPECT_THAT(in_index(Concerning(view, begin, FieldTrigger(0, "n9"))), ElementsAre(701, 1501));
  EXPECT_THAT(in_index(Concerning(view, view.FirstAfter(701), FieldTrigger(0, "n9"))), ElementsAre(1501));
  EXPECT_EQ(Concerning(view, begin, kEveryEvent).size(), 2000u);
  EXPECT_LT(Concerning(view, begin, FieldTrigger(0, "none")).size(), 260u);
}

TEST_F(EventLogTest, ReplaysAnyVersionInTheWindow) {
  Open({.max_bytes = 400'000});
  std::mt19937 random(7);
  std::vector<SnapshotMap> versions{editor_.Snapshot()};
  for (int i = 0; i < 1500; ++i) {
    const std::string key = "ns/p" + std::to_string(random() % 40);
    const bool there = editor_.current().Find({key, {}});
    Change(key, there && random() % 3 == 0 ? nullptr : "n");
    versions.push_back(editor_.Snapshot());
  }
  const EventLogView view = log_->View();
  ASSERT_GT(view.floor(), 0);
  for (Revision r = view.floor(); r <= revision_; ++r) {
    const SnapshotMap then = view.ObjectsAt(r);
    const SnapshotMap& want = versions[static_cast<size_t>(r)];
    ASSERT_EQ(then.size(), want.size());
    SnapshotMap::Cursor a(then, {});
    for (SnapshotMap::Cursor b(want, {}); b.get(); b.Advance(), a.Advance()) ASSERT_EQ(a.get(), b.get());
  }
}

TEST_F(EventLogTest, AfterAResetNoOldPositionIsValid) {
  Open({});
  Change("ns/a", "n");
  const uint64_t end = log_->View().end();
  log_->Reset(editor_.Snapshot(), 50);
  EXPECT_GT(log_->View().begin(), end);
  EXPECT_EQ(log_->View().begin(), log_->View().end());
  EXPECT_EQ(log_->View().floor(), 50);
}

TEST(EventTest, TheFirstEncodingWins) {
  auto* event = new Event();
  EventPtr holder(event);
  EXPECT_EQ(holder->Encoding(1), nullptr);
  EXPECT_EQ(holder->SetEncoding(1, base::Slice::Static("first")).view(), "first");
  EXPECT_EQ(holder->SetEncoding(1, base::Slice::Static("second")).view(), "first");
  EXPECT_EQ(holder->Encoding(1)->view(), "first");
  EXPECT_EQ(holder->Encoding(0), nullptr);
}

}  // namespace
}  // namespace keelson::storage
