// ConfigReloader: takes a configuration file anew whenever it changes.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "base/metrics.h"
#include "base/result.h"
#include "base/task.h"

namespace keelson::app {

// Threads: one run at a time, on an event loop.
class ConfigReloader {
 public:
  // Puts the text of the file in use; an error says why it does not, and what was in use stays.
  using Take = std::function<base::Task<base::Result<void, std::string>>(std::string text)>;
  struct Options {
    std::string what;  // "authentication" or "authorization", for the log and the names of the metrics
    std::filesystem::path file;
    std::string text;       // that is in use
    std::string server_id;  // whose digest is a label of the metrics
  };

  // Borrows `metrics`.
  ConfigReloader(Options options, Take take, base::Metrics& metrics);

  // A file that cannot be taken is told of, once, and tried again.
  base::Task<void> Run();

 private:
  // One of the two ends that a reload can have.
  struct End {
    End(base::Metrics& metrics, const ConfigReloader& of, const char* status);
    void Count();
    base::Counter& count;
    base::Gauge& last;
  };

  // Tells which text is in use, by its digest.
  void ShowText(const std::string& text);

  const std::string what_, prefix_, server_digest_;
  const std::filesystem::path file_;
  const Take take_;
  base::Metrics& metrics_;
  End taken_, refused_;
  std::string text_;     // that is in use
  std::string problem_;  // that was told last
  base::Labels shown_;
};

}  // namespace keelson::app
