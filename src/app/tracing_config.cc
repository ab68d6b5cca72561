#include "app/tracing_config.h"

#include <optional>
#include <vector>

#include "api/codec/config_reader.h"
#include "api/codec/yaml.h"
#include "api/validation/quote.h"
#include "net/http/host_port.h"

namespace keelson::app {
namespace {

constexpr std::string_view kTracingGroup = "apiserver.config.k8s.io/", kTracingKind = "TracingConfiguration";
constexpr int32_t kMillion = 1'000'000;
constexpr uint16_t kDefaultPort = 443;  // of a name without one, as gRPC has it

struct RawTracingConfig {
  std::optional<std::string> endpoint;
  std::optional<int32_t> rate;
};

bool IsKnownVersion(std::string_view version) {
  if (!version.starts_with(kTracingGroup)) return false;
  version.remove_prefix(kTracingGroup.size());
  return version == "v1" || version == "v1beta1" || version == "v1alpha1";
}

base::Result<RawTracingConfig, std::string> ReadTracingConfig(std::string_view text) {
  const auto failed = [](const std::string& why) {
    return base::Err("failed to read tracing config: unable to decode tracing configuration data: " + why);
  };
  const auto json = api::yaml::ToJson(text);
  if (!json) return failed(json.error().message);
  api::ConfigReader reader(*json, /*strict=*/true);
  RawTracingConfig raw;
  std::string version, kind;
  const bool read = reader.Object([&](std::string_view name) {
    if (name == "apiVersion") return reader.Text(version);
    if (name == "kind") return reader.Text(kind);
    if (name == "endpoint") return reader.Text(raw.endpoint);
    if (name == "samplingRatePerMillion") return reader.Int32(raw.rate);
    return reader.Unknown();
  });
  if (!read || !reader.AtEnd()) return failed("strict decoding error: " + reader.error());
  if (kind.empty()) return failed("Object 'Kind' is missing in '" + std::string(text) + "'");
  if (version.empty()) return failed("Object 'apiVersion' is missing in '" + std::string(text) + "'");
  if (kind != kTracingKind || !IsKnownVersion(version))
    return failed("no kind " + api::Quoted(kind) + " is registered for version " + api::Quoted(version) +
                  ": TracingConfiguration of apiserver.config.k8s.io/v1 is expected");
  return raw;
}

// The collector that an endpoint means; an error says what is wrong with it. gRPC's names of targets:
// "host:port", "dns://server/host:port", "unix:///path", "unix-abstract:///name".
base::Result<net::grpc::Target, std::string> TargetOf(std::string_view endpoint) {
  const size_t slashes = endpoint.find("//");
  const std::string_view scheme =
      slashes == std::string_view::npos ? std::string_view("dns:") : endpoint.substr(0, slashes);
  if (scheme != "dns:" && scheme != "unix:" && scheme != "unix-abstract:")
    return base::Err("unsupported scheme: " +
                     std::string(scheme.ends_with(':') ? scheme.substr(0, scheme.size() - 1) : "") +
                     ".  Options are none, dns, unix, or unix-abstract.  See "
                     "https://github.com/grpc/grpc/blob/master/doc/naming.md");
  std::string_view rest = endpoint;
  if (slashes != std::string_view::npos) {
    rest.remove_prefix(slashes + 2);
    const size_t path = rest.find('/');
    if (path == std::string_view::npos) return base::Err(std::string("a path is missing behind the scheme"));
    if (scheme != "dns:" && path > 0) return base::Err(std::string("a socket has no authority"));
    rest.remove_prefix(path);
  }
  if (scheme == "unix:") return net::grpc::Target{.unix_path = std::string(rest)};
  if (scheme == "unix-abstract:") return net::grpc::Target{.unix_path = "@" + std::string(rest)};
  if (rest.starts_with('/')) rest.remove_prefix(1);
  const net::http::HostAndPort split = net::http::SplitHostPort(rest);
  const bool has_port = split.port > 0 && rest.ends_with(":" + std::to_string(split.port));
  const bool bare = rest.rfind(':') == std::string_view::npos || rest.ends_with(']');
  if (split.host.empty() || !(bare || has_port) || split.host.find_first_of("/?#@") != std::string_view::npos)
    return base::Err("parse " + api::Quoted("dns://" + std::string(rest)) + ": it is not host:port");
  return net::grpc::Target{.host = std::string(split.host), .port = has_port ? split.port : kDefaultPort};
}

std::string Invalid(std::string_view field, const std::string& value, std::string_view why) {
  return std::string(field).append(": Invalid value: ").append(value).append(": ").append(why);
}

}  // namespace

base::Result<TracingConfig, std::string> ParseTracingConfig(std::string_view text) {
  const RawTracingConfig raw = TRY(ReadTracingConfig(text));
  TracingConfig config{.sampling_rate_per_million = raw.rate.value_or(0)};
  std::vector<std::string> errors;
  if (config.sampling_rate_per_million < 0)
    errors.push_back(
        Invalid("samplingRatePerMillion", std::to_string(*raw.rate), "sampling rate must be positive"));
  if (config.sampling_rate_per_million > kMillion)
    errors.push_back(Invalid("samplingRatePerMillion", std::to_string(*raw.rate),
                             "sampling rate per million must be less than or equal to one million"));
  if (raw.endpoint && !raw.endpoint->empty()) {
    auto target = TargetOf(*raw.endpoint);
    if (target) {
      config.collector = *std::move(target);
    } else {
      const bool has_scheme = raw.endpoint->find("//") != std::string::npos;
      errors.push_back(
          Invalid("endpoint", api::Quoted((has_scheme ? "" : "dns://") + *raw.endpoint), target.error()));
    }
  }
  if (errors.empty()) return config;
  std::string all = errors.front();
  for (size_t i = 1; i < errors.size(); ++i) all += ", " + errors[i];
  if (errors.size() > 1) all = "[" + all + "]";
  return base::Err("failed to validate tracing configuration: " + all);
}

}  // namespace keelson::app
