#include "api/codec/time_format.h"

#include <charconv>
#include <cstring>
#include <limits>

namespace keelson::api {
namespace {

constexpr int64_t kSecondsPerDay = 86'400;

// Days since 1970-01-01 of a date in the proleptic Gregorian calendar, and back; both
// count in eras of 400 years that start in March, so that leap days come last.
int64_t DaysFromCivil(int64_t y, unsigned m, unsigned d) {
  y -= m <= 2;
  const int64_t era = (y >= 0 ? y : y - 399) / 400;
  const unsigned yoe = static_cast<unsigned>(y - era * 400);
  const unsigned doy = (153 * (m > 2 ? m - 3 : m + 9) + 2) / 5 + d - 1;
  const unsigned doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
  return era * 146'097 + static_cast<int64_t>(doe) - 719'468;
}

struct Civil {
  int64_t year;
  unsigned month, day;
};

Civil CivilFromDays(int64_t z) {
  z += 719'468;
  const int64_t era = (z >= 0 ? z : z - 146'096) / 146'097;
  const unsigned doe = static_cast<unsigned>(z - era * 146'097);
  const unsigned yoe = (doe - doe / 1460 + doe / 36'524 - doe / 146'096) / 365;
  const unsigned doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
  const unsigned mp = (5 * doy + 2) / 153;
  const unsigned month = mp < 10 ? mp + 3 : mp - 9;
  return {static_cast<int64_t>(yoe) + era * 400 + (month <= 2), month, doy - (153 * mp + 2) / 5 + 1};
}

unsigned DaysInMonth(int64_t year, unsigned month) {
  static constexpr unsigned kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return month == 2 && leap ? 29 : kDays[month - 1];
}

bool IsDigit(std::string_view s, size_t i) { return i < s.size() && s[i] >= '0' && s[i] <= '9'; }

std::string Quote(std::string_view s) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out = "\"";
  for (unsigned char c : s) {
    if (c >= 0x80 || c < ' ') {
      out += {'\\', 'x', kHex[c >> 4], kHex[c & 15]};
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<char>(c);
  }
  return out + '"';
}

// Walks the text element by element, and says which one does not fit.
class TimeParser {
 public:
  TimeParser(std::string_view text, std::string_view layout) : text_(text), layout_(layout), rest_(text) {}

  base::Result<Instant, std::string> Parse() {
    int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
    const bool read = Year(year) && Literal('-') && Number("01", 2, 1, 12, "month", month) && Literal('-') &&
                      Number("02", 2, 0, 99, "", day) && Literal('T') &&
                      Number("15", 1, 0, 23, "hour", hour) && Literal(':') &&
                      Number("04", 2, 0, 59, "minute", minute) && Literal(':') &&
                      Number("05", 2, 0, 59, "second", second) && Fraction() && Zone();
    if (read && !rest_.empty()) OutOfLine(": extra text: " + Quote(rest_));
    if (error_.empty() && (day < 1 || day > static_cast<int>(DaysInMonth(year, month))))
      OutOfLine(": day out of range");
    if (!error_.empty()) return base::Err(std::move(error_));
    const int64_t days = DaysFromCivil(year, month, day);
    return Instant{days * kSecondsPerDay + hour * 3600 + minute * 60 + second - offset_, nanos_};
  }

 private:
  bool OutOfLine(std::string_view what) {
    error_ = "parsing time " + Quote(text_) + std::string(what);
    return false;
  }
  bool Misfit(std::string_view element) {
    error_ = "parsing time " + Quote(text_) + " as " + Quote(layout_) + ": cannot parse " + Quote(rest_) +
             " as " + Quote(element);
    return false;
  }
  bool Year(int& year) {
    if (rest_.size() < 4) return Misfit("2006");
    for (int i = 0; i < 4; ++i) {
      if (!IsDigit(rest_, i)) return Misfit("2006");
      year = year * 10 + (rest_[i] - '0');
    }
    rest_.remove_prefix(4);
    return true;
  }
  bool Literal(char c) {
    if (!rest_.starts_with(c)) return Misfit({&c, 1});
    rest_.remove_prefix(1);
    return true;
  }
  bool Number(std::string_view element, size_t least_digits, int low, int high, std::string_view name,
              int& out) {
    size_t n = IsDigit(rest_, 0) ? (IsDigit(rest_, 1) ? 2 : 1) : 0;
    if (n < least_digits) return Misfit(element);
    out = rest_[0] - '0';
    if (n == 2) out = out * 10 + (rest_[1] - '0');
    rest_.remove_prefix(n);
    if (out >= low && out <= high) return true;
    return OutOfLine(": " + std::string(name) + " out of range");
  }
  // The layout with microseconds wants six digits; the other takes any number of them.
  bool Fraction() {
    const bool exact = layout_ == kMicroTimeLayout;
    const bool there = !rest_.empty() && (rest_[0] == '.' || rest_[0] == ',') && IsDigit(rest_, 1);
    if (!there) return exact ? Misfit(".000000") : true;
    size_t n = 1;
    while (IsDigit(rest_, n) && !(exact && n == 7)) ++n;
    if (exact && n != 7) return Misfit(".000000");
    int32_t unit = 100'000'000;
    for (size_t i = 1; i < n; ++i, unit /= 10) nanos_ += (rest_[i] - '0') * unit;
    rest_.remove_prefix(n);
    return true;
  }
  bool Zone() {
    if (rest_.starts_with('Z')) {
      rest_.remove_prefix(1);
      return true;
    }
    const bool shaped = rest_.size() >= 6 && (rest_[0] == '+' || rest_[0] == '-') && IsDigit(rest_, 1) &&
                        IsDigit(rest_, 2) && rest_[3] == ':' && IsDigit(rest_, 4) && IsDigit(rest_, 5);
    if (!shaped) return Misfit("Z07:00");
    const int hours = (rest_[1] - '0') * 10 + (rest_[2] - '0');
    const int minutes = (rest_[4] - '0') * 10 + (rest_[5] - '0');
    if (hours > 24) return OutOfLine(": time zone offset hour out of range");
    if (minutes > 60) return OutOfLine(": time zone offset minute out of range");
    offset_ = hours * 3600 + minutes * 60;
    if (rest_[0] == '-') offset_ = -offset_;
    rest_.remove_prefix(6);
    return true;
  }

  const std::string_view text_, layout_;
  std::string_view rest_;
  std::string error_;
  int32_t nanos_ = 0;
  int offset_ = 0;
};

void TwoDigits(char* out, unsigned v) {
  out[0] = static_cast<char>('0' + v / 10);
  out[1] = static_cast<char>('0' + v % 10);
}

char* FormatYear(int64_t year, char* out) {
  if (year >= 0 && year <= 9999) {
    TwoDigits(out, static_cast<unsigned>(year / 100));
    TwoDigits(out + 2, static_cast<unsigned>(year % 100));
    return out + 4;
  }
  if (year < 0) *out++ = '-';
  const uint64_t magnitude = year < 0 ? 0 - static_cast<uint64_t>(year) : static_cast<uint64_t>(year);
  for (uint64_t bound = 1000; bound > magnitude && bound > 1; bound /= 10) *out++ = '0';
  return std::to_chars(out, out + 20, magnitude).ptr;
}

// Date and time of day, without fraction and zone.
char* FormatSeconds(int64_t seconds, char* out) {
  int64_t days = seconds / kSecondsPerDay;
  int64_t left = seconds % kSecondsPerDay;
  if (left < 0) {
    left += kSecondsPerDay;
    --days;
  }
  const Civil date = CivilFromDays(days);
  const unsigned tod = static_cast<unsigned>(left);
  out = FormatYear(date.year, out);
  std::memcpy(out, "-00-00T00:00:00", 15);
  TwoDigits(out + 1, date.month);
  TwoDigits(out + 4, date.day);
  TwoDigits(out + 7, tod / 3600);
  TwoDigits(out + 10, tod / 60 % 60);
  TwoDigits(out + 13, tod % 60);
  return out + 15;
}

uint64_t UnitNanos(std::string_view unit) {
  if (unit == "ns") return 1;
  if (unit == "us" || unit == "µs" || unit == "μs") return 1'000;
  if (unit == "ms") return 1'000'000;
  if (unit == "s") return 1'000'000'000;
  if (unit == "m") return 60'000'000'000;
  if (unit == "h") return 3'600'000'000'000;
  return 0;
}

// One number with its unit, taken off the front of `s`; adds it to `total`. Returns what is
// wrong, empty when nothing is.
std::string TakeDurationPart(std::string_view& s, uint64_t& total) {
  constexpr uint64_t kLimit = uint64_t{1} << 63;
  constexpr const char* kInvalid = "invalid duration";
  uint64_t value = 0, fraction = 0;
  double scale = 1;
  bool digits = false;
  while (IsDigit(s, 0)) {
    if (value > kLimit / 10) return kInvalid;
    value = value * 10 + static_cast<uint64_t>(s[0] - '0');
    if (value > kLimit) return kInvalid;
    digits = true;
    s.remove_prefix(1);
  }
  if (s.starts_with('.')) {
    s.remove_prefix(1);
    for (; IsDigit(s, 0); s.remove_prefix(1)) {
      digits = true;
      if (fraction > (kLimit - 1) / 10) continue;  // further digits are below a nanosecond
      fraction = fraction * 10 + static_cast<uint64_t>(s[0] - '0');
      scale *= 10;
    }
  }
  if (!digits) return kInvalid;
  size_t n = 0;
  while (n < s.size() && s[n] != '.' && !IsDigit(s, n)) ++n;
  if (n == 0) return "missing unit in duration";
  const uint64_t unit = UnitNanos(s.substr(0, n));
  if (unit == 0) return "unknown unit " + Quote(s.substr(0, n)) + " in duration";
  s.remove_prefix(n);
  if (value > kLimit / unit) return kInvalid;
  value *= unit;
  if (fraction > 0)
    value += static_cast<uint64_t>(static_cast<double>(fraction) * (static_cast<double>(unit) / scale));
  if (value > kLimit) return kInvalid;
  total += value;
  return total > kLimit ? kInvalid : "";
}

// The decimal fraction value / 10^digits without trailing zeros, point included.
char* FormatFraction(uint64_t value, int digits, char* out) {
  char text[9];
  for (int i = digits - 1; i >= 0; --i, value /= 10) text[i] = static_cast<char>('0' + value % 10);
  while (digits > 0 && text[digits - 1] == '0') --digits;
  if (digits == 0) return out;
  *out++ = '.';
  std::memcpy(out, text, static_cast<size_t>(digits));
  return out + digits;
}

char* FormatUnsigned(uint64_t v, char* out) { return std::to_chars(out, out + 20, v).ptr; }

char* AppendText(std::string_view s, char* out) {
  std::memcpy(out, s.data(), s.size());
  return out + s.size();
}

}  // namespace

base::Result<Instant, std::string> ParseTime(std::string_view text, std::string_view layout) {
  return TimeParser(text, layout).Parse();
}

char* FormatTime(int64_t seconds, char* out) {
  out = FormatSeconds(seconds, out);
  *out = 'Z';
  return out + 1;
}

char* FormatMicroTime(int64_t micros, char* out) {
  int64_t seconds = micros / 1'000'000;
  int64_t fraction = micros % 1'000'000;
  if (fraction < 0) {
    fraction += 1'000'000;
    --seconds;
  }
  out = FormatSeconds(seconds, out);
  *out = '.';
  for (int i = 6; i > 0; --i, fraction /= 10) out[i] = static_cast<char>('0' + fraction % 10);
  out[7] = 'Z';
  return out + 8;
}

base::Result<int64_t, std::string> ParseDuration(std::string_view text) {
  auto fail = [&](const std::string& what) { return base::Err("time: " + what + " " + Quote(text)); };
  std::string_view s = text;
  bool negative = false;
  if (s.starts_with('-') || s.starts_with('+')) {
    negative = s[0] == '-';
    s.remove_prefix(1);
  }
  if (s == "0") return 0;
  if (s.empty()) return fail("invalid duration");
  uint64_t total = 0;
  while (!s.empty()) {
    if (s[0] != '.' && !IsDigit(s, 0)) return fail("invalid duration");
    std::string problem = TakeDurationPart(s, total);
    if (!problem.empty()) return fail(problem);
  }
  if (negative) return static_cast<int64_t>(0 - total);
  if (total > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) return fail("invalid duration");
  return static_cast<int64_t>(total);
}

char* FormatDuration(int64_t nanos, char* out) {
  uint64_t u = nanos < 0 ? 0 - static_cast<uint64_t>(nanos) : static_cast<uint64_t>(nanos);
  if (u == 0) return AppendText("0s", out);
  if (nanos < 0) *out++ = '-';
  if (u < 1'000) return AppendText("ns", FormatUnsigned(u, out));
  if (u < 1'000'000) return AppendText("µs", FormatFraction(u % 1'000, 3, FormatUnsigned(u / 1'000, out)));
  if (u < 1'000'000'000)
    return AppendText("ms", FormatFraction(u % 1'000'000, 6, FormatUnsigned(u / 1'000'000, out)));
  const uint64_t seconds = u / 1'000'000'000;
  if (seconds >= 3600) {
    out = FormatUnsigned(seconds / 3600, out);
    *out++ = 'h';
  }
  if (seconds >= 60) {
    out = FormatUnsigned(seconds / 60 % 60, out);
    *out++ = 'm';
  }
  out = FormatFraction(u % 1'000'000'000, 9, FormatUnsigned(seconds % 60, out));
  *out++ = 's';
  return out;
}

}  // namespace keelson::api
