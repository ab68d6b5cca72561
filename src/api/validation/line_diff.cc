#include "api/validation/line_diff.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace keelson::api::field {
namespace {

constexpr size_t kContext = 3;
constexpr size_t kLongText = 200;  // lines from which on frequent ones start no run
constexpr size_t kMostLines = 10'000;
constexpr size_t kMostSteps =
    20'000'000;  // the search for runs is quadratic, and hostile texts make it cubic

using Lines = std::vector<std::string_view>;

struct Run {
  size_t was, now, size;
};

// Lines [was, was_end) become [now, now_end).
struct Change {
  size_t was, was_end, now, now_end;
  bool equal;
};

Lines Split(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const size_t end = text.find('\n') + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

class Matcher {
 public:
  Matcher(const Lines& was, const Lines& now)
      : was_(was), now_(now), length_(now.size() + 1), next_(now.size() + 1) {
    for (size_t i = 0; i < now.size(); ++i) places_[now[i]].push_back(i);
    if (now.size() >= kLongText)
      std::erase_if(places_, [&](const auto& line) { return line.second.size() > now.size() / 100 + 1; });
  }

  std::vector<Run> Runs() {
    if (was_.size() <= kMostLines && now_.size() <= kMostLines) {
      Between(0, was_.size(), 0, now_.size());
    } else {
      CommonEnds();
    }
    std::vector<Run> joined;
    for (const Run& run : runs_) {
      if (!joined.empty() && joined.back().was + joined.back().size == run.was &&
          joined.back().now + joined.back().size == run.now) {
        joined.back().size += run.size;
      } else {
        joined.push_back(run);
      }
    }
    joined.push_back({was_.size(), now_.size(), 0});
    return joined;
  }

 private:
  void Between(size_t was, size_t was_end, size_t now, size_t now_end) {
    if (steps_ > kMostSteps) return;
    const Run run = Longest(was, was_end, now, now_end);
    if (run.size == 0) return;
    if (was < run.was && now < run.now) Between(was, run.was, now, run.now);
    runs_.push_back(run);
    if (run.was + run.size < was_end && run.now + run.size < now_end)
      Between(run.was + run.size, was_end, run.now + run.size, now_end);
  }

  // The longest run between these lines, the first one of several.
  Run Longest(size_t was, size_t was_end, size_t now, size_t now_end) {
    Run best{was, now, 0};
    const std::vector<size_t>* before = nullptr;  // where length_ is not zero
    for (size_t i = was; i < was_end; ++i) {
      // length_[j + 1]: of the run that ends with the line before this one and now_[j].
      const auto found = places_.find(was_[i]);
      const std::vector<size_t>* places = found == places_.end() ? nullptr : &found->second;
      steps_ += 1 + (places ? places->size() : 0);
      if (places) {
        for (const size_t j : *places) {
          if (j < now || j >= now_end) continue;
          const size_t size = length_[j] + 1;
          next_[j + 1] = size;
          if (size > best.size) best = {i + 1 - size, j + 1 - size, size};
        }
      }
      if (before) Clear(*before, length_);
      length_.swap(next_);
      before = places;
    }
    if (before) Clear(*before, length_);
    while (best.was > was && best.now > now && was_[best.was - 1] == now_[best.now - 1]) {
      --best.was, --best.now, ++best.size;
    }
    while (best.was + best.size < was_end && best.now + best.size < now_end &&
           was_[best.was + best.size] == now_[best.now + best.size]) {
      ++best.size;
    }
    return best;
  }

  static void Clear(const std::vector<size_t>& places, std::vector<size_t>& lengths) {
    for (const size_t j : places) lengths[j + 1] = 0;
  }

  void CommonEnds() {
    const size_t most = std::min(was_.size(), now_.size());
    size_t first = 0, last = 0;
    while (first < most && was_[first] == now_[first]) ++first;
    while (first + last < most && was_[was_.size() - 1 - last] == now_[now_.size() - 1 - last]) ++last;
    if (first) runs_.push_back({0, 0, first});
    if (last) runs_.push_back({was_.size() - last, now_.size() - last, last});
  }

  const Lines& was_;
  const Lines& now_;
  std::unordered_map<std::string_view, std::vector<size_t>> places_;  // of a line in now_
  std::vector<size_t> length_, next_;
  std::vector<Run> runs_;
  size_t steps_ = 0;
};

std::vector<Change> Changes(const std::vector<Run>& runs) {
  std::vector<Change> changes;
  size_t was = 0, now = 0;
  for (const Run& run : runs) {
    if (was < run.was || now < run.now) changes.push_back({was, run.was, now, run.now, false});
    was = run.was + run.size, now = run.now + run.size;
    if (run.size) changes.push_back({run.was, was, run.now, now, true});
  }
  return changes;
}

// Changes with little between them go together; of what is equal, the context stays.
std::vector<std::vector<Change>> Groups(std::vector<Change> changes) {
  std::vector<std::vector<Change>> groups;
  std::vector<Change> group;
  for (size_t i = 0; i < changes.size(); ++i) {
    Change change = changes[i];
    if (change.equal && i == 0) {
      change.was = std::max(change.was, change.was_end - std::min(change.was_end, kContext));
      change.now = std::max(change.now, change.now_end - std::min(change.now_end, kContext));
    }
    if (change.equal && i + 1 == changes.size()) {
      change.was_end = std::min(change.was_end, change.was + kContext);
      change.now_end = std::min(change.now_end, change.now + kContext);
    }
    if (change.equal && change.was_end - change.was > 2 * kContext) {
      group.push_back({change.was, change.was + kContext, change.now, change.now + kContext, true});
      groups.push_back(std::move(group));
      group.clear();
      change.was = change.was_end - kContext;
      change.now = change.now_end - kContext;
    }
    group.push_back(change);
  }
  if (!group.empty() && !(group.size() == 1 && group[0].equal)) groups.push_back(std::move(group));
  return groups;
}

std::string Range(size_t first, size_t end) {
  const size_t size = end - first;
  if (size == 1) return std::to_string(first + 1);
  return std::to_string(size ? first + 1 : first) + "," + std::to_string(size);
}

}  // namespace

std::string LineDiff(std::string_view was_text, std::string_view now_text) {
  const Lines was = Split(was_text), now = Split(now_text);
  std::string out;
  const auto write = [&](char mark, const Lines& lines, size_t first, size_t end) {
    for (size_t i = first; i < end; ++i) (out += mark) += lines[i];
  };
  for (const std::vector<Change>& group : Groups(Changes(Matcher(was, now).Runs()))) {
    out += "@@ -" + Range(group.front().was, group.back().was_end) + " +" +
           Range(group.front().now, group.back().now_end) + " @@\n";
    for (const Change& change : group) {
      if (change.equal) {
        write(' ', was, change.was, change.was_end);
        continue;
      }
      write('-', was, change.was, change.was_end);
      write('+', now, change.now, change.now_end);
    }
  }
  return out;
}

}  // namespace keelson::api::field
