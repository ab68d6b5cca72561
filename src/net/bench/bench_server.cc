// A server for load generators: /4k answers 4 KB, /pods answers 37 MB in slices of 3.7 KB,
// as a list of 10,000 pods would. Prints CPU time per request when told to stop.
//
//   net_bench_server <port> <threads>; then h2load -n 100000 -c 4 -m 10 https://127.0.0.1:<port>/4k
#include <sys/resource.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "base/metrics.h"
#include "net/server.h"
#include "net/testing/certificates.h"

namespace {

using namespace keelson;

constexpr size_t kObjects = 10'000;
constexpr size_t kObjectBytes = 3'700;

// A list as a source: slices of objects that are held once.
class ListBody final : public net::http::BodySource {
 public:
  explicit ListBody(const base::Slice& object) : object_(object) {}
  State Next(size_t limit, std::vector<base::Slice>& out) override {
    for (size_t given = 0; given < limit && next_ < kObjects; given += kObjectBytes, ++next_)
      out.push_back(object_);
    return next_ == kObjects ? State::kEnd : State::kMore;
  }

 private:
  const base::Slice& object_;
  size_t next_ = 0;
};

class BenchHandler final : public net::http::Handler {
 public:
  base::Task<net::http::Response> Handle(net::http::Request& request) override {
    requests.fetch_add(1, std::memory_order_relaxed);
    net::http::Response response;
    response.headers.Add("content-type", "application/json");
    response.headers.Add("audit-id", "6f9d3b4e-0000-4000-8000-000000000000");
    if (request.path == "/pods") {
      response.body = std::make_unique<ListBody>(object_);
    } else {
      response.body = net::http::FixedBody(small_);
    }
    co_return response;
  }
  std::atomic<uint64_t> requests{0};

 private:
  const base::Slice small_ = base::Slice::Copy(std::string(4096, 's'));
  const base::Slice object_ = base::Slice::Copy(std::string(kObjectBytes, 'o'));
};

double CpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

int main(int argc, char** argv) {
  net::ServerConfig config;
  config.bind_address = "127.0.0.1";
  config.port = static_cast<uint16_t>(argc > 1 ? std::atoi(argv[1]) : 0);
  config.threads = argc > 2 ? std::atoi(argv[2]) : 1;
  const auto ca = net::testing::MakeCa("bench");
  const auto serving =
      net::testing::Issue(ca, {.common_name = "bench", .addresses = {"127.0.0.1"}, .server = true});
  config.tls.certificate_chain_pem = serving.certificate_pem;
  config.tls.private_key_pem = serving.key_pem;

  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGINT);
  sigaddset(&stop, SIGTERM);
  sigprocmask(SIG_BLOCK, &stop, nullptr);

  BenchHandler handler;
  base::Metrics metrics;
  auto server = net::Server::Create(config, handler, metrics);
  if (!server) return std::fprintf(stderr, "%s\n", server.error().c_str()), 1;
  if (auto started = (*server)->Start(); !started)
    return std::fprintf(stderr, "%s\n", started.error().c_str()), 1;
  std::printf("https://127.0.0.1:%d\n", (*server)->port());
  std::fflush(stdout);
  const double before = CpuSeconds();
  int signal = 0;
  sigwait(&stop, &signal);
  const double used = CpuSeconds() - before;
  (*server)->Shutdown(std::chrono::milliseconds(100));
  const auto requests = static_cast<double>(handler.requests.load());
  std::printf("%.0f requests, %.3f s CPU, %.2f us each\n", requests, used,
              requests > 0 ? used / requests * 1e6 : 0.0);
  return 0;
}
