#include "admission/chain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "admission/testing/fakes.h"
#include "api/generated/core_v1.h"

namespace keelson::admission {
namespace {

class AllActive final : public NamespaceStates {
 public:
  base::Task<base::Result<NamespaceState, api::Status>> Find(std::string_view) const override {
    co_return NamespaceState::kActive;
  }
};

class ChainTest : public testing::Test {
 protected:
  ChainTest() { objects_.Add("", "serviceaccounts", R"({"metadata":{"name":"default"}})"); }

  Chain Make(const Selection& selection) {
    return Chain(selection, {.objects = &objects_, .namespaces = &states_});
  }

  FakeObjects objects_;
  AllActive states_;
};

TEST_F(ChainTest, AWritePassesThePluginsThatConcernIt) {
  const Chain chain = Make({});
  EXPECT_EQ(chain.Mutating(Resource("", "configmaps"), "").size(),
            3u);  // NamespaceLifecycle, policies, webhooks
  EXPECT_EQ(chain.Validating(Resource("", "configmaps"), "").size(),
            3u);  // policies, webhooks, ResourceQuota
  EXPECT_EQ(chain.Validating(Resource("", "nodes"), "").size(), 2u);
  EXPECT_TRUE(
      chain.Validating(Resource("admissionregistration.k8s.io", "validatingadmissionpolicies"), "").empty());
  const auto plugins = chain.Mutating(Resource("", "pods"), "");
  Write write("", "pods", R"({"metadata":{"name":"p"}})");
  ASSERT_TRUE(base::SyncWait(Mutate(plugins, write.request())));
  const auto spec = api::core_v1::PodView(write.object()).spec();
  EXPECT_TRUE(spec.has_priority());
  EXPECT_EQ(spec.tolerations().size(), 2u);
}

TEST_F(ChainTest, TheFirstRefusalEndsIt) {
  const Chain chain = Make({});
  const auto plugins = chain.Mutating(Resource("", "pods"), "");
  Write write("", "pods", R"({"metadata":{"generateName":"p-"},"spec":{"priorityClassName":"nope"}})");
  const auto refused = base::SyncWait(Mutate(plugins, write.request()));
  EXPECT_EQ(Refusal(refused), "pods \"p-\" is forbidden: no PriorityClass with name nope was found");
  EXPECT_TRUE(api::core_v1::PodView(write.object()).spec().tolerations().empty());
}

TEST_F(ChainTest, HowLongPluginsTakeIsMeasured) {
  base::Metrics metrics;
  const Chain chain({}, {.objects = &objects_, .namespaces = &states_, .metrics = &metrics});
  const auto plugins = chain.Mutating(Resource("", "pods"), "");
  Write good("", "pods", R"({"metadata":{"name":"p"}})");
  ASSERT_TRUE(base::SyncWait(Mutate(plugins, good.request())));
  Write bad("", "pods", R"({"metadata":{"name":"p"},"spec":{"priorityClassName":"nope"}})");
  ASSERT_FALSE(base::SyncWait(Mutate(plugins, bad.request())));
  ASSERT_TRUE(base::SyncWait(Validate(chain.Validating(Resource("", "nodes"), ""), good.request())));
  const std::string text = metrics.Render();
  for (
      const std::string_view line :
      {R"(controller_admission_duration_seconds_count{name="Priority",operation="CREATE",rejected="false",type="admit"} 1)",
       R"(controller_admission_duration_seconds_count{name="Priority",operation="CREATE",rejected="true",type="admit"} 1)",
       R"(controller_admission_duration_seconds_count{name="NamespaceLifecycle",operation="CREATE",rejected="false",type="admit"} 2)",
       R"(step_admission_duration_seconds_count{operation="CREATE",rejected="false",type="admit"} 1)",
       R"(step_admission_duration_seconds_count{operation="CREATE",rejected="true",type="admit"} 1)",
       R"(step_admission_duration_seconds_count{operation="CREATE",rejected="false",type="validate"} 1)",
       R"(step_admission_duration_seconds_bucket{operation="CREATE",rejected="false",type="admit",le="2.5"} 1)"})
    EXPECT_THAT(text, ::testing::HasSubstr("apiserver_admission_" + std::string(line)));
}

TEST_F(ChainTest, PluginsCanBeSwitchedOff) {
  const Chain chain = Make({.enabled = {}, .disabled = {"TaintNodesByCondition"}});
  EXPECT_EQ(chain.Mutating(Resource("", "nodes"), "").size(), 2u);  // policies, webhooks
  EXPECT_EQ(Make({}).Mutating(Resource("", "nodes"), "").size(), 3u);
}

TEST_F(ChainTest, PluginsThatAreOffCanBeSwitchedOn) {
  const auto validating = [&](const Selection& selection) {
    return Make(selection).Validating(Resource("", "services"), "").size();
  };
  const size_t by_default = validating({});
  EXPECT_EQ(validating({.enabled = {"DenyServiceExternalIPs"}}), by_default + 1);
  EXPECT_EQ(validating({.enabled = {"JobValidation"}}), by_default);  // it is on already
}

TEST(AdmissionSelectionTest, NamesAreChecked) {
  const auto error = [](Selection selection) {
    const auto checked = CheckSelection(selection);
    return checked ? "" : checked.error();
  };
  EXPECT_EQ(error({}), "");
  EXPECT_EQ(error({.enabled = {"Priority"}, .disabled = {"ResourceQuota"}}), "");
  EXPECT_EQ(error({.enabled = {"Nope"}}), "enable-admission-plugins plugin \"Nope\" is unknown");
  EXPECT_EQ(error({.enabled = {"JobValidation"}, .disabled = {"PodGroupProtection"}}), "");
  EXPECT_EQ(error({.disabled = {"Nope"}}), "disable-admission-plugins plugin \"Nope\" is unknown");
  EXPECT_EQ(error({.enabled = {"Priority"}, .disabled = {"Priority"}}),
            "[Priority] in enable-admission-plugins and disable-admission-plugins overlapped");
}

}  // namespace
}  // namespace keelson::admission
