// The flags of `keelson serve`: kube-apiserver's names with their meaning, and a few of our own.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "app/config.h"
#include "base/result.h"

namespace keelson::cmd {

struct Parsed {
  app::Config config;
  std::string help;  // not empty: print it and end
};

// The name that the program was called by. As kube-apiserver it runs no controllers unless it is asked to,
// since kube-apiserver has none, and logs in klog's text.
enum class CalledAs : uint8_t { kKeelson, kKubeApiserver };

// `args` without the program's name. The error is ready to be printed.
base::Result<Parsed, std::string> ParseServeFlags(std::span<const std::string> args,
                                                  CalledAs called = CalledAs::kKeelson);

}  // namespace keelson::cmd
