#include "registry/core/page_links.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/ascii.h"
#include "base/utf8.h"
#include "net/http/text.h"

namespace keelson::registry::core {
namespace {

// The attributes that hold addresses, by element.
struct AddressesOf {
  std::string_view element;
  std::array<std::string_view, 4> keys;
};
constexpr AddressesOf kAddresses[] = {
    {"a", {"href"}},
    {"applet", {"codebase"}},
    {"area", {"href"}},
    {"audio", {"src"}},
    {"base", {"href"}},
    {"blockquote", {"cite"}},
    {"body", {"background"}},
    {"button", {"formaction"}},
    {"command", {"icon"}},
    {"del", {"cite"}},
    {"embed", {"src"}},
    {"form", {"action"}},
    {"frame", {"longdesc", "src"}},
    {"head", {"profile"}},
    {"html", {"manifest"}},
    {"iframe", {"longdesc", "src"}},
    {"img", {"longdesc", "src", "usemap"}},
    {"input", {"src", "usemap", "formaction"}},
    {"ins", {"cite"}},
    {"link", {"href"}},
    {"object", {"classid", "codebase", "data", "usemap"}},
    {"q", {"cite"}},
    {"script", {"src"}},
    {"source", {"src"}},
    {"video", {"poster", "src"}},
};
constexpr size_t kLongestName = 16;  // no name that matters is as long

// Elements in whose text there are no tags.
constexpr std::string_view kRawElements[] = {"iframe", "noembed",  "noframes", "noscript", "script",
                                             "style",  "textarea", "title",    "xmp"};

// The key as the table has it; empty: its value is no address.
std::string_view AddressKey(std::string_view element, std::string_view key) {
  const auto found = std::ranges::lower_bound(kAddresses, element, {}, &AddressesOf::element);
  if (found == std::end(kAddresses) || found->element != element || key.empty()) return {};
  const auto known = std::ranges::find(found->keys, key);
  return known == found->keys.end() ? std::string_view() : *known;
}

bool IsHtmlBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r'; }
bool EndsTagName(char c) { return IsHtmlBlank(c) || c == '/' || c == '>'; }

void AppendName(char c, std::string& name) {
  if (name.size() < kLongestName) name += net::http::LowerCase(c);
}

// The character that a reference (without & and ;) stands for, if it may mean something in an address.
std::optional<char32_t> Referenced(std::string_view name) {
  if (name.starts_with('#')) {
    name.remove_prefix(1);
    const bool hex = name.starts_with('x') || name.starts_with('X');
    if (hex) name.remove_prefix(1);
    uint32_t c = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), c, hex ? 16 : 10);
    if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
    // Others stand for something else, or for nothing.
    const bool plain = (c > 0 && c < 0x80) || (c >= 0xa0 && c < 0xd800) || (c >= 0xe000 && c < 0x110000);
    return plain ? std::optional<char32_t>(c) : std::nullopt;
  }
  constexpr std::pair<std::string_view, char> kNamed[] = {
      {"apos", '\''}, {"colon", ':'},  {"commat", '@'}, {"gt", '>'},   {"lt", '<'},
      {"num", '#'},   {"period", '.'}, {"quest", '?'},  {"quot", '"'}, {"sol", '/'}};
  const auto* const found = std::ranges::find(kNamed, name, &std::pair<std::string_view, char>::first);
  if (found == std::end(kNamed)) return std::nullopt;
  return static_cast<unsigned char>(found->second);
}

// The address that a value is written for. Ampersands stay as they are written: &amp; is the same in an
// address as in a page, and so are the references to letters that no address turns on.
std::string AddressIn(std::string_view value) {
  constexpr size_t kLongestReference = 12;
  std::string address;
  address.reserve(value.size());
  while (!value.empty()) {
    const size_t at = std::min(value.find('&'), value.size());
    address.append(value.substr(0, at));
    value.remove_prefix(at);
    if (value.empty()) break;
    const size_t end = value.substr(0, kLongestReference).find(';');
    const auto c = end == std::string_view::npos ? std::nullopt : Referenced(value.substr(1, end - 1));
    if (!c) {
      address += '&';
      value.remove_prefix(1);
      continue;
    }
    if (*c == '&') {
      address.append("&amp;");
    } else {
      base::AppendRune(*c, address);
    }
    value.remove_prefix(end + 1);
  }
  return address;
}

