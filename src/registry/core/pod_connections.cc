#include "registry/core/pod_connections.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "api/codec/time_format.h"
#include "api/validation/field.h"
#include "net/http/url.h"
#include "net/http/websocket.h"
#include "registry/core/connection.h"
#include "registry/core/forwarding.h"
#include "registry/core/kubelet_location.h"
#include "registry/core/resource_names.h"

namespace keelson::registry::core {
namespace {

namespace field = api::field;
using api::core_v1::PodAttachOptionsView;
using api::core_v1::PodExecOptionsView;
using api::core_v1::PodPortForwardOptionsView;
using api::core_v1::PodView;
using net::http::Query;
using net::http::Response;

// A query in the making, as Go writes url.Values: sorted by key.
class Parameters {
 public:
  void Add(std::string key, std::string_view value) { values_.emplace(std::move(key), value); }
  void AddFlag(const Query& query, const std::string& key, std::string_view as) {
    if (IsTrue(query, key)) Add(key, as);
  }
  std::string Encode() const {
    std::string text;
    for (const auto& [key, value] : values_)
      text.append(text.empty() ? "?" : "&")
          .append(net::http::QueryEscape(key))
          .append("=")
          .append(net::http::QueryEscape(value));
    return text;
  }
  static bool IsTrue(const Query& query, std::string_view key) {
    return query.Get(key).transform(net::http::IsTrue).value_or(false);
  }

 private:
  std::multimap<std::string, std::string> values_;
};

struct LocatedPod {
  api::Doc doc;
  KubeletLocation kubelet;  // without a host: the pod has no node
  std::string container;
};

// The pod, one of its containers unless `container` is null, and its node.
base::Task<rest::Result<LocatedPod>> Locate(const Dependencies& dependencies, std::string ns,
                                            std::string name, const std::string* container) {
  LocatedPod located;
  located.doc = CO_TRY(co_await GetObject(*dependencies.stores, kPods, api::core_v1::kPodType, std::move(ns),
                                          std::move(name), kPods));
  const PodView pod(located.doc);
  if (container) located.container = CO_TRY(ChooseContainer(pod, *container));
  const std::string node(pod.spec().node_name());
  if (node.empty()) co_return located;
  located.kubelet = CO_TRY(co_await LocateKubelet(dependencies, node, kPods));
  co_return located;
}

std::string PathOf(std::string_view action, PodView pod, std::string_view container) {
  std::string path = "/";
  path.append(action)
      .append("/")
      .append(pod.metadata().namespace_())
      .append("/")
      .append(pod.metadata().name());
  if (!container.empty()) path.append("/").append(container);
  return path;
}

// ---- log

struct LogOptions {
  std::string container;
  Parameters parameters;  // for the kubelet
  bool insecure = false;
  bool follow = false;
};

rest::Result<std::optional<int64_t>> NumberOf(const Query& query, std::string_view key) {
  const auto text = query.Get(key);
  if (!text) return std::optional<int64_t>();
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error == std::errc() && end == text->data() + text->size() && !text->empty())
    return std::optional(value);
  const bool range = error == std::errc::result_out_of_range;
  return base::Err(api::BadRequest("strconv.ParseInt: parsing " + field::RenderValue(*text) +
                                   (range ? ": value out of range" : ": invalid syntax")));
}

rest::Result<LogOptions> ParseLogOptions(const Query& query, std::string_view pod) {
  LogOptions options{.container = std::string(query.Get("container").value_or(""))};
  field::ErrorList errors;
  const auto number = [&](const std::string& key, int64_t least, std::string_view why) -> rest::Result<bool> {
    auto value = TRY(NumberOf(query, key));
    if (value && *value < least)
      errors.Add(field::Invalid(field::Path(key), field::RenderValue(*value), why));
    if (value) options.parameters.Add(key, std::to_string(*value));
    return value.has_value();
  };
  constexpr std::string_view kPositive = "must be greater than 0";
  TRY(number("tailLines", 0, "must be greater than or equal to 0"));
  TRY(number("limitBytes", 1, kPositive));

  const auto since = query.Get("sinceTime");
  if (since && !since->empty()) {
    auto time = api::ParseTime(*since);
    if (!time) return base::Err(api::BadRequest(time.error()));
    char text[api::kMaxTimeSize];
    options.parameters.Add("sinceTime",
                           {text, static_cast<size_t>(api::FormatTime(time->seconds, text) - text)});
    if (query.Has("sinceSeconds"))
      errors.Add(field::Forbidden(field::Path("[]"),
                                  "at most one of `sinceTime` or `sinceSeconds` may be specified"));
  }
  if (errors.empty() || !query.Has("sinceTime")) TRY(number("sinceSeconds", 1, kPositive));
  if (query.Has("stream")) errors.Add(field::Forbidden(field::Path("stream"), "may not be specified"));
  if (!errors.empty()) return base::Err(api::Invalid({"", "PodLogOptions"}, pod, errors));
  for (const char* flag : {"follow", "previous", "timestamps"})
    options.parameters.AddFlag(query, flag, "true");
  options.insecure = Parameters::IsTrue(query, "insecureSkipTLSVerifyBackend");
  options.follow = Parameters::IsTrue(query, "follow");
  return options;
}

// What the kubelet is asked, on behalf of `request`. A log that goes on may be silent from its start.
net::http::ClientRequest AskForLog(const net::http::Request& request, const LogOptions& options,
                                   const std::string& host, std::string target) {
  net::http::ClientRequest ask{.method = "GET", .target = std::move(target), .on_behalf_of = request.body};
  if (!options.follow) ask.head_timeout = kBackendHeadTimeout;
  ask.headers.Add("host", host);
  return ask;
}

// The log as the client takes it: as it is, or in messages of a WebSocket.
Response LogAnswer(net::http::Request& request, std::unique_ptr<net::http::BodySource> log) {
  constexpr std::string_view kBinary = "binary.k8s.io", kBase64 = "base64.binary.k8s.io";
  if (net::http::IsWebSocketRequest(request)) {
    auto protocol = net::http::NegotiateWebSocket(request, {.protocols = {"", kBinary, kBase64}});
    if (!protocol) return std::move(protocol.error());
    if (!log) log = net::http::FixedBody(base::Slice());
    auto messages = net::http::WebSocketMessages(std::move(log), *protocol == kBase64);
    return net::http::WebSocketResponse(request, *protocol, std::move(messages));
  }
  Response response;
  response.headers.Add("content-type", "text/plain");
  response.body = std::move(log);
  return response;
}

// What the kubelet says is wrong, in upstream's words.
base::Task<api::Status> KubeletRefusal(Response response, std::string pod) {
  constexpr size_t kMostOfIt = 50'000;
  const std::string text = co_await ReadText(std::move(response.body), kMostOfIt);
  if (response.status == 500) co_return api::InternalError(text);
  if (response.status == 400) co_return api::BadRequest(text);
  co_return api::GenericServerResponse(response.status, "", {"", "pods/log"}, pod, text);
}

class PodLog final : public Serving, public rest::Connecter {
 public:
  explicit PodLog(const Dependencies& dependencies) : dependencies_(dependencies) {}
  rest::Verbs verbs() override { return {.connect = this}; }
  std::string_view medium() const override { return "text/plain"; }

