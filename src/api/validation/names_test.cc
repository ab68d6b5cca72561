#include "api/validation/names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace keelson::api {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Check = Messages (*)(std::string_view);

void ExpectValid(Check check, std::initializer_list<std::string_view> values) {
  for (std::string_view v : values) EXPECT_THAT(check(v), IsEmpty()) << "'" << v << "'";
}
void ExpectInvalid(Check check, std::initializer_list<std::string_view> values) {
  for (std::string_view v : values) EXPECT_FALSE(check(v).empty()) << "'" << v << "'";
}

TEST(NamesTest, Dns1123Label) {
  ExpectValid(IsDns1123Label, {"a", "0", "a-b", "a--1", "0123", std::string(63, 'a')});
  ExpectInvalid(IsDns1123Label,
                {"", "-", "A", "a-", "-a", "a_b", "a b", "é", "a/b", "a.", std::string(64, 'a')});
  EXPECT_THAT(IsDns1123Label("a.b"), ElementsAre("must not contain dots"));
  EXPECT_THAT(
      IsDns1123Label("A"),
      ElementsAre(
          "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
          "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used "
          "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"));
  EXPECT_THAT(IsDns1123Label(std::string(64, 'a')), ElementsAre("must be no more than 63 characters"));
}

TEST(NamesTest, Dns1123Subdomain) {
  ExpectValid(IsDns1123Subdomain, {"a", "a.b", "0.0", "a-b.c-d", std::string(253, 'a')});
  ExpectInvalid(IsDns1123Subdomain, {"", ".", "a.", ".a", "a..b", "a.-b", "A.b", "a_b", "a@b"});
  EXPECT_THAT(
      IsDns1123Subdomain("a..b"),
      ElementsAre(
          "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
          "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "
          "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"));
  EXPECT_THAT(IsDns1123Subdomain(std::string(254, 'a')), ElementsAre("must be no more than 253 characters"));
}

TEST(NamesTest, Dns1123SubdomainWithUnderscore) {
  ExpectValid(IsDns1123SubdomainWithUnderscore, {"_tcp.example.com", "a_b", "a"});
  ExpectInvalid(IsDns1123SubdomainWithUnderscore, {"", "_", "a_", "__a", "A"});
}

TEST(NamesTest, WildcardDns1123Subdomain) {
  ExpectValid(IsWildcardDns1123Subdomain, {"*.a", "*.example.com"});
  ExpectInvalid(IsWildcardDns1123Subdomain, {"*", "*.", "*.*.a", "a.b", "*a.b"});
}

TEST(NamesTest, Dns1035Label) {
  ExpectValid(IsDns1035Label, {"a", "a1", "a-1"});
  ExpectInvalid(IsDns1035Label, {"", "1a", "a-", "-a", "a.b", "A"});
  EXPECT_THAT(
      IsDns1035Label("1"),
      ElementsAre("a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with "
                  "an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or "
                  "'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"));
}

TEST(NamesTest, QualifiedName) {
  ExpectValid(IsQualifiedName,
              {"simple", "now-with-dashes", "1-num.2-num", "1234/5678", "1.2.3.4/5678", "Uppercase_Is_OK_123",
               "example.com/Uppercase_Is_OK_123", std::string(253, 'a') + "/" + std::string(63, 'a')});
  ExpectInvalid(IsQualifiedName, {"", "/a", "a/", "a/b/c", "nospecialchars%^=@",
                                  "Tama-nui-te-rā.is.Māori.sun", "\\backslashes\\are\\bad", "-start", "end-",
                                  ".dot", "example.com/", "UPPER.com/a", std::string(64, 'a')});
  EXPECT_THAT(
      IsQualifiedName("/"),
      ElementsAre("prefix part must be non-empty", "name part must be non-empty",
                  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and "
                  "end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex "
                  "used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"));
  EXPECT_THAT(
      IsQualifiedName("a/b/c"),
      ElementsAre("a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must "
                  "start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or "
                  "'123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') "
                  "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"));
  EXPECT_THAT(
      IsQualifiedName(std::string(254, 'a') + "/" + std::string(64, 'a')),
      ElementsAre("prefix part must be no more than 253 bytes", "name part must be no more than 63 bytes"));
}

TEST(NamesTest, LabelValue) {
  ExpectValid(IsLabelValue,
              {"", "simple", "now-with-dashes", "end-with-num-1", "1234", std::string(63, 'a')});
  ExpectInvalid(IsLabelValue, {"-dash-first", "end-", "_", ".", "a/b", "a b", " "});
  EXPECT_THAT(IsLabelValue(std::string(64, 'a')), ElementsAre("must be no more than 63 bytes"));
  EXPECT_THAT(
      IsLabelValue("a b"),
      ElementsAre("a valid label must be an empty string or consist of alphanumeric characters, '-', '_' "
                  "or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or "
                  "'my_value',  or '12345', regex used for validation is "
                  "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"));
}

