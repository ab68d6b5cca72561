#include "net/http/url.h"

#include <gtest/gtest.h>

namespace keelson::net::http {
namespace {

std::string Show(const Query& query) {
  std::string out;
  for (const auto& p : query) out += "[" + p.key + "=" + p.value + "]";
  return out + query.error().value_or("");
}

TEST(UrlTest, DecodesEscapes) {
  EXPECT_EQ(PathUnescape("/a%20b%2Fc+d").value(), "/a b/c+d");
  EXPECT_EQ(QueryUnescape("a+b%2bc").value(), "a b+c");
  EXPECT_EQ(PathUnescape("%E2%82%ac").value(), "\xe2\x82\xac");
}

TEST(UrlTest, NamesTheBadEscape) {
  EXPECT_EQ(PathUnescape("a%zz").error(), "invalid URL escape \"%zz\"");
  EXPECT_EQ(PathUnescape("a%4").error(), "invalid URL escape \"%4\"");
  EXPECT_EQ(PathUnescape("a%").error(), "invalid URL escape \"%\"");
}

TEST(UrlTest, EscapesWhatAQueryCannotHold) {
  EXPECT_EQ(QueryEscape("a b&c=d/e~f"), "a+b%26c%3Dd%2Fe~f");
  EXPECT_EQ(QueryUnescape(QueryEscape("\x01\xff+ %")).value(), "\x01\xff+ %");
}

TEST(QueryTest, KeepsOrderAndRepeatedKeys) {
  const Query query = Query::Parse("b=2&a=1&b=3&c&=x&&d=");
  EXPECT_EQ(Show(query), "[b=2][a=1][b=3][c=][=x][d=]");
  EXPECT_EQ(query.Get("b"), "2");
  EXPECT_EQ(query.All("b"), (std::vector<std::string_view>{"2", "3"}));
  EXPECT_TRUE(query.Has("c"));
  EXPECT_FALSE(query.Has("e"));
}

TEST(QueryTest, DecodesKeysAndValues) {
  EXPECT_EQ(Show(Query::Parse("label%53elector=app%3Dweb%2Ctier+x&a=b=c")),
            "[labelSelector=app=web,tier x][a=b=c]");
}

TEST(QueryTest, LeavesOutWhatItCannotDecodeAndTellsOfTheFirst) {
  EXPECT_EQ(Show(Query::Parse("a=1&b=%zz&c;d=2&e=%1&f=3")), "[a=1][f=3]invalid URL escape \"%zz\"");
  EXPECT_EQ(Show(Query::Parse("a;b")), "invalid semicolon separator in query");
}

TEST(UrlTest, PathsGetTheirEscapesBack) {
  EXPECT_EQ(PathEscape("/a b/\r\nX: y?z#%"), "/a%20b/%0D%0AX:%20y%3Fz%23%25");
  EXPECT_EQ(PathEscape("/$&+,:;=@-_.~/\xc3\xa9"), "/$&+,:;=@-_.~/%C3%A9");
}

}  // namespace
}  // namespace keelson::net::http
