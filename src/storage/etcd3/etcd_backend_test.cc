// What only a backend on another process has: loss, repetition, other servers, TLS.
#include "storage/etcd3/etcd_backend.h"

#include <gmock/gmock.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <future>
#include <thread>

#include "base/sync_wait.h"
#include "net/testing/certificates.h"
#include "storage/etcd3/testing/etcd_process.h"
#include "storage/testing/backend_contract.h"

namespace keelson::storage {
namespace {

using etcd3::EtcdProcess;
using testing::ElementsAre;
using testing::HasSubstr;

std::unique_ptr<EtcdBackend> Open(const EtcdProcess& etcd) {
  auto backend = EtcdBackend::Open({.endpoints = {etcd.endpoint()}});
  if (!backend) throw std::runtime_error(backend.error().detail);
  return std::move(*backend);
}

template <class F>
bool Eventually(F condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

TEST(EtcdBackendTest, CatchingUpShowsWhatAnotherServerWrote) {
  EtcdProcess etcd;
  auto one = Open(etcd), two = Open(etcd);
  for (int i = 0; i < 20; ++i) {
    const Revision written = Put(*one, "a", std::to_string(i));
    ASSERT_TRUE(base::SyncWait(two->CatchUp(0)));
    EXPECT_GE(two->CurrentRevision(), written);
  }
  auto future = base::SyncWait(two->CatchUp(two->CurrentRevision() + 1));
  ASSERT_FALSE(future);
  EXPECT_EQ(future.error().code, Code::kTooLarge);
}

TEST(EtcdBackendTest, TheFeedGoesOnWhereItWasAfterEtcdRestarted) {
  EtcdProcess etcd;
  auto backend = Open(etcd);
  RecordingObserver observer;
  auto feed = backend->Subscribe("", 1, observer);
  ASSERT_TRUE(feed);
  Put(*backend, "a", "1");
  etcd.Kill();
  const auto lost = base::SyncWait(backend->Commit(PutTxn("b", "1")));
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code, Code::kUnreachable);
  EXPECT_FALSE(backend->Health());
  etcd.Start();
  EXPECT_TRUE(Eventually([&] { return backend->Health().has_value(); }));
  Put(*backend, "c", "1");
  std::vector<std::string> keys;
  for (const SeenChange& change : observer.changes()) keys.push_back(change.key);
  EXPECT_THAT(keys, ElementsAre("a", "c"));
}

TEST(EtcdBackendTest, AWriteIntoSilenceIsNotSaidToHaveFailedWhenItHappens) {
  EtcdProcess etcd;
  auto backend = Open(etcd);
  Put(*backend, "a", "1");
  etcd.Pause();
  const size_t before = etcd.UnreadBytes();
  Txn guarded = PutTxn("a", "2");
  guarded.compares.push_back({"a", 2});
  auto answer =
      std::async(std::launch::async, [&] { return base::SyncWait(backend->Commit(std::move(guarded))); });
  EXPECT_TRUE(Eventually([&] { return etcd.UnreadBytes() > before; }));  // the write is on its way
  EXPECT_TRUE(Eventually([&] { return !backend->Health(); }));           // the silence is noticed
  etcd.Resume();
  const auto result = answer.get();
  ASSERT_TRUE(result) << result.error().detail;
  EXPECT_TRUE(result->succeeded);
  EXPECT_THAT(Dump(*backend, ""), ElementsAre("a=2"));
  EXPECT_EQ(backend->CurrentRevision(), 3);  // and it happened once
}

// What is made only where nothing is could be made a second time, after somebody removed the first.
TEST(EtcdBackendTest, ACreateThatWasLostIsNotSentAgain) {
  EtcdProcess etcd;
  auto backend = Open(etcd);
  Put(*backend, "a", "1");
  etcd.Pause();
  const size_t before = etcd.UnreadBytes();
  Txn create = PutTxn("b", "1");
  create.compares.push_back({"b", 0});
  auto answer =
      std::async(std::launch::async, [&] { return base::SyncWait(backend->Commit(std::move(create))); });
  EXPECT_TRUE(Eventually([&] { return etcd.UnreadBytes() > before; }));  // the create is on its way
  etcd.Kill();
  etcd.Start();
  const auto result = answer.get();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::kUnreachable);
  EXPECT_THAT(result.error().detail, HasSubstr("whether it was written is not known"));
  ASSERT_TRUE(Eventually([&] { return backend->Health().has_value(); }));  // etcd may take long to come back
  EXPECT_THAT(Dump(*backend, ""), ElementsAre("a=1"));
}

TEST(EtcdBackendTest, ServersCompactInTurnToAnIntervalAgo) {
  EtcdProcess etcd;
  auto one = Open(etcd), two = Open(etcd);
  // A compaction beyond what a server has been told of is noted at its next turn.
  const auto tick = [](EtcdBackend& backend) {
    ASSERT_TRUE(base::SyncWait(backend.CatchUp(0)));
    ASSERT_TRUE(base::SyncWait(backend.CompactInTurn()));
  };
  Put(*one, "a", "1");  // 2
  tick(*one);           // the first: it makes the key
  tick(*two);           // finds that it is not its turn
  Put(*one, "a", "2");
  tick(*one);  // to where it was at its last turn
  EXPECT_EQ(one->CompactedRevision(), 3);
  tick(*two);
  EXPECT_EQ(two->CompactedRevision(), 3);
  EXPECT_EQ(one->Get("a", 2).error().code, Code::kExpired);
  EXPECT_THAT(etcd.Ctl("get compact_rev_key"), HasSubstr("compact_rev_key\n3"));
  // The other takes over when one is gone.
  one.reset();
  tick(*two);
  tick(*two);
  EXPECT_GT(two->CompactedRevision(), 3);
}

TEST(EtcdBackendTest, AFeedThatWasOvertakenByCompactionBreaks) {
  class Breakable final : public Observer {
   public:
    void OnChanges(std::span<const Change>, Revision) override {}
    void OnBroken(const Error& error) override { code = static_cast<int>(error.code); }
    std::atomic<int> code{-1};
  };
  EtcdProcess etcd;
  auto backend = Open(etcd);
  Breakable observer;
  auto feed = backend->Subscribe("", 1, observer);
  ASSERT_TRUE(feed);
  etcd.Kill();
  etcd.StartElsewhere();
  for (const char* command : {"put x 1", "put x 2", "put x 3", "compact 4"}) etcd.Ctl(command);
  etcd.Kill();
  etcd.Start();
  EXPECT_TRUE(Eventually([&] { return observer.code != -1; }));
  EXPECT_EQ(observer.code, static_cast<int>(Code::kExpired));
  EXPECT_TRUE(Eventually([&] { return backend->CurrentRevision() == 4; }));
  RecordingObserver again;
  auto fresh = backend->Subscribe("", 4, again);
  ASSERT_TRUE(fresh);
  Put(*backend, "a", "1");
  EXPECT_EQ(again.changes().size(), 1U);
}

// Hears that its history was lost, and of nothing else that ends its feed.
class LosingObserver final : public Observer {
 public:
  void OnChanges(std::span<const Change>, Revision) override {}
  void OnBroken(const Error& error) override { ADD_FAILURE() << "feed broke: " << error.detail; }
  void OnHistoryLost(const Error&) override { lost_ = true; }
  bool lost() const { return lost_; }

