#include "server/routes/zpages.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <functional>
#include <optional>
#include <random>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "api/codec/json_writer.h"
#include "api/codec/yaml.h"
#include "api/meta/status.h"
#include "base/version.h"
#include "endpoints/negotiation.h"
#include "endpoints/respond.h"
#include "server/routes/metrics.h"
#include "server/text_response.h"

namespace keelson::server {
namespace {

// What upstream's generic server calls itself there.
constexpr std::string_view kComponent = "apiserver";
constexpr std::string_view kConfigGroup = "config.k8s.io";
constexpr std::string_view kPageVersions[] = {"v1alpha1", "v1beta1"};
constexpr std::string_view kDeprecatedVersion = "v1alpha1";
constexpr std::string_view kNotAcceptable =
    "only the following media types are accepted: application/json, application/yaml, text/plain";

// One page: its path and kind, and what it tells in each form.
struct ZPage {
  std::string_view name;  // "statusz"
  std::string_view kind;  // "Statusz"
  std::function<std::string(std::string_view delimiter)> text;
  std::function<void(api::json::JsonWriter&)> fields;  // of the object, behind its metadata
};

// The form of an answer: an object in one version, or text.
struct Form {
  std::string_view version;  // empty: text
  bool yaml = false;
};

std::optional<Form> FormFor(const endpoints::AcceptClause& clause, const ZPage& page) {
  const bool typed = !clause.Param("as").empty() || !clause.Param("g").empty() || !clause.Param("v").empty();
  const bool any = clause.type == "*" && clause.subtype == "*";
  const bool application = clause.type == "application" || clause.type == "*";
  if (typed && application && clause.Param("as") == page.kind && clause.Param("g") == kConfigGroup) {
    const bool json = clause.subtype == "json" || clause.subtype == "*";
    for (const std::string_view version : kPageVersions)
      if (clause.Param("v") == version && (json || clause.subtype == "yaml"))
        return Form{.version = version, .yaml = !json};
  }
  const bool plain = clause.type == "text" && (clause.subtype == "plain" || clause.subtype == "*");
  if (!typed && (any || plain)) return Form{};
  return std::nullopt;
}

std::optional<Form> Negotiate(std::string_view accept, const ZPage& page) {
  if (accept.find_first_not_of(" \t") == std::string_view::npos) return Form{};
  for (const auto& clause : endpoints::ParseAccept(accept))
    if (const auto form = FormFor(clause, page)) return form;
  return std::nullopt;
}

// No one shall take the text apart: what is between a name and its value changes from one answer to the next.
std::string_view AnyDelimiter() {
  static constexpr std::string_view kDelimiters[] = {":", ": ", "=", " "};
  thread_local std::minstd_rand random(std::random_device{}());
  return kDelimiters[std::uniform_int_distribution<size_t>(0, std::size(kDelimiters) - 1)(random)];
}

std::string Header(std::string_view page) {
  std::string text = "\n" + std::string(kComponent) + " " + std::string(page) + "\n";
  return text +
         "Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility "
         "guarantees "
         "and is for debugging purposes only.\n";
}

net::http::Response Structured(const ZPage& page, const Form& form) {
  base::BufferBuilder json;
  api::json::JsonWriter writer(json);
  writer.BeginObject();
  writer.Key("kind").String(page.kind);
  writer.Key("apiVersion").String(std::string(kConfigGroup) + "/" + std::string(form.version));
  writer.Key("metadata").BeginObject().Key("name").String(kComponent).EndObject();
  page.fields(writer);
  writer.EndObject();
  net::http::Response response;
  if (form.yaml) {
    response.headers.Add("content-type", "application/yaml");
    response.body = net::http::FixedBody(base::Slice::Copy(api::yaml::FromJson(json.view())));
  } else {
    json.Append("\n");
    response = endpoints::JsonResponse(200, std::string(json.view()));
  }
  if (form.version == kDeprecatedVersion)
    response.headers.Add("warning", "299 - \"This version of the " + std::string(page.name) +
                                        " endpoint is deprecated. Please use a newer version.\"");
  return response;
}

void Install(Router& router, ZPage page) {
  router.AddPage('/' + std::string(page.name), [page = std::move(page)](IncomingRequest& incoming) {
    const auto form = Negotiate(incoming.accept(), page);
    if (!form) return endpoints::StatusResponse(api::NotAcceptable(kNotAcceptable), "application/json");
    if (form->version.empty()) return TextResponse(200, Header(page.name) + page.text(AnyDelimiter()));
    return Structured(page, *form);
  });
}

std::string Formatted(const char* format, std::time_t time) {
  std::tm tm{};
  gmtime_r(&time, &tm);
  char buffer[64];
  return {buffer, std::strftime(buffer, sizeof buffer, format, &tm)};
}

int64_t Uptime() {
  const double now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  return std::max<int64_t>(0, static_cast<int64_t>(now - ProcessStart()));
}

// The first part of each path, but for those of the API.
std::vector<std::string> Folders(const Router& router) {
  static const std::set<std::string_view> kOfTheApi = {"/api", "/apis", "/openid", "/openapi",
                                                       "/.well-known"};
  std::set<std::string> folders;
  for (const std::string& path : router.ListedPaths()) {
    const std::string folder = path.substr(0, path.find('/', 1));
    if (folder.size() > 1 && !kOfTheApi.contains(folder)) folders.insert(folder);
  }
  return {folders.begin(), folders.end()};
}

std::string StatusText(const Router& router, std::string_view delimiter) {
  const auto line = [&](std::string_view name, const std::string& value) {
    return std::string(name).append(delimiter).append(" ").append(value) + "\n";
  };
  const int64_t up = Uptime();
  char uptime[64];
  std::snprintf(uptime, sizeof uptime, "%lld hr %02lld min %02lld sec", static_cast<long long>(up / 3600),
                static_cast<long long>(up / 60 % 60), static_cast<long long>(up % 60));
  std::string paths;
  for (const std::string& folder : Folders(router)) paths += (paths.empty() ? "" : " ") + folder;
  return "\n" +
         line("Started", Formatted("%a %b %e %H:%M:%S UTC %Y", static_cast<std::time_t>(ProcessStart()))) +
         line("Up", uptime) + line("Go version", "") + line("Binary version", KEELSON_KUBERNETES_VERSION) +
         line("Emulation version", KEELSON_KUBERNETES_MAJOR "." KEELSON_KUBERNETES_MINOR) +
         line("Paths", paths);
}

void StatusFields(const Router& router, api::json::JsonWriter& writer) {
  writer.Key("startTime").String(Formatted("%Y-%m-%dT%H:%M:%SZ", static_cast<std::time_t>(ProcessStart())));
  writer.Key("uptimeSeconds").Int(Uptime());
  writer.Key("goVersion").String("");
  writer.Key("binaryVersion").String(KEELSON_KUBERNETES_VERSION);
  writer.Key("emulationVersion").String(KEELSON_KUBERNETES_MAJOR "." KEELSON_KUBERNETES_MINOR);
  writer.Key("paths").BeginArray();
  for (const std::string& folder : Folders(router)) writer.String(folder);
  writer.EndArray();
}

}  // namespace

void InstallStatusz(Router& router) {
  Install(router, {.name = "statusz",
                   .kind = "Statusz",
                   .text = [&router](std::string_view delimiter) { return StatusText(router, delimiter); },
                   .fields = [&router](api::json::JsonWriter& writer) { StatusFields(router, writer); }});
}

void InstallFlagz(Router& router, std::map<std::string, std::string> flags) {
  auto shared = std::make_shared<const std::map<std::string, std::string>>(std::move(flags));
  Install(router, {.name = "flagz",
                   .kind = "Flagz",
                   .text =
                       [shared](std::string_view delimiter) {
                         std::string text;
                         for (const auto& [name, value] : *shared)
                           text.append(name).append(delimiter).append(value).append("\n");
                         return text;
                       },
                   .fields =
                       [shared](api::json::JsonWriter& writer) {
                         writer.Key("flags").BeginObject();
                         for (const auto& [name, value] : *shared) writer.Key(name).String(value);
                         writer.EndObject();
                       }});
}

}  // namespace keelson::server
