// Damages the files of an embedded store, one place at a time, and opens it.
//
// An image is the directory of a store as a kill leaves it, with everything that was acknowledged. For each
// damage the image is copied, one file of the copy has a bit or a byte flipped, a sector zeroed, is cut or is
// removed, and the store is opened and read whole. It must hold everything that was acknowledged, or refuse
// and name the file. What it must never do is to open with less, or with something else: a silent loss.
//
// KEELSON_DAMAGES: how many damages; KEELSON_DAMAGE_SEED: the choice of places.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/sync_wait.h"
#include "base/testing/copy_directory.h"
#include "base/testing/temp_dir.h"
#include "storage/rocksdb/rocksdb_backend.h"

namespace keelson::storage {
namespace {

namespace fs = std::filesystem;

constexpr int kFewDamages = 60;
constexpr size_t kSector = 512;
constexpr size_t kEdge = 2048;  // heads and tails of files are hit more often than their share

// ---- What a store holds

struct Contents {
  Revision revision = 0;
  std::map<std::string, std::pair<Revision, std::string>> live;
  std::vector<std::string> history;  // since the compaction
};

class Collecting final : public Receiver {
 public:
  void StartOver() override { items.clear(); }
  void Expect(size_t count) override { items.resize(count); }
  void Take(size_t position, const StoredView& stored) override {
    items[position] = {std::string(stored.key), {stored.mod_revision, std::string(stored.value)}};
  }
  std::vector<std::pair<std::string, std::pair<Revision, std::string>>> items;
};

class Replaying final : public Observer {
 public:
  explicit Replaying(std::vector<std::string>& out) : out_(out) {}
  void OnChanges(std::span<const Change> changes, Revision) override {
    for (const Change& change : changes)
      out_.push_back(std::to_string(change.revision) + " " + std::string(change.key) + " " +
                     std::string(change.value.view()));
  }
  void OnBroken(const Error&) override {}

 private:
  std::vector<std::string>& out_;
};

Result<void> ReadLive(Backend& backend, Contents& contents) {
  Collecting all;
  TRY(backend.ReadAll("", all, 1000));
  contents.revision = backend.CurrentRevision();
  contents.live = {all.items.begin(), all.items.end()};
  return {};
}

Result<void> ReadHistory(Backend& backend, Contents& contents) {
  Replaying replay(contents.history);
  TRY(backend.Subscribe("", std::max<Revision>(backend.CompactedRevision(), 2) - 1, replay));
  return {};
}

// ---- Images

struct Image {
  std::string path;
  LeaseId lease = 0;  // with one key, "leased"
  Contents acknowledged;
};

class Maker {
 public:
  Maker(std::string path, const base::Clock& clock) : path_(std::move(path)), clock_(clock) { Open(); }

  void Open() {
    backend_.reset();
    auto opened = OpenRocksDbBackend({.path = path_, .clock = &clock_});
    ASSERT_TRUE(opened) << opened.error().detail;
    backend_ = std::move(*opened);
  }
  void Put(const std::string& key, std::string_view value, LeaseId lease = 0) {
    Txn txn;
    txn.writes.push_back({.key = key, .value = base::Slice::Copy(value), .lease = lease});
    Commit(std::move(txn));
  }
  void Delete(const std::string& key) {
    Txn txn;
    txn.writes.push_back({.type = Write::Type::kDelete, .key = key});
    Commit(std::move(txn));
  }
  // Small writes of every kind.
  void Work(int count) {
    for (int i = 0; i < count; ++i, ++n_) {
      Put("/a/" + std::to_string(n_ % 40), "value " + std::to_string(n_));
      if (n_ % 7 == 0) Delete("/a/" + std::to_string((n_ + 20) % 40));
    }
  }
  void Compact() {
    auto compacted = base::SyncWait(backend_->Compact(backend_->CurrentRevision() - 10));
    ASSERT_TRUE(compacted) << compacted.error().detail;
  }
  void Fill(size_t bytes) {
    std::mt19937_64 random(7);
    std::string value(24 << 10, '\0');
    for (size_t done = 0; done < bytes; done += value.size()) {
      for (char& c : value) c = static_cast<char>(random());
      Put("/big/" + std::to_string(done), value);
    }
  }
  void Lease() {
    auto lease = base::SyncWait(backend_->GrantLease(std::chrono::seconds(100)));
    ASSERT_TRUE(lease);
    lease_ = *lease;
    Put("leased", "1", lease_);
  }

