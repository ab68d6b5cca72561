// PageLinks: an HTML page that passes through a proxy, with its links leading through the proxy.
//
// Links are the attributes that hold addresses (href of a, src of img and so on). Those that ProxiedLinks
// changes are written anew; every other byte of the page passes as it came. Comments, scripts and other text
// in which tags mean nothing are recognized as browsers recognize them. The page is taken for UTF-8.
//
// The page comes in pieces of any size, and nothing of it is kept but the tag that has not ended yet. A tag
// longer than kLongestTag passes as it is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "registry/core/proxied_links.h"

namespace keelson::registry::core {

class PageLinks {
 public:
  static constexpr size_t kLongestTag = 64 * 1024;

  explicit PageLinks(ProxiedLinks links) : links_(std::move(links)) {}

  // Appends to `out` what is known of the page after this piece of it.
  void Push(std::string_view piece, std::string& out);
  // The page is over: appends what was kept.
  void Finish(std::string& out);

 private:
  enum class State : uint8_t {
    kText,          // between tags
    kRawText,       // of an element in whose text there are no tags, until its own end tag
    kPlainText,     // until the page ends
    kOpen,          // after "<"
    kEndOpen,       // after "</"
    kMarkup,        // after "<!"
    kMarkupDash,    // after "<!-"
    kComment,       // after "<!--"
    kBogusComment,  // until the next ">"
    kTagName,
    kBeforeKey,
    kKey,
    kAfterKey,
    kBeforeValue,
    kQuoted,
    kUnquoted,
  };
  // Where the text of a script is. A comment in it may have scripts of its own, whose end tags end nothing.
  enum class Script : uint8_t { kPlain, kComment, kNested };

  // The value of an attribute that is an address: where it is in `tag_`, without its quotes.
  struct Address {
    std::string_view key;
    size_t begin = 0, end = 0;
    bool quoted = false;
  };

  void Take(char c, std::string& out);
  void TakeOpen(char c, std::string& out);
  void TakeMarkup(char c);
  void TakeComment(char c);
  void TakeRawText(char c);
  bool EndsRawText(char c);
  void TakeTag(char c, std::string& out);
  void TakeValue(char c, std::string& out);
  void BeginTag(char c, bool start);
  void BeginKey(char c);
  void EndKey(char c, std::string& out);
  void EndValue(bool quoted);
  void EndTag(std::string& out);
  void Release(std::string& out);
  void WriteTag(std::string& out) const;

  const ProxiedLinks links_;
  State state_ = State::kText;

  // The tag that is read. `tag_` has its bytes from "<" on if it is kept: if it is a start tag, and not too
  // long.
  std::string tag_;
  bool kept_ = false, start_ = false;
  std::string name_, key_;  // in small letters; cut if they are longer than any that is known
  size_t value_begin_ = 0;
  char quote_ = 0;
  std::array<Address, 4> addresses_;
  size_t address_count_ = 0;

  // The comment that is read, or that of a script: how many dashes came last; if there was anything but
  // dashes; if "--!" came last.
  size_t dashes_ = 0;
  bool comment_begins_ = false, bang_ = false;

  std::string raw_name_;  // of the element whose text is read
  std::string raw_tag_;   // what came of a tag in it, from "<" on, in small letters
  Script script_ = Script::kPlain;
};

}  // namespace keelson::registry::core
