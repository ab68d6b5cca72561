#include "endpoints/custom_set.h"

#include <gmock/gmock.h>

#include <deque>

namespace keelson::endpoints {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class CustomSetTest : public testing::Test {
 protected:
  CustomSetTest() : built_in_{{&pods_}, {&deployments_}}, set_(new CustomSet(built_in_, "127.0.0.1:6443")) {}

  // A resource with its versions, as a definition serves it.
  CustomChange Serving(std::string_view plural, std::string_view group,
                       std::initializer_list<std::string_view> versions) {
    CustomChange change{.definition = std::string(plural).append(".").append(group)};
    for (const std::string_view version : versions) {
      descs_.push_back({.group = group,
                        .version = version,
                        .plural = plural,
                        .singular = plural.substr(0, plural.size() - 1),
                        .kind = plural});
      change.served.push_back({&descs_.back()});
    }
    return change;
  }
  static CustomChange Gone(std::string definition) { return {.definition = std::move(definition)}; }

  void Change(std::vector<CustomChange> changes) { Set(set_.Read()->With(std::move(changes))); }
  void Register(discovery::Registered registered) {
    Set(set_.Read()->With(std::make_shared<const discovery::Registered>(std::move(registered))));
  }
  void Set(const CustomSet* next) { set_.Replace(next); }
  std::string Text(std::string_view path) {
    const auto document = set_.Read()->FindDocument(path);
    return document ? std::string(document->json.view()) : "";
  }
  // The names of the groups in the order in which a text has them.
  static std::string Names(std::string_view text) {
    constexpr std::string_view kName = R"("name":")";
    std::string names;
    for (size_t at = 0; (at = text.find(kName, at)) != text.npos;) {
      at += kName.size();
      names.append(names.empty() ? "" : " ").append(text.substr(at, text.find('"', at) - at));
    }
    return names;
  }
  std::string Aggregated() { return std::string(set_.Read()->FindDocument("/apis")->aggregated.view()); }

  const api::ResourceDesc pods_{.group = "", .version = "v1", .plural = "pods", .kind = "Pod"};
  const api::ResourceDesc deployments_{
      .group = "apps", .version = "v1", .plural = "deployments", .kind = "Deployment"};
  const std::vector<ServedResource> built_in_;
  std::deque<api::ResourceDesc> descs_;
  base::Published<CustomSet> set_;
};

TEST_F(CustomSetTest, ADefinitionIsFoundUnderItsVersionsUntilItGoes) {
  Change({Serving("gears", "example.com", {"v1", "v2"}), Serving("axles", "example.com", {"v1"})});
  const auto set = set_.Read();
  ASSERT_NE(set->Find("example.com", "v2", "gears"), nullptr);
  EXPECT_EQ(set->Find("example.com", "v2", "gears")->desc->version, "v2");
  EXPECT_NE(set->Find("example.com", "v1", "axles"), nullptr);
  EXPECT_EQ(set->Find("example.com", "v2", "axles"), nullptr);
  EXPECT_EQ(set->Find("example.com", "v3", "gears"), nullptr);
  EXPECT_EQ(set->Find("other.com", "v1", "gears"), nullptr);
  EXPECT_TRUE(set->HasGroup("example.com"));

  Change({Serving("gears", "example.com", {"v2"})});
  EXPECT_EQ(set_.Read()->Find("example.com", "v1", "gears"), nullptr);
  EXPECT_NE(set->Find("example.com", "v1", "gears"), nullptr) << "who has the old set keeps it";

  Change({Gone("gears.example.com"), Gone("axles.example.com")});
  EXPECT_EQ(set_.Read()->Find("example.com", "v2", "gears"), nullptr);
  EXPECT_FALSE(set_.Read()->HasGroup("example.com"));
  EXPECT_EQ(Text("/apis/example.com"), "");
}

TEST_F(CustomSetTest, AChangeMakesTheDocumentsOfItsOwnGroupAndNoOthers) {
  std::vector<CustomChange> many;
  std::deque<std::string> names;
  for (int i = 0; i < 1000; ++i)
    many.push_back(Serving("gears", names.emplace_back("g" + std::to_string(i) + ".com"), {"v1"}));
  Change(std::move(many));
  const auto before = set_.Read();
  EXPECT_THAT(Text("/apis"), HasSubstr("g999.com"));  // makes the parts of all groups

  Change({Serving("wheels", "g7.com", {"v1"})});
  const auto after = set_.Read();
  size_t made = 0;
  for (const std::string& name : names) {
    const discovery::Group *was = before->FindGroup(name), *is = after->FindGroup(name);
    if (was == is) continue;
    ++made;
    EXPECT_EQ(name, "g7.com");
  }
  EXPECT_EQ(made, 1u);
  EXPECT_EQ(before->FindGroup("apps"), after->FindGroup("apps"));
  // The parts that were made belong to the group: both sets have the very same bytes.
  EXPECT_EQ(before->FindGroup("g8.com")->AggregatedItem().data(),
            after->FindGroup("g8.com")->AggregatedItem().data());
  EXPECT_THAT(Text("/apis/g7.com/v1"), HasSubstr("wheels"));
  EXPECT_NE(before->FindDocument("/apis")->aggregated_etag, after->FindDocument("/apis")->aggregated_etag);
}

