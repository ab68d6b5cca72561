#include "auth/pki/kubeconfig.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <vector>

#include "api/codec/time_format.h"
#include "api/validation/quote.h"
#include "app/data_dir.h"
#include "auth/authn/remote.h"
#include "auth/pki/bootstrap.h"
#include "auth/pki/client_certificate.h"
#include "base/file.h"
#include "cmd/arguments.h"
#include "cmd/commands.h"
#include "cmd/fail.h"
#include "cmd/token_request.h"

namespace keelson::cmd {
namespace {

namespace fs = std::filesystem;
namespace pki = auth::pki;

constexpr std::string_view kKubeconfigUsage =
    "usage: keelson kubeconfig --user NAME [--group NAME]... [flags]\n"
    "       keelson kubeconfig --service-account NAMESPACE/NAME [flags]\n"
    "\n"
    "Makes a kubeconfig for a further identity: with --user a certificate of the data directory's authority, "
    "which\n"
    "needs no running server; with --service-account a token, which the running server issues. What the "
    "identity\n"
    "may do is up to roles and their bindings: without one it may do next to nothing. A certificate cannot "
    "be\n"
    "taken back, so let it be short-lived and take its bindings away instead. A server with "
    "--client-ca-file\n"
    "believes other authorities, not this one.\n"
    "\n"
    "  --group       a group of the user; may be given more than once\n"
    "  --duration    how long it is good for: 720h, 90m, ... (default 720h; of a token: the server's, 1h)\n"
    "  --server      the URL that clients reach the server at (default: that of admin.kubeconfig)\n"
    "  -o, --output  the file to write, readable by its owner alone (default: stdout)\n"
    "  --force       replace a file that exists\n"
    "  --data-dir    the server's data directory (default: as of serve)\n"
    "  --allow-system-masters\n"
    "                make a member of system:masters, who may do everything and whom no role can limit\n";
constexpr std::string_view kDefaultLifetime = "720h";

struct KubeconfigArguments {
  std::string user, account, duration, server, file, data_dir;
  std::vector<std::string> groups;
  bool force = false, allow_masters = false;
};

// A kubeconfig and when its credential expires.
struct MadeKubeconfig {
  pki::Kubeconfig config;
  std::string expires;  // RFC 3339
};

base::Result<void, std::string> CheckArguments(const KubeconfigArguments& arguments) {
  if (arguments.user.empty() == arguments.account.empty())
    return base::Err(std::string("either --user or --service-account must be given"));
  if (!arguments.account.empty() && !arguments.groups.empty())
    return base::Err(std::string("--group: the groups of a service account are given by its namespace"));
  for (const std::string& group : arguments.groups) {
    if (group.find(',') != std::string::npos)
      return base::Err("--group " + api::Quoted(group) + ": give --group once for each group");
    if (group == pki::kMastersGroup && !arguments.allow_masters)
      return base::Err(std::string(
          "--group system:masters: its members may do everything, no role limits them, and the "
          "certificate cannot be taken back. Bind the cluster role cluster-admin to the user instead "
          "(kubectl create clusterrolebinding), or say --allow-system-masters"));
  }
  if (!arguments.server.empty()) {
    const auto url = auth::ParseRemoteUrl(arguments.server);
    if (!url) return base::Err("--server: " + url.error());
    if (!url->destination.tls || url->target.find('?') != std::string::npos)
      return base::Err("--server: " + api::Quoted(arguments.server) + " is no URL as https://host:port");
  }
  std::error_code error;
  if (!arguments.file.empty() && !arguments.force &&
      fs::symlink_status(arguments.file, error).type() != fs::file_type::not_found)
    return base::Err(arguments.file + " exists: --force replaces it");
  return {};
}

// Where clients reach the server and whom they trust; the administrator's kubeconfig knows both. Without one
// --server says where, and the authority of the data directory is trusted.
base::Result<pki::Kubeconfig, std::string> AddressOf(const KubeconfigArguments& arguments,
                                                     const fs::path& data_dir) {
  pki::Kubeconfig config;
  config.server_url = arguments.server;
  std::error_code error;
  if (arguments.server.empty() || fs::exists(app::KubeconfigIn(data_dir), error)) {
    auto admin = ReadAdminKubeconfig(data_dir);
    if (!admin) return base::Err(admin.error() + "; --server says where clients reach the server");
    if (config.server_url.empty()) config.server_url = std::move(admin->server_url);
    config.ca_pem = std::move(admin->ca_pem);
  } else {
    config.ca_pem = TRY(pki::LoadAuthority(app::PkiIn(data_dir))).certificate_pem;
  }
  return config;
}

base::Result<MadeKubeconfig, std::string> MakeForUser(const KubeconfigArguments& arguments,
                                                      const fs::path& data_dir) {
  const std::string duration =
      arguments.duration.empty() ? std::string(kDefaultLifetime) : arguments.duration;
  const pki::ClientIdentity identity{.user = arguments.user,
                                     .groups = arguments.groups,
                                     .lifetime = TRY(PositiveDuration("--duration", duration))};
  const auto authority = TRY(pki::LoadAuthority(app::PkiIn(data_dir)));
  auto certificate = TRY(pki::IssueClientCertificate(authority, identity));
  MadeKubeconfig made{.config = TRY(AddressOf(arguments, data_dir)), .expires = {}};
  made.config.client = std::move(certificate.pair);
  made.config.user = arguments.user;
  char text[api::kMaxTimeSize];
  made.expires.assign(text, api::FormatTime(std::chrono::system_clock::to_time_t(certificate.expires), text));
  return made;
}

base::Result<MadeKubeconfig, std::string> MakeForServiceAccount(const KubeconfigArguments& arguments,
                                                                const fs::path& data_dir) {
  TokenDemand demand{
      .account = TRY(ParseServiceAccount(arguments.account)), .lifetime = std::nullopt, .audiences = {}};
  if (!arguments.duration.empty()) demand.lifetime = TRY(PositiveDuration("--duration", arguments.duration));
  auto issued = TRY(RequestToken(TRY(ReadAdminKubeconfig(data_dir)), demand));
  WarnOfShorterLife(demand, issued);
  MadeKubeconfig made{.config = TRY(AddressOf(arguments, data_dir)), .expires = std::move(issued.expires)};
  made.config.token = std::move(issued.token);
  made.config.user = arguments.account;
  return made;
}

base::Result<void, std::string> RunKubeconfig(const KubeconfigArguments& arguments) {
  TRY(CheckArguments(arguments));
  const fs::path data_dir = TRY(DataDirOf(arguments.data_dir));
  auto made = TRY((arguments.account.empty() ? MakeForUser : MakeForServiceAccount)(arguments, data_dir));
  made.config.context = made.config.user + "@keelson";
  const std::string text = pki::RenderKubeconfig(made.config);
  if (arguments.file.empty()) {
    std::cout << text << std::flush;
    if (!std::cout) return base::Err(std::string("stdout cannot be written"));
  } else {
    TRY((arguments.force ? base::WriteFileAtomically : base::CreateFileAtomically)(arguments.file, text,
                                                                                   0600));
    std::cerr << "wrote " << arguments.file << ": " << api::Quoted(made.config.user) << " at "
              << made.config.server_url << " until " << made.expires << '\n';
  }
  if (std::ranges::find(arguments.groups, pki::kMastersGroup) != arguments.groups.end())
    std::cerr << "warning: " << api::Quoted(made.config.user)
              << " is in system:masters and may do everything "
              << "until " << made.expires << "; only a new certificate authority would end that before\n";
  return {};
}

}  // namespace

int Kubeconfig(std::span<const std::string> args) {
  KubeconfigArguments arguments;
  CLI::App cli;
  cli.add_option("--user", arguments.user);
  cli.add_option("--group", arguments.groups)->expected(1)->take_all();
  cli.add_option("--service-account", arguments.account);
  cli.add_option("--duration", arguments.duration);
  cli.add_option("--server", arguments.server);
  cli.add_option("-o,--output", arguments.file);
  cli.add_option("--data-dir", arguments.data_dir);
  cli.add_flag("--force", arguments.force);
  cli.add_flag("--allow-system-masters", arguments.allow_masters);
  if (const auto ended = ReadArguments(cli, kKubeconfigUsage, args)) return *ended;
  const auto done = RunKubeconfig(arguments);
  return done ? 0 : Fail(done.error());
}

}  // namespace keelson::cmd
