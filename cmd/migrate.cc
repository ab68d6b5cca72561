#include <unistd.h>

#include <chrono>
#include <iostream>
#include <optional>
#include <vector>

#include "app/backend.h"
#include "base/log.h"
#include "cmd/commands.h"
#include "cmd/fail.h"
#include "cmd/flags.h"
#include "storage/migration.h"

namespace keelson::cmd {
namespace {

using app::StorageBackend;

constexpr std::string_view kUsage =
    "usage: keelson migrate --to etcd3|embedded --data-dir DIR --etcd-servers URL,... [flags]\n"
    "\n"
    "Copies all objects from the embedded store of a data directory to etcd, or back. Stop every server on\n"
    "either first. Resource versions go on above those of the source, so that clients of the source list "
    "again;\n"
    "an etcd that is more than a million revisions behind cannot be raised so far, and that is said. Values "
    "are\n"
    "decrypted as serve would on the one, and encrypted as serve would on the other, with the same flags.\n"
    "\n"
    "  --to        where to: etcd3 or embedded\n"
    "  --resume    go on with a migration that was interrupted; without it the target must be empty\n"
    "  --data-dir, --etcd-servers, --etcd-cafile, --etcd-certfile, --etcd-keyfile, --etcd-prefix,\n"
    "  --encryption-provider-config, --event-ttl:\n"
    "              as of keelson serve\n";

struct Plan {
  std::string to;
  bool resume = false;
  bool help = false;
  std::vector<std::string> rest;  // for the flags of serve
};

Plan ParsePlan(std::span<const std::string> args) {
  Plan plan;
  for (size_t i = 0; i < args.size(); ++i) {
    const std::string& arg = args[i];
    if (arg == "--help" || arg == "-h")
      plan.help = true;
    else if (arg == "--resume")
      plan.resume = true;
    else if (arg == "--to" && i + 1 < args.size())
      plan.to = args[++i];
    else if (arg.starts_with("--to="))
      plan.to = arg.substr(5);
    else
      plan.rest.push_back(arg);
  }
  return plan;
}

// One line on a terminal, overwritten; elsewhere a line every few seconds.
class ProgressLine {
 public:
  void Show(const storage::MigrationProgress& p) {
    if (p.to_raise > 0) {
      std::cerr << "raising the revision of the target: " << p.to_raise << " to go\n";
      return;
    }
    const auto now = std::chrono::steady_clock::now();
    const bool end = p.compared == p.total;
    if (!end && now - shown_ < (terminal_ ? std::chrono::milliseconds(100) : std::chrono::milliseconds(5000)))
      return;
    shown_ = now;
    const int64_t percent = p.total == 0 ? 100 : p.compared * 100 / p.total;
    std::cerr << (terminal_ ? "\r" : "") << (p.verifying ? "verifying " : "copying   ") << percent << "%  "
              << p.compared << " of " << p.total << " keys";
    if (!p.verifying) std::cerr << ", " << p.written << " written (" << (p.bytes >> 10) << " KiB)";
    std::cerr << (terminal_ && !end ? "   " : "\n") << std::flush;
  }

 private:
  const bool terminal_ = isatty(STDERR_FILENO) == 1;
  std::chrono::steady_clock::time_point shown_;
};

// Watches at a version from the future are told to list again; once the target has come to that version they
// would not be.
void WarnOfRevisions(const storage::MigrationProgress& done) {
  if (done.target_revision > done.source_revision) return;
  std::cerr
      << "warning: the resource versions of the source went up to " << done.source_revision
      << ", those of this etcd are at " << done.target_revision
      << " and can only be raised one by one. Restart all clients (controllers, kubelets) before they go on "
         "with this etcd. Or migrate to a new etcd that is ahead: etcdutl snapshot restore --bump-revision "
      << done.source_revision << " --mark-compacted makes one of a snapshot\n";
}

}  // namespace

int Migrate(std::span<const std::string> args) {
  const Plan plan = ParsePlan(args);
  if (plan.help) {
    std::cout << kUsage;
    return 0;
  }
  if (plan.to != "etcd3" && plan.to != "embedded") return Fail("--to must be etcd3 or embedded");
  auto parsed = ParseServeFlags(plan.rest);
  if (!parsed) return Fail(parsed.error());
  app::Config config = std::move(parsed->config);
  if (config.storage_backend != StorageBackend::kEtcd3) return Fail("--etcd-servers must be specified");
  if (!config.etcd_servers_overrides.empty())
    return Fail(
        "--etcd-servers-overrides: one store is copied to one other. Bring everything to the servers of "
        "--etcd-servers first, and leave the flag out");
  base::ConfigureLog(config.log);

  auto dir = app::DataDir::Open(config.data_dir);
  if (!dir) return Fail(dir.error());
  auto etcd = app::OpenBackend(config, *dir);
  if (!etcd) return Fail(etcd.error());
  config.storage_backend = StorageBackend::kEmbedded;
  auto embedded = app::OpenBackend(config, *dir);
  if (!embedded) return Fail(embedded.error());

  storage::Backend& source = plan.to == "etcd3" ? *embedded->backend : *etcd->backend;
  storage::Backend& target = plan.to == "etcd3" ? *etcd->backend : *embedded->backend;
  ProgressLine line;
  const auto done =
      storage::Migrate(source, target,
                       {.prefix = config.etcd_prefix + "/",
                        .resume = plan.resume,
                        .lease_ttl = config.event_ttl,
                        .progress = [&](const storage::MigrationProgress& p) { line.Show(p); }});
  if (!done) {
    std::string why = done.error().detail;
    if (!done.error().key.empty()) why += ": " + done.error().key;
    if (done.error().code == storage::Code::kExists && !plan.resume)
      why += " (--resume goes on with an interrupted migration)";
    return Fail(why);
  }
  WarnOfRevisions(*done);
  std::cout << "migrated " << done->total << " keys to " << plan.to << ", " << done->written << " written\n";
  return 0;
}

}  // namespace keelson::cmd
