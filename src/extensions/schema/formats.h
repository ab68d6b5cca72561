// Formats of strings that custom schemas may ask for.
#pragma once

#include <cstdint>
#include <string_view>

namespace keelson::extensions {

enum class Format : uint8_t {
  kNone,  // none, or one that nobody checks
  kBsonObjectId,
  kUri,
  kEmail,
  kHostname,
  kIpv4,
  kIpv6,
  kCidr,
  kMac,
  kUuid,
  kUuid3,
  kUuid4,
  kUuid5,
  kIsbn,
  kIsbn10,
  kIsbn13,
  kCreditCard,
  kSsn,
  kHexColor,
  kRgbColor,
  kByte,
  kPassword,
  kDate,
  kDuration,
  kDateTime,
  kShortName,
  kLongName,
  // Of numbers.
  kInt32,
  kInt64,
  kFloat,
  kDouble,
};

// The format of that name for strings; dashes do not count.
Format StringFormat(std::string_view name);
bool HasFormat(std::string_view text, Format format);

}  // namespace keelson::extensions
