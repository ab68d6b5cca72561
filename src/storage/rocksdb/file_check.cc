#include "storage/rocksdb/file_check.h"

#include <fcntl.h>
#include <rocksdb/sst_file_reader.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "base/crc32c.h"
#include "base/file.h"
#include "storage/rocksdb/file_errors.h"
#include "storage/rocksdb/table_check.h"
#include "storage/rocksdb/tracked_files.h"

namespace keelson::storage {
namespace {

using base::Err;
namespace fs = std::filesystem;

constexpr size_t kReadBytes = 256 << 10;
constexpr char kCurrent[] = "CURRENT";

Result<std::set<std::string>> NamesIn(const std::string& path) {
  std::set<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error))
    names.insert(it->path().filename().string());
  if (error && error != std::errc::no_such_file_or_directory)
    return Err(Error{.code = Code::kUnreachable, .detail = path + ": " + error.message()});
  return names;
}

// What is wrong with the first bytes of a file, if anything.
Result<std::optional<std::string>> CheckExtent(const std::string& path, const Ledger::Extent& extent) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    if (errno == ENOENT) return std::optional<std::string>("is missing");
    return Err(SystemError(path));
  }
  std::string buffer(kReadBytes, '\0');
  uint64_t done = 0;
  uint32_t checksum = 0;
  std::optional<Error> failed;
  while (done < extent.bytes) {
    const ssize_t n = ::read(fd, buffer.data(), std::min<uint64_t>(buffer.size(), extent.bytes - done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) failed = SystemError(path);
    if (n <= 0) break;
    checksum = base::Crc32c(checksum, std::string_view(buffer).substr(0, static_cast<size_t>(n)));
    done += static_cast<uint64_t>(n);
  }
  ::close(fd);
  if (failed) return Err(std::move(*failed));
  if (done < extent.bytes)
    return std::optional("is cut short: of " + std::to_string(extent.bytes) +
                         " bytes that were synced it has " + std::to_string(done));
  if (checksum != extent.checksum)
    return std::optional("is damaged: the " + std::to_string(extent.bytes) +
                         " bytes that were synced do not match their checksum");
  return std::optional<std::string>();
}

class Checker {
 public:
  Checker(const std::string& path, std::set<std::string> names) : path_(path), names_(std::move(names)) {}

  Result<FileCheck> Run() {
    auto ledger = Ledger::Read(path_);
    if (ledger) {
      check_.has_ledger = true;
      check_.ledger = std::move(*ledger);
    } else if (ledger.error().code == Code::kCorrupt) {
      check_.has_ledger = true;
      Add(std::string(Ledger::kName), "is damaged");
    } else if (ledger.error().code != Code::kNotFound) {
      return Err(std::move(ledger.error()));
    }
    TRY(CheckCurrent());
    if (check_.empty) return std::move(check_);
    for (const auto& [name, extent] : check_.ledger.files) {
      // An older manifest may be gone already, or be left from a change to a newer one.
      if (IsManifestFile(name) && name != manifest_) continue;
      auto wrong = TRY(CheckExtent(path_ + "/" + name, extent));
      if (wrong) Add(name, std::move(*wrong));
    }
    for (const std::string& name : names_)
      if (name.ends_with(".sst"))
        if (auto wrong = TRY(WhatIsWrongWithTable(path_ + "/" + name))) Add(name, std::move(*wrong));
    for (const std::string& name : names_) {
      if (!IsLogFile(name)) continue;
      const auto listed = check_.ledger.files.find(name);
      std::error_code gone;
      const auto size = fs::file_size(path_ + "/" + name, gone);
      if (!gone && size > (listed == check_.ledger.files.end() ? 0 : listed->second.bytes))
        check_.unsynced = true;
    }
    std::ranges::sort(check_.damage, {}, &FileDamage::file);
    return std::move(check_);
  }

 private:
  void Add(std::string file, std::string what) {
    check_.damage.push_back({std::move(file), std::move(what)});
  }

