#include "endpoints/table/rows.h"

#include <gtest/gtest.h>

#include "api/codec/json.h"
#include "endpoints/table/cells.h"

namespace keelson::endpoints::table {
namespace {

constexpr int64_t kNow = 1'767'225'600;  // 2026-01-01T00:00:00Z

const api::ResourceDesc& Resource(std::string_view kind) {
  for (const auto& resource : api::BuiltinResources())
    if (resource.group.empty() && resource.kind == kind) return resource;
  ADD_FAILURE() << "no resource of kind " << kind;
  std::abort();
}

struct Row {
  std::string cells, conditions;
};

Row RowOf(const api::ResourceDesc& resource, std::string_view json) {
  api::Arena arena;
  auto object = api::json::Decode(json, *resource.type, arena, nullptr);
  if (!object) {
    ADD_FAILURE() << object.error().message;
    return {};
  }
  base::BufferBuilder bytes;
  RowWriter row(bytes);
  PrinterFor(resource).PrintRow(**object, base::Clock::WallTime(std::chrono::seconds(kNow)), row);
  return {"[" + std::string(bytes.view()) + "]", std::string(row.conditions())};
}

Row RowOf(std::string_view kind, std::string_view json) { return RowOf(Resource(kind), json); }

TEST(RowsTest, EveryKindWithColumnsFillsEachOfThem) {
  for (const auto& resource : api::BuiltinResources()) {
    if (&PrinterFor(resource) == &DefaultPrinter()) continue;
    // Upstream's rows of addresses have an age that no column shows.
    const size_t beyond = resource.kind == "IPAddress" ? 1 : 0;
    const std::string cells = RowOf(api::StoredResource(resource), "{}").cells;
    api::Arena arena;
    const auto parsed = api::json::DecodeAny(cells, arena);
    ASSERT_TRUE(parsed) << cells;
    EXPECT_EQ(parsed->list()->size, PrinterFor(resource).columns().size() + beyond)
        << resource.kind << " " << cells;
  }
}

TEST(RowsTest, DurationsReadLikeUpstreams) {
  EXPECT_EQ(HumanDuration(-2), "<invalid>");
  EXPECT_EQ(HumanDuration(-1), "0s");
  EXPECT_EQ(HumanDuration(119), "119s");
  EXPECT_EQ(HumanDuration(120), "2m");
  EXPECT_EQ(HumanDuration(150), "2m30s");
  EXPECT_EQ(HumanDuration(601), "10m");
  EXPECT_EQ(HumanDuration(3 * 3600 + 60), "3h1m");
  EXPECT_EQ(HumanDuration(9 * 3600 + 60), "9h");
  EXPECT_EQ(HumanDuration(3 * 86400 + 3600), "3d1h");
  EXPECT_EQ(HumanDuration(100 * 86400), "100d");
  EXPECT_EQ(HumanDuration(3 * 365 * 86400 + 86400), "3y1d");
  EXPECT_EQ(HumanDuration(9LL * 365 * 86400 + 86400), "9y");
}

struct PodCase {
  const char* name;
  const char* json;
  const char* ready_status_restarts;  // those three cells
};

class PodRowTest : public testing::TestWithParam<PodCase> {};

TEST_P(PodRowTest, SumsUpTheContainers) {
  const std::string cells = RowOf("Pod", GetParam().json).cells;
  EXPECT_NE(cells.find(std::string(R"("p",)") + GetParam().ready_status_restarts + ","), std::string::npos)
      << cells;
}

constexpr PodCase kPodCases[] = {
    {"Pending",
     R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c"}]},"status":{"phase":"Pending"}})",
     R"("0/1","Pending","0")"},
    {"Running",
     R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c"},{"name":"d"}]},"status":{"phase":"Running",
        "containerStatuses":[{"name":"c","ready":true,"state":{"running":{}}},
        {"name":"d","ready":false,"restartCount":2,"state":{"waiting":{"reason":"CrashLoopBackOff"}},
         "lastState":{"terminated":{"exitCode":1,"finishedAt":"2025-12-31T23:59:00Z"}}}]}})",
     R"x("1/2","CrashLoopBackOff","2 (60s ago)")x"},
    {"CompletedBesideARunningOne",
     R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c"},{"name":"d"}]},"status":{"phase":"Running",
        "conditions":[{"type":"Ready","status":"True"}],
        "containerStatuses":[{"name":"c","state":{"terminated":{"exitCode":0,"reason":"Completed"}}},
        {"name":"d","ready":true,"state":{"running":{}}}]}})",
     R"("1/2","Running","0")"},
    {"ExitCode",
     R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c"}]},"status":{"phase":"Failed",
        "containerStatuses":[{"name":"c","state":{"terminated":{"exitCode":3}}}]}})",
     R"("0/1","ExitCode:3","0")"},
    {"WaitingForInit",
     R"({"metadata":{"name":"p"},"spec":{"initContainers":[{"name":"i"},{"name":"j"}],"containers":[{"name":"c"}]},
        "status":{"phase":"Pending","initContainerStatuses":[
        {"name":"i","state":{"terminated":{"exitCode":0}}},{"name":"j","state":{"running":{}}}]}})",
     R"("0/1","Init:1/2","0")"},
    {"FailedInit",
     R"({"metadata":{"name":"p"},"spec":{"initContainers":[{"name":"i"}],"containers":[{"name":"c"}]},
        "status":{"phase":"Pending","initContainerStatuses":[{"name":"i","state":{"terminated":{"exitCode":2,"signal":9}}}]}})",
     R"("0/1","Init:Signal:9","0")"},
    {"Sidecar",
     R"({"metadata":{"name":"p"},"spec":{"initContainers":[{"name":"i","restartPolicy":"Always"}],"containers":[{"name":"c"}]},
        "status":{"phase":"Running","initContainerStatuses":[{"name":"i","ready":true,"started":true,"state":{"running":{}}}],
        "containerStatuses":[{"name":"c","ready":true,"state":{"running":{}}}]}})",
     R"("2/2","Running","0")"},
    {"Terminating",
     R"({"metadata":{"name":"p","deletionTimestamp":"2026-01-01T00:00:00Z"},"spec":{"containers":[{"name":"c"}]},
        "status":{"phase":"Running"}})",
     R"("0/1","Terminating","0")"},
    {"Gated",
     R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c"}]},"status":{"phase":"Pending",
        "conditions":[{"type":"PodScheduled","status":"False","reason":"SchedulingGated"}]}})",
     R"("0/1","SchedulingGated","0")"},
};
INSTANTIATE_TEST_SUITE_P(Cases, PodRowTest, testing::ValuesIn(kPodCases),
                         [](const auto& info) { return info.param.name; });

