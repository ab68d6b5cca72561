// --vmodule, and lines of the log with values of strangers: each stays one line.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/log_format.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace keelson::base;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto files = ParseFileVerbosities(text);
  if (!files && files.error().empty()) std::abort();
  if (files)
    for (const FileVerbosity& file : *files)
      if (file.pattern.empty() || file.verbosity < 0) std::abort();
  for (const LogFormat format : {LogFormat::kKeelson, LogFormat::kText, LogFormat::kJson}) {
    const std::string line =
        FormatLogLine(format, {.message = text, .fields = {{"value", text}}, .where = {}});
    if (std::ranges::count(line, '\n') != 1 || !line.ends_with('\n')) std::abort();
  }
  return 0;
}