  base::Task<rest::Result<Response>> Connect(rest::ConnectRequest request) override {
    const Query query = Query::Parse(request.request->query);
    auto options = CO_TRY(ParseLogOptions(query, request.name));
    auto located = CO_TRY(co_await Locate(dependencies_, request.ns, request.name, &options.container));
    const KubeletLocation& kubelet = located.kubelet;
    if (kubelet.host.empty()) co_return Response{.status = 204};

    const std::string host = HostPort(kubelet.host, kubelet.port);
    std::string target =
        PathOf("containerLogs", PodView(located.doc), located.container) + options.parameters.Encode();
    const std::string url = "Get \"https://" + host + target + "\": ";
    net::http::ClientRequest ask = AskForLog(*request.request, options, host, std::move(target));
    net::http::Destination destination{.host = kubelet.host, .port = kubelet.port, .global_only = true};
    net::http::Client& client =
        options.insecure ? *dependencies_.insecure_client : *dependencies_.kubelet_client;
    auto response = co_await client.Send(std::move(destination), std::move(ask));
    if (!response) {
      auto refused = Refused(response.error());
      co_return base::Err(refused ? *std::move(refused) : PlainFailure(url + response.error().message));
    }
    if (response->status >= 300 && response->status < 400)
      co_return base::Err(PlainFailure(url + "redirects forbidden"));
    if (response->status > 206) {
      api::Status refusal = co_await KubeletRefusal(*std::move(response), request.name);
      co_return base::Err(std::move(refusal));
    }
    co_return LogAnswer(*request.request, std::move(response->body));
  }

