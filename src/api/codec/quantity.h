// Quantity: an exact decimal amount with a suffix ("250m", "1Gi", "1e3"), as
// Kubernetes writes resources. Parsing, rounding and the canonical text are upstream's.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/types/arena.h"
#include "base/result.h"

namespace keelson::api {

class Quantity {
 public:
  enum class Format : uint8_t { kDecimalExponent, kDecimalSI, kBinarySI };

  Quantity() = default;  // zero
  explicit Quantity(int64_t value, Format format = Format::kDecimalSI) : value_(value), format_(format) {}

  // Amounts finer than one nano are rounded away from zero. The error is the text that a
  // client sees.
  static base::Result<Quantity, std::string_view> Parse(std::string_view text);

  // The canonical text: largest suffix that needs no fraction. Text that was canonical
  // already comes back as it was.
  std::string ToString() const;

  int Sign() const;  // -1, 0, 1
  bool IsZero() const { return Sign() == 0; }
  // Below, at or above zero as this is less than, equal to or more than `other`.
  int Compare(const Quantity& other) const;
  friend bool operator==(const Quantity& a, const Quantity& b) { return a.Compare(b) == 0; }
  friend bool operator<(const Quantity& a, const Quantity& b) { return a.Compare(b) < 0; }

  // Zero takes the format of what is added to it.
  void Add(const Quantity& other);
  void Sub(const Quantity& other);
  void Negate();

  // The amount in units of 10^scale, rounded away from zero; 0 when int64 cannot hold it.
  int64_t ScaledValue(int scale) const;
  int64_t Value() const { return ScaledValue(0); }
  int64_t MilliValue() const { return ScaledValue(-3); }

  // The amount where int64 holds it exactly; nothing for amounts that were never in reach.
  std::optional<int64_t> AsInt64() const;
  // With what a double loses.
  double AsApproximateFloat() const;

  Format format() const { return format_; }

 private:
  struct Big;  // an amount beyond int64: unscaled * 10^scale

  static base::Result<Quantity, std::string_view> ParseBig(std::string_view number, int base,
                                                           int32_t exponent, Format format);
  Big AsBig() const;
  void SetBig(Big big);

  int64_t value_ = 0;  // the amount is value_ * 10^scale_, unless big_ is set
  int32_t scale_ = 0;
  Format format_ = Format::kDecimalSI;
  std::shared_ptr<const Big> big_;
  std::string text_;  // the canonical text, when parsing met it; else empty
};

// Whether `text` is canonical for certain, found without computing anything; false when
// that takes a closer look.
bool IsPlainCanonicalQuantity(std::string_view text);
// The canonical form of `text`: `text` itself where it is canonical, else a copy in `arena`.
base::Result<std::string_view, std::string_view> CanonicalQuantity(std::string_view text, Arena& arena);

}  // namespace keelson::api