  // The directory as it is now, with the store open.
  Image Kill(const std::string& to) {
    Image image{.path = to, .lease = lease_};
    EXPECT_TRUE(ReadLive(*backend_, image.acknowledged));
    EXPECT_TRUE(ReadHistory(*backend_, image.acknowledged));
    base::testing::CopyAtOneMoment(path_, to);
    return image;
  }

 private:
  void Commit(Txn txn) {
    auto done = base::SyncWait(backend_->Commit(std::move(txn)));
    ASSERT_TRUE(done) << done.error().detail;
  }

  const std::string path_;
  const base::Clock& clock_;
  std::unique_ptr<Backend> backend_;
  LeaseId lease_ = 0;
  int n_ = 0;
};

// ---- Damages

enum class Kind : uint8_t { kBit, kByte, kSectorZeroed, kCut, kRemoved };
struct Damage {
  std::string file;
  Kind kind = Kind::kBit;
  size_t at = 0;
};

std::string ToString(const Damage& damage) {
  static const char* const kNames[] = {"a flipped bit", "another byte", "zeros", "cut", "removed"};
  return damage.file + ": " + kNames[static_cast<size_t>(damage.kind)] + " at " + std::to_string(damage.at);
}

// False: nothing changed.
bool Inflict(const fs::path& file, const Damage& damage) {
  if (damage.kind == Kind::kRemoved) return fs::remove(file);
  if (damage.kind == Kind::kCut) {
    if (damage.at >= fs::file_size(file)) return false;
    fs::resize_file(file, damage.at);
    return true;
  }
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  std::string bytes(damage.kind == Kind::kSectorZeroed ? kSector : 1, '\0');
  stream.seekg(static_cast<std::streamoff>(damage.at));
  stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<size_t>(stream.gcount()));
  const std::string before = bytes;
  switch (damage.kind) {
    case Kind::kBit: bytes[0] = static_cast<char>(bytes[0] ^ (1 << damage.at % 8)); break;
    case Kind::kByte: bytes[0] = static_cast<char>(bytes[0] + 1 + damage.at % 255); break;
    default: std::ranges::fill(bytes, '\0');
  }
  stream.clear();
  stream.seekp(static_cast<std::streamoff>(damage.at));
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return bytes != before;
}

// What a store never uses, or only locks and room.
bool Ignored(const std::string& name) { return name == "LOCK" || name == "ballast" || name == "LOG"; }

class Chooser {
 public:
  Chooser(const Image& image, uint64_t seed) : random_(seed) {
    for (const auto& entry : fs::directory_iterator(image.path))
      if (entry.is_regular_file() && !Ignored(entry.path().filename()))
        files_.emplace_back(entry.path().filename(), entry.file_size());
    std::ranges::sort(files_);
  }
  // The removal of every file comes first.
  Damage Next() {
    if (removed_ < files_.size()) return {files_[removed_++].first, Kind::kRemoved, 0};
    const auto& [name, size] = files_[Below(files_.size())];
    const auto kind = static_cast<Kind>(Below(4));
    size_t at = Below(std::max<size_t>(size, 1));
    const size_t edge = std::min(size, kEdge);
    if (edge > 0) switch (Below(3)) {
        case 0: at = Below(edge); break;
        case 1: at = size - 1 - Below(edge); break;
        default: break;
      }
    return {name, kind, at};
  }

 private:
  size_t Below(size_t limit) { return std::uniform_int_distribution<size_t>(0, limit - 1)(random_); }
  std::mt19937_64 random_;
  std::vector<std::pair<std::string, size_t>> files_;
  size_t removed_ = 0;
};

// ---- Judging

struct Counts {
  int served = 0;           // all of it, history too
  int without_history = 0;  // all objects; reading history says which file is damaged
  int refused = 0;          // the store does not open, and names the file
  int unreadable = 0;       // it opens; reading it all, as every start does, names the file
  int unnamed = 0;          // refused without the name of the file
  int silent = 0;
  int unchanged = 0;  // zeros where there were zeros
};

class Judge {
 public:
  explicit Judge(const Image& image, base::FakeClock& clock) : image_(image), clock_(clock) {}

