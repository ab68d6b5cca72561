#include "api/validation/object_meta.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/generated/core_v1.h"
#include "api/validation/label_selector.h"
#include "api/validation/labels.h"
#include "api/validation/testing/json_doc.h"

namespace keelson::api {
namespace {

using testing::DocFromJson;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using testing::Texts;

using Strings = std::vector<std::string>;

Strings OnCreate(std::string_view metadata, bool namespaced = true) {
  const Doc doc = DocFromJson<meta_v1::ObjectMetaView>(metadata);
  const field::Path path("metadata");
  auto errors = ValidateObjectMeta(meta_v1::ObjectMetaView(doc), namespaced, NameIsDnsSubdomain, path);
  errors.Append(ValidateStandardFinalizers(meta_v1::ObjectMetaView(doc), path.Child("finalizers")));
  return Texts(errors);
}

Strings OnUpdate(std::string_view now, std::string_view was) {
  const Doc now_doc = DocFromJson<meta_v1::ObjectMetaView>(now),
            was_doc = DocFromJson<meta_v1::ObjectMetaView>(was);
  return Texts(ValidateObjectMetaUpdate(meta_v1::ObjectMetaView(now_doc), meta_v1::ObjectMetaView(was_doc),
                                        true, field::Path("metadata")));
}

TEST(ObjectMetaValidationTest, AcceptsWhatIsWellFormed) {
  EXPECT_THAT(OnCreate(R"({"name":"a.b","namespace":"default","labels":{"a":"b","x.y/z":""},
      "annotations":{"UPPER.example.com/a":"anything at all\n"},"finalizers":["example.com/f","orphan"],
      "ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"r","uid":"1","controller":true}],
      "managedFields":[{"manager":"m","operation":"Apply","fieldsType":"FieldsV1"}]})"),
              IsEmpty());
}

TEST(ObjectMetaValidationTest, SaysWhatIsWrongOnCreate) {
  struct Case {
    const char* name;
    std::string_view metadata;
    Strings errors;
  };
  const Case cases[] = {
      {"no name",
       R"({"namespace":"d"})",
       {"metadata.name: Required value: name or generateName is required"}},
      {"no namespace", R"({"name":"a"})", {"metadata.namespace: Required value"}},
      {"bad namespace",
       R"({"name":"a","namespace":"a.b"})",
       {R"(metadata.namespace: Invalid value: "a.b": must not contain dots)"}},
      {"negative generation",
       R"({"name":"a","namespace":"d","generation":-1})",
       {"metadata.generation: Invalid value: -1: must be greater than or equal to 0"}},
      {"finalizer of no domain",
       R"({"name":"a","namespace":"d","finalizers":["x"]})",
       {R"(metadata.finalizers[0]: Invalid value: "x": name is neither a standard finalizer name nor is it fully qualified)"}},
      {"finalizers that exclude each other",
       R"({"name":"a","namespace":"d","finalizers":["orphan","foregroundDeletion"]})",
       {R"(metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set)"}},
      {"owner without anything",
       R"({"name":"a","namespace":"d","ownerReferences":[{}]})",
       {R"(metadata.ownerReferences.apiVersion: Invalid value: "": version must not be empty)",
        R"(metadata.ownerReferences.kind: Invalid value: "": must not be empty)",
        R"(metadata.ownerReferences.name: Invalid value: "": must not be empty)",
        R"(metadata.ownerReferences.uid: Invalid value: "": must not be empty)"}},
      {"owner with a group but no version",
       R"({"name":"a","namespace":"d","ownerReferences":[{"apiVersion":"apps/","kind":"K","name":"n","uid":"u"}]})",
       {R"(metadata.ownerReferences.apiVersion: Invalid value: "apps/": version must not be empty)"}},
      {"owner that is an event",
       R"({"name":"a","namespace":"d","ownerReferences":[{"apiVersion":"v1","kind":"Event","name":"n","uid":"u"}]})",
       {R"(metadata.ownerReferences: Invalid value: {"apiVersion":"v1","kind":"Event","name":"n","uid":"u"}: /v1, Kind=Event is disallowed from being an owner)"}},
      {"managed fields",
       R"({"name":"a","namespace":"d","managedFields":[{"manager":"a\nb","operation":"X","fieldsType":"Y"}]})",
       {R"(metadata.managedFields[0].operation: Invalid value: "X": must be `Apply` or `Update`)",
        R"(metadata.managedFields[0].fieldsType: Invalid value: "Y": must be `FieldsV1`)",
        R"(metadata.managedFields[0].manager: Invalid value: "a\nb": invalid character U+000A (at position 1))"}},
  };
  for (const Case& c : cases) EXPECT_THAT(OnCreate(c.metadata), ElementsAreArray(c.errors)) << c.name;
}

TEST(ObjectMetaValidationTest, TwoControllersAreOneTooMany) {
  EXPECT_THAT(
      OnCreate(R"({"name":"a","namespace":"d","ownerReferences":[
          {"apiVersion":"v1","kind":"K","name":"n","uid":"u","controller":true},
          {"apiVersion":"v1","kind":"L","name":"m","uid":"w","controller":true}]})"),
      ElementsAre(
          R"(metadata.ownerReferences: Invalid value: [{"apiVersion":"v1","kind":"K","name":"n","uid":"u",)"
          R"("controller":true},{"apiVersion":"v1","kind":"L","name":"m","uid":"w","controller":true}]: )"
          R"(Only one reference can have Controller set to true. Found "true" in references for K/n and L/m)"));
}

