// What calling a function costs, by the size of what it works on.
#pragma once

#include <cstdint>
#include <string_view>

#include "cel/library.h"

namespace keelson::cel {

constexpr double kStringTraversal = 0.1;  // for each character
constexpr double kRegexLength = 0.25;     // for each character of a pattern
constexpr uint64_t kListCreation = 10;
constexpr uint64_t kMapCreation = 30;
constexpr uint64_t kStructCreation = 40;
constexpr uint64_t kAuthorizationCheck = 350'000;

// Found once for a call, applied each time.
using CallCost = uint64_t (*)(Args args, const Value& result);

// `overload` is empty where it is found only when called.
CallCost FindCallCost(std::string_view function, std::string_view overload);

// Kubernetes' functions that cost one, whatever they are given.
bool HasFixedCost(std::string_view function);
// Those that go through their whole first argument.
bool GoesThroughAll(std::string_view function);

// How large a value is: characters, bytes, entries; 1 for all else.
uint64_t ActualSize(const Value& value);

}  // namespace keelson::cel
