#include "registry/core/page_links.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace keelson::registry::core {
namespace {

const ProxiedLinks kPageProxy{.prefix = "/proxy", .backend = "10.0.0.1:80", .host = "api:6443"};

// The page as it comes out if it arrives in pieces of `size` bytes.
std::string InPieces(std::string_view page, size_t size) {
  PageLinks links(kPageProxy);
  std::string out;
  for (size_t at = 0; at < page.size(); at += size) links.Push(page.substr(at, size), out);
  links.Finish(out);
  return out;
}

std::string Through(std::string_view page) {
  std::string whole = InPieces(page, page.size() + 1);
  for (const size_t size : {1, 2, 3, 7}) EXPECT_EQ(InPieces(page, size), whole) << page << " by " << size;
  return whole;
}

TEST(PageLinksTest, LinksToTheBackendLeadThroughTheProxy) {
  EXPECT_EQ(Through(R"(<a href="/x?a=1&amp;b=2#top">x</a>)"), R"(<a href="/proxy/x?a=1&amp;b=2#top">x</a>)");
  EXPECT_EQ(Through(R"(<p><img alt="/a" src="http://10.0.0.1:80/i.png"/></p>)"),
            R"(<p><img alt="/a" src="/proxy/i.png"/></p>)");
  EXPECT_EQ(Through(R"(<A ID=1 HREF='/x' CLASS="y">)"), R"(<A ID=1 HREF="/proxy/x" CLASS="y">)");
  EXPECT_EQ(Through("<a href=/x>"), R"(<a href="/proxy/x">)");
  EXPECT_EQ(Through("<a\n href\t=\r\n /x\ftitle=/y>"), "<a\n href\t=\r\n \"/proxy/x\"\ftitle=/y>");
  EXPECT_EQ(Through(R"(<object data="/d" codebase="/c" usemap="#m" classid=/i name=/n>)"),
            R"(<object data="/proxy/d" codebase="/proxy/c" usemap="#m" classid="/proxy/i" name=/n>)");
  EXPECT_EQ(Through(R"(<a href="//10.0.0.1:80/x">)"), R"(<a href="/proxy/x">)");
  EXPECT_EQ(Through(R"(<a href="http://api:6443/x">)"), R"(<a href="http://api:6443/proxy/x">)");
}

TEST(PageLinksTest, EveryOtherByteStaysAsItIs) {
  for (const std::string_view page : {"",
                                      "text",
                                      "<",
                                      "a < b, <3, <<b",
                                      "<a href=\"x\">",
                                      "<a href=>",
                                      "<a href",
                                      "<a href=\"/x",
                                      "<a href=\"https://elsewhere.example/x\">",
                                      "<a href=\"//elsewhere.example/x\">",
                                      "<a href=\"/proxy/x\">",
                                      "<a href=\"?page=2\">",
                                      "<a href=\"/a%zz\">",
                                      "<a href=\"/a\nb\">",
                                      "<b href=\"/x\">",
                                      "<a src=\"/x\">",
                                      "<anchor href=\"/x\">",
                                      "</a href=\"/x\">",
                                      "<a data-href=\"/x\">",
                                      "<!DOCTYPE html>",
                                      "<?php <a href=\"/x\" ?>",
                                      "</ <a href=\"/x\">",
                                      "<a/href/=\"/x\">",
                                      "\xff\xfe<a title=\"\xc3\x28\">"})
    EXPECT_EQ(Through(page), page);
}

TEST(PageLinksTest, QuotesAndAnglesInAttributesEndNoTag) {
  EXPECT_EQ(Through(R"(<a title=">" href="/x">)"), R"(<a title=">" href="/proxy/x">)");
  EXPECT_EQ(Through(R"(<a title='">' href="/x">)"), R"(<a title='">' href="/proxy/x">)");
  EXPECT_EQ(Through(R"(<a ="x" href="/x">)"), R"(<a ="x" href="/proxy/x">)");
  EXPECT_EQ(Through(R"(</p title="><a href='/x'>"><a href="/y">)"),
            R"(</p title="><a href='/x'>"><a href="/proxy/y">)");
  EXPECT_EQ(Through(R"(<a href="/x" href="/y">)"), R"(<a href="/proxy/x" href="/y">)")
      << "the first one counts";
}

TEST(PageLinksTest, AnAddressMayBeWrittenWithReferences) {
  EXPECT_EQ(Through(R"(<a href="&#x2F;x&#47;y">)"), R"(<a href="/proxy/x/y">)");
  EXPECT_EQ(Through(R"(<a href="http&colon;//10&period;0.0.1:80&sol;x">)"), R"(<a href="/proxy/x">)");
  EXPECT_EQ(Through(R"(<a href="/x?a=&eacute;&#38;b&#233;">)"), R"(<a href="/proxy/x?a=&eacute;&amp;bé">)");
  // What would end the value or begin a tag is written so that it does not.
  EXPECT_EQ(Through(R"(<a href='/x?"<script>&#39;'>)"), R"(<a href="/proxy/x?&#34;&lt;script&gt;&#39;">)");
  for (const std::string_view page :
       {R"(<a href="&#0;/x">)", R"(<a href="&#x110000;/x">)", R"(<a href="&#xd800;/x">)",
        R"(<a href="&#47">)", R"(<a href="&;/x">)", R"(<a href="&#;/x">)", R"(<a href="&#99999999999;">)"})
    EXPECT_EQ(Through(page), page);
}

TEST(PageLinksTest, CommentsHaveNoLinks) {
  const std::string link = R"(<a href="/x">)", changed = R"(<a href="/proxy/x">)";
  for (const std::string& comment :
       {"<!-- " + link + " -->", "<!-- " + link + " --!>", "<!---" + link + "--->", std::string("<!-->"),
        std::string("<!--->"), std::string("<!>"), std::string("<!->"), "<!--" + link + "-- >" + link + "-->",
        "<!--" + link + "--!-" + link + "-->"})
    EXPECT_EQ(Through(comment + link), comment + changed);
  EXPECT_EQ(Through("<!-- " + link), "<!-- " + link);
  EXPECT_EQ(Through("<!- " + link + link), "<!- " + link + changed);
}

TEST(PageLinksTest, TextOfScriptsAndTheLikeHasNoLinks) {
  const std::string link = R"(<a href="/x">)", changed = R"(<a href="/proxy/x">)";
  for (const std::string& name :
       std::vector<std::string>{"script", "STYLE", "title", "textarea", "iframe", "noscript", "xmp"}) {
    const std::string inside = "<" + name + ">" + link + "</b></" + name + "x></" + name + " >";
    EXPECT_EQ(Through(inside + link), inside + changed);
  }
  EXPECT_EQ(Through("<script src=/s.js></script>" + link), "<script src=\"/proxy/s.js\"></script>" + changed);
  EXPECT_EQ(Through("<script>a<!--</script>" + link), "<script>a<!--</script>" + changed);
  const std::string nested = "<script><!--<script>" + link + "</script>" + link + "--></script>";
  EXPECT_EQ(Through(nested + link), nested + changed);
  EXPECT_EQ(Through("<plaintext>" + link + "</plaintext>" + link),
            "<plaintext>" + link + "</plaintext>" + link);
  EXPECT_EQ(Through("</script>" + link), "</script>" + changed) << "an end tag begins no text";
}

TEST(PageLinksTest, ATagThatDoesNotEndIsNotKept) {
  const std::string long_tag =
      "<script title=\"" + std::string(PageLinks::kLongestTag, 'x') + "\" src=\"/x\">";
  const std::string rest = "<a href=\"/x\"></script>";
  EXPECT_EQ(Through(long_tag + rest + "<a href=\"/y\">"), long_tag + rest + "<a href=\"/proxy/y\">");

  PageLinks links(kPageProxy);
  std::string out;
  links.Push("<a href=\"", out);
  EXPECT_EQ(out, "");
  links.Push(std::string(PageLinks::kLongestTag, 'x'), out);
  EXPECT_EQ(out.size(), PageLinks::kLongestTag + 9);
}

}  // namespace
}  // namespace keelson::registry::core
