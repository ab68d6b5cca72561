#include "storage/selection.h"

#include <gtest/gtest.h>

#include <map>

#include "storage/object_factory.h"
#include "storage/testing/test_objects.h"

namespace keelson::storage {
namespace {

using Labels = std::map<std::string, std::string, std::less<>>;

bool Matches(std::string_view selector, const Labels& labels) {
  auto parsed = LabelSelector::Parse(selector);
  EXPECT_TRUE(parsed) << selector << ": " << (parsed ? "" : parsed.error());
  return parsed && parsed->MatchesLabels([&](std::string_view key) -> std::optional<std::string_view> {
    auto it = labels.find(key);
    if (it == labels.end()) return std::nullopt;
    return it->second;
  });
}

TEST(LabelSelectorTest, MatchesAsUpstream) {
  const Labels labels{{"app", "web"}, {"tier", "front"}, {"count", "7"}, {"empty", ""}, {"in", "notin"}};
  struct Case {
    std::string_view selector;
    bool matches;
  };
  const Case cases[] = {
      {"", true},
      {" \t", true},
      {"app=web", true},
      {"app==web", true},
      {"app = web , tier=front", true},
      {"app!=web", false},
      {"absent!=web", true},
      {"app", true},
      {"!app", false},
      {"! absent", true},
      {"absent", false},
      {"app in (web,api)", true},
      {"app in (api)", false},
      {"app notin (api)", true},
      {"app notin (web)", false},
      {"absent notin (web)", true},
      {"absent in (web)", false},
      {"empty=", true},
      {"empty in ()", true},
      {"empty in (a,)", true},
      {"empty in (,a)", true},
      {"empty in (a,,b)", true},
      {"app in (a,)", false},
      {"app=", false},
      {"count>6", true},
      {"count>7", false},
      {"count<8", true},
      {"app>1", false},
      {"absent>1", false},
      {"in in (notin)", true},
      {"in=notin", true},
      {"in", true},
      {"x\n=a", false},
  };
  for (const auto& c : cases) EXPECT_EQ(Matches(c.selector, labels), c.matches) << c.selector;
}

TEST(LabelSelectorTest, RefusesInUpstreamsWords) {
  constexpr std::string_view kKeyFormat =
      "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
      "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
      "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
  constexpr std::string_view kValueFormat =
      "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and "
      "must start "
      "and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for "
      "validation "
      "is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
  struct Case {
    std::string_view selector;
    std::string error;
  };
  const Case cases[] = {
      {"a,", "found '', expected: identifier after ','"},
      {"a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"},
      {"a=b c", "found 'c', expected: ',' or 'end of string'"},
      {"=b", "found '=', expected: !, identifier, or 'end of string'"},
      {"!", "unable to parse requirement: found '', expected: identifier"},
      {"!a=b", "found '=', expected: ',' or 'end of string'"},
      {"a in b", "unable to parse requirement: found 'b' expected: '('"},
      {"a in (b", "unable to parse requirement: found '', expected: ',' or ')'"},
      {"a in (b=)", "unable to parse requirement: found '=', expected: ',' or ')'"},
      {"a in (=)", "unable to parse requirement: found '=', expected: ',', ')' or identifier"},
      {"a in (,", "unable to parse requirement: found '', expected: ',', or identifier"},
      {"a==)", "unable to parse requirement: found ')', expected: identifier"},
      {"a>b",
       "unable to parse requirement: values[0]: Invalid value: \"b\": for 'Gt', 'Lt' operators, the value "
       "must be an "
       "integer"},
      {"a$=b", "unable to parse requirement: <nil>: Invalid value: \"a$\": " + std::string(kKeyFormat)},
      {"a=b$",
       "unable to parse requirement: values[0][a]: Invalid value: \"b$\": " + std::string(kValueFormat)},
      {"a in (b,$)",
       "unable to parse requirement: values[0][a]: Invalid value: \"$\": " + std::string(kValueFormat)},
  };
  for (const auto& c : cases) {
    auto parsed = LabelSelector::Parse(c.selector);
    ASSERT_FALSE(parsed) << c.selector;
    EXPECT_EQ(parsed.error(), c.error) << c.selector;
  }
}

// A megabyte of `part`, each with a number of its own.
std::string Long(std::string_view part) {
  std::string text;
  for (int i = 0; text.size() < (1 << 20); ++i) {
    if (i > 0) text += ',';
    text.append(part).append(std::to_string(i));
  }
  return text;
}

// Quadratic work would take minutes here; the tests have no clock of their own.
TEST(LabelSelectorTest, ComplaintsAboutALongListAreFewAndComeAtOnce) {
  const auto parsed = LabelSelector::Parse("a in (" + Long("_") + ")");
  ASSERT_FALSE(parsed);
  EXPECT_LT(parsed.error().size(), 2u << 20);
  EXPECT_TRUE(parsed.error().ends_with(" more errors are not shown]")) << parsed.error().substr(0, 1000);
}

TEST(LabelSelectorTest, ALongSelectorMatchesAsFastAsAShortOne) {
  const auto& pods = ResourceNamed("pods");
  ObjectFactory factory(pods, "/registry/pods");
  auto pod =
      *factory.Make("/registry/pods/default/web-1",
                    StoredPod({.name = "web-1", .labels = {{"app", "web"}, {"k7", "v"}}}).view(), 1, 2);
  const struct {
    std::string selector;
    bool matches;
  } cases[] = {
      {"app in (" + Long("v") + ")", false},
      {"app in (" + Long("v") + ",web)", true},
      {"app notin (" + Long("v") + ")", true},
      {Long("!x"), true},
      {Long("!x") + ",!app", false},
      {Long("!x") + ",app", true},
      {Long("!x") + ",app=api", false},
      {Long("app!=v"), true},
      {Long("app!=v") + ",app!=web", false},
      {Long("k") + ",app", false},
      {Long("app>0") + ",app<0", false},
      {Long("!x") + ",app in (web,api),app in (web)", true},
      {Long("!x") + ",app in (api),app=web", false},
  };
  for (const auto& c : cases) {
    auto labels = LabelSelector::Parse(c.selector);
    ASSERT_TRUE(labels) << labels.error();
    auto selection = Selection::Bind(*std::move(labels), {}, pods.selectable_fields);
    ASSERT_TRUE(selection);
    for (int i = 0; i < 20'000; ++i)
      ASSERT_EQ(selection->Matches(*pod), c.matches) << c.selector.substr(0, 40);
  }
  for (const std::string& fields : {Long("metadata.name!=v"), Long("spec.nodeName!=v")}) {
    auto selection = Selection::Bind({}, *FieldSelector::Parse(fields), pods.selectable_fields);
    ASSERT_TRUE(selection);
    for (int i = 0; i < 20'000; ++i) ASSERT_TRUE(selection->Matches(*pod));
  }
}

TEST(LabelSelectorTest, RequirementsOfOneKeyHoldTogether) {
  const Labels labels{{"n", "7"}, {"app", "web"}};
  const std::pair<std::string_view, bool> cases[] = {
      {"n>5,n>6", true},        {"n>6,n>7", false},
      {"n>6,n<8", true},        {"n<8,n<7", false},
      {"n,!n", false},          {"!x,x!=a", true},
      {"x!=a,x", false},        {"app in (a,web),app in (web,b)", true},
      {"app=a,app=web", false}, {"app!=a,app notin (b,c),app", true},
  };
  for (const auto& [selector, matches] : cases) EXPECT_EQ(Matches(selector, labels), matches) << selector;
}

TEST(FieldSelectorTest, AnExactMatchIsFoundWithoutParsing) {
  for (const std::string_view text :
       {"", "metadata.name=a", "metadata.name=b,metadata.name=a", "metadata.name==b,metadata.name=a",
        "metadata.name!=a", "spec.x=1,metadata.name=a\\,b,", "metadata.name=a,b", "metadata.name=a\\", ",,",
        "metadata.name=a=b", "metadata.name=a,metadata.name=a\\x"}) {
    const auto parsed = FieldSelector::Parse(text);
    const auto want = parsed ? parsed->RequiresExactMatch("metadata.name") : std::nullopt;
    EXPECT_EQ(FieldSelector::FindExactMatch(text, "metadata.name"), want) << text;
  }
}

TEST(FieldSelectorTest, ParsesTermsInOrderOfText) {
  auto parsed = FieldSelector::Parse("spec.nodeName=n1,,metadata.name!=a\\,b\\=c\\\\,status.phase==Running");
  ASSERT_TRUE(parsed);
  ASSERT_EQ(parsed->terms().size(), 3u);
  EXPECT_EQ(parsed->terms()[0].field, "metadata.name");
  EXPECT_EQ(parsed->terms()[0].value, "a,b=c\\");
  EXPECT_FALSE(parsed->terms()[0].equal);
  EXPECT_EQ(parsed->RequiresExactMatch("spec.nodeName"), "n1");
  EXPECT_EQ(parsed->RequiresExactMatch("status.phase"), "Running");
  EXPECT_EQ(parsed->RequiresExactMatch("metadata.name"), std::nullopt);
}

TEST(FieldSelectorTest, RefusesInUpstreamsWords) {
  struct Case {
    std::string_view selector, error;
  };
  const Case cases[] = {
      {"a", "invalid selector: 'a'; can't understand 'a'"},
      {"a=b,c", "invalid selector: 'a=b,c'; can't understand 'c'"},
      {"a=b=c", "invalid field selector: unescaped character in value: 61"},
      {"a=b\\c", "invalid field selector: invalid escape sequence: \\c"},
      {"a=b\\\xc3\xa9", "invalid field selector: invalid escape sequence: \\\xc3\xa9"},
      {"a=b\\", "invalid field selector: invalid escape sequence: \\"},
  };
  for (const auto& c : cases) {
    auto parsed = FieldSelector::Parse(c.selector);
    ASSERT_FALSE(parsed) << c.selector;
    EXPECT_EQ(parsed.error(), c.error) << c.selector;
  }
}

base::Result<Selection, std::string> Bound(std::string_view labels, std::string_view fields,
                                           const api::ResourceDesc& resource) {
  return Selection::Bind(*LabelSelector::Parse(labels), *FieldSelector::Parse(fields),
                         resource.selectable_fields, resource.namespaced);
}

TEST(SelectionTest, RefusesFieldsInUpstreamsWords) {
  EXPECT_EQ(Bound("", "spec.x=a", ResourceNamed("pods")).error(), "field label not supported: spec.x");
  EXPECT_EQ(Bound("", "metadata.namespace=a", ResourceNamed("nodes")).error(),
            "field label not supported: metadata.namespace");
  EXPECT_EQ(Bound("", "data=a", ResourceNamed("configmaps")).error(),
            "\"data\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"");
  EXPECT_TRUE(Bound("", "metadata.namespace=a", ResourceNamed("persistentvolumes")));
}

TEST(SelectionTest, MatchesAStoredObject) {
  const auto& pods = ResourceNamed("pods");
  ObjectFactory factory(pods, "/registry/pods");
  auto pod = *factory.Make(
      "/registry/pods/default/web-1",
      StoredPod({.name = "web-1", .node = "n1", .phase = "Running", .labels = {{"app", "web"}}}).view(), 1,
      2);
  struct Case {
    std::string_view labels, fields;
    bool matches;
  };
  const Case cases[] = {
      {"", "", true},
      {"app=web", "", true},
      {"app=api", "", false},
      {"", "metadata.name=web-1", true},
      {"", "metadata.name=web-2", false},
      {"", "metadata.namespace=default", true},
      {"", "metadata.namespace!=default", false},
      {"", "spec.nodeName=n1", true},
      {"", "spec.nodeName=", false},
      {"app", "spec.nodeName=n1,status.phase!=Failed", true},
      {"", "spec.hostNetwork=false", true},
      {"", "spec.hostNetwork=true", false},
      {"", "metadata.name=web-1,metadata.name=web-2", false},
      {"", "metadata.name!=a,metadata.name!=b", true},
      {"", "metadata.name!=a,metadata.name!=web-1", false},
  };
  for (const auto& c : cases) {
    auto selection = Bound(c.labels, c.fields, pods);
    ASSERT_TRUE(selection) << selection.error();
    EXPECT_EQ(selection->Matches(*pod), c.matches) << c.labels << " " << c.fields;
  }
}

TEST(SelectorRequirementsTest, AreToldOneByOneInTheOrderOfTheirKeys) {
  using enum api::SelectorOperator;
  const auto labels = LabelSelector::ParseRequirements("z=1,!gone,a in (y,x,y),b notin (q),a!=k,has,n>5,m<7");
  EXPECT_EQ(labels.error, "");
  const std::vector<api::SelectorRequirement> expected = {
      {"a", kIn, {"x", "y"}},      {"a", kNotIn, {"k"}}, {"b", kNotIn, {"q"}},
      {"gone", kDoesNotExist, {}}, {"has", kExists, {}}, {"m", kLessThan, {"7"}},
      {"n", kGreaterThan, {"5"}},  {"z", kIn, {"1"}}};
  EXPECT_EQ(labels.requirements, expected);

  const auto fields = FieldSelector::ParseRequirements("status.phase!=Failed,spec.nodeName=n");
  EXPECT_EQ(fields.error, "");
  const std::vector<api::SelectorRequirement> terms = {{"spec.nodeName", kIn, {"n"}},
                                                       {"status.phase", kNotIn, {"Failed"}}};
  EXPECT_EQ(fields.requirements, terms);
}

TEST(SelectorRequirementsTest, WhatDoesNotParseHasNone) {
  const auto labels = LabelSelector::ParseRequirements("a=b,c in (");
  EXPECT_TRUE(labels.requirements.empty());
  EXPECT_NE(labels.error, "");
  const auto fields = FieldSelector::ParseRequirements("a=b,c");
  EXPECT_TRUE(fields.requirements.empty());
  EXPECT_NE(fields.error, "");
}

TEST(SelectionTest, TellsWhatMustMatchExactly) {
  const auto& pods = ResourceNamed("pods");
  auto made = Bound("", "metadata.name=a,metadata.namespace=b,spec.nodeName=n,status.phase!=Failed", pods);
  ASSERT_TRUE(made);
  Selection selection = std::move(*made);
  EXPECT_EQ(selection.exact_name(), "a");
  EXPECT_EQ(selection.exact_namespace(), "b");
  size_t exact = 0;
  for (size_t i = 0; i < pods.selectable_fields.size(); ++i) exact += selection.exact_field(i).has_value();
  EXPECT_EQ(exact, 1u);
  EXPECT_FALSE(selection.everything());
  EXPECT_TRUE(Selection().everything());
}

}  // namespace
}  // namespace keelson::storage
