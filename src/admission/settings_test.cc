// Expected texts are what kube-apiserver v1.36 answers.
#include "admission/settings.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/testing/temp_dir.h"

namespace keelson::admission {
namespace {

constexpr std::string_view kHead = "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\n";

std::string ParseError(std::string_view text) {
  const auto parsed = Configuration::Parse(text, "/dir");
  return parsed ? "" : parsed.error();
}

TEST(AdmissionConfigurationTest, ItHasATextForEachPlugin) {
  const auto parsed =
      Configuration::Parse(std::string(kHead) +
                               "plugins:\n- name: A\n  configuration: {a: 1}\n- name: B\n- name: A\n"
                               "  configuration: {a: 2}\n",
                           "/dir");
  ASSERT_TRUE(parsed) << parsed.error();
  EXPECT_EQ(parsed->For("A").value(), R"({"a":1})");
  EXPECT_EQ(parsed->For("B").value(), std::nullopt);
  EXPECT_EQ(parsed->For("C").value(), std::nullopt);
  EXPECT_EQ(ParseError("apiVersion: apiserver.k8s.io/v1alpha1\nkind: AdmissionConfiguration\n"), "");
}

TEST(AdmissionConfigurationTest, WhatIsWrongIsToldInUpstreamsWords) {
  EXPECT_EQ(ParseError(std::string(kHead) + "plugins: [{name: A, foo: 1}]"),
            "strict decoding error: unknown field \"plugins[0].foo\"");
  EXPECT_EQ(
      ParseError("apiVersion: apiserver.config.k8s.io/v2\nkind: AdmissionConfiguration\n"),
      "no kind \"AdmissionConfiguration\" is registered for version \"apiserver.config.k8s.io/v2\" in scheme "
      "\"pkg/runtime/scheme.go:111\"");
  EXPECT_EQ(ParseError("foo: bar\n"), "Object 'Kind' is missing in 'foo: bar\n'");
  EXPECT_EQ(ParseError("kind: A\n"), "Object 'apiVersion' is missing in 'kind: A\n'");
  EXPECT_EQ(ParseError(""), "Object 'Kind' is missing in ''");
  EXPECT_EQ(ParseError(std::string(kHead) + "kind: AdmissionConfiguration\n"),
            "strict decoding error: yaml: unmarshal errors:\n  line 3: key \"kind\" already set in map");
  EXPECT_NE(ParseError("a: [\n"), "");
}

TEST(AdmissionConfigurationTest, FilesOlderThanVersionsAreThoseOfTwoPlugins) {
  const auto parsed = Configuration::Parse("podNodeSelectorPluginConfig: {n: a=b}\n", "/dir");
  ASSERT_TRUE(parsed) << parsed.error();
  EXPECT_EQ(parsed->For("PodNodeSelector").value(), "podNodeSelectorPluginConfig: {n: a=b}\n");
  EXPECT_EQ(parsed->For("PodSecurity").value(), std::nullopt);
}

class SettingsTest : public ::testing::Test {
 protected:
  std::filesystem::path Put(std::string_view name, std::string_view text) {
    const auto path = dir_.path() / name;
    EXPECT_TRUE(base::WriteFileAtomically(path, text, 0600));
    return path;
  }
  base::testing::TempDir dir_;
};

TEST_F(SettingsTest, AFileThatIsNamedIsFoundBesideTheConfiguration) {
  Put("pods.yaml",
      "apiVersion: pod-security.admission.config.k8s.io/v1beta1\nkind: PodSecurityConfiguration\n"
      "exemptions: {namespaces: [a]}\n");
  const auto file = Put("a.yaml", std::string(kHead) + "plugins: [{name: PodSecurity, path: pods.yaml}]");
  const auto settings = ReadSettings(file, {});
  ASSERT_TRUE(settings) << settings.error();
  EXPECT_TRUE(settings->pod_security.exempt_namespaces.contains("a"));
}

TEST_F(SettingsTest, PluginsThatAreOffOrUnknownAreLeftAlone) {
  const auto file =
      Put("a.yaml", std::string(kHead) +
                        "plugins: [{name: Nope, path: nope}, {name: EventRateLimit, path: nope}, {name: "
                        "PodSecurity, configuration: {kind: Pod}}]");
  EXPECT_TRUE(ReadSettings(file, {.disabled = {"PodSecurity"}}));
  EXPECT_EQ(ReadSettings(file, {}).error(),
            "couldn't init admission plugin \"PodSecurity\": Object 'apiVersion' is missing in "
            "'{\"kind\":\"Pod\"}'");
  EXPECT_EQ(ReadSettings(file, {.enabled = {"EventRateLimit"}, .disabled = {"PodSecurity"}})
                .error()
                .rfind("Couldn't open admission plugin configuration " + (dir_.path() / "nope").string(), 0),
            0u);
}

TEST_F(SettingsTest, WithoutAFileEverythingHasItsDefaults) {
  EXPECT_TRUE(ReadSettings("", {}));
  EXPECT_EQ(ReadSettings("", {.enabled = {"ImagePolicyWebhook"}}).error(),
            "couldn't init admission plugin \"ImagePolicyWebhook\": no config specified");
  const auto missing = dir_.path() / "missing";
  EXPECT_EQ(
      ReadSettings(missing, {})
          .error()
          .rfind("failed to read plugin config: unable to read admission control configuration from \"" +
                     missing.string() + "\" [",
                 0),
      0u);
}

}  // namespace
}  // namespace keelson::admission