  void Try(const Damage& damage) {
    base::testing::TempDir dir;
    const fs::path copy = dir.path() / "db";
    Copy(copy, damage.file);
    if (!Inflict(copy / damage.file, damage)) {
      ++counts_.unchanged;
      return;
    }
    auto opened = OpenRocksDbBackend({.path = copy.string(), .clock = &clock_});
    if (!opened) return Refused(damage, opened.error(), counts_.refused);
    Contents contents;
    if (auto live = ReadLive(**opened, contents); !live)
      return Refused(damage, live.error(), counts_.unreadable);
    if (contents.live != image_.acknowledged.live || contents.revision < image_.acknowledged.revision)
      return Silent(damage, "objects are lost: " + std::to_string(contents.live.size()) + " of " +
                                std::to_string(image_.acknowledged.live.size()) + ", revision " +
                                std::to_string(contents.revision));
    auto history = ReadHistory(**opened, contents);
    if (history && contents.history != image_.acknowledged.history) return Silent(damage, "history is lost");
    if (!TakesWrites(**opened)) return Silent(damage, "a lease is lost, or writes fail");
    if (history) {
      ++counts_.served;
    } else {
      Refused(damage, history.error(), counts_.without_history);
    }
  }
  const Counts& counts() const { return counts_; }

 private:
  // Files that are not damaged and never written again are shared with the image.
  void Copy(const fs::path& to, const std::string& damaged) {
    fs::create_directory(to);
    for (const auto& entry : fs::directory_iterator(image_.path)) {
      const std::string name = entry.path().filename();
      if (name.ends_with(".sst") && name != damaged)
        fs::create_hard_link(entry.path(), to / name);
      else
        fs::copy(entry.path(), to / name);
    }
  }

  void Refused(const Damage& damage, const Error& error, int& count) {
    if (error.detail.find(damage.file) != std::string::npos) {
      ++count;
      return;
    }
    ++counts_.unnamed;
    std::cerr << "not named: " << ToString(damage) << ": " << error.detail << '\n';
  }
  void Silent(const Damage& damage, std::string_view what) {
    ++counts_.silent;
    std::cerr << "SILENT LOSS: " << ToString(damage) << ": " << what << '\n';
  }

  // The lease still takes its key when it ends, and a write is acknowledged.
  bool TakesWrites(Backend& backend) {
    clock_.Advance(std::chrono::seconds(101));
    Txn txn;
    txn.writes.push_back({.key = "new", .value = base::Slice::Copy("1")});
    auto done = base::SyncWait(backend.Commit(std::move(txn)));
    auto leased = backend.Get("leased", 0);
    clock_.Advance(std::chrono::seconds(-101));
    return done && leased && !*leased;
  }

  const Image& image_;
  base::FakeClock& clock_;
  Counts counts_;
};

int64_t FromEnvironment(const char* name, int64_t otherwise) {
  const char* value = std::getenv(name);
  return value ? std::atoll(value) : otherwise;
}

TEST(DamageTest, NoDamageToAFileLosesAnythingInSilence) {
  base::LogErrorsOnly();
  base::testing::TempDir dir;
  base::FakeClock clock;
  std::vector<std::pair<std::string, Image>> images;
  {
    // Two logs, the second one in use; all of the store is in them.
    Maker maker((dir.path() / "logs").string(), clock);
    maker.Lease();
    maker.Work(60);
    maker.Open();
    maker.Work(60);
    images.emplace_back("logs", maker.Kill((dir.path() / "logs.image").string()));
    // A log that spans blocks, and history that is compacted.
    maker.Open();
    maker.Work(200);
    maker.Compact();
    maker.Fill(256 << 10);
    maker.Work(5);
    images.emplace_back("long logs", maker.Kill((dir.path() / "long.image").string()));
  }
  {
    // Tables, and a log behind them.
    Maker maker((dir.path() / "tables").string(), clock);
    maker.Lease();
    maker.Work(100);
    maker.Fill(9 << 20);
    maker.Work(40);
    maker.Open();
    maker.Work(40);
    images.emplace_back("tables", maker.Kill((dir.path() / "tables.image").string()));
  }
  const int64_t all = FromEnvironment("KEELSON_DAMAGES", kFewDamages);
  const auto seed = static_cast<uint64_t>(FromEnvironment("KEELSON_DAMAGE_SEED", 1));
  for (const auto& [name, image] : images) {
    Judge judge(image, clock);
    Chooser chooser(image, seed);
    for (int64_t i = 0; i < all / static_cast<int64_t>(images.size()); ++i) judge.Try(chooser.Next());
    const Counts& counts = judge.counts();
    std::cout << name << ": served " << counts.served << ", served but for history that is named damaged "
              << counts.without_history << ", refused by name " << counts.refused << ", unreadable by name "
              << counts.unreadable << ", refused without a name " << counts.unnamed << ", silent losses "
              << counts.silent << ", unchanged " << counts.unchanged << '\n';
    EXPECT_EQ(counts.silent, 0) << name;
    EXPECT_EQ(counts.unnamed, 0) << name;
  }
}

}  // namespace
}  // namespace keelson::storage