  Result<void> CheckCurrent() {
    if (!names_.contains(kCurrent)) {
      check_.empty =
          check_.damage.empty() &&
          std::ranges::none_of(
              names_, [](const std::string& name) { return IsLogFile(name) || name.ends_with(".sst"); }) &&
          std::ranges::none_of(check_.ledger.files, [](const auto& file) { return IsLogFile(file.first); });
      if (!check_.empty) Add(kCurrent, "is missing");
      return {};
    }
    auto text = base::ReadFile(path_ + "/" + kCurrent);
    if (!text) return Err(Error{.code = Code::kUnreachable, .detail = std::move(text.error())});
    const bool whole = text->ends_with('\n');
    if (whole) text->pop_back();
    if (!whole || !IsManifestFile(*text)) {
      Add(kCurrent, "is damaged: it names no manifest");
      return {};
    }
    manifest_ = std::move(*text);
    const bool manifests_listed =
        std::ranges::any_of(check_.ledger.files, [](const auto& file) { return IsManifestFile(file.first); });
    if (!names_.contains(manifest_))
      Add(kCurrent, "names " + manifest_ + ", which is missing");
    else if (manifests_listed && !check_.ledger.files.contains(manifest_))
      Add(kCurrent, "is damaged: it names " + manifest_ + ", which is not the manifest of this store");
    return {};
  }

  const std::string& path_;
  const std::set<std::string> names_;
  std::string manifest_;
  FileCheck check_;
};

uint64_t NumberOf(const std::string& log) { return std::strtoull(log.c_str(), nullptr, 10); }

const FileDamage* FirstDamagedLog(const FileCheck& check) {
  const FileDamage* first = nullptr;
  for (const FileDamage& damage : check.damage)
    if (IsLogFile(damage.file) && (!first || NumberOf(damage.file) < NumberOf(first->file))) first = &damage;
  return first;
}

}  // namespace

Result<FileCheck> CheckFiles(const std::string& path) {
  auto names = TRY(NamesIn(path));
  return Checker(path, std::move(names)).Run();
}

bool OnlyLogsAreDamaged(const FileCheck& check) {
  return std::ranges::all_of(check.damage, [](const FileDamage& damage) {
    return IsLogFile(damage.file) || damage.file == Ledger::kName;
  });
}

std::vector<std::string> UselessLogs(const std::string& path, const FileCheck& check) {
  std::vector<std::string> useless;
  const FileDamage* const first = FirstDamagedLog(check);
  auto names = NamesIn(path);
  if (!first || !names) return useless;
  for (const std::string& name : *names)
    if (IsLogFile(name) && NumberOf(name) > NumberOf(first->file)) useless.push_back(name);
  return useless;
}

Result<void> SetAside(const std::string& path, const FileCheck& check, Revision left) {
  const std::string lost = path + "/lost";
  std::error_code error;
  fs::create_directory(lost, error);
  const FileDamage* const first = FirstDamagedLog(check);
  if (!error && first && fs::exists(path + "/" + first->file, error))
    fs::copy_file(path + "/" + first->file, lost + "/" + first->file, fs::copy_options::overwrite_existing,
                  error);
  Ledger::State ledger = check.ledger;
  ledger.revision = std::max(ledger.revision, left + 1);
  std::erase_if(ledger.files, [&](const auto& file) {
    return IsLogFile(file.first) && first && NumberOf(file.first) >= NumberOf(first->file);
  });
  for (const std::string& name : UselessLogs(path, check))
    if (!error) fs::rename(path + "/" + name, lost + "/" + name, error);
  if (error) return Err(Error{.code = Code::kUnreachable, .detail = lost + ": " + error.message()});
  return Ledger::Create(path, ledger);
}

std::string DamagedTables(const std::string& path) {
  std::string damaged;
  const auto names = NamesIn(path);
  if (!names) return damaged;
  for (const std::string& name : *names) {
    if (!name.ends_with(".sst")) continue;
    ::rocksdb::SstFileReader reader({});
    auto status = reader.Open(path + "/" + name);
    if (status.ok()) status = reader.VerifyChecksum();
    if (status.IsCorruption())
      damaged.append(damaged.empty() ? "; damaged tables: " : ", ").append(path + "/" + name);
  }
  return damaged;
}

std::string Describe(const std::string& path, const std::vector<FileDamage>& damage) {
  std::string text;
  for (const FileDamage& one : damage) {
    if (!text.empty()) text += ", and ";
    text.append(path).append("/").append(one.file).append(" ").append(one.what);
  }
  return text;
}

}  // namespace keelson::storage