// Every error shows the list of all: what is said stays in proportion to what was sent.
TEST(ObjectMetaValidationTest, ControllersByTheThousandAreNotAllNamed) {
  const auto said = [](int controllers) {
    std::string owners;
    for (int i = 0; i < controllers; ++i)
      owners += std::string(i == 0 ? "" : ",") + R"({"apiVersion":"v1","kind":"C","name":"n)" +
                std::to_string(i) + R"(","uid":"u","controller":true})";
    return OnCreate(R"({"name":"a","namespace":"d","ownerReferences":[)" + owners + "]}");
  };
  EXPECT_EQ(said(40).size(), 39u);
  const Strings many = said(10'000);  // 0.7 MB
  ASSERT_THAT(many, ::testing::SizeIs(1));
  EXPECT_LT(many[0].size(), 1u << 20);
}

TEST(ObjectMetaValidationTest, AClusterScopedObjectHasNoNamespace) {
  EXPECT_THAT(OnCreate(R"({"name":"a"})", /*namespaced=*/false), IsEmpty());
  EXPECT_THAT(OnCreate(R"({"name":"a","namespace":"d"})", /*namespaced=*/false),
              ElementsAre("metadata.namespace: Forbidden: not allowed on this type"));
}

TEST(ObjectMetaValidationTest, AnnotationsAreLimitedInTotal) {
  const std::string most(kTotalAnnotationSizeLimit - 1, 'x');
  EXPECT_THAT(OnCreate(R"({"name":"a","namespace":"d","annotations":{"a":")" + most + R"("}})"), IsEmpty());
  EXPECT_THAT(OnCreate(R"({"name":"a","namespace":"d","annotations":{"a":")" + most + R"(x"}})"),
              ElementsAre("metadata.annotations: Too long: may not be more than 262144 bytes"));
}

TEST(ObjectMetaValidationTest, BadLabelsAreNamedByKeyAndValue) {
  EXPECT_THAT(OnCreate(R"({"name":"a","namespace":"d","labels":{"/":"ok"," b":"c d"}})"),
              ElementsAre(StartsWith(R"(metadata.labels: Invalid value: " b": name part must consist)"),
                          StartsWith(R"(metadata.labels: Invalid value: "c d": a valid label must be)"),
                          StartsWith(R"(metadata.labels: Invalid value: "/": prefix part must be non-empty)"),
                          StartsWith(R"(metadata.labels: Invalid value: "/": name part must be non-empty)"),
                          StartsWith(R"(metadata.labels: Invalid value: "/": name part must consist)")));
}

