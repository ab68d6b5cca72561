// Kills a process that writes to the embedded store, again and again, and checks what the
// store then holds against what the process had been told.
//
// A writer's n-th transaction creates "/w/<writer>/<n>" and sets "/n/<writer>" to n, so the
// store itself says how far each writer came. The child reports every acknowledged
// transaction through a pipe; the parent kills it at a random moment.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "base/sync_wait.h"
#include "base/testing/temp_dir.h"
#include "storage/rocksdb/rocksdb_backend.h"

extern char** environ;

namespace keelson::storage {
namespace {

constexpr int kWriters = 4;
constexpr int kRounds = 25;
constexpr size_t kEnough = 100;  // acknowledged writes
constexpr std::string_view kWriterFlag = "--write-until-killed";

std::string CounterKey(int writer) { return "/n/" + std::to_string(writer); }
std::string EntryKey(int writer, int64_t n) {
  return "/w/" + std::to_string(writer) + "/" + std::to_string(n);
}

// ---- The child

int64_t ReadCounter(Backend& backend, int writer, Revision& revision) {
  auto counter = backend.Get(CounterKey(writer), 0);
  if (!counter || !*counter) return 0;
  revision = (*counter)->mod_revision;
  return std::stoll(std::string((*counter)->value.view()));
}

void WriteForever(Backend& backend, int writer, int pipe) {
  Revision counter_revision = 0;
  for (int64_t n = ReadCounter(backend, writer, counter_revision) + 1;; ++n) {
    Txn txn;
    txn.compares = {{EntryKey(writer, n), 0}, {CounterKey(writer), counter_revision}};
    const auto value = base::Slice::Copy(std::to_string(n));
    txn.writes.push_back({.key = EntryKey(writer, n), .value = value});
    txn.writes.push_back({.key = CounterKey(writer), .value = value});
    auto result = base::SyncWait(backend.Commit(std::move(txn)));
    if (!result || !result->succeeded) _exit(3);
    counter_revision = result->revision;
    char line[64];
    const int length = std::snprintf(line, sizeof line, "%d %ld %ld\n", writer, n, result->revision);
    if (write(pipe, line, length) != length) _exit(4);  // short lines are written whole
    if (writer == 0 && n % 50 == 0) {
      auto compacted = base::SyncWait(backend.Compact(result->revision - 20));
      if (!compacted && compacted.error().code != Code::kExpired) _exit(5);
    }
  }
}

int RunChild(const std::string& path, int pipe) {
  auto backend = OpenRocksDbBackend({.path = path});
  if (!backend) {
    std::fprintf(stderr, "child cannot open: %s\n", backend.error().detail.c_str());
    return 2;
  }
  std::vector<std::thread> writers;
  for (int w = 0; w < kWriters; ++w) writers.emplace_back([&, w] { WriteForever(**backend, w, pipe); });
  for (auto& writer : writers) writer.join();
  return 0;
}

// ---- The parent

struct Acknowledged {
  std::map<std::pair<int, int64_t>, Revision> entries;
  std::vector<int64_t> last = std::vector<int64_t>(kWriters, 0);
};

// Starts a child, kills it after `delay`, and adds what it had been told.
void RunAndKill(const std::string& path, std::chrono::microseconds delay, Acknowledged& told) {
  int fds[2];
  ASSERT_EQ(pipe(fds), 0);
  fcntl(fds[0], F_SETFD, FD_CLOEXEC);
  std::string self = "/proc/self/exe", flag(kWriterFlag), path_arg = path, fd = std::to_string(fds[1]);
  char* argv[] = {self.data(), flag.data(), path_arg.data(), fd.data(), nullptr};
  pid_t child = 0;
  ASSERT_EQ(posix_spawn(&child, self.c_str(), nullptr, nullptr, argv, environ), 0);
  close(fds[1]);

  std::string output;
  std::thread reader([&] {
    char buffer[4096];
    for (ssize_t n; (n = read(fds[0], buffer, sizeof buffer)) > 0;) output.append(buffer, n);
  });
  std::this_thread::sleep_for(delay);
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  reader.join();
  close(fds[0]);
  ASSERT_TRUE(WIFSIGNALED(status)) << "the child ended by itself: " << WEXITSTATUS(status);

  std::istringstream lines(output);
  int writer;
  int64_t n;
  Revision revision;
  while (lines >> writer >> n >> revision) {
    const bool first = told.entries.emplace(std::pair(writer, n), revision).second;
    ASSERT_TRUE(first) << "writer " << writer << " was told twice of " << n;
    told.last[writer] = n;
  }
}

class ReplayObserver final : public Observer {
 public:
  void OnChanges(std::span<const Change> changes, Revision) override {
    for (const Change& change : changes) by_revision[change.revision].emplace_back(change.key);
  }
  void OnBroken(const Error& error) override { ADD_FAILURE() << error.detail; }
  std::map<Revision, std::vector<std::string>> by_revision;
};

// The stored state: nothing told is missing, nothing is there twice or half.
void CheckState(Backend& backend, const Acknowledged& told) {
  auto range = backend.Range("/w/", "/w0", {});
  ASSERT_TRUE(range) << range.error().detail;
  std::map<std::string, KeyValue> stored;
  for (KeyValue& kv : range->items) stored.emplace(kv.key, kv);
  size_t expected = 0;
  for (int w = 0; w < kWriters; ++w) {
    Revision revision = 0;
    const int64_t reached = ReadCounter(backend, w, revision);
    EXPECT_GE(reached, told.last[w]) << "an acknowledged write of " << w << " is lost";
    expected += static_cast<size_t>(reached);
    for (int64_t n = 1; n <= reached; ++n) {
      auto it = stored.find(EntryKey(w, n));
      ASSERT_NE(it, stored.end()) << "missing " << EntryKey(w, n);
      EXPECT_EQ(it->second.create_revision, it->second.mod_revision) << "written twice: " << it->first;
      EXPECT_EQ(it->second.value.view(), std::to_string(n));
      if (auto known = told.entries.find({w, n}); known != told.entries.end()) {
        EXPECT_EQ(it->second.mod_revision, known->second) << it->first;
      }
    }
  }
  EXPECT_EQ(stored.size(), expected);
}

// The feed: every revision since the compaction, each with both of its writes.
void CheckReplay(Backend& backend) {
  ReplayObserver replay;
  const Revision first = std::max<Revision>(backend.CompactedRevision(), 2);
  auto feed = backend.Subscribe("", first - 1, replay);
  ASSERT_TRUE(feed) << feed.error().detail;
  const Revision last = backend.CurrentRevision();
  ASSERT_EQ(static_cast<Revision>(replay.by_revision.size()), last < first ? 0 : last - first + 1);
  std::set<std::string> created;
  for (const auto& [revision, keys] : replay.by_revision) {
    ASSERT_EQ(keys.size(), 2u) << "at " << revision;
    for (const std::string& key : keys) {
      if (!key.starts_with("/w/")) continue;
      EXPECT_TRUE(created.insert(key).second) << key << " appears twice";
    }
  }
}

TEST(CrashTest, KillingTheWriterLosesNothingItWasTold) {
  base::testing::TempDir dir;
  const std::string path = (dir.path() / "db").string();
  std::mt19937 random(std::random_device{}());
  Acknowledged told;
  // On a slow machine more rounds, until there was something to lose.
  for (int round = 0; round < kRounds || told.entries.size() <= kEnough; ++round) {
    // From before the store is open to well into the writing.
    const std::chrono::microseconds delay(std::uniform_int_distribution<int>(1'000, 250'000)(random));
    ASSERT_NO_FATAL_FAILURE(RunAndKill(path, delay, told));
    auto backend = OpenRocksDbBackend({.path = path});
    ASSERT_TRUE(backend) << backend.error().detail;
    ASSERT_NO_FATAL_FAILURE(CheckState(**backend, told)) << "round " << round;
    ASSERT_NO_FATAL_FAILURE(CheckReplay(**backend)) << "round " << round;
  }
}

}  // namespace

int Main(int argc, char** argv) {
  if (argc == 4 && argv[1] == kWriterFlag) {
    std::string_view fd = argv[3];
    int pipe = -1;
    std::from_chars(fd.data(), fd.data() + fd.size(), pipe);
    return RunChild(argv[2], pipe);
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}

}  // namespace keelson::storage

int main(int argc, char** argv) { return keelson::storage::Main(argc, argv); }
