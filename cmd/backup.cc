// keelson backup, restore and check: the embedded store as a file, and back.
#include "storage/rocksdb/backup.h"

#include <iostream>
#include <optional>
#include <vector>

#include "app/data_dir.h"
#include "base/log.h"
#include "cmd/commands.h"
#include "cmd/fail.h"
#include "cmd/flags.h"

namespace keelson::cmd {
namespace {

constexpr std::string_view kBackupUsage =
    "usage: keelson backup FILE [--data-dir DIR]\n"
    "\n"
    "Writes all objects of the embedded store, with their history, to a new file, checks the store on the "
    "way\n"
    "and the file at the end. A server may run meanwhile. The file holds values as they are stored: keep\n"
    "encryption.yaml and pki/ of the data directory too, in another place.\n";
constexpr std::string_view kRestoreUsage =
    "usage: keelson restore FILE [--data-dir DIR] [--bump-revision N]\n"
    "\n"
    "Makes the embedded store of a data directory, which must have none, from a backup.\n"
    "\n"
    "  --bump-revision   how far resource versions jump, so that clients that saw more than the backup holds "
    "list\n"
    "                    again (default: to the microseconds since 1970, which no store has come to); 0: go "
    "on where\n"
    "                    the backup was\n";
constexpr std::string_view kCheckUsage =
    "usage: keelson check [FILE] [--data-dir DIR]\n"
    "\n"
    "Reads all of the embedded store, or of a backup, and says whether it is sound. A server may run "
    "meanwhile.\n";

struct BackupArguments {
  std::optional<std::string> file;
  std::optional<std::string> bump;
  app::Config config;
  bool help = false;
};

// What is not named here is for the flags of serve.
base::Result<BackupArguments, std::string> ParseBackupArguments(std::span<const std::string> args) {
  BackupArguments arguments;
  std::vector<std::string> rest;
  for (size_t i = 0; i < args.size(); ++i) {
    const std::string& arg = args[i];
    if (arg == "--help" || arg == "-h") {
      arguments.help = true;
    } else if (arg == "--bump-revision" && i + 1 < args.size()) {
      arguments.bump = args[++i];
    } else if (arg.starts_with("--bump-revision=")) {
      arguments.bump = arg.substr(arg.find('=') + 1);
    } else if (arg == "--data-dir" && i + 1 < args.size()) {
      rest.insert(rest.end(), {arg, args[++i]});
    } else if (!arg.starts_with('-') && !arguments.file) {
      arguments.file = arg;
    } else {
      rest.push_back(arg);
    }
  }
  arguments.config = TRY(ParseServeFlags(rest)).config;
  base::ConfigureLog(arguments.config.log);
  return arguments;
}

int Report(std::string_view what, const storage::StoreSummary& summary) {
  std::cout << what << ": " << summary.keys << " keys in " << summary.versions << " versions, "
            << (summary.bytes >> 10) << " KiB, revision " << summary.revision << ", history since "
            << summary.compacted << '\n';
  if (!summary.damage.empty())
    std::cerr << "warning: history is damaged and was left out: " << summary.damage << '\n';
  return 0;
}

std::string StoreOf(const app::Config& config) { return (config.data_dir / "db").string(); }

}  // namespace

int Backup(std::span<const std::string> args) {
  auto arguments = ParseBackupArguments(args);
  if (!arguments) return Fail(arguments.error());
  if (arguments->help) return std::cout << kBackupUsage, 0;
  if (!arguments->file) return Fail("which file to write is not said");
  const auto done = storage::BackUp(StoreOf(arguments->config), *arguments->file);
  return done ? Report("backed up", *done) : Fail(done.error());
}

int Restore(std::span<const std::string> args) {
  auto arguments = ParseBackupArguments(args);
  if (!arguments) return Fail(arguments.error());
  if (arguments->help) return std::cout << kRestoreUsage, 0;
  if (!arguments->file) return Fail("which file to read is not said");
  storage::RestoreOptions options;
  if (arguments->bump) {
    const std::string& text = *arguments->bump;
    if (text.empty() || text.size() > 15 || text.find_first_not_of("0123456789") != std::string::npos)
      return Fail("--bump-revision: not a number: " + text);
    options.bump = std::stoll(text);
  }
  // Locked: no server may start on it now.
  auto dir = app::DataDir::Open(arguments->config.data_dir);
  if (!dir) return Fail(dir.error());
  const auto done = storage::Restore(*arguments->file, dir->database().string(), options);
  return done ? Report("restored", *done) : Fail(done.error());
}

int Check(std::span<const std::string> args) {
  auto arguments = ParseBackupArguments(args);
  if (!arguments) return Fail(arguments.error());
  if (arguments->help) return std::cout << kCheckUsage, 0;
  const auto done = arguments->file ? storage::CheckBackup(*arguments->file)
                                    : storage::InspectStore(StoreOf(arguments->config));
  return done ? Report("sound", *done) : Fail(done.error());
}

}  // namespace keelson::cmd
