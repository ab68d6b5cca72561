#include "aggregator/identity.h"

#include <gtest/gtest.h>

namespace keelson::aggregator {
namespace {

TEST(IdentityTest, TheUserReplacesWhateverTheClientSaid) {
  net::http::Headers headers;
  for (const char* name : {"x-remote-user", "x-remote-uid", "x-remote-group", "x-remote-extra-a"})
    headers.Add(name, "evil");
  headers.Add("x-remote", "kept");
  SetIdentity(
      {.name = "ann", .uid = "", .groups = {"a", "b"}, .extra = {{"Example.com/Team", {"red", "blue"}}}},
      headers);
  EXPECT_EQ(headers.Joined("x-remote-user"), "ann");
  EXPECT_FALSE(headers.Get("x-remote-uid"));
  EXPECT_EQ(headers.Joined("x-remote-group"), "a, b");
  EXPECT_EQ(headers.Joined("x-remote-extra-example.com%2fteam"), "red, blue");
  EXPECT_FALSE(headers.Get("x-remote-extra-a"));
  EXPECT_EQ(headers.Get("x-remote"), "kept");
}

}  // namespace
}  // namespace keelson::aggregator