// In double quotes, whatever it was in.
void AppendQuoted(std::string_view address, std::string& out) {
  out += '"';
  for (const char c : address) {
    switch (c) {
      case '"': out.append("&#34;"); break;
      case '\'': out.append("&#39;"); break;
      case '<': out.append("&lt;"); break;
      case '>': out.append("&gt;"); break;
      default: out += c;
    }
  }
  out += '"';
}

}  // namespace

void PageLinks::Push(std::string_view piece, std::string& out) {
  while (!piece.empty()) {
    if (state_ == State::kText || state_ == State::kPlainText) {
      const size_t text = state_ == State::kText ? std::min(piece.find('<'), piece.size()) : piece.size();
      out.append(piece.substr(0, text));
      piece.remove_prefix(text);
      if (piece.empty()) return;
    }
    Take(piece.front(), out);
    piece.remove_prefix(1);
  }
}

void PageLinks::Finish(std::string& out) {
  Release(out);
  state_ = State::kText;
}

void PageLinks::Take(char c, std::string& out) {
  if (state_ == State::kText && c == '<') kept_ = true;
  if (kept_) {
    tag_ += c;
  } else {
    out += c;
  }
  switch (state_) {
    case State::kText:
      if (c == '<') state_ = State::kOpen;
      break;
    case State::kPlainText: break;
    case State::kRawText: TakeRawText(c); break;
    case State::kOpen:
    case State::kEndOpen: TakeOpen(c, out); break;
    case State::kMarkup:
    case State::kMarkupDash: TakeMarkup(c); break;
    case State::kComment: TakeComment(c); break;
    case State::kBogusComment:
      if (c == '>') state_ = State::kText;
      break;
    case State::kBeforeValue:
    case State::kQuoted:
    case State::kUnquoted: TakeValue(c, out); break;
    default: TakeTag(c, out);
  }
  if (tag_.size() > kLongestTag) Release(out);
}

// Gives what is kept, as it is.
void PageLinks::Release(std::string& out) {
  if (kept_) out.append(tag_);
  kept_ = false;
  tag_.clear();
  address_count_ = 0;
}

void PageLinks::TakeOpen(char c, std::string& out) {
  const bool letter = base::IsLetter(static_cast<unsigned char>(c));
  if (state_ == State::kEndOpen) {
    if (letter) {
      BeginTag(c, /*start=*/false);
    } else {
      state_ = c == '>' ? State::kText : State::kBogusComment;
    }
  } else if (letter) {
    BeginTag(c, /*start=*/true);
  } else if (c == '<') {  // the first one is text
    out += c;
    tag_ = "<";
  } else {
    Release(out);
    switch (c) {
      case '/': state_ = State::kEndOpen; break;
      case '!': state_ = State::kMarkup; break;
      case '?': state_ = State::kBogusComment; break;
      default: state_ = State::kText;
    }
  }
}

void PageLinks::TakeMarkup(char c) {
  if (c == '>') {
    state_ = State::kText;
  } else if (c != '-') {
    state_ = State::kBogusComment;
  } else if (state_ == State::kMarkup) {
    state_ = State::kMarkupDash;
  } else {
    state_ = State::kComment;
    dashes_ = 0;
    comment_begins_ = true;
    bang_ = false;
  }
}

void PageLinks::TakeComment(char c) {
  const bool after_bang = std::exchange(bang_, false);
  if (c == '-') {
    if (after_bang) comment_begins_ = false;
    dashes_ = after_bang ? 1 : dashes_ + 1;
    return;
  }
  if (c == '>' && (after_bang || dashes_ >= 2 || comment_begins_)) {
    state_ = State::kText;
    return;
  }
  if (c == '!' && dashes_ >= 2) {
    bang_ = true;
    return;
  }
  dashes_ = 0;
  comment_begins_ = false;
}

void PageLinks::TakeRawText(char c) {
  if (script_ != Script::kPlain) {
    if (c == '>' && dashes_ >= 2) script_ = Script::kPlain;
    dashes_ = c == '-' ? dashes_ + 1 : 0;
  }
  if (c == '<') {
    raw_tag_ = "<";
  } else if (!raw_tag_.empty()) {
    if (EndsRawText(c)) {
      start_ = false;
      state_ = c == '>' ? State::kText : State::kBeforeKey;
    }
  }
}

