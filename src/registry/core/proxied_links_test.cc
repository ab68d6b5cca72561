#include "registry/core/proxied_links.h"

#include <gtest/gtest.h>

namespace keelson::registry::core {
namespace {

const ProxiedLinks kLinks{
    .prefix = "/api/v1/namespaces/d/pods/p/proxy", .backend = "10.0.0.1:80", .host = "api:6443"};

std::string Leads(std::string_view said) {
  const auto location = kLinks.Location(said);
  return location ? *location : "error: " + location.error();
}

TEST(ProxiedLinksTest, ThePrefixIsThePathWithoutTheBackendsPart) {
  const auto prefix = &ProxiedLinks::PrefixOf;
  EXPECT_EQ(prefix("/pods/p/proxy/x/y", "/x/y"), "/pods/p/proxy");
  EXPECT_EQ(prefix("/pods/p/proxy/", "/"), "/pods/p/proxy");
  EXPECT_EQ(prefix("/pods/p/proxy/x/", "/x"), "/pods/p/proxy");
  EXPECT_EQ(prefix("/pods/p/proxy", "/x"), "/pods/p/proxy") << "a path that is a parameter";
}

TEST(ProxiedLinksTest, ABackendIsToldTheWholePath) {
  EXPECT_EQ(kLinks.ForwardedUri("/x"), kLinks.prefix + "/x");
  EXPECT_EQ(kLinks.ForwardedUri("/x//a%2Fb/./c/"), kLinks.prefix + "/x/a%2Fb/c/");
  EXPECT_EQ(kLinks.ForwardedUri("/"), kLinks.prefix + "/");
}

TEST(ProxiedLinksTest, RedirectsToTheBackendLeadThroughTheProxy) {
  EXPECT_EQ(Leads("/login?next=%2Fx#top"), kLinks.prefix + "/login?next=%2Fx#top");
  EXPECT_EQ(Leads("http://10.0.0.1:80/a/"), kLinks.prefix + "/a/");
  EXPECT_EQ(Leads("//10.0.0.1:80/a"), kLinks.prefix + "/a");
  EXPECT_EQ(Leads("https://api:6443/a"), "https://api:6443" + kLinks.prefix + "/a");
  EXPECT_EQ(Leads(kLinks.prefix + "/a%2fb"), kLinks.prefix + "/a%2fb") << "it leads there already";
  // Another host must not come out of a path.
  EXPECT_EQ(Leads("http://10.0.0.1:80//evil.example/"), kLinks.prefix + "/evil.example/");
  EXPECT_EQ(Leads("/a/../../../x"), "/api/v1/namespaces/d/pods/x") << "as upstream joins paths";
  EXPECT_EQ(Leads("/../../../../../../../../?x"), "/?x");
}

TEST(ProxiedLinksTest, OtherReferencesStayAsTheyAre) {
  for (const std::string_view said :
       {"https://evil.example/x", "//evil.example/x", "next", "?page=2", "./a:b", "mailto:a@b",
        "http://10.0.0.1/x", "http://user@evil.example/"})
    EXPECT_EQ(Leads(said), said);
}

TEST(ProxiedLinksTest, WhatIsNoReferenceIsAnError) {
  EXPECT_EQ(Leads("/a%zz"), "error: invalid URL escape \"%zz\"");
  EXPECT_EQ(Leads("/a\tb"), "error: net/url: invalid control character in URL");
}

}  // namespace
}  // namespace keelson::registry::core
