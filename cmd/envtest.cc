// keelson envtest: a folder for $KUBEBUILDER_ASSETS, from which controller-runtime's envtest starts Keelson
// where it expects kube-apiserver. The programs in it are links: a copy would be sixty megabytes that do not
// follow when Keelson is built anew, and a link's name is all that a program needs to know which one it is to
// be.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <iostream>

#include "cmd/arguments.h"
#include "cmd/commands.h"
#include "cmd/executables.h"
#include "cmd/fail.h"

namespace keelson::cmd {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnvtestUsage =
    "usage: keelson envtest DIR [flags]\n"
    "\n"
    "Makes DIR a folder of test programs for controller-runtime's envtest: kube-apiserver is this keelson, "
    "etcd a\n"
    "real one or this keelson too. Suites find it by the variable KUBEBUILDER_ASSETS, which is printed for a "
    "shell:\n"
    "\n"
    "  eval \"$(keelson envtest DIR)\" && go test ./...\n"
    "\n"
    "flags:\n"
    "  --etcd FILE     the etcd to use; keelson: this one, under that name, which keeps everything in "
    "memory\n"
    "                  (default: etcd on the PATH, else keelson)\n"
    "  --kubectl FILE  the kubectl to use (default: kubectl on the PATH, else none)\n";

constexpr std::string_view kKeelsonItself = "keelson";

// Links `name` in `dir` to `target`, in one step, in place of the link that may be there.
base::Result<void, std::string> Link(const fs::path& dir, const std::string& name, const fs::path& target) {
  const fs::path link = dir / name, fresh = dir / ("." + name + "." + std::to_string(::getpid()));
  std::error_code error;
  if (fs::exists(fs::symlink_status(link, error)) && !fs::is_symlink(link))
    return base::Err(link.string() + " is there and is no link: choose another folder, or remove it");
  fs::remove(fresh, error);
  fs::create_symlink(target, fresh, error);
  if (!error) fs::rename(fresh, link, error);
  if (error) return base::Err("cannot make " + link.string() + ": " + error.message());
  return {};
}

// The program that `given` names; without it that on the PATH; nullopt: there is none.
base::Result<std::optional<fs::path>, std::string> Choose(const std::string& name, const std::string& given) {
  const char* const search = std::getenv("PATH");
  if (given.empty()) return FindExecutable(name, search ? search : "");
  const bool is_path = given.find('/') != std::string::npos;
  const fs::path named(given);
  auto found = is_path ? FindExecutable(named.filename().string(), named.parent_path().string())
                       : FindExecutable(given, search ? search : "");
  if (!found) return base::Err("--" + name + ": " + given + " is not a program");
  return found;
}

base::Result<fs::path, std::string> MakeFolder(const std::string& given) {
  std::error_code error;
  fs::path dir = fs::absolute(given, error).lexically_normal();
  const bool made = !error && fs::create_directories(dir, error);
  // Nothing in it is secret, and other users may run the tests.
  if (made) fs::permissions(dir, fs::perms(0755), error);
  if (error) return base::Err("cannot make " + given + ": " + error.message());
  return dir;
}

base::Result<void, std::string> Make(const std::string& folder, const std::string& etcd,
                                     const std::string& kubectl) {
  const fs::path own = TRY(OwnExecutable());
  const auto real_etcd = TRY(etcd == kKeelsonItself ? std::optional<fs::path>() : Choose("etcd", etcd));
  const auto real_kubectl = TRY(Choose("kubectl", kubectl));
  const fs::path dir = TRY(MakeFolder(folder));
  TRY(Link(dir, "kube-apiserver", own));
  TRY(Link(dir, "etcd", real_etcd.value_or(own)));
  if (real_kubectl) TRY(Link(dir, "kubectl", *real_kubectl));
  std::cout << "# kube-apiserver: " << own.string() << "\n# etcd: " << real_etcd.value_or(own).string()
            << "\n# kubectl: " << (real_kubectl ? real_kubectl->string() : "none on the PATH, say --kubectl")
            << "\nexport KUBEBUILDER_ASSETS='" << dir.string() << "'\n";
  return {};
}

}  // namespace

int Envtest(std::span<const std::string> args) {
  CLI::App cli;
  std::string dir, etcd, kubectl;
  cli.add_option("DIR", dir)->required();
  cli.add_option("--etcd", etcd);
  cli.add_option("--kubectl", kubectl);
  if (const auto ended = ReadArguments(cli, kEnvtestUsage, args)) return *ended;
  if (const auto made = Make(dir, etcd, kubectl); !made) return Fail(made.error());
  return 0;
}

}  // namespace keelson::cmd
