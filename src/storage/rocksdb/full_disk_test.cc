// A store on a small file system of its own, which only a process of its own sees.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <filesystem>
#include <random>
#include <thread>

#include "base/file.h"
#include "base/sync_wait.h"
#include "base/testing/temp_dir.h"
#include "storage/rocksdb/rocksdb_backend.h"
#include "storage/testing/backend_contract.h"

namespace keelson::storage {
namespace {

using std::chrono::steady_clock;

constexpr size_t kValueBytes = 500'000;
constexpr int kCannotMount = 77;

void Say(const std::string& path, const std::string& text) {
  const int file = ::open(path.c_str(), O_WRONLY);
  if (file < 0 || ::write(file, text.data(), text.size()) < 0) ::_exit(kCannotMount);
  ::close(file);
}

// Incompressible, and another for every key.
std::string ValueOf(int i, size_t bytes = kValueBytes) {
  std::string value(bytes, '\0');
  std::mt19937_64 random(static_cast<uint64_t>(i) + 1);
  for (char& c : value) c = static_cast<char>(random());
  return value;
}

std::string KeyOf(int i) { return "/registry/k" + std::to_string(10'000 + i); }

// Whoever fails here is not the process of the test: it says so and ends with another code.
void Must(bool condition, const char* what) {
  if (condition) return;
  std::cerr << "not so: " << what << std::endl;
  ::_exit(1);
}

class SmallDisk {
 public:
  explicit SmallDisk(const std::string& folder) : db_(folder + "/db") {
    const auto uid = std::to_string(::getuid()), gid = std::to_string(::getgid());
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) ::_exit(kCannotMount);
    Say("/proc/self/setgroups", "deny");
    Say("/proc/self/uid_map", "0 " + uid + " 1");
    Say("/proc/self/gid_map", "0 " + gid + " 1");
    std::filesystem::create_directories(db_);
    if (::mount("tmpfs", db_.c_str(), "tmpfs", 0, "size=256m") != 0) ::_exit(kCannotMount);
  }

  void Open() {
    backend_.reset();
    auto opened = OpenRocksDbBackend({.path = db_,
                                      .recovery_interval = std::chrono::milliseconds(100),
                                      .ballast_bytes = uint64_t{64} << 20});
    if (!opened) std::cerr << opened.error().detail << std::endl;
    Must(opened.has_value(), "the store opens");
    backend_ = std::move(*opened);
  }
  // With live data, until nothing more goes in for a while. Returns how many there are.
  int Fill() {
    int keys = 0;
    for (auto last = steady_clock::now(); steady_clock::now() - last < std::chrono::seconds(3);) {
      if (Takes(PutTxn(KeyOf(keys), ValueOf(keys)))) {
        ++keys;
        last = steady_clock::now();
      } else {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
    }
    Must(keys > 200, "much fits");
    return keys;
  }
  // What the store has left, too.
  void FillByOthers() {
    const int file = ::open((db_ + "/filler").c_str(), O_WRONLY | O_CREAT, 0600);
    const std::string page(4096, 'x');
    while (::write(file, page.data(), page.size()) > 0) {
    }
    ::close(file);
  }
  void OthersMakeRoom() { std::filesystem::remove(db_ + "/filler"); }

  bool Takes(Txn txn) { return base::SyncWait(backend_->Commit(std::move(txn))).has_value(); }
  void Await(const std::function<bool()>& condition, const char* what) {
    const auto deadline = steady_clock::now() + std::chrono::seconds(120);
    while (!condition()) {
      Must(steady_clock::now() < deadline, what);
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  bool Holds(int i) {
    auto found = backend_->Get(KeyOf(i), 0);
    return found && *found && (*found)->value.view() == ValueOf(i);
  }
  Backend& backend() { return *backend_; }

 private:
  const std::string db_;
  std::unique_ptr<Backend> backend_;
};

void DeleteAWayOut(const std::string& folder) {
  SmallDisk disk(folder);
  disk.Open();
  const int keys = disk.Fill();
  Must(!disk.backend().Health(), "a store that is short of room says so");
  Must(!disk.Takes(PutTxn("/registry/new", ValueOf(0))), "nothing is added");
  Must(disk.Takes(PutTxn(KeyOf(0), "small")), "a value is made smaller");
  for (int i = 1; i < keys / 2; ++i) Must(disk.Takes(DeleteTxn(KeyOf(i))), "a deletion goes through");
  disk.Await([&] { return disk.backend().Health().has_value(); }, "there is room again");
  Must(disk.Takes(PutTxn("/registry/new", ValueOf(0))), "everything is taken again");
  for (int i = keys / 2; i < keys; ++i) Must(disk.Holds(i), "nothing else is lost");
  ::_exit(0);
}

void StartWithoutAFreeByte(const std::string& folder) {
  SmallDisk disk(folder);
  disk.Open();
  const int keys = disk.Fill();
  disk.Open();
  disk.Await([&] { return disk.Takes(DeleteTxn(KeyOf(0))); }, "a deletion goes through after a restart");
  disk.FillByOthers();
  for (int i = 0; i < 3; ++i) disk.Open();
  Must(disk.Holds(keys - 1), "what is stored is read");
  disk.OthersMakeRoom();
  for (int i = 1; i < keys / 2; ++i)
    disk.Await([&] { return disk.Takes(DeleteTxn(KeyOf(i))); },
               "a deletion goes through once others made room");
  disk.Await([&] { return disk.backend().Health().has_value(); }, "there is room again");
  for (int i = keys / 2; i < keys; ++i) Must(disk.Holds(i), "nothing else is lost");
  ::_exit(0);
}

class FullDiskDeathTest : public testing::Test {
 protected:
  FullDiskDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
  static bool Ended(int status) {
    return WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == kCannotMount);
  }
  base::testing::TempDir dir_;
};

TEST_F(FullDiskDeathTest, AStoreFullOfLiveDataTakesDeletionsUntilItHasRoom) {
  EXPECT_EXIT(DeleteAWayOut(dir_.path().string()), Ended, "");
}

TEST_F(FullDiskDeathTest, AStoreOpensOnADiskWithoutAFreeByte) {
  EXPECT_EXIT(StartWithoutAFreeByte(dir_.path().string()), Ended, "");
}

}  // namespace
}  // namespace keelson::storage