TEST(ObjectMetaValidationTest, AnUpdateMayNotChangeIdentity) {
  constexpr std::string_view kWas =
      R"({"name":"a","namespace":"d","uid":"1","resourceVersion":"5","generation":2,
          "creationTimestamp":"2024-01-02T03:04:05Z"})";
  EXPECT_THAT(OnUpdate(kWas, kWas), IsEmpty());
  EXPECT_THAT(
      OnUpdate(R"({"name":"b","namespace":"e","uid":"2","resourceVersion":"5","generation":1,
                           "deletionTimestamp":"2024-01-02T03:04:06Z","deletionGracePeriodSeconds":3})",
               kWas),
      ElementsAre("metadata.generation: Invalid value: 1: must not be decremented",
                  R"(metadata.name: Invalid value: "b": field is immutable)",
                  R"(metadata.namespace: Invalid value: "e": field is immutable)",
                  R"(metadata.uid: Invalid value: "2": field is immutable)",
                  "metadata.creationTimestamp: Invalid value: null: field is immutable",
                  R"(metadata.deletionTimestamp: Invalid value: "2024-01-02T03:04:06Z": field is immutable)",
                  "metadata.deletionGracePeriodSeconds: Invalid value: 3: field is immutable"));
}

TEST(ObjectMetaValidationTest, AnUpdateNamesTheVersionItReplaces) {
  EXPECT_THAT(
      OnUpdate(R"({"name":"a","namespace":"d"})", R"({"name":"a","namespace":"d","resourceVersion":"5"})"),
      ElementsAre(R"(metadata.resourceVersion: Invalid value: "": must be specified for an update)"));
}

TEST(ObjectMetaValidationTest, AnObjectBeingDeletedTakesNoNewFinalizers) {
  constexpr std::string_view kWas =
      R"({"name":"a","namespace":"d","resourceVersion":"5","finalizers":["a.b/c"],
                                        "deletionTimestamp":"2024-01-02T03:04:06Z"})";
  EXPECT_THAT(
      OnUpdate(R"({"name":"a","namespace":"d","resourceVersion":"5","finalizers":["x.y/z","a.b/c","a.a/a"],
                   "deletionTimestamp":"2024-01-02T03:04:06Z"})",
               kWas),
      ElementsAre(
          "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, "
          R"(found new finalizers []string{"a.a/a", "x.y/z"})"));
  EXPECT_THAT(OnUpdate(R"({"name":"a","namespace":"d","resourceVersion":"5",
                           "deletionTimestamp":"2024-01-02T03:04:06Z"})",
                       kWas),
              IsEmpty());
}

TEST(LabelSelectorValidationTest, SaysWhatIsWrong) {
  struct Case {
    const char* name;
    std::string_view selector;
    Strings errors;
  };
  const Case cases[] = {
      {"nothing", "{}", {}},
      {"fine",
       R"({"matchLabels":{"a":"b"},"matchExpressions":[{"key":"k","operator":"In","values":["v"]},
                   {"key":"k","operator":"Exists"}]})",
       {}},
      {"In without values",
       R"({"matchExpressions":[{"key":"k","operator":"In"}]})",
       {"spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' "
        "or 'NotIn'"}},
      {"Exists with values",
       R"({"matchExpressions":[{"key":"k","operator":"Exists","values":["v"]}]})",
       {"spec.selector.matchExpressions[0].values: Forbidden: may not be specified when `operator` is "
        "'Exists' or 'DoesNotExist'"}},
      {"unknown operator",
       R"({"matchExpressions":[{"key":"k","operator":"="}]})",
       {R"(spec.selector.matchExpressions[0].operator: Invalid value: "=": not a valid selector operator)"}},
  };
  const field::Path spec("spec");
  for (const Case& c : cases) {
    const Doc doc = DocFromJson<meta_v1::LabelSelectorView>(c.selector);
    EXPECT_THAT(Texts(ValidateLabelSelector(meta_v1::LabelSelectorView(doc), spec.Child("selector"))),
                ElementsAreArray(c.errors))
        << c.name;
  }
}

TEST(LabelSelectorValidationTest, OldInvalidValuesCanBeLetThrough) {
  const Doc doc = DocFromJson<meta_v1::LabelSelectorView>(
      R"({"matchExpressions":[{"key":"k","operator":"In","values":["a b"]}]})");
  const field::Path path("selector");
  EXPECT_EQ(ValidateLabelSelector(meta_v1::LabelSelectorView(doc), path).size(), 1u);
  EXPECT_TRUE(
      ValidateLabelSelector(meta_v1::LabelSelectorView(doc), path, {.allow_invalid_values = true}).empty());
}

}  // namespace
}  // namespace keelson::api
