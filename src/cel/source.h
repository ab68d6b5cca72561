// Source: the text of an expression by code points, and where in it things are; Issues:
// what is wrong with it, as the user is told.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace keelson::cel {

// Lines count from 1, columns from 0.
struct Location {
  int line = -1;
  int column = -1;
};
constexpr Location kNoLocation{};

class Source {
 public:
  explicit Source(std::string_view text);

  // In code points.
  size_t size() const { return starts_.size() - 1; }
  char32_t at(size_t i) const { return runes_[i]; }
  // The text between two code points.
  std::string_view Slice(size_t begin, size_t end) const;

  Location LocationOf(size_t offset) const;
  // The line without its break; false: there is no such line.
  bool Line(int line, std::string_view& text) const;

 private:
  std::string text_;
  std::u32string runes_;
  std::vector<uint32_t> starts_;       // byte of each code point, and the end
  std::vector<uint32_t> line_starts_;  // code point where each line starts
};

struct Issue {
  Location location;
  std::string message;
};

// In order of their finding; printed in order of place. At most a hundred are shown.
class Issues {
 public:
  void Add(Location location, std::string message);
  bool empty() const { return count_ == 0; }
  size_t count() const { return count_; }
  const std::vector<Issue>& list() const { return issues_; }

  // "ERROR: <input>:1:3: message", the line, and a mark under the place; one after the other.
  std::string Display(const Source& source) const;

 private:
  std::vector<Issue> issues_;
  size_t count_ = 0;
};

}  // namespace keelson::cel