// Whether the end tag of the element came, but for its attributes.
bool PageLinks::EndsRawText(char c) {
  const bool name_ended = EndsTagName(c) && raw_tag_.size() > 2;
  if (!name_ended) {
    raw_tag_ += net::http::LowerCase(c);
    if (raw_name_ == "script" && script_ == Script::kPlain && raw_tag_ == "<!--") {
      script_ = Script::kComment;
      dashes_ = 2;
    }
    if (raw_tag_.size() > raw_name_.size() + 2) raw_tag_.clear();
    return false;
  }
  const std::string tag = std::exchange(raw_tag_, {});
  const bool end_tag = tag[1] == '/';
  if (std::string_view(tag).substr(end_tag ? 2 : 1) != raw_name_) return false;
  if (end_tag && script_ != Script::kNested) return true;
  if (script_ != Script::kPlain) script_ = end_tag ? Script::kComment : Script::kNested;
  return false;
}

void PageLinks::BeginTag(char c, bool start) {
  start_ = start;
  name_.clear();
  key_.clear();
  address_count_ = 0;
  AppendName(c, name_);
  state_ = State::kTagName;
}

void PageLinks::TakeTag(char c, std::string& out) {
  switch (state_) {
    case State::kTagName:
      if (!EndsTagName(c)) return AppendName(c, name_);
      if (c == '>') return EndTag(out);
      state_ = State::kBeforeKey;
      return;
    case State::kBeforeKey:
      if (c == '>') return EndTag(out);
      if (c != '/' && !IsHtmlBlank(c)) BeginKey(c);
      return;
    case State::kKey:
      if (c != '=' && !EndsTagName(c)) return AppendName(c, key_);
      return EndKey(c, out);
    default:  // kAfterKey
      if (c != '=' && !EndsTagName(c)) return BeginKey(c);
      return EndKey(c, out);
  }
}

void PageLinks::BeginKey(char c) {
  key_.clear();
  AppendName(c, key_);
  state_ = State::kKey;
}

void PageLinks::EndKey(char c, std::string& out) {
  switch (c) {
    case '>': return EndTag(out);
    case '=': state_ = State::kBeforeValue; return;
    case '/': state_ = State::kBeforeKey; return;
    default: state_ = State::kAfterKey;
  }
}

void PageLinks::TakeValue(char c, std::string& out) {
  if (state_ == State::kBeforeValue) {
    if (IsHtmlBlank(c)) return;
    if (c == '>') return EndTag(out);
    const bool quoted = c == '"' || c == '\'';
    quote_ = c;
    value_begin_ = quoted ? tag_.size() : tag_.size() - 1;
    state_ = quoted ? State::kQuoted : State::kUnquoted;
  } else if (state_ == State::kQuoted) {
    if (c != quote_) return;
    EndValue(/*quoted=*/true);
    state_ = State::kBeforeKey;
  } else if (IsHtmlBlank(c) || c == '>') {
    EndValue(/*quoted=*/false);
    state_ = State::kBeforeKey;
    if (c == '>') EndTag(out);
  }
}

// The character after the value is the last that was kept.
void PageLinks::EndValue(bool quoted) {
  if (!kept_) return;
  const std::string_view key = AddressKey(name_, key_);
  const auto known = std::span(addresses_).first(address_count_);
  // Of attributes with one key the first one counts.
  if (key.empty() || std::ranges::find(known, key, &Address::key) != known.end()) return;
  addresses_[address_count_++] = {key, value_begin_, tag_.size() - 1, quoted};
}

void PageLinks::EndTag(std::string& out) {
  if (kept_) {
    WriteTag(out);
    kept_ = false;
    tag_.clear();
  }
  state_ = State::kText;
  if (!start_) return;
  if (name_ == "plaintext") {
    state_ = State::kPlainText;
  } else if (std::ranges::find(kRawElements, name_) != std::end(kRawElements)) {
    state_ = State::kRawText;
    raw_name_ = name_;
    raw_tag_.clear();
    script_ = Script::kPlain;
  }
}

void PageLinks::WriteTag(std::string& out) const {
  const std::string_view tag = tag_;
  size_t written = 0;
  for (const Address& found : std::span(addresses_).first(address_count_)) {
    const std::string address = AddressIn(tag.substr(found.begin, found.end - found.begin));
    const auto leads = links_.Location(address);
    if (!leads || *leads == address) continue;
    const size_t quote = found.quoted ? 1 : 0;
    out.append(tag.substr(written, found.begin - quote - written));
    AppendQuoted(*leads, out);
    written = found.end + quote;
  }
  out.append(tag.substr(written));
}

}  // namespace keelson::registry::core