TEST(NamesTest, ConfigMapKey) {
  ExpectValid(IsConfigMapKey,
              {"a", "KEY_NAME", "key.name", "-", "_", ".hidden", "a..b", std::string(253, 'a')});
  ExpectInvalid(IsConfigMapKey, {"", "a b", "a/b", "é", std::string(254, 'a')});
  EXPECT_THAT(IsConfigMapKey("."), ElementsAre("must not be '.'"));
  EXPECT_THAT(IsConfigMapKey(".."), ElementsAre("must not be '..'"));
  EXPECT_THAT(IsConfigMapKey("..a"), ElementsAre("must not start with '..'"));
}

TEST(NamesTest, EnvironmentVariableNames) {
  ExpectValid(IsEnvVarName, {"my.env-name", "MY_ENV.NAME", "_", "a1"});
  ExpectInvalid(IsEnvVarName, {"", "1a", "a b", "a=b", ".", "..", "..a"});
  ExpectValid(IsRelaxedEnvVarName, {"1a", "a b", "-", "~", "a:b"});
  ExpectInvalid(IsRelaxedEnvVarName, {"a=b", "é", "a\n", "\x7f"});
  EXPECT_THAT(IsRelaxedEnvVarName(""), ElementsAre("environment variable name must be non-empty"));
}

TEST(NamesTest, CIdentifierAndHeaderName) {
  ExpectValid(IsCIdentifier, {"a", "_", "A1_b"});
  ExpectInvalid(IsCIdentifier, {"", "1", "a-b", "a.b"});
  ExpectValid(IsHttpHeaderName, {"X-Header", "1", "-"});
  ExpectInvalid(IsHttpHeaderName, {"", "a b", "a:b", "a_b"});
}

TEST(NamesTest, PortName) {
  ExpectValid(IsPortName, {"a", "http", "a-b", "1a", "a12345678901234"});
  EXPECT_THAT(IsPortName("123"), ElementsAre("must contain at least one letter (a-z)"));
  EXPECT_THAT(IsPortName("a--b"), ElementsAre("must not contain consecutive hyphens"));
  EXPECT_THAT(IsPortName("-a"), ElementsAre("must not begin or end with a hyphen"));
  EXPECT_THAT(IsPortName("a-"), ElementsAre("must not begin or end with a hyphen"));
  EXPECT_THAT(IsPortName("aB"),
              ElementsAre("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)"));
  EXPECT_THAT(IsPortName(std::string(16, 'a')), ElementsAre("must be no more than 15 characters"));
  EXPECT_EQ(IsPortName("").size(), 2u);
}

TEST(NamesTest, NumbersInRange) {
  EXPECT_THAT(IsPortNumber(1), IsEmpty());
  EXPECT_THAT(IsPortNumber(65535), IsEmpty());
  EXPECT_THAT(IsPortNumber(0), ElementsAre("must be between 1 and 65535, inclusive"));
  EXPECT_THAT(IsUserId(-1), ElementsAre("must be between 0 and 2147483647, inclusive"));
  EXPECT_THAT(IsGroupId(int64_t{1} << 31), ElementsAre("must be between 0 and 2147483647, inclusive"));
}

TEST(NamesTest, Percent) {
  ExpectValid(IsPercent, {"0%", "93%", "1000%"});
  ExpectInvalid(IsPercent, {"", "%", "1", "a%", "-1%", "1%%", "1.5%"});
}

TEST(NamesTest, PathSegment) {
  EXPECT_THAT(IsPathSegmentName("a:b"), IsEmpty());
  EXPECT_THAT(IsPathSegmentName("."), ElementsAre("may not be '.'"));
  EXPECT_THAT(IsPathSegmentName(".."), ElementsAre("may not be '..'"));
  EXPECT_THAT(IsPathSegmentName("a/b%c"), ElementsAre("may not contain '/'", "may not contain '%'"));
  EXPECT_THAT(NameIsPathSegment("..", true), IsEmpty());
}

TEST(NamesTest, AGenerateNameMayEndInADash) {
  EXPECT_THAT(NameIsDnsSubdomain("web-", true), IsEmpty());
  EXPECT_FALSE(NameIsDnsSubdomain("web-", false).empty());
  EXPECT_FALSE(NameIsDnsLabel("-", true).empty());
  EXPECT_THAT(NameIsDns1035Label("a-", true), IsEmpty());
  EXPECT_FALSE(NameIsDns1035Label("1a-", true).empty());
}

}  // namespace
}  // namespace keelson::api
