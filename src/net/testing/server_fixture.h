// ServerTest: a server on a free port with a handler that plays a part per path.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <memory>
#include <string>

#include "base/metrics.h"
#include "net/server.h"
#include "net/testing/certificates.h"
#include "net/testing/h2_client.h"
#include "net/testing/https_client.h"

namespace keelson::net::testing {

// Paths: /hello says what it was asked; /echo gives the body back (413 over 3 MiB);
// /big?<n> gives n bytes of unknown size; /fixed?<n> gives n bytes of known size;
// /watch sends lines given to Publish until drained; /wait answers when Release is called, and
// /wait-big?<n> gives n bytes then;
// /ignore answers without reading the body; /who names the client's certificate;
// /broken?<n> gives n bytes and fails, /broken-fixed?<n> having announced one more; /until-gone
// answers when the client has gone;
// /headers?<n> gives n bytes in fields of 50,000 at most; /login authenticates the client; /close asks to end
// the connection.
class TestHandler final : public http::Handler {
 public:
  base::Task<http::Response> Handle(http::Request& request) override;

  // One line to every open watch; any thread.
  void Publish(std::string line);
  // Lets every /wait, now and later, answer.
  void Release();

  // On a loop, by a body that gives so many.
  void ProducedInTurn(uint64_t bytes);

  std::atomic<int> open_watches{0};
  std::atomic<int> waiting{0};
  std::atomic<int> finished{0};       // handlers that returned
  std::atomic<uint64_t> produced{0};  // bytes /big was asked for
  // The most of them in one turn of a loop, or two. Means something with one thread.
  std::atomic<uint64_t> most_in_turn{0};
  std::atomic<int> bodies_alive{0};
  std::atomic<int> last_body_error{-1};  // of /echo

 private:
  friend class WatchBody;
  base::Task<http::Response> Echo(http::Request& request);
  base::Task<http::Response> Wait();
  base::Task<http::Response> WaitForGone(http::Request& request);

  std::atomic<uint64_t> produced_in_turn_{0};
  base::Mutex mu_;
  std::map<http::BodySource*, base::Executor*> watches_ GUARDED_BY(mu_);
  std::vector<base::Completion<bool>> waiters_ GUARDED_BY(mu_);
  bool released_ GUARDED_BY(mu_) = false;
};

inline http::Headers OneHeader(std::string_view name, std::string_view value) {
  http::Headers headers;
  headers.Add(name, value);
  return headers;
}

class ServerTest : public ::testing::Test {
 protected:
  ServerTest();
  ~ServerTest() override;

  void StartServer();
  std::unique_ptr<HttpsClient> Http1(TlsOptions options = {});
  std::unique_ptr<H2Client> Http2(H2Client::Options options = {}, TlsOptions tls = {});
  TlsOptions Trusting(TlsOptions options) const;
  // A client certificate of the trusted CA.
  TlsOptions WithCertificate(const Subject& subject, const KeyPair* other_ca = nullptr) const;

  ServerConfig config;  // change before StartServer
  TestHandler handler;
  base::Metrics metrics;
  std::unique_ptr<Server> server;
  const KeyPair ca;
};

// Polls until `done` or ten seconds have passed.
bool Eventually(const std::function<bool()>& done);

}  // namespace keelson::net::testing
