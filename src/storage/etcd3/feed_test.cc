// What depends on the order in which etcd's answers come: a server that says what the test tells it to.
#include "storage/etcd3/feed.h"

#include <gmock/gmock.h>

#include <atomic>
#include <filesystem>
#include <future>
#include <thread>

#include "base/sync_wait.h"
#include "net/testing/grpc_server.h"
#include "storage/etcd3/commit.h"
#include "storage/testing/backend_contract.h"

namespace keelson::storage::etcd3 {
namespace {

using namespace std::chrono_literals;
using net::testing::GrpcAnswer;
using testing::ElementsAre;

// ---- Messages of etcd, as it writes them.

std::string Number(int field, uint64_t value) {
  std::string out(1, static_cast<char>(field << 3));
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  return out + static_cast<char>(value);
}
std::string Text(int field, const std::string& text) {
  std::string out = Number(field, text.size());
  out[0] = static_cast<char>(field << 3 | 2);
  return out + text;
}
std::string HeaderAt(Revision revision) {
  return Text(1, Number(1, 7) + Number(3, static_cast<uint64_t>(revision)));
}
std::string PutEvent(const std::string& key, const std::string& value, Revision revision) {
  const auto at = static_cast<uint64_t>(revision);
  return HeaderAt(revision) +
         Text(11, Text(2, Text(1, key) + Number(2, at) + Number(3, at) + Number(4, 1) + Text(5, value)));
}
std::string Succeeded(Revision revision) { return HeaderAt(revision) + Number(2, 1); }

class SilentTag final : public WriteTag {
  void OnObject(const Object&) override {}
};

template <class F>
bool Eventually(F condition) {
  const auto deadline = std::chrono::steady_clock::now() + 30s;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(1ms);
  }
  return true;
}

base::Task<Result<TxnResult>> Await(base::Completion<Result<TxnResult>> done) { co_return co_await done; }

class EtcdFeedTest : public testing::Test {
 protected:
  EtcdFeedTest() {
    thread_ = std::thread([this] { loop_.Run(); });
    Do([&] { feed_.Start({.cluster_id = 7, .revision = 10}); });
  }
  ~EtcdFeedTest() override {
    loop_.Stop();
    thread_.join();
    std::filesystem::remove_all(folder_);
  }

  template <class F>
  void Do(F f) {
    std::promise<void> done;
    loop_.Post([&] {
      f();
      done.set_value();
    });
    done.get_future().get();
  }
  Result<TxnResult> Commit(Txn txn) {
    base::Completion<Result<TxnResult>> done;
    loop_.Post([this, txn = std::move(txn), done]() mutable { committer_.Start(std::move(txn), done); });
    return base::SyncWait(Await(done));
  }
  static std::filesystem::path MakeFolder() {
    char folder[] = "/tmp/etcdXXXXXX";
    return mkdtemp(folder);
  }

  const std::filesystem::path folder_ = MakeFolder();
  std::atomic<int> transactions_{0};
  // What a transaction is answered with, by how many came before.
  std::function<GrpcAnswer(int before)> on_transaction_;
  net::testing::GrpcServer server_{(folder_ / "s").string(),
                                   [this](std::string_view path, std::string_view) -> GrpcAnswer {
                                     if (path == kTxnMethod) return on_transaction_(transactions_++);
                                     return {.message = HeaderAt(10)};
                                   },
                                   std::string(kWatchMethod)};
  net::EventLoop loop_;
  Client client_{loop_,
                 {net::grpc::Target{.unix_path = (folder_ / "s").string()}},
                 {.on_up = [this] { feed_.OnUp(); }, .on_down = [this] { feed_.OnDown(); }}};
  Feed feed_{loop_, client_};
  Committer committer_{loop_, client_, feed_};
  std::thread thread_;
};

// The writer hears of its success while the observer is still told of history; its tag is gone then.
TEST_F(EtcdFeedTest, WhatAJoiningObserverIsToldLaterCarriesNoTag) {
  ASSERT_TRUE(Eventually([&] { return server_.streams() == 1; }));
  RecordingObserver observer;
  std::atomic<bool> joined{false};
  Do([&] { feed_.Join("/a/", 5, observer, [&](Result<void> result) { joined = result.has_value(); }); });
  ASSERT_TRUE(Eventually([&] { return server_.streams() == 2; }));

  on_transaction_ = [&](int) {
    server_.Push(0, PutEvent("/a/x", "v", 11));
    return GrpcAnswer{.message = Succeeded(11)};
  };
  auto tag = std::make_shared<SilentTag>();
  const std::weak_ptr<SilentTag> writer = tag;
  Txn txn = PutTxn("/a/x", "v");
  txn.writes[0].tag = std::move(tag);
  ASSERT_TRUE(Commit(std::move(txn)));
  ASSERT_TRUE(Eventually([&] { return writer.expired(); }));
  EXPECT_FALSE(joined);

  server_.Push(1, PutEvent("/a/old", "v", 10));
  ASSERT_TRUE(Eventually([&] { return joined.load(); }));
  const SeenChange history{Write::Type::kPut, "/a/old", "v", 10, 10, 0, nullptr};
  const SeenChange later{Write::Type::kPut, "/a/x", "v", 11, 11, 0, nullptr};
  EXPECT_THAT(observer.changes(), ElementsAre(history, later));
}

TEST_F(EtcdFeedTest, ATransactionRefusedWhileALeaderIsElectedIsSentAgainAfterPauses) {
  std::atomic<std::chrono::steady_clock::time_point> elected{std::chrono::steady_clock::time_point::max()};
  on_transaction_ = [&](int before) -> GrpcAnswer {
    const auto now = std::chrono::steady_clock::now();
    if (before == 0) elected = now + 1s;
    if (now < elected.load()) return {.code = 14, .message = "etcdserver: leader changed"};
    return {.message = Succeeded(10)};
  };
  Txn txn = PutTxn("a", "2");
  txn.compares.push_back({"a", 9});
  const auto result = Commit(std::move(txn));
  ASSERT_TRUE(result) << result.error().detail;
  EXPECT_TRUE(result->succeeded);
  EXPECT_LE(transactions_, 10);
}

}  // namespace
}  // namespace keelson::storage::etcd3
