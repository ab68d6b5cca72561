#include "server/routes/profiling.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "base/memory.h"
#include "endpoints/filters.h"
#include "net/http/url.h"
#include "server/profiling/cpu_sampler.h"
#include "server/text_response.h"

namespace keelson::server {
namespace {

using profiling::CpuSampler;
using profiling::Profile;

constexpr std::string_view kPprofPage =
    "<html>\n<head>\n<title>/debug/pprof/</title>\n</head>\n<body>\n<p>/debug/pprof/</p>\n<table>\n"
    "<tr><td><a href='cmdline'>cmdline</a></td><td>The command line of the program.</td></tr>\n"
    "<tr><td><a href='heap'>heap</a></td><td>Memory that is in use, by the size of its blocks.</td></tr>\n"
    "<tr><td><a href='profile'>profile</a></td><td>Processor time, for ?seconds=, 30 by default.</td></tr>\n"
    "</table>\n</body>\n</html>\n";
constexpr std::chrono::seconds kDefaultSeconds{30}, kMostSeconds{3600};

net::http::Response ProfileResponse(const Profile& profile, std::string_view name) {
  net::http::Response response;
  response.headers.Add("content-type", "application/octet-stream");
  response.headers.Add("content-disposition", "attachment; filename=\"" + std::string(name) + "\"");
  response.headers.Add("x-content-type-options", "nosniff");
  response.body = endpoints::Gzipped(net::http::FixedBody(profile.Encode()));
  return response;
}

net::http::Response ProfilingError(int code, const std::string& text) {
  net::http::Response response = TextError(code, text);
  response.headers.Set("x-go-pprof", "1");
  return response;
}

std::chrono::seconds SecondsOf(const net::http::Request& request) {
  const auto query = net::http::Query::Parse(request.query);
  const std::string_view text = query.Get("seconds").value_or("");
  int64_t seconds = 0;
  std::from_chars(text.data(), text.data() + text.size(), seconds);
  return seconds > 0 ? std::chrono::seconds(seconds) : kDefaultSeconds;
}

base::Task<net::http::Response> CpuProfile(IncomingRequest& incoming) {
  const std::chrono::seconds seconds = SecondsOf(incoming.request);
  if (seconds > kMostSeconds) co_return ProfilingError(400, "profile duration exceeds an hour");
  auto sampler = CpuSampler::Start(seconds);
  if (!sampler) co_return ProfilingError(500, "Could not enable CPU profiling: " + sampler.error());
  base::Completion<bool> over;
  base::Executor::Current()->PostAfter(seconds, [over] { over.Set(true); });
  co_await over;
  co_return ProfileResponse((*sampler)->Finish(), "profile");
}

base::Task<net::http::Response> HeapProfile(std::vector<base::Executor*> loops) {
  std::map<size_t, size_t> counts;  // of blocks, by their size
  for (base::Executor* const loop : loops) {
    base::Completion<std::vector<base::HeapBlocks>> told;
    loop->Post([told] { told.Set(base::OwnHeapBlocks()); });
    for (const base::HeapBlocks& blocks : co_await told) counts[blocks.bytes] += blocks.count;
  }
  constexpr Profile::ValueType kTypes[] = {{"inuse_objects", "count"}, {"inuse_space", "bytes"}};
  Profile profile(kTypes, {"space", "bytes"}, 1);
  size_t known = 0;
  for (const auto& [bytes, count] : counts) {
    if (count == 0) continue;
    known += bytes * count;
    const int64_t values[] = {static_cast<int64_t>(count), static_cast<int64_t>(bytes * count)};
    profile.AddNamed("blocks of " + std::to_string(bytes) + " bytes", values);
  }
  if (const size_t all = base::HeapBytes(); all > known) {
    const int64_t values[] = {0, static_cast<int64_t>(all - known)};
    profile.AddNamed("of other threads, or free", values);
  }
  co_return ProfileResponse(profile, "heap");
}

net::http::Response CommandLine() {
  std::ifstream file("/proc/self/cmdline");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  if (text.ends_with('\0')) text.pop_back();
  net::http::Response response = TextResponse(200, text);
  response.headers.Set("x-content-type-options", "nosniff");
  return response;
}

}  // namespace

void InstallProfiling(Router& router, std::function<std::vector<base::Executor*>()> loops) {
  // Each has a path of its own, so that nobody makes up paths that are counted.
  router.AddPage(
      "/debug/pprof",
      [](IncomingRequest&) {
        net::http::Response moved = TextResponse(302, "");
        moved.headers.Set("location", "/debug/pprof/");
        return moved;
      },
      /*listed=*/false);
  router.AddPage(
      "/debug/pprof/",
      [](IncomingRequest&) {
        net::http::Response index = TextResponse(200, kPprofPage);
        index.headers.Set("content-type", "text/html; charset=utf-8");
        index.headers.Set("x-content-type-options", "nosniff");
        return index;
      },
      /*listed=*/false);
  router.AddPage("/debug/pprof/cmdline", [](IncomingRequest&) { return CommandLine(); }, /*listed=*/false);
  router.AddPage(
      "/debug/pprof/symbol", [](IncomingRequest&) { return TextResponse(200, "num_symbols: 0\n"); },
      /*listed=*/false);
  router.AddSlowPage("/debug/pprof/profile", [](IncomingRequest& incoming) { return CpuProfile(incoming); });
  for (const char* const path : {"/debug/pprof/heap", "/debug/pprof/allocs"})
    router.AddSlowPage(path, [loops](IncomingRequest&) { return HeapProfile(loops()); });
}

}  // namespace keelson::server
