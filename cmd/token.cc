#include <iostream>

#include "cmd/arguments.h"
#include "cmd/commands.h"
#include "cmd/fail.h"
#include "cmd/token_request.h"

namespace keelson::cmd {
namespace {

constexpr std::string_view kTokenUsage =
    "usage: keelson token --service-account NAMESPACE/NAME [flags]\n"
    "\n"
    "Prints a token of a service account, as kubectl create token does. The running server issues it, asked "
    "as\n"
    "its administrator; the account must exist. The token ends with its time, or with the account.\n"
    "\n"
    "  --duration    how long it is good for: 8h, 90m, ...; at least 10m (default: the server's, 1h)\n"
    "  --audience    whom it is meant for; may be given more than once (default: this server)\n"
    "  --data-dir    the server's data directory, which holds admin.kubeconfig (default: as of serve)\n"
    "  --kubeconfig  another kubeconfig to ask with; its user needs the right to create "
    "serviceaccounts/token\n"
    "\n"
    "A user who is no service account has no token: keelson kubeconfig --user makes a certificate.\n";

struct TokenArguments {
  std::string account, user, duration, data_dir, kubeconfig;
  std::vector<std::string> audiences;
};

base::Result<IssuedToken, std::string> RunToken(const TokenArguments& arguments) {
  if (!arguments.user.empty())
    return base::Err("--user: a user has no tokens; keelson kubeconfig --user " + arguments.user +
                     " makes a certificate, --service-account names an account that has tokens");
  if (arguments.account.empty()) return base::Err(std::string("--service-account must be given"));
  TokenDemand demand{.account = TRY(ParseServiceAccount(arguments.account)),
                     .lifetime = std::nullopt,
                     .audiences = arguments.audiences};
  if (!arguments.duration.empty()) demand.lifetime = TRY(PositiveDuration("--duration", arguments.duration));
  const auto as = TRY(arguments.kubeconfig.empty() ? ReadAdminKubeconfig(TRY(DataDirOf(arguments.data_dir)))
                                                   : auth::pki::ReadKubeconfig(arguments.kubeconfig));
  auto issued = TRY(RequestToken(as, demand));
  WarnOfShorterLife(demand, issued);
  return issued;
}

}  // namespace

int Token(std::span<const std::string> args) {
  TokenArguments arguments;
  CLI::App cli;
  cli.add_option("--service-account", arguments.account);
  cli.add_option("--user", arguments.user);
  cli.add_option("--duration", arguments.duration);
  cli.add_option("--audience", arguments.audiences)->expected(1)->take_all();
  cli.add_option("--data-dir", arguments.data_dir);
  cli.add_option("--kubeconfig", arguments.kubeconfig);
  if (const auto ended = ReadArguments(cli, kTokenUsage, args)) return *ended;
  const auto issued = RunToken(arguments);
  if (!issued) return Fail(issued.error());
  std::cout << issued->token << '\n';
  return 0;
}

}  // namespace keelson::cmd