 private:
  std::atomic<bool> lost_{false};
};

// The store is followed from where it is now.
void ExpectANewBeginning(EtcdBackend& backend) {
  std::unique_ptr<Backend::Subscription> feed;
  RecordingObserver again;
  ASSERT_TRUE(Eventually([&] {
    const auto now = backend.Range("", "", {.limit = 1});
    if (!now) return false;
    auto subscribed = backend.Subscribe("", now->revision, again);
    if (subscribed) feed = std::move(*subscribed);
    return feed != nullptr;
  }));
  EXPECT_TRUE(base::SyncWait(backend.CatchUp(0)));
  const Revision written = Put(backend, "new", "1");
  EXPECT_EQ(backend.CurrentRevision(), written);
  ASSERT_EQ(again.changes().size(), 1U);
  EXPECT_EQ(again.changes()[0].key, "new");
  EXPECT_EQ(backend.CompactedRevision(), 0);
}

// A backend that follows an etcd which holds a=1, at revision 2. What etcd held then can be put back.
class PutBackTest : public testing::Test {
 protected:
  PutBackTest() {
    Put(*backend_, "a", "1");
    etcd_.Kill();
    etcd_.SaveData();
    etcd_.Start();
    EXPECT_TRUE(Eventually([&] { return backend_->Health().has_value(); }));
    auto feed = backend_->Subscribe("", 2, observer_);
    EXPECT_TRUE(feed);
    if (feed) feed_ = std::move(*feed);
  }
  void ExpectLossAndANewBeginning() {
    EXPECT_TRUE(Eventually([&] { return observer_.lost(); }));
    ExpectANewBeginning(*backend_);
  }