TEST(RowsTest, AFinishedPodIsMarkedCompleted) {
  EXPECT_NE(RowOf("Pod", R"({"status":{"phase":"Succeeded"}})").conditions.find("Completed"),
            std::string::npos);
  EXPECT_EQ(RowOf("Pod", R"({"status":{"phase":"Running"}})").conditions, "");
}

TEST(RowsTest, ServicesShowTheirAddressesAndPorts) {
  EXPECT_EQ(RowOf("Service", R"({"metadata":{"name":"s","creationTimestamp":"2025-12-31T23:00:00Z"},"spec":{
              "type":"NodePort","clusterIPs":["10.0.0.7"],"selector":{"a":"b"},
              "ports":[{"port":80,"nodePort":30080,"protocol":"TCP"},{"port":53,"protocol":"UDP"}]}})")
                .cells,
            R"(["s","NodePort","10.0.0.7","\u003cnone\u003e","80:30080/TCP,53/UDP","60m","a=b"])");
  EXPECT_NE(RowOf("Service", R"({"spec":{"type":"LoadBalancer"}})").cells.find("pending"), std::string::npos);
}

TEST(RowsTest, EndpointsShowThreeAddressesAndCountTheRest) {
  EXPECT_EQ(
      RowOf("Endpoints", R"({"metadata":{"name":"e","creationTimestamp":"2025-12-31T23:59:59Z"},"subsets":[{
              "addresses":[{"ip":"1.1.1.1"},{"ip":"1.1.1.2"}],"ports":[{"port":80},{"port":81}]}]})")
          .cells,
      R"(["e","1.1.1.1:80,1.1.1.2:80,1.1.1.1:81 + 1 more...","1s"])");
}

TEST(RowsTest, QuotasSplitRequestsFromLimits) {
  EXPECT_EQ(
      RowOf("ResourceQuota", R"({"metadata":{"name":"q","creationTimestamp":"2025-12-31T23:59:59Z"},"status":{
              "hard":{"pods":"5","limits.cpu":"2"},"used":{"pods":"1"}}})")
          .cells,
      R"(["q","pods: 1/5","limits.cpu: 0/2","1s"])");
}

TEST(RowsTest, EventsTakeTheSeriesWhenThereIsOne) {
  EXPECT_EQ(
      RowOf("Event", R"({"metadata":{"name":"e"},"involvedObject":{"kind":"Pod","name":"p"},"type":"Normal",
              "reason":"Pulled","message":" done \n","source":{"component":"kubelet","host":"n"},
              "firstTimestamp":"2025-12-31T23:50:00Z","series":{"count":7,"lastObservedTime":"2025-12-31T23:59:00.000000Z"}})")
          .cells,
      R"(["60s","Normal","Pulled","pod/p","","kubelet, n","done","10m",7,"e"])");
}

}  // namespace
}  // namespace keelson::endpoints::table
