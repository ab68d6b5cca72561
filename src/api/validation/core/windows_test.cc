// Expected errors are what kube-apiserver v1.36 answers to the same objects.
#include "api/validation/core/windows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/validation/core/capabilities.h"
#include "api/validation/testing/json_doc.h"

namespace keelson::api::core {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> OptionErrors(std::string_view json) {
  const Doc doc = testing::DocFromJson(json, core_v1::kWindowsSecurityContextOptionsType);
  ErrorList errors;
  CheckWindowsOptions(core_v1::WindowsSecurityContextOptionsView(doc.root()), Path("w"), errors);
  return testing::Texts(errors);
}

TEST(WindowsTest, UserNamesMayHaveADomain) {
  for (const char* name : {R"({"runAsUserName": "user"})", R"({"runAsUserName": "NT AUTHORITY\\user"})",
                           R"({"runAsUserName": "a.very.long-domain.example.com\\user.name"})"})
    EXPECT_THAT(OptionErrors(name), IsEmpty()) << name;
}

TEST(WindowsTest, UserNamesHaveTheirRules) {
  EXPECT_THAT(OptionErrors(R"({"runAsUserName": ""})"),
              ElementsAre(R"(w.runAsUserName: Invalid value: "": runAsUserName cannot be an empty string)"));
  EXPECT_THAT(
      OptionErrors("{\"runAsUserName\": \"a\\tb\"}"),
      ElementsAre(
          R"(w.runAsUserName: Invalid value: "a\tb": runAsUserName cannot contain control characters)"));
  EXPECT_THAT(
      OptionErrors(R"({"runAsUserName": "a\\b\\c"})"),
      ElementsAre(R"(w.runAsUserName: Invalid value: "a\\b\\c": runAsUserName cannot contain more than )"
                  R"(one backslash)"));
  EXPECT_THAT(
      OptionErrors(R"({"runAsUserName": ".x\\. "})"),
      ElementsAre(
          R"(w.runAsUserName: Invalid value: ".x\\. ": runAsUserName's Domain doesn't match the NetBios nor the )"
          R"(DNS format)",
          R"(w.runAsUserName: Invalid value: ".x\\. ": runAsUserName's User cannot contain only periods or spaces)"));
  EXPECT_THAT(OptionErrors(R"({"runAsUserName": "a@b"})"),
              ElementsAre(R"(w.runAsUserName: Invalid value: "a@b": runAsUserName's User cannot contain the )"
                          R"(following characters: "/\:;|=,+*?<>@[])"));
}

TEST(WindowsTest, CredentialsAreNamedAndNotEmpty) {
  EXPECT_THAT(OptionErrors(R"({"gmsaCredentialSpec": "", "gmsaCredentialSpecName": "ok"})"),
              ElementsAre(R"(w.gmsaCredentialSpec: Invalid value: "": gmsaCredentialSpec cannot be an empty )"
                          R"(string)"));
}

std::vector<std::string> ProcessErrors(std::string_view json) {
  const Doc doc = testing::DocFromJson(json, core_v1::kPodSpecType);
  ErrorList errors;
  CheckHostProcesses(core_v1::PodSpecView(doc.root()), Path("spec"), errors);
  return testing::Texts(errors);
}

TEST(WindowsTest, AllContainersAreProcessesOfTheHostOrNone) {
  EXPECT_THAT(ProcessErrors(R"({"containers": [{"name": "a"}]})"), IsEmpty());
  EXPECT_THAT(
      ProcessErrors(R"({"hostNetwork": true, "securityContext": {"windowsOptions": {"hostProcess": true}},
                                "containers": [{"name": "a"}]})"),
      IsEmpty());
  EXPECT_THAT(
      ProcessErrors(
          R"({"containers": [{"name": "a", "securityContext": {"windowsOptions": {"hostProcess": true}}},
                                       {"name": "b"}]})"),
      ElementsAre(
          R"(spec: Invalid value: "": If pod contains any hostProcess containers then all containers must )"
          R"(be HostProcess containers)",
          R"(spec.hostNetwork: Invalid value: false: hostNetwork must be true if pod contains any )"
          R"(hostProcess containers)"));
  EXPECT_THAT(
      ProcessErrors(R"({"hostNetwork": true, "securityContext": {"windowsOptions": {"hostProcess": false}},
                        "containers": [{"name": "a", "securityContext": {"windowsOptions": {"hostProcess": true}}}]})"),
      ElementsAre("spec.containers[0].securityContext.windowsOptions.hostProcess: Invalid value: true: pod "
                  "hostProcess value must be identical if both are specified, was false"));
}

TEST(WindowsTest, TheClusterMayForbidPrivileges) {
  SetPrivilegedAllowed(false);
  const auto errors = ProcessErrors(
      R"({"hostNetwork": true, "securityContext": {"windowsOptions": {"hostProcess": true}}, "containers": [{"name": "a"}]})");
  SetPrivilegedAllowed(true);
  EXPECT_THAT(errors,
              ElementsAre("spec: Forbidden: hostProcess containers are disallowed by cluster policy"));
}

}  // namespace
}  // namespace keelson::api::core
