#include "api/validation/unversioned.h"

#include <gtest/gtest.h>

#include "api/generated/batch_v1.h"
#include "api/generated/core_v1.h"
#include "api/validation/testing/json_doc.h"

namespace keelson::api::field {
namespace {

using testing::DocFromJson;

std::string Render(std::string_view json, const TypeDesc& type) {
  return RenderUnversioned(DocFromJson(json, type).root());
}

TEST(UnversionedTest, MembersHaveGoNamesAndShowWhatIsEmpty) {
  EXPECT_EQ(Render(R"({"type": "Bogus"})", core_v1::kSeccompProfileType),
            R"({"Type":"Bogus","LocalhostProfile":null})");
  EXPECT_EQ(Render(R"({"limits": {"cpu": "1"}})", core_v1::kResourceRequirementsType),
            R"({"Limits":{"cpu":"1"},"Requests":null,"Claims":null})");
}

TEST(UnversionedTest, SharedTypesHaveTheirJsonNames) {
  EXPECT_EQ(Render(R"({"topologyKey": "zone", "labelSelector": {"matchLabels": {"a": "b"}}})",
                   core_v1::kPodAffinityTermType),
            R"({"LabelSelector":{"matchLabels":{"a":"b"}},"Namespaces":null,"TopologyKey":"zone",)"
            R"("NamespaceSelector":null,"MatchLabelKeys":null,"MismatchLabelKeys":null})");
}

TEST(UnversionedTest, NamesAndOrderThatDifferAreUpstreams) {
  EXPECT_EQ(
      Render(R"({"monitors": ["m"], "image": "i", "pool": "p", "user": "u"})", core_v1::kRBDVolumeSourceType),
      R"({"CephMonitors":["m"],"RBDImage":"i","FSType":"","RBDPool":"p","RadosUser":"u","Keyring":"",)"
      R"("SecretRef":null,"ReadOnly":false})");
}

TEST(UnversionedTest, EmbeddedStructsAreInline) {
  EXPECT_EQ(
      Render(R"({"httpGet": {"port": "http"}})", core_v1::kProbeType).substr(0, 100),
      std::string(
          R"({"Exec":null,"HTTPGet":{"Path":"","Port":"http","Host":"","Scheme":"","HTTPHeaders":null},"TCPSocket":null)")
          .substr(0, 100));
}

TEST(UnversionedTest, HostNamespacesBelongToTheSecurityContext) {
  const Doc spec =
      DocFromJson(R"({"hostNetwork": true, "hostUsers": false, "securityContext": {"runAsUser": 7}})",
                  core_v1::kPodSpecType);
  EXPECT_NE(
      RenderUnversioned(spec.root())
          .find(R"("NodeName":"","SecurityContext":{"HostNetwork":true,"HostPID":false,"HostIPC":false,)"
                R"("ShareProcessNamespace":null,"HostUsers":false,"SELinuxOptions":null,)"
                R"("WindowsOptions":null,"RunAsUser":7,)"),
      std::string::npos);
}

TEST(UnversionedTest, MetadataIsEmbeddedWithItsJsonNames) {
  EXPECT_TRUE(Render(R"({"metadata": {"name": "n"}, "spec": {}})", core_v1::kPodTemplateSpecType)
                  .starts_with(R"({"name":"n","Spec":{"Volumes":null,)"));
  EXPECT_TRUE(
      Render(R"({"spec": {}})", core_v1::kPodTemplateSpecType).starts_with(R"({"Spec":{"Volumes":null,)"));
}

TEST(UnversionedTest, ADifferenceShowsTheLinesAround) {
  const Doc was = DocFromJson(R"({"storageClassName": "a", "resources": {"requests": {"storage": "1Gi"}}})",
                              core_v1::kPersistentVolumeClaimSpecType);
  const Doc now = DocFromJson(R"({"storageClassName": "b", "resources": {"requests": {"storage": "1Gi"}}})",
                              core_v1::kPersistentVolumeClaimSpecType);
  EXPECT_EQ(UnversionedDifference(was.root(), now.root()),
            "@@ -8,7 +8,7 @@\n   }\n  },\n  \"VolumeName\": \"\",\n- \"StorageClassName\": \"a\",\n"
            "+ \"StorageClassName\": \"b\",\n  \"VolumeMode\": null,\n  \"DataSource\": null,\n"
            "  \"DataSourceRef\": null,\n");
}

}  // namespace
}  // namespace keelson::api::field
