#include "api/codec/quantity.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

namespace keelson::api {
namespace {

using Format = Quantity::Format;

constexpr std::string_view kErrFormat =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
constexpr std::string_view kErrNumeric = "unable to parse numeric part of quantity";
constexpr std::string_view kErrSuffix = "unable to parse quantity's suffix";

constexpr int32_t kNano = -9;
constexpr int kMaxDigits = 18;  // decimal digits that int64 holds for certain
// An exponent is a request for that many digits of memory, so it is bounded.
constexpr int32_t kMaxExponent = 4096;

struct Suffix {
  std::string_view text;
  int base;
  int32_t exponent;
};
constexpr Suffix kSuffixes[] = {
    {"", 10, 0},   {"m", 10, -3}, {"k", 10, 3},  {"M", 10, 6},  {"G", 10, 9},  {"u", 10, -6},
    {"n", 10, -9}, {"T", 10, 12}, {"P", 10, 15}, {"E", 10, 18}, {"Ki", 2, 10}, {"Mi", 2, 20},
    {"Gi", 2, 30}, {"Ti", 2, 40}, {"Pi", 2, 50}, {"Ei", 2, 60},
};

struct ParsedSuffix {
  int base;
  int32_t exponent;
  Format format;
};

std::optional<ParsedSuffix> InterpretSuffix(std::string_view s) {
  for (const Suffix& k : kSuffixes)
    if (k.text == s)
      return ParsedSuffix{k.base, k.exponent, k.base == 2 ? Format::kBinarySI : Format::kDecimalSI};
  if (s.size() < 2 || (s[0] != 'e' && s[0] != 'E')) return std::nullopt;
  s.remove_prefix(1);
  if (s[0] == '+') {
    s.remove_prefix(1);
    if (s.starts_with('-')) return std::nullopt;
  }
  int64_t exponent = 0;
  auto [end, ec] = std::from_chars(s.data(), s.data() + s.size(), exponent);
  if (ec != std::errc() || end != s.data() + s.size()) return std::nullopt;
  if (exponent > kMaxExponent || exponent < -kMaxExponent) return std::nullopt;
  return ParsedSuffix{10, static_cast<int32_t>(exponent), Format::kDecimalExponent};
}

std::string SuffixText(int base, int32_t exponent, Format format) {
  if (format == Format::kDecimalExponent) return exponent == 0 ? "" : "e" + std::to_string(exponent);
  if (exponent == 0) return "";
  for (const Suffix& k : kSuffixes)
    if (k.base == base && k.exponent == exponent) return std::string(k.text);
  return "";  // past E and Ei there is none
}

struct Parts {
  bool positive = true;
  std::string_view number;  // sign, digits and point
  std::string_view whole, fraction, suffix;
};

size_t SkipDigits(std::string_view s, size_t i) {
  while (i < s.size() && s[i] >= '0' && s[i] <= '9') ++i;
  return i;
}

std::optional<Parts> Split(std::string_view s) {
  Parts p;
  size_t i = 0;
  if (s[0] == '-' || s[0] == '+') {
    p.positive = s[0] == '+';
    i = 1;
  }
  while (i < s.size() && s[i] == '0') ++i;
  if (i == s.size()) {  // nothing but zeros, or a lone sign, which upstream takes for zero
    p.whole = p.number = "0";
    return p;
  }
  size_t start = i;
  i = SkipDigits(s, i);
  p.whole = s.substr(start, i - start);
  if (p.whole.empty()) p.whole = "0";
  if (i < s.size() && s[i] == '.') {
    start = i + 1;
    i = SkipDigits(s, start);
    p.fraction = s.substr(start, i - start);
  }
  p.number = s.substr(0, i);
  p.suffix = s.substr(i);
  while (i < s.size() && std::string_view("eEinumkKMGTP").find(s[i]) != std::string_view::npos) ++i;
  if (i < s.size() && (s[i] == '-' || s[i] == '+')) ++i;
  if (SkipDigits(s, i) != s.size()) return std::nullopt;
  return p;
}

// A whole number of any size with its sign, as decimal digits: what quantities do most is
// to shift by powers of ten. Only amounts beyond int64 come here.
class Int {
 public:
  Int() = default;
  explicit Int(int64_t v) : negative_(v < 0) {
    char text[20];
    const uint64_t magnitude = v < 0 ? 0 - static_cast<uint64_t>(v) : static_cast<uint64_t>(v);
    digits_.assign(text, std::to_chars(text, text + sizeof text, magnitude).ptr);
    Trim();
  }
  explicit Int(std::string digits) : digits_(std::move(digits)) { Trim(); }

