#include "api/pods/references.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "api/validation/testing/json_doc.h"

namespace keelson::api::pods {
namespace {

using core_v1::PodSpecView;
using core_v1::PodView;
using Seen = std::vector<std::tuple<Referent, Place, std::string>>;

Seen SeenIn(std::string_view pod_json) {
  const Doc doc = api::testing::DocFromJson<PodView>(pod_json);
  Seen seen;
  EXPECT_TRUE(EachReference(PodView(doc), [&](const Reference& r) {
    seen.emplace_back(r.referent, r.place, r.name);
    return true;
  }));
  return seen;
}

Seen SeenInSpec(std::string_view spec) {
  return SeenIn(R"({"metadata":{"name":"p"},"spec":{)" + std::string(spec) + "}}");
}

// ---- every place that the schema has

// Where a string may stand in a pod's spec: JSON with a place for it.
struct StringPlace {
  std::string path;  // "volumes.rbd.secretRef.name"
  std::string before, after;
};

class StringPlaces {
 public:
  static std::vector<StringPlace> Of(const TypeDesc& type) {
    StringPlaces places;
    places.Walk(type, "", R"({"spec":)", "}");
    return std::move(places.found_);
  }

 private:
  void Walk(const TypeDesc& type, const std::string& path, const std::string& before,
            const std::string& after) {
    switch (type.kind) {
      case Kind::kString: found_.push_back({path, before + "\"", "\"" + after}); return;
      case Kind::kList: return Walk(*type.element, path, before + "[", "]" + after);
      case Kind::kStruct: break;
      default: return;
    }
    // The template of a claim is no reference.
    if (type.name == "core_v1.EphemeralVolumeSource") return;
    for (const TypeDesc::Member& member : type.members)
      Walk(*type.Resolve(member).field->type,
           path.empty() ? std::string(member.name) : path + "." + std::string(member.name),
           before + "{\"" + std::string(member.name) + "\":", "}" + after);
  }

