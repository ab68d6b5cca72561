#include "server/flow_control/work_estimate.h"

#include <charconv>
#include <cmath>
#include <string>

#include "net/http/url.h"
#include "server/flow_control/seat_seconds.h"

namespace keelson::server::flow_control {
namespace {

constexpr int kMaxListSeats = 100, kMaxWriteSeats = 10;
constexpr int64_t kBytesPerSeat = 100'000;
constexpr int64_t kStreamedBytes = 1'000'000;  // that a list from the cache holds at once, at most
constexpr int64_t kMaxObjectBytes = 1'500'000;
constexpr double kWatchesPerSeat = 10;
constexpr std::chrono::milliseconds kEventDuration{5};

int SeatsWithin(int level_seats, int maximum) {
  return level_seats == 0 ? maximum : std::min(level_seats, maximum);
}

// The parameters that say how much a list reads.
struct ListParameters {
  bool valid = true;
  int64_t limit = 0;
  bool has_selector = false;
  bool sends_initial_events = false;
  std::string version, match, token;
};

// 0 when it is absent; nullopt: no number.
std::optional<int64_t> ReadNumber(const net::http::Query& query, std::string_view key) {
  const auto text = query.Get(key);
  if (!text || text->empty()) return 0;
  const size_t sign = text->starts_with('+') ? 1 : 0;
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text->data() + sign, text->data() + text->size(), number);
  if (error != std::errc() || end != text->data() + text->size()) return std::nullopt;
  return number;
}

ListParameters ReadParameters(std::string_view text) {
  ListParameters list;
  if (text.empty()) return list;
  const auto query = net::http::Query::Parse(text);
  const auto limit = ReadNumber(query, "limit");
  list.valid = limit && ReadNumber(query, "timeoutSeconds");
  list.limit = limit.value_or(0);
  const auto value = [&](std::string_view key) { return std::string(query.Get(key).value_or("")); };
  list.has_selector = !value("fieldSelector").empty() || !value("labelSelector").empty();
  list.sends_initial_events = query.Get("sendInitialEvents").transform(net::http::IsTrue).value_or(false);
  list.version = value("resourceVersion");
  list.match = value("resourceVersionMatch");
  list.token = value("continue");
  return list;
}

bool IsFromCache(const ListParameters& list) {
  if (list.match == "NotOlderThan") return true;
  if (!list.match.empty() || !list.token.empty()) return false;
  return list.limit <= 0 || list.version.empty() || list.version == "0";
}

}  // namespace

WorkEstimate EstimateList(const endpoints::RequestInfo& info, std::string_view query, int level_seats,
                          const std::optional<ResourceSize>& size) {
  const int most = SeatsWithin(level_seats, kMaxListSeats);
  const ListParameters list = ReadParameters(query);
  if (!list.valid) return {.initial_seats = most};
  const bool watch = info.verb == "watch";
  const bool from_now_on =
      watch && !list.sends_initial_events && !list.version.empty() && list.version != "0";
  if (from_now_on || !size) return {};

  int64_t object_bytes = size->objects == 0 ? 0 : size->bytes / size->objects;
  if (object_bytes <= 0 && size->objects != 0) object_bytes = kMaxObjectBytes;
  const bool cached = watch || IsFromCache(list);
  int64_t objects = list.limit > 0 ? std::min(list.limit, size->objects) : size->objects;
  if (!info.name.empty()) {
    objects = 1;
  } else if (!cached && list.has_selector) {
    objects = std::max(objects, size->objects / 2);
  }
  int64_t bytes = objects * object_bytes;
  if (cached) bytes = std::min(bytes, kStreamedBytes);
  const int64_t seats = (bytes + kBytesPerSeat - 1) / kBytesPerSeat;
  return {.initial_seats = static_cast<int>(std::clamp<int64_t>(seats, 1, most))};
}

WorkEstimate EstimateWrite(int64_t watches, int level_seats) {
  if (static_cast<double>(watches) < kWatchesPerSeat) return {};
  const double seats = std::ceil(static_cast<double>(watches) / kWatchesPerSeat);
  const SeatSeconds work = SeatsTimes(seats, kEventDuration);
  const double taken = std::min<double>(seats, SeatsWithin(level_seats, kMaxWriteSeats));
  return {.initial_seats = 1,
          .final_seats = static_cast<int>(taken),
          .additional_latency = DurationPerSeat(work, taken)};
}

}  // namespace keelson::server::flow_control