  int sign() const { return digits_.empty() ? 0 : negative_ ? -1 : 1; }
  bool is_zero() const { return digits_.empty(); }
  void Negate() { negative_ = !negative_ && !digits_.empty(); }
  std::string ToString() const { return is_zero() ? "0" : (negative_ ? "-" : "") + digits_; }
  std::optional<int64_t> ToInt64() const {
    const std::string text = ToString();
    int64_t v = 0;
    auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), v);
    return ec == std::errc() ? std::optional(v) : std::nullopt;
  }

  void ShiftLeft10(int32_t n) {
    if (!is_zero()) digits_.append(static_cast<size_t>(n), '0');
  }
  // Divides by 10^n, away from zero; tells whether nothing was lost.
  bool ShiftRight10(int32_t n) {
    const size_t cut = std::min(static_cast<size_t>(n), digits_.size());
    const bool exact = digits_.find_first_not_of('0', digits_.size() - cut) == std::string::npos;
    digits_.resize(digits_.size() - cut);
    if (!exact) Accumulate("1");
    Trim();
    return exact;
  }
  bool EndsInZero() const { return digits_.ends_with('0'); }
  void MultiplyBy(uint64_t factor) {
    unsigned __int128 carry = 0;
    for (size_t i = digits_.size(); i-- > 0; carry /= 10) {
      carry += static_cast<unsigned __int128>(factor) * static_cast<unsigned>(digits_[i] - '0');
      digits_[i] = static_cast<char>('0' + static_cast<int>(carry % 10));
    }
    for (; carry > 0; carry /= 10)
      digits_.insert(digits_.begin(), static_cast<char>('0' + static_cast<int>(carry % 10)));
  }
  // Divides when nothing is left over; else leaves the number alone and returns false.
  bool DivideExactly(unsigned by) {
    std::string quotient;
    unsigned rest = 0;
    for (char c : digits_) {
      rest = rest * 10 + static_cast<unsigned>(c - '0');
      quotient += static_cast<char>('0' + rest / by);
      rest %= by;
    }
    if (rest != 0) return false;
    digits_ = std::move(quotient);
    Trim();
    return true;
  }

  void Add(const Int& other) {
    if (negative_ == other.negative_) {
      Accumulate(other.digits_);
    } else if (CompareDigits(digits_, other.digits_) >= 0) {
      Deduct(other.digits_);
    } else {
      Int larger = other;
      larger.Deduct(digits_);
      *this = std::move(larger);
    }
    Trim();
  }
  static int Compare(const Int& a, const Int& b) {
    if (a.sign() != b.sign()) return a.sign() < b.sign() ? -1 : 1;
    const int magnitude = CompareDigits(a.digits_, b.digits_);
    return a.negative_ ? -magnitude : magnitude;
  }

 private:
  static int CompareDigits(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
    const int order = a.compare(b);
    return order < 0 ? -1 : order > 0 ? 1 : 0;
  }
  void Accumulate(std::string_view other) {
    if (digits_.size() < other.size()) digits_.insert(0, other.size() - digits_.size(), '0');
    int carry = 0;
    for (size_t i = 0; i < digits_.size() && (i < other.size() || carry); ++i) {
      char& d = digits_[digits_.size() - 1 - i];
      carry += d - '0' + (i < other.size() ? other[other.size() - 1 - i] - '0' : 0);
      d = static_cast<char>('0' + carry % 10);
      carry /= 10;
    }
    if (carry) digits_.insert(digits_.begin(), '1');
  }
  // Requires: the magnitude of `other` is not larger.
  void Deduct(std::string_view other) {
    int borrow = 0;
    for (size_t i = 0; i < digits_.size() && (i < other.size() || borrow); ++i) {
      char& d = digits_[digits_.size() - 1 - i];
      int left = d - '0' - borrow - (i < other.size() ? other[other.size() - 1 - i] - '0' : 0);
      borrow = left < 0;
      d = static_cast<char>('0' + left + 10 * borrow);
    }
  }
  void Trim() {
    digits_.erase(0, std::min(digits_.find_first_not_of('0'), digits_.size()));
    if (digits_.empty()) negative_ = false;
  }

  bool negative_ = false;
  std::string digits_;  // without leading zeros; empty is zero
};

bool MulPow10(int64_t value, int64_t n, int64_t* out) {
  for (; n > 0 && value != 0; --n)
    if (__builtin_mul_overflow(value, int64_t{10}, &value)) return false;
  *out = value;
  return true;
}

}  // namespace

struct Quantity::Big {
  Int unscaled;
  int32_t scale = 0;