  std::vector<StringPlace> found_;
};

// The last two members of a path tell what its string is.
bool Names(std::string_view path, std::string_view what) {
  const size_t last = path.rfind('.');
  if (last == std::string_view::npos || !path.substr(last).ends_with("ame")) return false;
  const size_t parent = path.rfind('.', last - 1);
  std::string tail(path.substr(parent == std::string_view::npos ? 0 : parent + 1));
  std::ranges::transform(tail, tail.begin(), [](unsigned char c) { return std::tolower(c); });
  return tail.find(what) != std::string::npos;
}

size_t CheckEveryPlace(std::string_view what, Referent referent) {
  size_t places = 0;
  for (const StringPlace& place : StringPlaces::Of(PodSpecView::Type())) {
    if (!Names(place.path, what)) continue;
    ++places;
    const Seen seen = SeenIn(place.before + "wanted" + place.after);
    EXPECT_TRUE(std::ranges::any_of(seen, [&](const auto& one) {
      return std::get<Referent>(one) == referent && std::get<std::string>(one) == "wanted";
    })) << place.path;
  }
  return places;
}

// Three sorts of containers with env and envFrom; imagePullSecrets; ten volume sources and a projection.
TEST(PodReferencesTest, EverySecretThatTheSchemaCanNameIsSeen) {
  EXPECT_EQ(CheckEveryPlace("secret", Referent::kSecret), 3 * 2 + 1 + 10 + 1u);
}

TEST(PodReferencesTest, EveryConfigMapThatTheSchemaCanNameIsSeen) {
  EXPECT_EQ(CheckEveryPlace("configmap", Referent::kConfigMap), 3 * 2 + 2u);
}

// ---- what is said of them

TEST(PodReferencesTest, AReferenceKnowsItsPlace) {
  EXPECT_EQ(SeenInSpec(R"("serviceAccountName":"sa","imagePullSecrets":[{"name":"pull"}],
                          "initContainers":[{"envFrom":[{"configMapRef":{"name":"c1"}}]}],
                          "ephemeralContainers":[{"env":[{"name":"A","valueFrom":{"secretKeyRef":{"name":"s1"}}}]}],
                          "volumes":[{"name":"v","projected":{"sources":[{"configMap":{"name":"c2"}},
                                                                        {"serviceAccountToken":{"path":"t"}}]}}])"),
            (Seen{{Referent::kServiceAccount, Place::kSpec, "sa"},
                  {Referent::kSecret, Place::kSpec, "pull"},
                  {Referent::kConfigMap, Place::kContainer, "c1"},
                  {Referent::kSecret, Place::kContainer, "s1"},
                  {Referent::kConfigMap, Place::kProjection, "c2"},
                  {Referent::kServiceAccount, Place::kProjection, "sa"}}));
}

TEST(PodReferencesTest, AnEphemeralVolumeHasAClaimNamedAfterThePodAndTheVolume) {
  EXPECT_EQ(
      SeenInSpec(
          R"("volumes":[{"name":"v","ephemeral":{}},{"name":"w","persistentVolumeClaim":{"claimName":"c"}}])"),
      (Seen{{Referent::kPersistentVolumeClaim, Place::kVolume, "p-v"},
            {Referent::kPersistentVolumeClaim, Place::kVolume, "c"}}));
}

TEST(PodReferencesTest, AClaimFromATemplateHasItsNameInTheStatus) {
  constexpr std::string_view kSpec =
      R"({"spec":{"resourceClaims":[{"name":"a","resourceClaimTemplateName":"t"},
                                                    {"name":"b","resourceClaimName":"mine"}]})";
  EXPECT_EQ(SeenIn(std::string(kSpec) + "}"), (Seen{{Referent::kResourceClaim, Place::kSpec, ""},
                                                    {Referent::kResourceClaim, Place::kSpec, "mine"}}));
  EXPECT_EQ(SeenIn(std::string(kSpec) +
                   R"(,"status":{"resourceClaimStatuses":[{"name":"a","resourceClaimName":"made"}],
                                                      "extendedResourceClaimStatus":{"resourceClaimName":"x"}}})"),
            (Seen{{Referent::kResourceClaim, Place::kSpec, "made"},
                  {Referent::kResourceClaim, Place::kSpec, "mine"},
                  {Referent::kResourceClaim, Place::kStatus, "x"}}));
}

TEST(PodReferencesTest, AProjectionRefersToTrustBundlesAndCertificates) {
  EXPECT_EQ(SeenInSpec(R"("volumes":[{"name":"v","projected":{"sources":[
                            {"clusterTrustBundle":{"name":"b","path":"p"}},
                            {"clusterTrustBundle":{"signerName":"example.com/s","path":"p"}},
                            {"podCertificate":{"signerName":"example.com/s","keyType":"ED25519"}}]}}])"),
            (Seen{{Referent::kClusterTrustBundle, Place::kProjection, "b"},
                  {Referent::kClusterTrustBundle, Place::kProjection, ""},
                  {Referent::kPodCertificate, Place::kProjection, "example.com/s"}}));
}

TEST(PodReferencesTest, AReferenceWithoutANameIsSeenAndNamesNothing) {
  const std::string pod = R"({"spec":{"volumes":[{"name":"v","secret":{}}]}})";
  EXPECT_EQ(SeenIn(pod), (Seen{{Referent::kSecret, Place::kVolume, ""}}));
  EXPECT_FALSE(NamesAny(PodView(api::testing::DocFromJson<PodView>(pod)), Referent::kSecret));
}

TEST(PodReferencesTest, AVisitEndsTheWalk) {
  const Doc doc = api::testing::DocFromJson<PodView>(
      R"({"spec":{"serviceAccountName":"sa","imagePullSecrets":[{"name":"a"},{"name":"b"}]}})");
  int visits = 0;
  EXPECT_FALSE(EachReference(PodView(doc), [&](const Reference&) { return ++visits < 2; }));
  EXPECT_EQ(visits, 2);
  EXPECT_TRUE(NamesAny(PodView(doc), Referent::kSecret));
  EXPECT_FALSE(NamesAny(PodView(doc), Referent::kConfigMap));
}

}  // namespace
}  // namespace keelson::api::pods
