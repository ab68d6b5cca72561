#include "cel/source.h"

#include <algorithm>

#include "base/utf8.h"

namespace keelson::cel {
namespace {

constexpr size_t kMaxShown = 100;
constexpr size_t kMaxSnippetBytes = 16384;

std::string Display(const Issue& issue, const Source& source) {
  std::string text = "ERROR: <input>:" + std::to_string(issue.location.line) + ":" +
                     std::to_string(issue.location.column + 1) + ": " + issue.message;
  std::string_view line;
  if (!source.Line(issue.location.line, line) || line.size() > kMaxSnippetBytes) return text;
  std::string shown(line);
  std::ranges::replace(shown, '\t', ' ');
  text.append("\n | ").append(shown).append("\n | ");
  size_t at = 0;
  for (int i = 0; i < issue.location.column && at < shown.size(); ++i) {
    const size_t size = base::DecodeRune(shown, at).size;
    text += size > 1 ? "\uff0e" : ".";
    at += size;
  }
  return text + (at < shown.size() && base::DecodeRune(shown, at).size > 1 ? "\uff3e" : "^");
}

}  // namespace

Source::Source(std::string_view text) : text_(text) {
  line_starts_.push_back(0);
  for (size_t i = 0; i < text_.size();) {
    const auto [rune, size] = base::DecodeRune(text_, i);
    starts_.push_back(static_cast<uint32_t>(i));
    runes_.push_back(rune);
    i += size;
    if (rune == '\n') line_starts_.push_back(static_cast<uint32_t>(runes_.size()));
  }
  starts_.push_back(static_cast<uint32_t>(text_.size()));
}

std::string_view Source::Slice(size_t begin, size_t end) const {
  end = std::min(end, size());
  if (begin >= end) return {};
  return std::string_view(text_).substr(starts_[begin], starts_[end] - starts_[begin]);
}

Location Source::LocationOf(size_t offset) const {
  if (text_.empty()) return {1, -1};
  const auto next = std::ranges::upper_bound(line_starts_, offset);
  const auto line = next - line_starts_.begin();
  return {static_cast<int>(line), static_cast<int>(offset - line_starts_[line - 1])};
}

bool Source::Line(int line, std::string_view& text) const {
  if (text_.empty() || line < 1 || static_cast<size_t>(line) > line_starts_.size()) return false;
  const size_t begin = line_starts_[line - 1];
  const size_t end = static_cast<size_t>(line) < line_starts_.size() ? line_starts_[line] - 1 : size();
  text = Slice(begin, end);
  return true;
}

void Issues::Add(Location location, std::string message) {
  if (++count_ <= kMaxShown) issues_.push_back({location, std::move(message)});
}

std::string Issues::Display(const Source& source) const {
  std::vector<Issue> sorted = issues_;
  std::ranges::stable_sort(sorted, [](const Issue& a, const Issue& b) {
    return a.location.line != b.location.line ? a.location.line < b.location.line
                                              : a.location.column < b.location.column;
  });
  std::string text;
  for (const Issue& issue : sorted) text.append(text.empty() ? "" : "\n").append(cel::Display(issue, source));
  if (count_ > kMaxShown)
    text.append("\n").append(std::to_string(count_ - kMaxShown)).append(" more errors were truncated");
  return text;
}

}  // namespace keelson::cel
