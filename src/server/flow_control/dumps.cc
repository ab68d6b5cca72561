#include "server/flow_control/dumps.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "api/codec/time_format.h"

namespace keelson::server::flow_control {
namespace {

using Row = std::vector<std::string>;

// Each column is eight characters wide at least, and one wider than its longest cell.
std::string Aligned(const std::vector<Row>& rows) {
  constexpr size_t kMinWidth = 8;
  std::vector<size_t> widths;
  for (const Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), kMinWidth);
    for (size_t i = 0; i + 1 < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size() + 2);
  }
  std::string text;
  for (const Row& row : rows) {
    for (size_t i = 0; i + 1 < row.size(); ++i) {
      text += row[i];
      text += ',';
      text.append(widths[i] - row[i].size() - 1, ' ');
    }
    text += row.back();
    text += '\n';
  }
  return text;
}

std::string Text(bool b) { return b ? "true" : "false"; }

// RFC 3339 with as many digits of the second as are needed.
std::string Text(base::Clock::WallTime time) {
  const auto since_epoch = std::chrono::nanoseconds(time.time_since_epoch()).count();
  char buffer[api::kMaxTimeSize];
  std::string text(buffer, api::FormatTime(since_epoch / 1'000'000'000, buffer));
  std::string fraction = std::to_string(1'000'000'000 + since_epoch % 1'000'000'000);
  fraction.front() = '.';
  fraction.resize(fraction.find_last_not_of("0.") + 1);
  text.insert(text.size() - 1, fraction);
  return text;
}

std::string Text(std::chrono::nanoseconds duration) {
  char buffer[api::kMaxDurationSize];
  return {buffer, api::FormatDuration(duration.count(), buffer)};
}

void AddDetails(const LevelDump::Request& request, Row& row) {
  const endpoints::RequestInfo& info = request.info;
  const std::string version = info.group.empty() ? info.version : info.group + "/" + info.version;
  for (const std::string& cell :
       {request.user, info.verb, info.path, info.ns, info.name, version, info.resource, info.subresource})
    row.push_back(cell);
}

Row RowOf(const std::string& level, int queue, int position, const LevelDump::Request& request,
          bool details) {
  constexpr const char* kNotStarted = "0001-01-01T00:00:00Z";
  Row row{level,
          request.schema,
          std::to_string(queue),
          std::to_string(position),
          request.distinguisher,
          Text(request.arrived),
          std::to_string(request.work.initial_seats),
          std::to_string(request.work.final_seats),
          Text(request.work.additional_latency),
          request.waits ? kNotStarted : Text(request.started)};
  if (details) AddDetails(request, row);
  return row;
}

}  // namespace

std::string DumpPriorityLevels(const FlowControl& control) {
  std::vector<Row> rows{{"PriorityLevelName", "ActiveQueues", "IsIdle", "IsQuiescing", "WaitingRequests",
                         "ExecutingRequests", "DispatchedRequests", "RejectedRequests", "TimedoutRequests",
                         "CancelledRequests"}};
  const auto configuration = control.Read();
  for (const auto& [level, uid, max_seats, queues, quiescing] : configuration->levels) {
    const LevelDump dump = level->Dump(/*details=*/false);
    const auto active =
        std::ranges::count_if(dump.queues, [](const auto& queue) { return queue.waiting != 0; });
    // Who is given up is told as cancelled, however its wait ended, as upstream does.
    rows.push_back({level->name(), std::to_string(active), Text(dump.waiting == 0 && dump.executing == 0),
                    Text(quiescing), std::to_string(dump.waiting), std::to_string(dump.executing),
                    std::to_string(dump.dispatched), std::to_string(dump.rejected), "0",
                    std::to_string(dump.cancelled)});
  }
  return Aligned(rows);
}

std::string DumpQueues(const FlowControl& control) {
  std::vector<Row> rows{{"PriorityLevelName", "Index", "PendingRequests", "ExecutingRequests", "SeatsInUse",
                         "NextDispatchR", "InitialSeatsSum", "MaxSeatsSum", "TotalWorkSum"}};
  const auto configuration = control.Read();
  for (const Configuration::Level& entry : configuration->levels) {
    const LevelDump dump = entry.level->Dump(/*details=*/false);
    for (size_t i = 0; i < dump.queues.size(); ++i) {
      const LevelDump::Queue& queue = dump.queues[i];
      rows.push_back({entry.level->name(), std::to_string(i), std::to_string(queue.waiting),
                      std::to_string(queue.executing), std::to_string(queue.seats_in_use),
                      ToString(queue.dispatch_mark), std::to_string(queue.initial_seats),
                      std::to_string(queue.max_seats), ToString(queue.waiting_work)});
    }
  }
  return Aligned(rows);
}

std::string DumpRequests(const FlowControl& control, bool details) {
  std::vector<Row> rows{{"PriorityLevelName", "FlowSchemaName", "QueueIndex", "RequestIndexInQueue",
                         "FlowDistingsher", "ArriveTime", "InitialSeats", "FinalSeats", "AdditionalLatency",
                         "StartTime"}};
  if (details)
    for (const char* header :
         {"UserName", "Verb", "APIPath", "Namespace", "Name", "APIVersion", "Resource", "SubResource"})
      rows.front().emplace_back(header);
  const auto configuration = control.Read();
  for (const Configuration::Level& entry : configuration->levels) {
    const std::string& level = entry.level->name();
    const LevelDump dump = entry.level->Dump(details);
    for (size_t i = 0; i < dump.queues.size(); ++i) {
      const auto& requests = dump.queues[i].requests;
      for (size_t j = 0; j < requests.size(); ++j)
        rows.push_back(RowOf(level, static_cast<int>(i), requests[j].waits ? static_cast<int>(j) : -1,
                             requests[j], details));
    }
    for (const LevelDump::Request& request : dump.without_queue)
      rows.push_back(RowOf(level, -1, -1, request, details));
  }
  return Aligned(rows);
}

}  // namespace keelson::server::flow_control
