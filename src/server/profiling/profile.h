// Profile: samples in the format of pprof (profile.proto), which `go tool pprof` reads.
//
// Addresses are told as they are in this process, together with the files that are mapped there: pprof finds
// the names in those files, or in the binary that it is given.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/slice.h"

namespace keelson::server::profiling {

class Profile {
 public:
  struct ValueType {
    std::string_view type, unit;  // "cpu", "nanoseconds"
  };
  // Each sample has one value of each of `types`; the last is what pprof shows first.
  Profile(std::span<const ValueType> types, ValueType period_type, int64_t period);

  // `addresses`: the innermost first. Of calls the address within the call, not the one behind it.
  void AddStack(std::span<const uintptr_t> addresses, std::span<const int64_t> values);
  // A sample that has a name instead of a stack.
  void AddNamed(std::string_view name, std::span<const int64_t> values);
  void SetDuration(std::chrono::nanoseconds duration) { duration_ = duration; }

  // The message, which is not compressed.
  base::Slice Encode() const;

 private:
  struct Mapping {
    uintptr_t begin = 0, end = 0;
    uint64_t offset = 0;
    std::string file;
  };
  struct Sample {
    std::vector<uint64_t> locations;
    std::vector<int64_t> values;
  };
  static std::vector<Mapping> ReadMappings();
  int64_t Text(std::string_view text);
  uint64_t MappingOf(uintptr_t address) const;  // 0: none
  void EncodeTypes(base::BufferBuilder& out) const;
  void EncodeLocations(base::BufferBuilder& out) const;

  const std::vector<Mapping> mappings_ = ReadMappings();
  std::vector<std::string> texts_{""};
  std::map<std::string, int64_t, std::less<>> text_ids_{{"", 0}};
  struct Type {
    int64_t type, unit;
  };
  std::vector<Type> types_;
  Type period_type_{};
  const int64_t period_;
  std::chrono::nanoseconds duration_{0};
  const std::chrono::system_clock::time_point taken_ = std::chrono::system_clock::now();
  std::map<uintptr_t, uint64_t> locations_;  // ids of addresses
  std::map<int64_t, uint64_t> named_;        // ids of locations that have names
  uint64_t next_location_ = 1;
  std::vector<Sample> samples_;
};

}  // namespace keelson::server::profiling
