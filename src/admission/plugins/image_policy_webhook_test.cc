// Expected texts are what kube-apiserver v1.36 answers.
#include "admission/plugins/image_policy_webhook.h"

#include <gtest/gtest.h>

#include "admission/testing/fakes.h"

namespace keelson::admission {
namespace {

using namespace std::chrono_literals;

class FakeReviewer final : public ImageReviewer {
 public:
  base::Task<base::Result<std::string, std::string>> Review(std::string review) override {
    asked.push_back(std::move(review));
    if (status.empty()) co_return base::Err(std::string("no connection"));
    co_return R"({"apiVersion":"imagepolicy.k8s.io/v1alpha1","kind":"ImageReview","status":)" + status + "}";
  }

  std::vector<std::string> asked;
  std::string status = R"({"allowed":true})";  // empty: it cannot be asked
};

class ImagePolicyWebhookTest : public ::testing::Test {
 protected:
  std::string Create(std::string_view image = "i", std::string_view subresource = "") {
    Write write("", "pods",
                R"({"metadata":{"name":"p","annotations":{"a.image-policy.k8s.io/b":"c","other":"d"}},"spec":{
                    "containers":[{"name":"c","image":")" +
                    std::string(image) +
                    R"("}],"initContainers":[{"name":"d","image":"init"}],
                    "ephemeralContainers":[{"name":"e","image":"late"}]}})");
    Attributes request = write.request();
    request.ns = "n";
    request.subresource = subresource;
    return Refusal(base::SyncWait(plugin_->Validate(request)));
  }
  void Use(const ImagePolicyConfig& config) {
    plugin_ = std::make_unique<ImagePolicyWebhook>(config, reviewer_, clock_);
  }

  base::FakeClock clock_;
  FakeReviewer reviewer_;
  std::unique_ptr<ImagePolicyWebhook> plugin_ =
      std::make_unique<ImagePolicyWebhook>(ImagePolicyConfig(), reviewer_, clock_);
};

TEST_F(ImagePolicyWebhookTest, TheWebhookIsAskedAboutImagesAndAnnotations) {
  EXPECT_EQ(Create(), "");
  EXPECT_EQ(Create("i", "ephemeralcontainers"), "");
  ASSERT_EQ(reviewer_.asked.size(), 2u);
  EXPECT_EQ(
      reviewer_.asked[0],
      R"({"kind":"ImageReview","apiVersion":"imagepolicy.k8s.io/v1alpha1","metadata":{},"spec":{"containers":)"
      R"([{"image":"i"},{"image":"init"}],"annotations":{"a.image-policy.k8s.io/b":"c"},"namespace":"n"},)"
      R"("status":{"allowed":false}})");
  EXPECT_NE(reviewer_.asked[1].find(R"("containers":[{"image":"late"}])"), std::string::npos);
}

TEST_F(ImagePolicyWebhookTest, ADenialComesWithItsReason) {
  reviewer_.status = R"({"allowed":false,"reason":"not signed"})";
  EXPECT_EQ(Create(),
            "pods \"p\" is forbidden: image policy webhook backend denied one or more images: not signed");
  reviewer_.status = R"({"allowed":false})";
  EXPECT_EQ(Create("j"), "pods \"p\" is forbidden: one or more images rejected by webhook backend");
}

TEST_F(ImagePolicyWebhookTest, AnswersAreRememberedForAWhile) {
  EXPECT_EQ(Create(), "");
  EXPECT_EQ(Create(), "");
  EXPECT_EQ(reviewer_.asked.size(), 1u);
  clock_.Advance(5min);
  reviewer_.status = R"({"allowed":false})";
  EXPECT_NE(Create(), "");
  EXPECT_EQ(reviewer_.asked.size(), 2u);
  clock_.Advance(30s);
  reviewer_.status = R"({"allowed":true})";
  EXPECT_EQ(Create(), "");
}

TEST_F(ImagePolicyWebhookTest, WithoutTheWebhookTheDefaultDecides) {
  reviewer_.status.clear();
  EXPECT_EQ(Create(), "pods \"p\" is forbidden: no connection");
  Use({.default_allow = true});
  EXPECT_EQ(Create(), "");
  EXPECT_EQ(Create(), "");
  EXPECT_EQ(reviewer_.asked.size(), 3u) << "failures are not remembered";
}

TEST(ImagePolicyConfigTest, DurationsHaveDefaultsAndBounds) {
  const auto parse = [](std::string members) {
    return ParseImagePolicyConfig("imagePolicy: {" + members + "}");
  };
  const auto defaults = parse("kubeConfigFile: /k");
  ASSERT_TRUE(defaults);
  EXPECT_EQ(defaults->kubeconfig_file, "/k");
  EXPECT_EQ(defaults->allow_ttl, 5min);
  EXPECT_EQ(defaults->deny_ttl, 30s);
  EXPECT_EQ(defaults->retry_backoff, 500ms);
  EXPECT_FALSE(defaults->default_allow);
  const auto given = parse("allowTTL: 60, denyTTL: -1, retryBackoff: 100, defaultAllow: true");
  ASSERT_TRUE(given);
  EXPECT_EQ(given->allow_ttl, 1min);
  EXPECT_EQ(given->deny_ttl, 0s);
  EXPECT_EQ(given->retry_backoff, 100ms);
  EXPECT_TRUE(given->default_allow);
  const std::string failed = "couldn't init admission plugin \"ImagePolicyWebhook\": ";
  EXPECT_EQ(parse("allowTTL: 100000").error(), failed + "valid value is between 1s and 30m0s, got 27h46m40s");
  EXPECT_EQ(parse("retryBackoff: -5").error(), failed + "valid value is between 1ns and 5m0s, got -5ms");
  EXPECT_EQ(ParseImagePolicyConfig(std::nullopt).error(), failed + "no config specified");
}

}  // namespace
}  // namespace keelson::admission
