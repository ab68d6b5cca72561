#include "server/routes/debug_flags.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "api/validation/quote.h"
#include "base/log.h"
#include "server/text_response.h"

namespace keelson::server {
namespace {

constexpr size_t kMaxFlagBytes = 64;  // of a value
constexpr std::string_view kIndexPage =
    "<html>\n<head>\n<title>/debug/flags/</title>\n</head>\n<body>\n/debug/flags/"
    "<br>\n<br>\nflags:<br>\n<table>\n"
    "<tr>v<br>\n</table>\n<br>\nfull flags configurable<br>\n</body>\n</html>\n";

net::http::Response Line(int code, std::string_view text) {
  net::http::Response response = TextResponse(code, std::string(text) + "\n");
  response.headers.Set("content-type", "text/plain");
  response.headers.Set("x-content-type-options", "nosniff");
  return response;
}

base::Task<net::http::Response> SetVerbosity(IncomingRequest& incoming) {
  if (incoming.request.method != "PUT") co_return Line(406, "unsupported http method");
  std::string value;
  for (;;) {
    auto part = co_await incoming.request.body->Read();
    if (!part) co_return Line(400, "error reading request body");
    if (!*part) break;
    value += (*part)->view();
    if (value.size() > kMaxFlagBytes) break;
  }
  uint32_t verbosity = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), verbosity);
  if (error != std::errc() || end != value.data() + value.size())
    co_return Line(400,
                   "strconv.ParseUint: parsing " + api::Quoted(value.substr(0, kMaxFlagBytes)) + ": " +
                       (error == std::errc::result_out_of_range ? "value out of range" : "invalid syntax"));
  base::SetLogVerbosity(static_cast<int>(std::min<uint32_t>(verbosity, INT32_MAX)));
  co_return Line(200, "successfully set klog.logging.verbosity to " + value);
}

}  // namespace

void InstallDebugFlags(Router& router) {
  for (const char* const path : {"/debug/flags", "/debug/flags/"})
    router.AddPage(
        path,
        [](IncomingRequest&) {
          net::http::Response response = TextResponse(200, kIndexPage);
          response.headers.Set("content-type", "text/html; charset=utf-8");
          return response;
        },
        /*listed=*/false);
  router.AddSlowPage("/debug/flags/v", SetVerbosity);
}

}  // namespace keelson::server
