#include "endpoints/testing/api_fixture.h"

#include "registry/core/strategies.h"

namespace keelson::endpoints {
namespace {

class OnePiece final : public net::http::BodyReader {
 public:
  explicit OnePiece(std::string body) : body_(std::move(body)) {}
  base::Task<base::Result<std::optional<base::Slice>, net::http::BodyError>> Read() override {
    if (done_ || body_.empty()) co_return std::optional<base::Slice>();
    done_ = true;
    co_return std::optional<base::Slice>(base::Slice::Copy(body_));
  }

 private:
  const std::string body_;
  bool done_ = false;
};

}  // namespace

struct ApiFixture::Sent {
  explicit Sent(std::string body) : reader(std::move(body)) { request.body = &reader; }
  OnePiece reader;
  net::http::Request request;
  RequestInfo info;
};

ApiFixture::ApiFixture() {
  namespace core = registry::core;
  ServedResource namespaces{&Resource("namespaces")};
  namespaces.verbs = Add("namespaces", core::Namespaces(), {.returns_deleted_object = true}).AllVerbs();
  namespaces.subresources["status"] =
      Add("namespaces", core::NamespaceStatus(), {.subresource = "status"}).SubresourceVerbs();
  namespaces.subresources["finalize"] =
      Add("namespaces", core::NamespaceFinalize(), {.subresource = "finalize"}).SubresourceVerbs();
  served_.push_back(std::move(namespaces));
  served_.push_back({&Resource("configmaps"), Add("configmaps", core::ConfigMaps()).AllVerbs()});
  Serve({&Resource("secrets"), Add("secrets", core::Secrets()).AllVerbs()});
}

ApiFixture::~ApiFixture() = default;

void ApiFixture::Serve(ServedResource resource) {
  served_.push_back(std::move(resource));
  ApiHandlerOptions options{.server_address = "127.0.0.1:6443", .clock = &clock_};
  handler_ = std::make_unique<ApiHandler>(served_, std::move(options));
}

ApiFixture::Sent& ApiFixture::Prepare(std::string method, std::string target, std::string body,
                                      HeaderList headers) {
  Sent& sent = *sent_.emplace_back(std::make_unique<Sent>(std::move(body)));
  net::http::Request& request = sent.request;
  request.method = std::move(method);
  size_t mark = target.find('?');
  request.path = target.substr(0, mark);
  if (mark != std::string::npos) request.query = target.substr(mark + 1);
  for (auto& [name, value] : headers) request.headers.Add(name, value);
  sent.info = ParseRequestInfo(request.method, request.path, request.query);
  return sent;
}

base::Task<net::http::Response> ApiFixture::Handle(Sent& sent) {
  if (!sent.info.resource_request) co_return handler_->HandleDiscovery(sent.request, sent.info);
  auto answer =
      handler_->HandleBuiltIn(sent.request, {.info = &sent.info, .user = &user_, .occupancy = occupancy_});
  if (answer) co_return co_await *std::move(answer);
  co_return handler_->NotFound(sent.request, sent.info);
}

net::http::Response ApiFixture::Open(std::string method, std::string target, std::string body,
                                     HeaderList headers) {
  Sent& sent = Prepare(std::move(method), std::move(target), std::move(body), std::move(headers));
  return loop_.Run(Handle(sent));
}

base::Task<void> ApiFixture::Answer(Sent& sent, int status, size_t place, std::vector<size_t>& order) {
  const net::http::Response response = co_await Handle(sent);
  EXPECT_EQ(response.status, status) << sent.request.method << " " << sent.request.path;
  order.push_back(place);
}

std::vector<size_t> ApiFixture::OrderOfAnswers(std::vector<Call> calls) {
  std::vector<size_t> order;
  loop_.Post([&] {
    for (size_t i = 0; i < calls.size(); ++i) {
      Call& call = calls[i];
      Sent& sent = Prepare(std::move(call.method), std::move(call.target), std::move(call.body),
                           {{"content-type", std::move(call.content_type)}});
      base::Spawn(Answer(sent, call.status, i, order));
    }
  });
  loop_.RunUntil([&] { return order.size() == calls.size(); });
  return order;
}

ApiFixture::Reply ApiFixture::Do(std::string method, std::string target, std::string body,
                                 HeaderList headers) {
  net::http::Response response =
      Open(std::move(method), std::move(target), std::move(body), std::move(headers));
  Reply reply{response.status, response.headers};
  if (response.body) reply.body = ReadAll(*response.body);
  return reply;
}

ApiFixture::Reply ApiFixture::Send(std::string method, std::string target, std::string body) {
  return Do(std::move(method), std::move(target), std::move(body), {{"content-type", "application/json"}});
}

std::string ApiFixture::ReadAvailable(net::http::BodySource& source, net::http::BodySource::State* state) {
  std::string text;
  for (auto now = net::http::BodySource::State::kMore; now == net::http::BodySource::State::kMore;) {
    std::vector<base::Slice> slices;
    now = source.Next(1000, slices);
    for (const base::Slice& slice : slices) text.append(slice.view());
    if (state) *state = now;
  }
  return text;
}

std::string ApiFixture::ReadAll(net::http::BodySource& source) {
  net::http::BodySource::State state;
  std::string text = ReadAvailable(source, &state);
  EXPECT_EQ(state, net::http::BodySource::State::kEnd);
  return text;
}

}  // namespace keelson::endpoints
