#include <iostream>
#include <optional>

#include "app/app.h"
#include "app/core_dumps.h"
#include "base/log.h"
#include "base/log_writer.h"
#include "cmd/commands.h"
#include "cmd/flags.h"
#include "cmd/stop_signals.h"

namespace keelson::cmd {
namespace {

int Run(std::span<const std::string> args, CalledAs called) {
  auto parsed = ParseServeFlags(args, called);
  if (!parsed) {
    std::cerr << "error: " << parsed.error() << '\n';
    return 1;
  }
  if (!parsed->help.empty()) {
    std::cout << parsed->help;
    return 0;
  }
  if (!parsed->config.allow_core_dumps) app::ForbidCoreDumps();
  base::ConfigureLog(parsed->config.log);
  const sigset_t signals = BlockStopSignals();
  std::optional<base::LogWriter> log(std::in_place, parsed->config.log_streams);

  app::App app(std::move(parsed->config));
  if (auto started = app.Start(); !started) {
    log.reset();  // what led to it comes first
    std::cerr << "error: " << started.error() << '\n';
    return 1;
  }
  std::cout << "keelson ready " << app.url() << '\n';
  if (const auto kubeconfig = app.kubeconfig()) std::cout << "export KUBECONFIG=" << *kubeconfig << '\n';
  std::cout.flush();

  const int number = WaitForStopSignal(signals);
  base::Log(base::LogLevel::kInfo, "stopping", {{"signal", number}});
  app.Stop();
  return 0;
}

}  // namespace

int Serve(std::span<const std::string> args) { return Run(args, CalledAs::kKeelson); }
int ServeAsKubeApiserver(std::span<const std::string> args) { return Run(args, CalledAs::kKubeApiserver); }

}  // namespace keelson::cmd
