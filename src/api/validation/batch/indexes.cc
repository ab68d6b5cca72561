#include "api/validation/batch/indexes.h"

#include <algorithm>
#include <charconv>

#include "api/validation/quote.h"

namespace keelson::api::batch {
namespace {

struct Interval {
  int32_t first = 0, last = 0;
};

base::Result<int32_t, std::string> ParseIndex(std::string_view text, int32_t completions) {
  std::string_view digits = text;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  int64_t index = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (error != std::errc() || end != digits.data() + digits.size())
    return base::Err("cannot convert string to integer for index: " + Quoted(text));
  if (index >= completions) return base::Err("too large index: " + Quoted(text));
  return static_cast<int32_t>(index);
}

std::string NotIncreasing(int32_t previous, int32_t current) {
  return "non-increasing order, previous: " + std::to_string(previous) +
         ", current: " + std::to_string(current);
}

// "3" or "3-5".
base::Result<Interval, std::string> ParseInterval(std::string_view text, int32_t completions) {
  const size_t dash = text.find('-');
  if (dash != text.npos && text.find('-', dash + 1) != text.npos)
    return base::Err(
        "the fragment " + Quoted(text) +
        " violates the requirement that an index interval can have at most two parts separated by '-'");
  const auto first = TRY(ParseIndex(text.substr(0, dash), completions));
  if (dash == text.npos) return Interval{first, first};
  const auto last = TRY(ParseIndex(text.substr(dash + 1), completions));
  if (first >= last) return base::Err(NotIncreasing(first, last));
  return Interval{first, last};
}

// Hands out the intervals of a text one by one.
class Intervals {
 public:
  Intervals(std::string_view text, int32_t completions) : rest_(text), completions_(completions) {}
  std::optional<base::Result<Interval, std::string>> Next() {
    if (done_) return std::nullopt;
    const size_t comma = rest_.find(',');
    const std::string_view text = rest_.substr(0, comma);
    done_ = comma == rest_.npos;
    if (!done_) rest_.remove_prefix(comma + 1);
    return ParseInterval(text, completions_);
  }
  std::optional<Interval> NextValid() {
    while (auto next = Next())
      if (*next) return **next;
    return std::nullopt;
  }

 private:
  std::string_view rest_;
  int32_t completions_;
  bool done_ = false;
};

}  // namespace

base::Result<int32_t, std::string> CountIndexes(std::string_view text, int32_t completions) {
  if (text.empty()) return 0;
  int32_t total = 0;
  std::optional<int32_t> previous;
  Intervals intervals(text, completions);
  while (auto next = intervals.Next()) {
    if (!*next) return base::Err(next->error());
    const Interval interval = **next;
    if (previous && *previous >= interval.first) return base::Err(NotIncreasing(*previous, interval.first));
    total += interval.last - interval.first + 1;
    previous = interval.last;
  }
  return total;
}

std::optional<int32_t> FirstCommonIndex(std::string_view completed, std::string_view failed,
                                        int32_t completions) {
  if (completed.empty() || failed.empty()) return std::nullopt;
  Intervals of_completed(completed, completions), of_failed(failed, completions);
  auto c = of_completed.NextValid(), f = of_failed.NextValid();
  while (c && f) {
    if (c->first <= f->last && f->first <= c->last) return std::max(c->first, f->first);
    if (c->first <= f->first) {
      c = of_completed.NextValid();
    } else {
      f = of_failed.NextValid();
    }
  }
  return std::nullopt;
}

}  // namespace keelson::api::batch