  EtcdProcess etcd_;
  std::unique_ptr<EtcdBackend> backend_ = Open(etcd_);
  LosingObserver observer_;
  std::unique_ptr<Backend::Subscription> feed_;
};

TEST(EtcdBackendTest, AnotherClusterAtTheSameAddressIsANewBeginning) {
  EtcdProcess etcd;
  auto backend = Open(etcd);
  for (int i = 0; i < 20; ++i) Put(*backend, "a", std::to_string(i));
  ASSERT_TRUE(base::SyncWait(backend->Compact(15)));
  LosingObserver observer;
  auto feed = backend->Subscribe("", 21, observer);
  ASSERT_TRUE(feed);
  etcd.Kill();
  etcd.StartEmpty("another");
  EXPECT_TRUE(Eventually([&] { return observer.lost(); }));
  ExpectANewBeginning(*backend);
}

TEST_F(PutBackTest, AClusterThatWasPutBackIsANewBeginning) {
  for (const char* key : {"b", "c", "d"}) Put(*backend_, key, "lost");
  etcd_.Kill();
  etcd_.RestoreData();
  etcd_.Start();
  ExpectLossAndANewBeginning();
  EXPECT_THAT(Dump(*backend_, ""), ElementsAre("a=1", "new=1"));
}

// Its revision alone does not tell: others have written as much as was lost, and more.
TEST_F(PutBackTest, AClusterThatWasPutBackAndOvertookIsANewBeginning) {
  Put(*backend_, "b", "lost");
  etcd_.Kill();
  etcd_.RestoreData();
  etcd_.StartElsewhere();
  for (const char* command : {"put x 1", "put x 2", "put x 3"}) etcd_.Ctl(command);
  etcd_.Kill();
  etcd_.Start();
  ExpectLossAndANewBeginning();
  EXPECT_THAT(Dump(*backend_, ""), ElementsAre("a=1", "new=1", "x=3"));
}

TEST(EtcdBackendTest, ALeaseEndsByEtcdsOwnClock) {
  EtcdProcess etcd;
  auto backend = Open(etcd);
  auto lease = base::SyncWait(backend->GrantLease(std::chrono::seconds(1)));
  ASSERT_TRUE(lease);
  Put(*backend, "a", "1", *lease);
  EXPECT_TRUE(Eventually([&] { return backend->CurrentRevision() == 3; }));
  EXPECT_THAT(Dump(*backend, ""), testing::IsEmpty());
}

TEST(EtcdBackendTest, AnotherEndpointServesWhenTheFirstDoesNot) {
  EtcdProcess etcd;
  auto backend = EtcdBackend::Open(
      {.endpoints = {"http://127.0.0.1:" + std::to_string(etcd3::FreePort()), etcd.endpoint()}});
  ASSERT_TRUE(backend);
  EXPECT_EQ(Put(**backend, "a", "1"), 2);
}

TEST(EtcdBackendTest, BothSidesAreAuthenticatedByTls) {
  namespace fs = std::filesystem;
  const auto ca = net::testing::MakeCa("etcd-ca");
  const auto stranger = net::testing::MakeCa("stranger");
  const auto serving =
      net::testing::Issue(ca, {.common_name = "etcd", .addresses = {"127.0.0.1"}, .server = true});
  const auto ours = net::testing::Issue(ca, {.common_name = "keelson"});
  std::string dir = fs::temp_directory_path() / "keelson-etcd-tls-XXXXXX";
  ASSERT_TRUE(mkdtemp(dir.data()));
  const etcd3::EtcdTls files{.ca = fs::path(dir) / "ca.crt",
                             .certificate = fs::path(dir) / "etcd.crt",
                             .key = fs::path(dir) / "etcd.key"};
  std::ofstream(files.ca) << ca.certificate_pem;
  std::ofstream(files.certificate) << serving.certificate_pem;
  std::ofstream(files.key) << serving.key_pem;
  EtcdProcess etcd({}, &files);

  EtcdOptions options{.endpoints = {etcd.endpoint()},
                      .ca_pem = ca.certificate_pem,
                      .certificate_pem = ours.certificate_pem,
                      .private_key_pem = ours.key_pem};
  auto backend = EtcdBackend::Open(options);
  ASSERT_TRUE(backend) << backend.error().detail;
  const std::string big(1 << 20, 'x');
  Put(**backend, "a", big);
  EXPECT_EQ((*(*backend)->Get("a", 0))->value.size(), big.size());

  options.start_timeout = std::chrono::seconds(2);
  EtcdOptions without = options;
  without.certificate_pem.clear();
  without.private_key_pem.clear();
  EXPECT_FALSE(EtcdBackend::Open(without));
  EtcdOptions distrusting = options;
  distrusting.ca_pem = stranger.certificate_pem;
  auto refused = EtcdBackend::Open(distrusting);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().detail, HasSubstr("failed to verify certificate"));
  fs::remove_all(dir);
}

TEST(EtcdBackendTest, NobodyThereIsAnErrorThatNamesTheEndpoint) {
  const std::string endpoint = "127.0.0.1:" + std::to_string(etcd3::FreePort());
  auto backend =
      EtcdBackend::Open({.endpoints = {"http://" + endpoint}, .start_timeout = std::chrono::seconds(1)});
  ASSERT_FALSE(backend);
  EXPECT_THAT(backend.error().detail, HasSubstr(endpoint));
  EXPECT_THAT(EtcdBackend::Open({.endpoints = {"http://host"}}).error().detail, HasSubstr("port"));
}

}  // namespace
}  // namespace keelson::storage
