#include "server/profiling/profile.h"

#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <fstream>

#include "endpoints/wire.h"

namespace keelson::server::profiling {
namespace {

namespace wire = endpoints::wire;

// Numbers of fields in profile.proto.
enum ProfileField : uint32_t {
  kSampleType = 1,
  kSample = 2,
  kMapping = 3,
  kLocation = 4,
  kFunction = 5,
  kStringTable = 6,
  kTimeNanos = 9,
  kDurationNanos = 10,
  kPeriodType = 11,
  kPeriod = 12,
};
enum ValueTypeField : uint32_t { kType = 1, kUnit = 2 };
enum SampleField : uint32_t { kLocationId = 1, kValue = 2 };
enum MappingField : uint32_t {
  kMappingId = 1,
  kMemoryStart = 2,
  kMemoryLimit = 3,
  kFileOffset = 4,
  kFile = 5
};
enum LocationField : uint32_t { kLocationOwnId = 1, kLocationMapping = 2, kAddress = 3, kLine = 4 };
enum LineField : uint32_t { kLineFunction = 1 };
enum FunctionField : uint32_t { kFunctionId = 1, kFunctionName = 2 };

void AppendMessage(uint32_t field, const base::BufferBuilder& message, base::BufferBuilder& out) {
  wire::AppendBytes(field, message.view(), out);
}

template <class Number>
void AppendPacked(uint32_t field, const std::vector<Number>& numbers, base::BufferBuilder& out) {
  base::BufferBuilder packed;
  for (const Number number : numbers) wire::AppendVarint(static_cast<uint64_t>(number), packed);
  wire::AppendBytes(field, packed.view(), out);
}

}  // namespace

Profile::Profile(std::span<const ValueType> types, ValueType period_type, int64_t period) : period_(period) {
  for (const ValueType& type : types) types_.push_back({Text(type.type), Text(type.unit)});
  period_type_ = {Text(period_type.type), Text(period_type.unit)};
}

std::vector<Profile::Mapping> Profile::ReadMappings() {
  std::vector<Mapping> mappings;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    uint64_t begin = 0, end = 0, offset = 0;
    char access[5] = "";
    int path = 0;
    if (std::sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s %n", &begin, &end, access,
                    &offset, &path) < 4)
      continue;
    if (access[2] != 'x' || path == 0) continue;
    mappings.push_back({.begin = begin, .end = end, .offset = offset, .file = line.substr(path)});
  }
  // pprof takes the first for the program.
  char self[4096];
  const ssize_t length = ::readlink("/proc/self/exe", self, sizeof self);
  const std::string_view program(self, length > 0 ? static_cast<size_t>(length) : 0);
  std::stable_partition(mappings.begin(), mappings.end(),
                        [&](const Mapping& m) { return m.file == program; });
  return mappings;
}

int64_t Profile::Text(std::string_view text) {
  if (const auto found = text_ids_.find(text); found != text_ids_.end()) return found->second;
  const auto id = static_cast<int64_t>(texts_.size());
  texts_.emplace_back(text);
  text_ids_.emplace(text, id);
  return id;
}

uint64_t Profile::MappingOf(uintptr_t address) const {
  for (size_t i = 0; i < mappings_.size(); ++i)
    if (address >= mappings_[i].begin && address < mappings_[i].end) return i + 1;
  return 0;
}

void Profile::AddStack(std::span<const uintptr_t> addresses, std::span<const int64_t> values) {
  Sample sample{.locations = {}, .values = {values.begin(), values.end()}};
  for (const uintptr_t address : addresses) {
    const auto [it, is_new] = locations_.try_emplace(address, next_location_);
    if (is_new) ++next_location_;
    sample.locations.push_back(it->second);
  }
  samples_.push_back(std::move(sample));
}

void Profile::AddNamed(std::string_view name, std::span<const int64_t> values) {
  const auto [it, is_new] = named_.try_emplace(Text(name), next_location_);
  if (is_new) ++next_location_;
  samples_.push_back({.locations = {it->second}, .values = {values.begin(), values.end()}});
}

void Profile::EncodeTypes(base::BufferBuilder& out) const {
  const auto append = [&](uint32_t field, const Type& type) {
    base::BufferBuilder message;
    wire::AppendInt(kType, type.type, message);
    wire::AppendInt(kUnit, type.unit, message);
    AppendMessage(field, message, out);
  };
  for (const Type& type : types_) append(kSampleType, type);
  append(kPeriodType, period_type_);
}

void Profile::EncodeLocations(base::BufferBuilder& out) const {
  for (const auto& [address, id] : locations_) {
    base::BufferBuilder location;
    wire::AppendInt(kLocationOwnId, static_cast<int64_t>(id), location);
    if (const uint64_t mapping = MappingOf(address))
      wire::AppendInt(kLocationMapping, static_cast<int64_t>(mapping), location);
    wire::AppendInt(kAddress, static_cast<int64_t>(address), location);
    AppendMessage(kLocation, location, out);
  }
  for (const auto& [name, id] : named_) {
    base::BufferBuilder line, location, function;
    wire::AppendInt(kLineFunction, static_cast<int64_t>(id), line);
    wire::AppendInt(kLocationOwnId, static_cast<int64_t>(id), location);
    AppendMessage(kLine, line, location);
    AppendMessage(kLocation, location, out);
    wire::AppendInt(kFunctionId, static_cast<int64_t>(id), function);
    wire::AppendInt(kFunctionName, name, function);
    AppendMessage(kFunction, function, out);
  }
}

base::Slice Profile::Encode() const {
  base::BufferBuilder out;
  EncodeTypes(out);
  for (const Sample& sample : samples_) {
    base::BufferBuilder message;
    AppendPacked(kLocationId, sample.locations, message);
    AppendPacked(kValue, sample.values, message);
    AppendMessage(kSample, message, out);
  }
  auto texts = texts_;
  auto ids = text_ids_;
  for (size_t i = 0; i < mappings_.size(); ++i) {
    const Mapping& mapping = mappings_[i];
    const auto [it, is_new] = ids.try_emplace(mapping.file, static_cast<int64_t>(texts.size()));
    if (is_new) texts.push_back(mapping.file);
    base::BufferBuilder message;
    wire::AppendInt(kMappingId, static_cast<int64_t>(i + 1), message);
    wire::AppendInt(kMemoryStart, static_cast<int64_t>(mapping.begin), message);
    wire::AppendInt(kMemoryLimit, static_cast<int64_t>(mapping.end), message);
    wire::AppendInt(kFileOffset, static_cast<int64_t>(mapping.offset), message);
    wire::AppendInt(kFile, it->second, message);
    AppendMessage(kMapping, message, out);
  }
  EncodeLocations(out);
  for (const std::string& text : texts) wire::AppendBytes(kStringTable, text, out);
  const auto nanos = std::chrono::duration_cast<std::chrono::nanoseconds>(taken_.time_since_epoch());
  wire::AppendInt(kTimeNanos, nanos.count(), out);
  wire::AppendInt(kDurationNanos, duration_.count(), out);
  wire::AppendInt(kPeriod, period_, out);
  return out.Take();
}

}  // namespace keelson::server::profiling
