#include "registry/core/port_bitmap.h"

#include <algorithm>
#include <charconv>

namespace keelson::registry::core {
namespace {

std::optional<int> ReadPort(std::string_view text) {
  int port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return port;
}

// How many ports at the start of a range are given out last.
int ReservedForChoosers(int size) {
  constexpr int kMin = 16, kMax = 128, kStep = 32;
  return size <= kMin ? 0 : std::clamp(size / kStep, kMin, kMax);
}

}  // namespace

std::string PortRange::ToString() const { return std::to_string(first) + "-" + std::to_string(last); }

std::optional<PortRange> ParsePortRange(std::string_view text) {
  constexpr int kMaxPort = 65535;
  const size_t separator = text.find_first_of("-+");
  if (separator == text.npos) return std::nullopt;
  const auto first = ReadPort(text.substr(0, separator)), second = ReadPort(text.substr(separator + 1));
  if (!first || !second || *first < 0 || *second < 0) return std::nullopt;
  const int last = text[separator] == '-' ? *second : *first + *second;
  if (*first > last || last > kMaxPort) return std::nullopt;
  return PortRange{*first, last};
}

PortBitmap PortBitmap::FromBytes(PortRange range, std::string_view bytes) {
  PortBitmap bitmap(range);
  for (size_t i = 0; i < bitmap.taken_.size(); ++i) {
    const size_t byte = i / 8;
    if (byte >= bytes.size()) break;
    bitmap.taken_[i] = static_cast<uint8_t>(bytes[bytes.size() - 1 - byte]) >> (i % 8) & 1;
  }
  return bitmap;
}

std::string PortBitmap::ToBytes() const {
  std::string bytes((taken_.size() + 7) / 8, '\0');
  for (size_t i = 0; i < taken_.size(); ++i)
    if (taken_[i]) bytes[bytes.size() - 1 - i / 8] |= static_cast<char>(1 << (i % 8));
  const size_t leading_zeros = bytes.find_first_not_of('\0');
  return leading_zeros == bytes.npos ? std::string() : bytes.substr(leading_zeros);
}

std::optional<int> PortBitmap::TakeBetween(int first, int count,
                                           const std::function<uint64_t(uint64_t)>& random) {
  if (count <= 0) return std::nullopt;
  const int start = static_cast<int>(random(static_cast<uint64_t>(count)));
  for (int i = 0; i < count; ++i) {
    const int port = first + (start + i) % count;
    if (Has(port)) continue;
    Take(port);
    return port;
  }
  return std::nullopt;
}

std::optional<int> PortBitmap::TakeNext(const std::function<uint64_t(uint64_t)>& random) {
  const int reserved = ReservedForChoosers(range_.size());
  const auto upper = TakeBetween(range_.first + reserved, range_.size() - reserved, random);
  return upper ? upper : TakeBetween(range_.first, reserved, random);
}

std::vector<int> PortBitmap::Ports() const {
  std::vector<int> ports;
  for (size_t i = 0; i < taken_.size(); ++i)
    if (taken_[i]) ports.push_back(range_.first + static_cast<int>(i));
  return ports;
}

}  // namespace keelson::registry::core
