// ApiFixture: requests in, responses out, through a handler over real stores in memory.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "endpoints/api_handler.h"
#include "net/http/message.h"
#include "registry/testing/store_fixture.h"

namespace keelson::endpoints {

constexpr char kMaps[] = "/api/v1/namespaces/default/configmaps";

// Namespaces (with status and finalize), configmaps and secrets.
class ApiFixture : public registry::StoreFixture {
 public:
  using HeaderList = std::vector<std::pair<std::string, std::string>>;

  struct Reply {
    int status = 0;
    net::http::Headers headers;
    std::string body;
    std::string header(std::string_view name) const { return headers.Joined(name); }
  };

  ApiFixture();
  ~ApiFixture() override;

  // Serves one more resource.
  void Serve(ServedResource resource);

  // `target` is a path with its query.
  Reply Do(std::string method, std::string target, std::string body = "", HeaderList headers = {});
  // The same, leaving the body to the test.
  net::http::Response Open(std::string method, std::string target, std::string body = "",
                           HeaderList headers = {});
  // Sends requests that all arrive in one turn of the loop, in this order. Gives their places in it, in the
  // order in which they are answered. Every answer must have `status`.
  struct Call {
    std::string method, target, body, content_type = "application/json";
    int status = 200;
  };
  std::vector<size_t> OrderOfAnswers(std::vector<Call> calls);
  // A write of JSON.
  Reply Send(std::string method, std::string target, std::string body);

  static std::string ReadAll(net::http::BodySource& source);
  // What the source gives until it sleeps or ends.
  static std::string ReadAvailable(net::http::BodySource& source,
                                   net::http::BodySource::State* state = nullptr);

  base::Occupancy* occupancy_ = nullptr;  // of the requests that follow; null: they have none

 private:
  struct Sent;
  Sent& Prepare(std::string method, std::string target, std::string body, HeaderList headers);
  base::Task<net::http::Response> Handle(Sent& sent);
  base::Task<void> Answer(Sent& sent, int status, size_t place, std::vector<size_t>& order);
  std::vector<std::unique_ptr<Sent>> sent_;  // requests live as long as their responses
  std::vector<ServedResource> served_;
  std::unique_ptr<ApiHandler> handler_;
};

}  // namespace keelson::endpoints
