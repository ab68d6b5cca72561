// Small checks that the rules of core/v1 are made of. Each adds what is wrong to `errors`.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

#include "api/types/view.h"
#include "api/validation/field.h"
#include "api/validation/names.h"

namespace keelson::api::core {

using field::ErrorList;
using field::Path;

// Whether `value` is one of `values`.
inline bool Contains(std::span<const std::string_view> values, std::string_view value) {
  return std::ranges::find(values, value) != values.end();
}

constexpr std::string_view kMustBePositive = "must be greater than zero";

void CheckRequired(std::string_view value, const Path& path, ErrorList& errors);
void CheckNonNegative(int64_t value, const Path& path, ErrorList& errors);
void CheckPositive(int64_t value, const Path& path, ErrorList& errors);
void CheckInRange(int64_t value, int64_t min, int64_t max, const Path& path, ErrorList& errors);
// An octal mode of a file.
void CheckFileMode(int64_t mode, const Path& path, ErrorList& errors);

// `value` is one of `supported`, which the message lists in the order given.
void CheckSupported(std::string_view value, std::span<const std::string_view> supported, const Path& path,
                    ErrorList& errors);
// The same; an empty value is reported as missing.
void CheckRequiredSupported(std::string_view value, std::span<const std::string_view> supported,
                            const Path& path, ErrorList& errors);

void CheckDnsLabel(std::string_view value, const Path& path, ErrorList& errors);
void CheckRequiredDnsLabel(std::string_view value, const Path& path, ErrorList& errors);
void CheckDnsSubdomain(std::string_view value, const Path& path, ErrorList& errors);
void CheckQualifiedName(std::string_view value, const Path& path, ErrorList& errors);
// Required, and fit to be one part of a path in a URL.
void CheckRequiredPathSegment(std::string_view value, const Path& path, ErrorList& errors);
void CheckPortNumber(int64_t port, const Path& path, ErrorList& errors);
void CheckPortNumberOrName(const Value& port, const Path& path, ErrorList& errors);

// No element of the path is "..".
void CheckNoBacksteps(std::string_view target, const Path& path, ErrorList& errors);
// Relative, without backsteps.
void CheckDescendingPath(std::string_view target, const Path& path, ErrorList& errors);
// The same, and nothing that starts with "..": such names are the kubelet's.
void CheckNonReservedPath(std::string_view target, const Path& path, ErrorList& errors);

void AddMessages(const Path& path, const std::string& rendered, const Messages& messages, ErrorList& errors);

// Whether two structs or maps read the same; null reads as absent.
bool SameStruct(const StructView& a, const StructView& b);
bool SameMap(MapView a, MapView b);
bool SameStrings(ScalarList a, ScalarList b);

}  // namespace keelson::api::core
