// The ports of nodes that services may have, and which of them are taken.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace keelson::registry::core {

// Both ends are part of it.
struct PortRange {
  int first = 30000, last = 32767;

  int size() const { return last - first + 1; }
  bool Contains(int port) const { return port >= first && port <= last; }
  std::string ToString() const;  // "30000-32767"
  bool operator==(const PortRange&) const = default;
};
// "first-last", or "first+count", as --service-node-port-range has it.
std::optional<PortRange> ParsePortRange(std::string_view text);

// Which ports of a range are taken. Stored as upstream does: one number, most significant
// byte first, whose bit N is the port first+N.
class PortBitmap {
 public:
  explicit PortBitmap(PortRange range) : range_(range), taken_(static_cast<size_t>(range.size())) {}
  static PortBitmap FromBytes(PortRange range, std::string_view bytes);
  std::string ToBytes() const;

  const PortRange& range() const { return range_; }
  bool Has(int port) const { return range_.Contains(port) && taken_[Index(port)]; }
  // Requires: the range contains `port`.
  void Take(int port) { taken_[Index(port)] = true; }
  void Release(int port) {
    if (range_.Contains(port)) taken_[Index(port)] = false;
  }
  // A free port, taken from the upper part of the range while there is one: the lower part
  // is for those who choose their ports. `random(n)` gives a number below n.
  std::optional<int> TakeNext(const std::function<uint64_t(uint64_t)>& random);
  std::vector<int> Ports() const;
  bool operator==(const PortBitmap&) const = default;

 private:
  size_t Index(int port) const { return static_cast<size_t>(port - range_.first); }
  std::optional<int> TakeBetween(int first, int count, const std::function<uint64_t(uint64_t)>& random);

  PortRange range_;
  std::vector<bool> taken_;
};

}  // namespace keelson::registry::core
