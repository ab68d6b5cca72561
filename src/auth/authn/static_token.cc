#include <openssl/rand.h>

#include <optional>
#include <stdexcept>
#include <unordered_map>

#include "auth/authn/authenticators.h"
#include "base/file.h"
#include "base/log.h"
#include "base/siphash.h"
#include "net/http/message.h"

namespace keelson::auth {
namespace {

// Tokens are looked up by a digest under a key of this process, so how long a lookup takes
// tells nothing about the tokens it did not match.
class TokenDigester {
 public:
  TokenDigester() {
    if (RAND_bytes(reinterpret_cast<unsigned char*>(&key_), sizeof key_) != 1)
      throw std::runtime_error("no random bytes for the token digest key");
  }
  base::SipDigest operator()(std::string_view token) const { return base::SipHash128(key_, token); }

 private:
  base::SipKey key_;
};

struct DigestHash {
  size_t operator()(const base::SipDigest& d) const { return d[0]; }
};

// The token of "Authorization: Bearer <token>"; nullopt when there is none of that form.
std::optional<std::string_view> BearerToken(const net::http::Request& request) {
  auto value = request.headers.Get("authorization");
  if (!value) return std::nullopt;
  const auto is_space = [](char c) { return c == ' ' || c == '\t'; };
  while (!value->empty() && is_space(value->front())) value->remove_prefix(1);
  constexpr std::string_view kScheme = "bearer ";
  if (value->size() <= kScheme.size()) return std::nullopt;
  for (size_t i = 0; i < kScheme.size(); ++i) {
    const char c = (*value)[i];
    if ((c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c) != kScheme[i]) return std::nullopt;
  }
  std::string_view token = value->substr(kScheme.size());
  token = token.substr(0, token.find(' '));
  if (token.empty()) return std::nullopt;
  return token;
}

class StaticTokenAuthenticator final : public Authenticator {
 public:
  // False: the token was there already and now means `user`.
  bool Add(std::string_view token, UserPtr user) {
    return users_.insert_or_assign(digest_(token), std::move(user)).second;
  }

  base::Task<Outcome> Authenticate(const net::http::Request& request) override {
    const auto token = BearerToken(request);
    if (!token) co_return UserPtr();
    const auto it = users_.find(digest_(*token));
    if (it == users_.end()) co_return base::Err(std::string("invalid bearer token"));
    co_return it->second;
  }

 private:
  const TokenDigester digest_;
  std::unordered_map<base::SipDigest, UserPtr, DigestHash> users_;
};

// Comma-separated values with double quotes: a quoted field may hold commas, line breaks
// and doubled quotes; a quote inside an unquoted field is an error. Empty lines are skipped.
class CsvReader {
 public:
  explicit CsvReader(std::string_view text) : rest_(text) {}

  // The next record; empty at the end.
  base::Result<std::vector<std::string>, std::string> Next() {
    while (!rest_.empty() && TakeLineBreak()) {
    }
    std::vector<std::string> record;
    if (rest_.empty()) return record;
    record_line_ = line_;
    for (;;) {
      auto field = rest_.starts_with('"') ? QuotedField() : PlainField();
      if (!field) return base::Err(std::move(field.error()));
      record.push_back(std::move(*field));
      if (rest_.starts_with(',')) {
        rest_.remove_prefix(1);
        continue;
      }
      TakeLineBreak();
      return record;
    }
  }
  int record_line() const { return record_line_; }

 private:
  using Field = base::Result<std::string, std::string>;

  bool TakeLineBreak() {
    const size_t n = rest_.starts_with("\r\n") ? 2 : rest_.starts_with('\n') ? 1 : 0;
    rest_.remove_prefix(n);
    line_ += n > 0;
    return n > 0;
  }

  Field PlainField() {
    const size_t end = std::min(rest_.find_first_of(",\n"), rest_.size());
    std::string_view field = rest_.substr(0, end);
    rest_.remove_prefix(end);
    if (field.ends_with('\r') && !rest_.starts_with(',')) field.remove_suffix(1);
    if (field.find('"') != std::string_view::npos) return Bad("bare \" in non-quoted field");
    return std::string(field);
  }

  Field QuotedField() {
    rest_.remove_prefix(1);
    std::string field;
    for (;;) {
      const size_t quote = rest_.find('"');
      if (quote == std::string_view::npos) return Bad("quoted field has no end");
      const std::string_view part = rest_.substr(0, quote);
      for (const char c : part) line_ += c == '\n';
      field += part;
      rest_.remove_prefix(quote + 1);
      if (!rest_.starts_with('"')) break;
      field += '"';
      rest_.remove_prefix(1);
    }
    if (!rest_.empty() && rest_[0] != ',' && rest_[0] != '\n' && !rest_.starts_with("\r\n"))
      return Bad("extraneous or missing \" in quoted field");
    return field;
  }

  Field Bad(std::string_view what) const {
    return base::Err("line " + std::to_string(line_) + ": " + std::string(what));
  }

  std::string_view rest_;
  int line_ = 1;
  int record_line_ = 1;
};

// As Go splits: an empty list is one empty group.
std::vector<std::string> SplitGroups(std::string_view list) {
  std::vector<std::string> groups;
  for (;;) {
    const size_t comma = list.find(',');
    groups.emplace_back(list.substr(0, comma));
    if (comma == std::string_view::npos) return groups;
    list.remove_prefix(comma + 1);
  }
}

}  // namespace

base::Result<std::unique_ptr<Authenticator>, std::string> ParseStaticTokens(std::string_view csv,
                                                                            std::string_view source) {
  const std::string where = "token file '" + std::string(source) + "'";
  auto tokens = std::make_unique<StaticTokenAuthenticator>();
  CsvReader reader(csv);
  for (;;) {
    auto record = reader.Next();
    if (!record) return base::Err(where + ": " + record.error());
    if (record->empty()) return tokens;
    if (record->size() < 3)
      return base::Err(where + " must have at least 3 columns (token, user name, user uid), found " +
                       std::to_string(record->size()) + " on line " + std::to_string(reader.record_line()));
    const std::string& token = (*record)[0];
    if (token.empty()) {
      base::Log(base::LogLevel::kWarning, "empty token in token file",
                {{"file", source}, {"line", reader.record_line()}});
      continue;
    }
    User user{.name = (*record)[1], .uid = (*record)[2]};
    if (record->size() >= 4) user.groups = SplitGroups((*record)[3]);
    AddAuthenticatedGroup(user);
    if (!tokens->Add(token, std::make_shared<const User>(std::move(user))))
      base::Log(base::LogLevel::kWarning, "duplicate token in token file; the last one counts",
                {{"file", source}, {"line", reader.record_line()}});
  }
}

base::Result<std::unique_ptr<Authenticator>, std::string> StaticTokens(const std::filesystem::path& file) {
  auto csv = base::ReadFile(file);
  if (!csv) return base::Err(std::move(csv.error()));
  return ParseStaticTokens(*csv, file.string());
}

}  // namespace keelson::auth