  // Brings two amounts to one scale.
  static void Align(Big& a, Big& b) {
    if (a.scale > b.scale) {
      a.unscaled.ShiftLeft10(a.scale - b.scale);
      a.scale = b.scale;
    } else if (b.scale > a.scale) {
      Align(b, a);
    }
  }
};

base::Result<Quantity, std::string_view> Quantity::Parse(std::string_view text) {
  if (text.empty()) return base::Err(kErrFormat);
  Quantity q;
  if (text == "0") {
    q.text_ = text;
    return q;
  }
  auto parts = Split(text);
  if (!parts) return base::Err(kErrFormat);
  auto suffix = InterpretSuffix(parts->suffix);
  if (!suffix) return base::Err(kErrSuffix);

  const int digits = static_cast<int>(std::min<size_t>(parts->whole.size() + parts->fraction.size(), 100));
  const bool binary = suffix->format == Format::kBinarySI;
  const int64_t factor = binary ? int64_t{1} << suffix->exponent : 1;
  const int32_t scale = (binary ? 0 : suffix->exponent) - static_cast<int32_t>(digits - parts->whole.size());
  bool fits = digits <= kMaxDigits && scale >= kNano;
  if (binary) {
    fits = parts->fraction.empty() &&
           15 - digits - static_cast<int>(static_cast<float>(suffix->exponent) * 3 / 10) - 1 >= 0;
  }
  if (!fits) return ParseBig(parts->number, suffix->base, suffix->exponent, suffix->format);

  char shifted[kMaxDigits];
  char* end = std::copy(parts->whole.begin(), parts->whole.end(), shifted);
  end = std::copy(parts->fraction.begin(), parts->fraction.end(), end);
  int64_t value = 0;
  std::from_chars(shifted, end, value);
  const std::string_view shifted_text(shifted, end - shifted);
  q.value_ = parts->positive ? value * factor : -(value * factor);
  q.scale_ = scale;
  q.format_ = suffix->format;
  const bool canonical =
      binary ? (value & 7) != 0 : scale % 3 == 0 && !shifted_text.ends_with("000") && shifted[0] != '0';
  if (canonical) q.text_ = text;
  return q;
}

base::Result<Quantity, std::string_view> Quantity::ParseBig(std::string_view number, int base,
                                                            int32_t exponent, Format format) {
  std::string digits;
  int32_t scale = 0;
  bool negative = false, point = false;
  for (char c : number) {
    if (c == '-') negative = true;
    if (c == '.') point = true;
    if (c < '0' || c > '9') continue;
    if (!digits.empty() || c != '0') digits += c;
    if (point) --scale;
  }
  if (digits.size() > static_cast<size_t>(kMaxExponent) || scale < -kMaxExponent ||
      number.find_first_of("0123456789") == number.npos)
    return base::Err(kErrNumeric);
  Big amount{Int(std::move(digits)), scale};
  if (base == 10) {
    amount.scale += exponent;
  } else {
    amount.unscaled.MultiplyBy(uint64_t{1} << exponent);
  }
  if (amount.scale < kNano) {
    amount.unscaled.ShiftRight10(kNano - amount.scale);
    amount.scale = kNano;
  }
  if (format == Format::kBinarySI) {
    Big most{Int(std::numeric_limits<int64_t>::max()), 0}, same = amount, one{Int(1), 0}, small = amount;
    Big::Align(most, same);
    if (Int::Compare(same.unscaled, most.unscaled) > 0)
      amount = {Int(std::numeric_limits<int64_t>::max()), 0};
    Big::Align(one, small);
    if (Int::Compare(small.unscaled, one.unscaled) < 0 && !small.unscaled.is_zero())
      format = Format::kDecimalSI;
  }
  if (negative) amount.unscaled.Negate();
  Quantity q;
  q.format_ = format;
  q.SetBig(std::move(amount));
  return q;
}

Quantity::Big Quantity::AsBig() const { return big_ ? *big_ : Big{Int(value_), scale_}; }

void Quantity::SetBig(Big big) {
  text_.clear();
  if (auto small = big.unscaled.ToInt64()) {
    value_ = *small;
    scale_ = big.scale;
    big_ = nullptr;
    return;
  }
  big_ = std::make_shared<const Big>(std::move(big));
}

int Quantity::Sign() const {
  if (big_) return big_->unscaled.sign();
  return value_ > 0 ? 1 : value_ < 0 ? -1 : 0;
}

