// keelson: a Kubernetes API server. Called as kube-apiserver or as etcd it is one, at once.
#include <sys/stat.h>

#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "app/core_dumps.h"
#include "base/memory.h"
#include "cmd/commands.h"

namespace {

constexpr std::string_view kUsage =
    "usage: keelson <command> [flags]\n"
    "\n"
    "commands:\n"
    "  serve       serve the Kubernetes API (keelson serve --help: its flags)\n"
    "  kubeconfig  make a kubeconfig for a further user or a service account\n"
    "  token       print a token of a service account\n"
    "  backup      write the embedded store to a file, also while it is served\n"
    "  restore     make an embedded store from a backup\n"
    "  check       read all of the embedded store, or of a backup, and say whether it is sound\n"
    "  envtest     make a folder of test programs for controller-runtime's envtest\n"
    "  migrate     copy all objects from the embedded store to etcd or back\n"
    "  version     print the version (--json: as /version answers)\n";

}  // namespace

int main(int argc, char** argv) {
  keelson::base::GiveBackMemoryWhenFreed();
  ::umask(077);  // what others may read is opened to them file by file
  std::vector<std::string> args(argv + (argc > 0), argv + argc);
  const std::string name = argc > 0 ? std::filesystem::path(argv[0]).filename().string() : "";
  if (name == "kube-apiserver") return keelson::cmd::ServeAsKubeApiserver(args);
  if (name == "etcd") return keelson::cmd::ServeAsEtcd(args);
  if (args.empty()) {
    std::cerr << kUsage;
    return 1;
  }
  const std::string command = args.front();
  args.erase(args.begin());
  if (command == "serve") return keelson::cmd::Serve(args);
  keelson::app::ForbidCoreDumps();
  if (command == "kubeconfig") return keelson::cmd::Kubeconfig(args);
  if (command == "token") return keelson::cmd::Token(args);
  if (command == "backup") return keelson::cmd::Backup(args);
  if (command == "restore") return keelson::cmd::Restore(args);
  if (command == "check") return keelson::cmd::Check(args);
  if (command == "envtest") return keelson::cmd::Envtest(args);
  if (command == "migrate") return keelson::cmd::Migrate(args);
  if (command == "version" || command == "--version") return keelson::cmd::Version(args);
  if (command == "help" || command == "--help" || command == "-h") {
    std::cout << kUsage;
    return 0;
  }
  std::cerr << "keelson: unknown command: " << command << "\n\n" << kUsage;
  return 1;
}
