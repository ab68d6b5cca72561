#include <unordered_map>

#include "auth/authn/audiences.h"
#include "auth/authn/authenticators.h"
#include "auth/authn/token_digest.h"
#include "base/file.h"
#include "base/log.h"

namespace keelson::auth {
namespace {

struct DigestHash {
  size_t operator()(const base::SipDigest& d) const { return d[0]; }
};

class StaticTokenAuthenticator final : public TokenAuthenticator {
 public:
  explicit StaticTokenAuthenticator(std::vector<std::string> audiences) : audiences_(std::move(audiences)) {}

  // False: the token was there already and now means `user`.
  bool Add(std::string_view token, UserPtr user) {
    return users_.insert_or_assign(digest_(token), std::move(user)).second;
  }

  base::Task<Outcome> AuthenticateToken(std::string_view token, std::span<const std::string> audiences,
                                        Remarks& /*remarks*/) override {
    const auto it = users_.find(digest_(token));
    if (it == users_.end()) co_return Known();
    auto meant_for = AgnosticAudiences(audiences_, audiences);
    if (!meant_for) co_return Known();
    co_return Known{it->second, std::move(*meant_for)};
  }

 private:
  const TokenDigester digest_;
  const std::vector<std::string> audiences_;
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
      record.push_back(TRY(rest_.starts_with('"') ? QuotedField() : PlainField()));
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

base::Result<std::unique_ptr<TokenAuthenticator>, std::string> ParseStaticTokens(
    std::string_view csv, std::string_view source, std::vector<std::string> audiences) {
  const std::string where = "token file '" + std::string(source) + "'";
  auto tokens = std::make_unique<StaticTokenAuthenticator>(std::move(audiences));
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

base::Result<std::unique_ptr<TokenAuthenticator>, std::string> StaticTokens(
    const std::filesystem::path& file, std::vector<std::string> audiences) {
  auto csv = TRY(base::ReadFile(file));
  return ParseStaticTokens(csv, file.string(), std::move(audiences));
}

}  // namespace keelson::auth
