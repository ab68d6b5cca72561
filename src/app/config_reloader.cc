#include "app/config_reloader.h"

#include <chrono>

#include "base/file.h"
#include "base/log.h"
#include "base/sha256.h"

namespace keelson::app {
namespace {

std::string DigestText(std::string_view text) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string digest = "sha256:";
  for (const uint8_t byte : base::Sha256(text)) (digest += kDigits[byte >> 4]) += kDigits[byte & 15];
  return digest;
}

}  // namespace

ConfigReloader::End::End(base::Metrics& metrics, const ConfigReloader& of, const char* status)
    : count(metrics.GetCounter(of.prefix_ + "automatic_reloads_total",
                               "Total number of automatic reloads of " + of.what_ +
                                   " configuration split by status and apiserver identity.",
                               {{"apiserver_id_hash", of.server_digest_}, {"status", status}})),
      last(metrics.GetGauge(of.prefix_ + "automatic_reload_last_timestamp_seconds",
                            "Timestamp of the last automatic reload of " + of.what_ +
                                " configuration split by status and apiserver identity.",
                            {{"apiserver_id_hash", of.server_digest_}, {"status", status}})) {}

void ConfigReloader::End::Count() {
  count.Add();
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  last.Set(std::chrono::duration_cast<std::chrono::seconds>(now).count());
}

ConfigReloader::ConfigReloader(Options options, Take take, base::Metrics& metrics)
    : what_(std::move(options.what)),
      prefix_("apiserver_" + what_ + "_config_controller_"),
      server_digest_(DigestText(options.server_id)),
      file_(std::move(options.file)),
      take_(std::move(take)),
      metrics_(metrics),
      taken_(metrics, *this, "success"),
      refused_(metrics, *this, "failure"),
      text_(std::move(options.text)) {
  ShowText(text_);
}

base::Task<void> ConfigReloader::Run() {
  auto text = base::ReadFile(file_);
  if (text && *text == text_) {
    problem_.clear();
    co_return;
  }
  auto taken = text ? co_await take_(*text) : base::Result<void, std::string>(base::Err(text.error()));
  if (taken) {
    text_ = *std::move(text);
    problem_.clear();
    taken_.Count();
    ShowText(text_);
    base::Log(base::LogLevel::kInfo, "reloaded " + what_ + " config", {{"file", file_.string()}});
  } else if (taken.error() != problem_) {
    refused_.Count();
    base::Log(base::LogLevel::kError, "the changed " + what_ + " config is not used",
              {{"file", file_.string()}, {"why", taken.error()}});
    problem_ = std::move(taken.error());
  }
}

void ConfigReloader::ShowText(const std::string& text) {
  const std::string name = prefix_ + "last_config_info";
  if (!shown_.empty()) metrics_.RemoveCallback(name, shown_);
  shown_ = {{"apiserver_id_hash", server_digest_}, {"hash", DigestText(text)}};
  metrics_.AddCallback(
      name,
      "Information about the last applied " + what_ +
          " configuration with hash as label, split by apiserver identity.",
      [] { return 1.0; }, shown_);
}

}  // namespace keelson::app