 private:
  const Dependencies dependencies_;
};

// ---- exec, attach, portforward

// What a stream asks of the kubelet.
using ParametersOf = Parameters (*)(const api::Doc& options);

template <class View>
Parameters StreamParameters(const api::Doc& options) {
  const View view(options);
  Parameters parameters;
  const std::pair<const char*, bool> kFlags[] = {
      {"input", view.stdin()}, {"output", view.stdout()}, {"error", view.stderr()}, {"tty", view.tty()}};
  for (const auto& [flag, is_set] : kFlags)
    if (is_set) parameters.Add(flag, "1");
  return parameters;
}

Parameters ExecParameters(const api::Doc& options) {
  Parameters parameters = StreamParameters<PodExecOptionsView>(options);
  for (const api::Value& command : PodExecOptionsView(options).command())
    parameters.Add("command", command.string());
  return parameters;
}

Parameters PortForwardParameters(const api::Doc& options) {
  std::string ports;
  for (const api::Value& port : PodPortForwardOptionsView(options).ports())
    ports.append(ports.empty() ? "" : ",").append(std::to_string(port.integer()));
  Parameters parameters;
  if (!ports.empty()) parameters.Add("port", ports);
  return parameters;
}

// The container that is meant; empty: whichever is the only one, or the default.
template <class View>
std::string ContainerIn(const api::Doc& options) {
  return std::string(View(options).container());
}

struct StreamKind {
  std::string_view action;  // in the kubelet's path
  ParametersOf parameters;
  std::string (*container)(const api::Doc& options);  // null: it is the pod that is connected to
};
constexpr StreamKind kExec{"exec", ExecParameters, ContainerIn<PodExecOptionsView>};
constexpr StreamKind kAttach{"attach", StreamParameters<PodAttachOptionsView>,
                             ContainerIn<PodAttachOptionsView>};
constexpr StreamKind kPortForward{"portForward", PortForwardParameters, nullptr};

// A WebSocket in one of the protocols that only kubelets with ExtendWebSocketsToKubelet understand. Clients
// that speak them speak SPDY, too, and turn to that when they are refused.
bool IsForNewKubelets(const net::http::Request& request) {
  if (!net::http::IsWebSocketRequest(request)) return false;
  const std::string_view offered = request.headers.Get("sec-websocket-protocol").value_or("");
  return offered.find("v5.channel.k8s.io") != std::string_view::npos ||
         offered.find("SPDY/3.1+portforward.k8s.io") != std::string_view::npos;
}

class PodStream final : public Connection {
 public:
  PodStream(const StreamKind& kind, ServingOptions options, const Dependencies& dependencies)
      : Connection(std::move(options)), kind_(kind), dependencies_(dependencies) {}

 private:
  base::Task<rest::Result<Response>> ConnectAdmitted(rest::ConnectRequest request,
                                                     api::Doc options) override {
    if (auto refused = co_await MayCreate(request)) co_return base::Err(*std::move(refused));
    if (!dependencies_.features.extend_web_sockets_to_kubelet && IsForNewKubelets(*request.request))
      co_return base::Err(api::BadRequest(
          "WebSockets are not passed on to kubelets: feature gate ExtendWebSocketsToKubelet is false"));
    const Parameters parameters = kind_.parameters(options);
    const std::string container = kind_.container ? kind_.container(options) : std::string();
    auto located = CO_TRY(
        co_await Locate(dependencies_, request.ns, request.name, kind_.container ? &container : nullptr));
    if (located.kubelet.host.empty())
      co_return base::Err(api::BadRequest("pod " + request.name + " does not have a host assigned"));
    Forwarding forwarding{
        .destination = {.host = located.kubelet.host, .port = located.kubelet.port, .global_only = true},
        .target = PathOf(kind_.action, PodView(located.doc), located.container) + parameters.Encode(),
        .upgrade_required = true};
    co_return co_await Forward(*dependencies_.kubelet_client, *request.request, std::move(forwarding));
  }

  // A WebSocket begins with GET, but what it may do is what create allows.
  base::Task<std::optional<api::Status>> MayCreate(const rest::ConnectRequest& request) {
    if (request.request->method == "POST") co_return std::nullopt;
    const auth::Attributes attributes{.user = request.user,
                                      .verb = "create",
                                      .resource_request = true,
                                      .group = "",
                                      .version = "v1",
                                      .resource = "pods",
                                      .subresource = serving().subresource,
                                      .ns = request.ns,
                                      .name = request.name};
    const auth::Verdict verdict = co_await dependencies_.authorizer->Authorize(attributes);
    if (verdict.decision == auth::Decision::kAllow) co_return std::nullopt;
    co_return api::Forbidden({"", "pods/" + serving().subresource}, request.name, verdict.reason);
  }

  const StreamKind& kind_;
  const Dependencies dependencies_;
};

}  // namespace

std::unique_ptr<Serving> ServePodLog(ServingOptions, const Dependencies& dependencies) {
  return std::make_unique<PodLog>(dependencies);
}
std::unique_ptr<Serving> ServePodExec(ServingOptions options, const Dependencies& dependencies) {
  return std::make_unique<PodStream>(kExec, std::move(options), dependencies);
}
std::unique_ptr<Serving> ServePodAttach(ServingOptions options, const Dependencies& dependencies) {
  return std::make_unique<PodStream>(kAttach, std::move(options), dependencies);
}
std::unique_ptr<Serving> ServePodPortForward(ServingOptions options, const Dependencies& dependencies) {
  return std::make_unique<PodStream>(kPortForward, std::move(options), dependencies);
}

}  // namespace keelson::registry::core
