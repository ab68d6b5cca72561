// The forms that names, keys and values must have, with upstream's words for what is wrong.
// Each check returns all complaints; an empty result (which allocates nothing) means valid.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace keelson::api {

using Messages = std::vector<std::string>;

constexpr size_t kDns1123LabelMaxLength = 63;
constexpr size_t kDns1123SubdomainMaxLength = 253;
constexpr size_t kLabelValueMaxLength = 63;

Messages IsDns1123Label(std::string_view value);
Messages IsDns1123Subdomain(std::string_view value);
// In any case.
Messages IsDns1123SubdomainCaseless(std::string_view value);
Messages IsDns1123SubdomainWithUnderscore(std::string_view value);
Messages IsWildcardDns1123Subdomain(std::string_view value);
Messages IsDns1035Label(std::string_view value);
// "name" or "prefix.example.com/name": label keys, finalizers, resource names.
Messages IsQualifiedName(std::string_view value);
Messages IsLabelValue(std::string_view value);
Messages IsCIdentifier(std::string_view value);
Messages IsEnvVarName(std::string_view value);
// What pods accept: any printable ASCII but '='.
Messages IsRelaxedEnvVarName(std::string_view value);
Messages IsConfigMapKey(std::string_view value);  // of secrets as well
Messages IsHttpHeaderName(std::string_view value);
Messages IsPortName(std::string_view value);
Messages IsPortNumber(int64_t port);
Messages IsInRange(int64_t value, int64_t min, int64_t max);
Messages IsPercent(std::string_view value);
// A name that can stand in a URL path.
Messages IsPathSegmentName(std::string_view name);
Messages IsPathSegmentPrefix(std::string_view name);
Messages IsUserId(int64_t uid);
Messages IsGroupId(int64_t gid);

// Whole-name checks of resources. `prefix`: the name is a generateName, so a trailing dash
// is fine.
Messages NameIsDnsSubdomain(std::string_view name, bool prefix);
Messages NameIsDnsLabel(std::string_view name, bool prefix);
Messages NameIsDns1035Label(std::string_view name, bool prefix);
Messages NameIsPathSegment(std::string_view name, bool prefix);

// Pieces of messages, for checks that live elsewhere.
std::string MaxLengthMessage(size_t max);
std::string RangeMessage(int64_t min, int64_t max);
std::string RegexMessage(std::string_view what, std::string_view regex,
                         std::span<const std::string_view> examples);
constexpr std::string_view kMustBeNonNegative = "must be greater than or equal to 0";
constexpr std::string_view kFieldImmutable = "field is immutable";

}  // namespace keelson::api