TEST_F(CustomSetTest, GroupsAreListedByNameBehindThoseThatAreBuiltIn) {
  Change({Serving("gears", "z.com", {"v1"}), Serving("gears", "b.com", {"v1"})});
  EXPECT_EQ(Names(Text("/apis")), "apps b.com z.com");
  EXPECT_EQ(Names(Aggregated()), "apps b.com z.com");
  EXPECT_THAT(Text("/api"), StartsWith(R"({"kind":"APIVersions","versions":["v1"])"));
  EXPECT_THAT(Text("/api/v1"), HasSubstr(R"("name":"pods")"));
  EXPECT_EQ(Text("/apis//v1"), "");
  EXPECT_EQ(Text("/api/v2"), "");
}

TEST_F(CustomSetTest, TheBestVersionOfAGroupComesFirst) {
  Change({Serving("axles", "example.com", {"v1beta1"}), Serving("gears", "example.com", {"v1", "v2alpha1"})});
  EXPECT_EQ(Text("/apis/example.com"),
            R"({"kind":"APIGroup","apiVersion":"v1","name":"example.com","versions":[)"
            R"({"groupVersion":"example.com/v1","version":"v1"},)"
            R"({"groupVersion":"example.com/v1beta1","version":"v1beta1"},)"
            R"({"groupVersion":"example.com/v2alpha1","version":"v2alpha1"}],)"
            R"("preferredVersion":{"groupVersion":"example.com/v1","version":"v1"}})"
            "\n");
}

TEST_F(CustomSetTest, CustomResourcesJoinAGroupThatIsBuiltIn) {
  Change({Serving("gears", "apps", {"v1", "v2"})});
  EXPECT_THAT(Text("/apis/apps/v1"), HasSubstr(R"("name":"gears")"));
  EXPECT_THAT(Text("/apis/apps/v1"), HasSubstr(R"("name":"deployments")"));
  EXPECT_THAT(Text("/apis/apps/v2"), HasSubstr(R"("name":"gears")"));
  Change({Gone("gears.apps")});
  EXPECT_EQ(Text("/apis/apps/v2"), "");
  EXPECT_THAT(Text("/apis/apps/v1"), HasSubstr(R"("name":"deployments")"));
}

TEST_F(CustomSetTest, VersionsOfBackendsAreListedByPriority) {
  Change({Serving("gears", "example.com", {"v1"})});
  Register({{.group = "apps", .version = "v1", .group_priority = 17800, .version_priority = 15},
            {.group = "example.com", .version = "v1", .group_priority = 1000, .version_priority = 100},
            {.group = "metrics.com",
             .version = "v1beta1",
             .group_priority = 100,
             .version_priority = 100,
             .remote = base::Slice::Static(R"([{"resource":"nodes"}])"),
             .stale = true}});
  EXPECT_EQ(Names(Text("/apis")), "apps example.com metrics.com");
  EXPECT_EQ(Names(Aggregated()), "apps example.com metrics.com");
  EXPECT_THAT(Aggregated(),
              HasSubstr(R"({"version":"v1beta1","resources":[{"resource":"nodes"}],"freshness":"Stale"})"));
  EXPECT_TRUE(set_.Read()->HasGroup("metrics.com"));
  EXPECT_EQ(Text("/apis/metrics.com/v1beta1"), "") << "the backend has that";
  // The backend takes a version over, and a definition serves another one of the group.
  Change({Serving("gears", "metrics.com", {"v1beta1", "v2"})});
  EXPECT_EQ(Text("/apis/metrics.com/v1beta1"), "");
  EXPECT_THAT(Text("/apis/metrics.com/v2"), HasSubstr("gears"));
  Register({});
  EXPECT_THAT(Text("/apis/metrics.com/v1beta1"), HasSubstr("gears"));
}

}  // namespace
}  // namespace keelson::endpoints
