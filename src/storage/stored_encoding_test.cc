#include "storage/stored_encoding.h"

#include <gtest/gtest.h>

#include "api/codec/json.h"
#include "api/codec/protobuf.h"
#include "storage/object_factory.h"

namespace keelson::storage {
namespace {

// One resource: its objects in memory, given as JSON in the served version, and as they are stored.
class Kept {
 public:
  Kept(std::string_view group, std::string_view plural)
      : resource_(*api::FindResource(group, "v1", plural)), factory_(resource_, "/registry/things") {}

  std::string ToStored(std::string_view served) const {
    auto envelope = EnvelopeOfJson(served, *resource_.type);
    EXPECT_TRUE(envelope) << envelope.error();
    return std::string(factory_.ToStored(*envelope).view());
  }
  // The object in memory, as JSON without its kind and resourceVersion; the version is checked here.
  std::string InMemory(std::string_view stored) const {
    auto object = factory_.Make("/registry/things/x", stored, 1, 1);
    if (!object) return object.error().detail;
    const auto envelope = api::protobuf::ParseEnvelope((*object)->bytes());
    EXPECT_EQ(envelope->api_version, std::string(resource_.group) + "/v1");
    api::Arena arena;
    auto root = api::protobuf::Decode(envelope->raw, *resource_.type, arena);
    EXPECT_TRUE(root);
    base::BufferBuilder out;
    api::json::Encode(**root, out);
    std::string text(out.view());
    constexpr std::string_view kVersion = R"("resourceVersion":"1",)", kAlone = R"("resourceVersion":"1")";
    for (const std::string_view part : {kVersion, kAlone})
      if (const size_t at = text.find(part); at != text.npos) text.erase(at, part.size());
    return text;
  }

 private:
  const api::ResourceDesc& resource_;
  const ObjectFactory factory_;
};

const Kept& Definitions() {
  static const Kept kept("apiextensions.k8s.io", "customresourcedefinitions");
  return kept;
}

constexpr std::string_view kNoStatus =
    R"("status":{"conditions":null,"acceptedNames":{"plural":"","kind":""},"storedVersions":null})";

std::string Definition(std::string_view version, std::string_view spec) {
  return R"({"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/)" + std::string(version) +
         R"(","metadata":{"name":"foos.example.com"},"spec":{"group":"example.com",)" + std::string(spec) +
         "}," + std::string(kNoStatus) + "}";
}
constexpr std::string_view kNames = R"("names":{"plural":"foos","kind":"Foo"},"scope":"Namespaced",)";
constexpr std::string_view kSchema = R"({"openAPIV3Schema":{"type":"object"}})";

TEST(StoredEncodingTest, ADefinitionIsKeptAsJsonOfTheOldVersion) {
  const std::string served = Definition(
      "v1", std::string(kNames) + R"("versions":[{"name":"v1","served":true,"storage":true,"schema":)" +
                std::string(kSchema) +
                R"(,"additionalPrinterColumns":[{"name":"A","type":"string","jsonPath":".a"}]}],)"
                R"("conversion":{"strategy":"Webhook","webhook":{"clientConfig":{"url":"https://x.example"},)"
                R"("conversionReviewVersions":["v1"]}})");
  const std::string kept = Definition(
      "v1beta1",
      R"("version":"v1",)" + std::string(kNames) + R"("validation":)" + std::string(kSchema) +
          R"(,"versions":[{"name":"v1","served":true,"storage":true}],)"
          R"("additionalPrinterColumns":[{"name":"A","type":"string","JSONPath":".a"}],)"
          R"("conversion":{"strategy":"Webhook","webhookClientConfig":{"url":"https://x.example"},)"
          R"("conversionReviewVersions":["v1"]},"preserveUnknownFields":false)");
  EXPECT_EQ(Definitions().ToStored(served), kept + "\n");
  EXPECT_EQ(Definitions().InMemory(kept), Definitions().InMemory(served));
}

TEST(StoredEncodingTest, WhatDiffersBetweenVersionsStaysWithThem) {
  const std::string versions =
      R"("versions":[{"name":"v1","served":true,"storage":true,"schema":)" + std::string(kSchema) +
      R"(},{"name":"v2","served":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"object","title":"t"}}}],)";
  const std::string served =
      Definition("v1", std::string(kNames) + versions + R"("conversion":{"strategy":"None"})");
  const std::string kept =
      Definition("v1beta1", R"("version":"v1",)" + std::string(kNames) + versions +
                                R"("conversion":{"strategy":"None"},"preserveUnknownFields":false)");
  EXPECT_EQ(Definitions().ToStored(served), kept + "\n");
  EXPECT_EQ(Definitions().InMemory(kept), Definitions().InMemory(served));
}

TEST(StoredEncodingTest, ADefinitionOfAnOldServerGetsTheDefaultsOfItsVersion) {
  const std::string old =
      Definition("v1beta1", R"("version":"v1",)" + std::string(kNames) + R"("subresources":{"status":{}})");
  const std::string served = Definition(
      "v1", std::string(kNames) +
                R"("versions":[{"name":"v1","served":true,"storage":true,"subresources":{"status":{}}}],)"
                R"("conversion":{"strategy":"None"},"preserveUnknownFields":true)");
  EXPECT_EQ(Definitions().InMemory(old), Definitions().InMemory(served));
}

TEST(StoredEncodingTest, AnApiServiceIsKeptAsJson) {
  const Kept services("apiregistration.k8s.io", "apiservices");
  const std::string served =
      R"({"kind":"APIService","apiVersion":"apiregistration.k8s.io/v1","metadata":{"name":"v1.apps"},)"
      R"("spec":{"group":"apps","version":"v1","groupPriorityMinimum":17800,"versionPriority":15},"status":{}})";
  EXPECT_EQ(services.ToStored(served), served + "\n");
}

TEST(StoredEncodingTest, APolicyIsKeptInTheOldVersionAndServedInTheNew) {
  const Kept policies("admissionregistration.k8s.io", "mutatingadmissionpolicies");
  const std::string kept = policies.ToStored(
      R"({"kind":"MutatingAdmissionPolicy","apiVersion":"admissionregistration.k8s.io/v1","metadata":{"name":"p"}})");
  EXPECT_EQ(api::protobuf::ParseEnvelope(kept)->api_version, "admissionregistration.k8s.io/v1beta1");
  EXPECT_NE(policies.InMemory(kept).find(R"("name":"p")"), std::string::npos);
}

TEST(StoredEncodingTest, OtherResourcesAreKeptAsTheyAre) {
  EXPECT_FALSE(StoredEncoding::Of(*api::FindResource("", "v1", "pods")));
}

}  // namespace
}  // namespace keelson::storage