int Quantity::Compare(const Quantity& other) const {
  if (!big_ && !other.big_ && scale_ == other.scale_)
    return value_ < other.value_ ? -1 : value_ > other.value_ ? 1 : 0;
  if (Sign() != other.Sign()) return Sign() < other.Sign() ? -1 : 1;
  Big a = AsBig(), b = other.AsBig();
  Big::Align(a, b);
  return Int::Compare(a.unscaled, b.unscaled);
}

void Quantity::Add(const Quantity& other) {
  text_.clear();
  if (IsZero()) format_ = other.format_;
  int64_t sum;
  if (!big_ && !other.big_ && scale_ == other.scale_ && !__builtin_add_overflow(value_, other.value_, &sum)) {
    value_ = sum;
    return;
  }
  Big a = AsBig(), b = other.AsBig();
  Big::Align(a, b);
  a.unscaled.Add(b.unscaled);
  SetBig(std::move(a));
}

void Quantity::Sub(const Quantity& other) {
  Quantity negated = other;
  negated.Negate();
  Add(negated);
}

void Quantity::Negate() {
  text_.clear();
  if (!big_ && value_ != std::numeric_limits<int64_t>::min()) {
    value_ = -value_;
    return;
  }
  Big big = AsBig();
  big.unscaled.Negate();
  SetBig(std::move(big));
}

int64_t Quantity::ScaledValue(int scale) const {
  if (!big_ && scale_ >= scale) {
    int64_t v = 0;
    return MulPow10(value_, int64_t{scale_} - scale, &v) ? v : 0;
  }
  Big b = AsBig();
  if (b.scale >= scale) {
    b.unscaled.ShiftLeft10(b.scale - scale);
  } else {
    b.unscaled.ShiftRight10(scale - b.scale);
  }
  return b.unscaled.ToInt64().value_or(0);
}

std::optional<int64_t> Quantity::AsInt64() const {
  if (big_) return std::nullopt;
  int64_t whole = value_;
  if (scale_ >= 0) return MulPow10(value_, scale_, &whole) ? std::optional(whole) : std::nullopt;
  for (int32_t i = scale_; i < 0; ++i) {
    if (whole % 10 != 0) return std::nullopt;
    whole /= 10;
  }
  return whole;
}

double Quantity::AsApproximateFloat() const {
  if (!big_)
    return scale_ == 0 ? static_cast<double>(value_) : static_cast<double>(value_) * std::pow(10, scale_);
  double unscaled = 0;
  const std::string digits = big_->unscaled.ToString();
  std::from_chars(digits.data(), digits.data() + digits.size(), unscaled);
  return unscaled * std::pow(10, big_->scale);
}

std::string Quantity::ToString() const {
  if (!text_.empty()) return text_;
  if (IsZero()) return "0";
  Big b = AsBig();
  Format format = format_;
  if (format == Format::kBinarySI) {
    Int whole = b.unscaled;
    bool exact = true;
    if (b.scale < 0) {
      exact = whole.ShiftRight10(-b.scale);
    } else {
      whole.ShiftLeft10(b.scale);
    }
    const auto small = whole.ToInt64();
    if (exact && (!small || *small <= -1024 || *small >= 1024)) {
      int32_t times = 0;
      while (whole.DivideExactly(1024)) ++times;
      return whole.ToString() + SuffixText(2, times * 10, format);
    }
    format = Format::kDecimalSI;
  }
  for (; b.unscaled.EndsInZero(); ++b.scale) b.unscaled.ShiftRight10(1);
  for (; b.scale % 3 != 0; --b.scale) b.unscaled.ShiftLeft10(1);
  return b.unscaled.ToString() + SuffixText(10, b.scale, format);
}

bool IsPlainCanonicalQuantity(std::string_view text) {
  if (text.empty() || text[0] == '0') return text == "0";
  int64_t value = 0;
  size_t i = 0;
  for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i) {
    if (i == 12) return false;
    value = value * 10 + (text[i] - '0');
  }
  const std::string_view suffix = text.substr(i);
  if (i == 0 || suffix.size() > 2) return false;
  if (suffix.size() == 2)  // no multiple of 1024, so no larger suffix would do
    return suffix[1] == 'i' && value < 1024 &&
           std::string_view("KMGTP").find(suffix[0]) != std::string_view::npos;
  return value % 1000 != 0 &&
         (suffix.empty() || std::string_view("numkMGTPE").find(suffix[0]) != std::string_view::npos);
}

base::Result<std::string_view, std::string_view> CanonicalQuantity(std::string_view text, Arena& arena) {
  if (IsPlainCanonicalQuantity(text)) return text;
  auto q = TRY(Quantity::Parse(text));
  const std::string canonical = q.ToString();
  return canonical == text ? text : arena.CopyString(canonical);
}

}  // namespace keelson::api
