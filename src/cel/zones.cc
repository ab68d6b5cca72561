#include "cel/zones.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/mutex.h"

namespace keelson::cel {
namespace {

// The transitions of one zone, oldest first.
struct Zone {
  std::vector<int64_t> instants;
  std::vector<int> offsets;  // from each instant on
  int first = 0;             // before all of them
};

// Reads big-endian numbers of a zone file (RFC 8536).
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  bool Has(size_t n) const { return bytes_.size() - at_ >= n; }
  void Skip(size_t n) { at_ = std::min(at_ + n, bytes_.size()); }
  int64_t Signed(size_t size) {
    int64_t value = size > 0 && static_cast<int8_t>(bytes_[at_]) < 0 ? -1 : 0;
    for (size_t i = 0; i < size; ++i) value = value * 256 + static_cast<uint8_t>(bytes_[at_++]);
    return value;
  }
  uint8_t Byte() { return static_cast<uint8_t>(bytes_[at_++]); }

 private:
  std::string_view bytes_;
  size_t at_ = 0;
};

struct Header {
  int64_t utc_marks, standard_marks, leaps, times, types, chars;
  size_t BodySize(size_t time_size) const {
    return times * time_size + times + types * 6 + chars + leaps * (time_size + 4) + standard_marks +
           utc_marks;
  }
};

std::optional<Header> ReadHeader(Reader& in) {
  if (!in.Has(44)) return std::nullopt;
  in.Skip(20);
  Header h{};
  h.utc_marks = in.Signed(4);
  h.standard_marks = in.Signed(4);
  h.leaps = in.Signed(4);
  h.times = in.Signed(4);
  h.types = in.Signed(4);
  h.chars = in.Signed(4);
  return h;
}

std::unique_ptr<const Zone> Parse(std::string_view bytes) {
  if (!bytes.starts_with("TZif")) return nullptr;
  Reader in(bytes);
  auto header = ReadHeader(in);
  if (!header || !in.Has(header->BodySize(4))) return nullptr;
  in.Skip(header->BodySize(4));  // the old body of 32 bits; the new one follows
  header = ReadHeader(in);
  if (!header || header->types < 1 || !in.Has(header->BodySize(8))) return nullptr;
  auto zone = std::make_unique<Zone>();
  for (int64_t i = 0; i < header->times; ++i) zone->instants.push_back(in.Signed(8));
  std::vector<uint8_t> kinds;
  for (int64_t i = 0; i < header->times; ++i) kinds.push_back(in.Byte());
  std::vector<int> offsets;
  for (int64_t i = 0; i < header->types; ++i) {
    offsets.push_back(static_cast<int>(in.Signed(4)));
    in.Skip(2);
  }
  for (const uint8_t kind : kinds) zone->offsets.push_back(kind < offsets.size() ? offsets[kind] : 0);
  zone->first = offsets[0];
  return zone;
}

}  // namespace

std::optional<int> NamedZoneOffset(std::string_view name, int64_t unix_seconds) {
  static base::Mutex mutex;
  static std::map<std::string, std::unique_ptr<const Zone>, std::less<>> zones GUARDED_BY(mutex);
  if (name.starts_with('/') || name.find("..") != std::string_view::npos || name.size() > 64)
    return std::nullopt;
  const base::MutexLock lock(mutex);
  auto found = zones.find(name);
  if (found == zones.end()) {
    const auto bytes = base::ReadFile("/usr/share/zoneinfo/" + std::string(name));
    found = zones.emplace(std::string(name), bytes ? Parse(*bytes) : nullptr).first;
  }
  const Zone* const zone = found->second.get();
  if (!zone) return std::nullopt;
  const auto next = std::ranges::upper_bound(zone->instants, unix_seconds);
  return next == zone->instants.begin() ? zone->first : zone->offsets[next - zone->instants.begin() - 1];
}

}  // namespace keelson::cel
