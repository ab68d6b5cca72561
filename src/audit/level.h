// Levels and stages of auditing, as policies and events spell them.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

namespace keelson::audit {

// How much is kept of a request; each has what the ones before it have.
enum class Level : uint8_t { kNone, kMetadata, kRequest, kRequestResponse };
inline constexpr std::string_view kLevelNames[] = {"None", "Metadata", "Request", "RequestResponse"};

// Where a request is when an event tells of it. kPanic is a word of policies only: a handler that breaks here
// ends the process.
enum class Stage : uint8_t { kRequestReceived, kResponseStarted, kResponseComplete, kPanic };
inline constexpr std::string_view kStageNames[] = {"RequestReceived", "ResponseStarted", "ResponseComplete",
                                                   "Panic"};

constexpr std::string_view NameOf(Level level) { return kLevelNames[std::to_underlying(level)]; }
constexpr std::string_view NameOf(Stage stage) { return kStageNames[std::to_underlying(stage)]; }

// A set of stages.
class Stages {
 public:
  constexpr void Add(Stage stage) { bits_ |= Bit(stage); }
  constexpr bool Has(Stage stage) const { return (bits_ & Bit(stage)) != 0; }
  constexpr Stages operator|(Stages other) const {
    Stages both;
    both.bits_ = bits_ | other.bits_;
    return both;
  }

 private:
  static constexpr uint8_t Bit(Stage stage) { return static_cast<uint8_t>(1U << std::to_underlying(stage)); }
  uint8_t bits_ = 0;
};

}  // namespace keelson::audit
