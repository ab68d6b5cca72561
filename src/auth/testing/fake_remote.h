// FakeRemote: other servers, for tests of those who ask them.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "auth/authn/remote.h"
#include "net/http/body.h"

namespace keelson::auth::testing {

class FakeRemote {
 public:
  struct Asked {
    std::string url, method, body;
    net::http::Headers headers;
  };
  using Answer = std::function<RemoteAnswer(const Asked&)>;

  // What `url` answers; others cannot be reached.
  void Set(const std::string& url, Answer answer) { answers_[url] = std::move(answer); }
  void Set(const std::string& url, std::string body, int status = 200) {
    Set(url, [=](const Asked&) { return RemoteAnswer{status, body}; });
  }
  void Remove(const std::string& url) { answers_.erase(url); }
  int Count(const std::string& url) const {
    int count = 0;
    for (const Asked& a : asked) count += a.url == url;
    return count;
  }

  MakeRemoteClient Maker() {
    return [this](const RemoteTrust& trust) -> base::Result<std::unique_ptr<net::http::Client>, std::string> {
      trusted.push_back(trust);
      return std::make_unique<Client>(*this);
    };
  }

  std::vector<Asked> asked;
  std::vector<RemoteTrust> trusted;

 private:
  class Client final : public net::http::Client {
   public:
    explicit Client(FakeRemote& remote) : remote_(remote) {}
    base::Task<base::Result<net::http::Response, net::http::ClientError>> Send(
        net::http::Destination destination, net::http::ClientRequest request) override {
      Asked asked{.url = (destination.tls ? "https://" : "http://") +
                         std::string(*request.headers.Get("host")) + request.target,
                  .method = request.method,
                  .headers = request.headers};
      if (request.body) asked.body = (*co_await request.body->ReadAll(size_t{1} << 24)).view();
      remote_.asked.push_back(asked);
      const auto found = remote_.answers_.find(asked.url);
      if (found == remote_.answers_.end())
        co_return base::Err(net::http::ClientError{.message = "connection refused"});
      const RemoteAnswer answer = found->second(asked);
      net::http::Response response{.status = answer.status};
      response.body = net::http::FixedBody(base::Slice::Copy(answer.body));
      co_return response;
    }

   private:
    FakeRemote& remote_;
  };

  std::map<std::string, Answer> answers_;
};

}  // namespace keelson::auth::testing
