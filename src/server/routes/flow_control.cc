#include "server/routes/flow_control.h"

#include "net/http/url.h"
#include "server/flow_control/dumps.h"
#include "server/text_response.h"

namespace keelson::server {

void InstallFlowControlDumps(Router& router, const flow_control::FlowControl& control) {
  const std::string root = "/debug/api_priority_and_fairness/";
  const auto add = [&](const char* name, auto dump) {
    router.AddPage(
        root + name,
        [&control, dump](IncomingRequest& incoming) { return TextResponse(200, dump(control, incoming)); },
        /*listed=*/false);
  };
  add("dump_priority_levels",
      [](const auto& c, IncomingRequest&) { return flow_control::DumpPriorityLevels(c); });
  add("dump_queues", [](const auto& c, IncomingRequest&) { return flow_control::DumpQueues(c); });
  add("dump_requests", [](const auto& c, IncomingRequest& incoming) {
    const auto query = net::http::Query::Parse(incoming.request.query);
    return flow_control::DumpRequests(c, !query.Get("includeRequestDetails").value_or("").empty());
  });
}

}  // namespace keelson::server
