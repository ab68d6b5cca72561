#include "endpoints/openapi/documents.h"

#include <gmock/gmock.h>

#include <deque>

#include "api/codec/json.h"
#include "api/types/builtin_types.h"
#include "api/types/descriptions.h"
#include "endpoints/openapi/descriptions.h"
#include "endpoints/openapi/schema.h"

namespace keelson::endpoints::openapi {
namespace {

std::string Body(net::http::Response& response) {
  std::vector<base::Slice> slices;
  while (response.body && response.body->Next(1 << 20, slices) == net::http::BodySource::State::kMore) {
  }
  std::string body;
  for (const auto& slice : slices) body += slice.view();
  return body;
}

std::vector<const api::ResourceDesc*> ResourcesOf(std::string_view group, std::string_view version = "v1") {
  std::vector<const api::ResourceDesc*> resources;
  for (const auto& resource : api::BuiltinResources())
    if (resource.group == group && resource.version == version) resources.push_back(&resource);
  return resources;
}

class DocumentsTest : public testing::Test {
 protected:
  static std::vector<const api::ResourceDesc*> Core() { return ResourcesOf(""); }
  // The value at a path of member names in the document of core/v1.
  const api::Value* At(std::initializer_list<std::string_view> path) {
    const api::Value* value = &document_;
    for (std::string_view name : path) {
      if (!value || !value->map()) return nullptr;
      value = value->map()->Find(name);
    }
    return value;
  }
  void SetUp() override {
    auto response = documents_.Handle("/openapi/v3/api/v1", "", {});
    ASSERT_EQ(response.status, 200);
    etag_ = *response.headers.Get("etag");
    text_ = Body(response);
    auto parsed = api::json::DecodeAny(text_, arena_);
    ASSERT_TRUE(parsed) << parsed.error().message;
    document_ = *parsed;
  }

  Documents documents_{Core()};
  std::string text_, etag_;
  api::Arena arena_;
  api::Value document_;
};

TEST_F(DocumentsTest, PatchOfEveryPatchableKindSaysThatFieldsAreValidated) {
  const api::Value* patch = At({"paths", "/api/v1/namespaces/{namespace}/pods/{name}", "patch"});
  ASSERT_NE(patch, nullptr);
  EXPECT_EQ(patch->map()->Find("x-kubernetes-group-version-kind")->map()->Find("kind")->string(), "Pod");
  bool found = false;
  for (const auto& parameter : patch->map()->Find("parameters")->list()->items())
    found |= parameter.map()->Find("name")->string() == "fieldValidation";
  EXPECT_TRUE(found);
}

TEST_F(DocumentsTest, InlineMembersAppearInTheirParent) {
  const auto schema = "io.k8s.api.core.v1.Probe";
  EXPECT_NE(At({"components", "schemas", schema, "properties", "httpGet"}), nullptr);
  EXPECT_NE(At({"components", "schemas", schema, "properties", "periodSeconds"}), nullptr);
}

TEST_F(DocumentsTest, ListsCarryTheirMergeKeys) {
  const api::Value* containers =
      At({"components", "schemas", "io.k8s.api.core.v1.PodSpec", "properties", "containers"});
  ASSERT_NE(containers, nullptr);
  EXPECT_EQ(containers->map()->Find("x-kubernetes-list-type")->string(), "map");
  EXPECT_EQ(containers->map()->Find("x-kubernetes-patch-merge-key")->string(), "name");
}

TEST_F(DocumentsTest, EveryReferenceResolves) {
  const std::string_view kReference = "\"#/components/schemas/";
  size_t references = 0;
  for (size_t at = 0; (at = text_.find(kReference, at)) != std::string::npos; ++references) {
    at += kReference.size();
    const std::string name = text_.substr(at, text_.find('"', at) - at);
    EXPECT_NE(At({"components", "schemas", name}), nullptr) << name;
  }
  EXPECT_GT(references, 500u);
}

TEST_F(DocumentsTest, TheIndexPointsAtTheHashOfTheDocument) {
  auto index = documents_.Handle("/openapi/v3", "", {});
  const std::string hash = etag_.substr(1, etag_.size() - 2);
  EXPECT_NE(Body(index).find("/openapi/v3/api/v1?hash=" + hash), std::string::npos);
  EXPECT_EQ(documents_.Handle("/openapi/v3/api/v1", "hash=" + hash, {}).status, 200);
  EXPECT_EQ(documents_.Handle("/openapi/v3/api/v1", "hash=0", {}).status, 301);
}

TEST_F(DocumentsTest, AClientThatHasTheDocumentIsNotSentItAgain) {
  net::http::Headers headers;
  headers.Add("if-none-match", etag_);
  EXPECT_EQ(documents_.Handle("/openapi/v3/api/v1", "", headers).status, 304);
}

TEST_F(DocumentsTest, WhatHasNoDocumentIsAnEmpty404) {
  for (const char* const path : {"/openapi/v3/apis/nosuch/v1", "/openapi/v3/", "/openapi/v3//api/v1"}) {
    const auto response = documents_.Handle(path, "", {});
    EXPECT_EQ(response.status, 404) << path;
    EXPECT_FALSE(response.body) << path;
    EXPECT_FALSE(response.headers.Get("content-type")) << path;
  }
}

TEST_F(DocumentsTest, TheIndexNamesGroupsAndPagesToo) {
  Documents documents(ResourcesOf("apps"));
  auto response = documents.Handle("/openapi/v3", "", {});
  const std::string index = Body(response);
  for (const char* key : {".well-known/openid-configuration", "api", "apis", "apis/apps", "apis/apps/v1",
                          "openid/v1/jwks", "version"}) {
    EXPECT_NE(index.find("\"" + std::string(key) + "\":{"), std::string::npos) << key;
    auto page = documents.Handle("/openapi/v3/" + std::string(key), "", {});
    ASSERT_EQ(page.status, 200) << key;
    EXPECT_NE(Body(page).find("\"/" + std::string(key) + "/\":{\"get\":"), std::string::npos) << key;
  }
}

TEST_F(DocumentsTest, HashesOfDocumentsChangeOnlyWithThem) {
  const auto hash = [](Documents& documents, const char* key) {
    const auto response = documents.Handle("/openapi/v3/" + std::string(key), "", {});
    return std::string(response.headers.Get("etag").value_or(""));
  };
  auto fewer = Core();
  fewer.pop_back();
  Documents other(fewer);
  for (const char* key : {"api", "apis", "version"})
    EXPECT_EQ(hash(documents_, key), hash(other, key)) << key;
  EXPECT_NE(hash(documents_, "api/v1"), hash(other, "api/v1"));
}

TEST_F(DocumentsTest, WatchesStreamsAndVersionsHavePaths) {
  const auto id = [this](const char* path, const char* method) -> std::string {
    const api::Value* operation = At({"paths", path, method, "operationId"});
    return operation ? std::string(operation->string()) : "";
  };
  EXPECT_EQ(id("/api/v1/", "get"), "getCoreV1APIResources");
  EXPECT_EQ(id("/api/v1/watch/pods", "get"), "watchCoreV1PodListForAllNamespaces");
  EXPECT_EQ(id("/api/v1/watch/nodes/{name}", "get"), "watchCoreV1Node");
  EXPECT_EQ(id("/api/v1/namespaces/{namespace}/pods/{name}/exec", "post"),
            "connectCoreV1PostNamespacedPodExec");
  EXPECT_EQ(id("/api/v1/nodes/{name}/proxy/{path}", "head"), "connectCoreV1HeadNodeProxyWithPath");
  EXPECT_EQ(id("/api/v1/namespaces/{namespace}/pods/{name}/log", "get"), "readCoreV1NamespacedPodLog");
}

TEST_F(DocumentsTest, ParametersOfAllMethodsAreThoseOfThePath) {
  const auto names = [](const api::Value* parameters) {
    std::string joined;
    for (const auto& parameter : parameters->list()->items())
      joined += std::string(parameter.map()->Find("name")->string()) + " ";
    return joined;
  };
  const char* const path = "/api/v1/namespaces/{namespace}/pods/{name}";
  EXPECT_EQ(names(At({"paths", path, "parameters"})), "name namespace pretty ");
  EXPECT_EQ(names(At({"paths", path, "put", "parameters"})), "dryRun fieldManager fieldValidation ");
  EXPECT_EQ(At({"paths", path, "get", "parameters"}), nullptr);
}

// --- what documents say of types and fields

// Whole texts of JSON are compared: a member too many is as wrong as one too few.
class DescribedTest : public testing::Test {
 protected:
  // The schema of `definition` as JSON; of its property, if one is given.
  std::string Of(std::string_view path, std::string_view definition, std::string_view property = "") {
    const bool v2 = path == "/openapi/v2";
    auto response = documents_.Handle(path, "", {});
    const std::string text = Body(response);
    api::Arena arena;
    const auto document = api::json::DecodeAny(text, arena);
    if (!document) return document.error().message;
    const api::Value* at = v2 ? document->map()->Find("definitions")
                              : document->map()->Find("components")->map()->Find("schemas");
    at = at->map()->Find(definition);
    if (at && !property.empty()) at = at->map()->Find("properties")->map()->Find(property);
    if (!at) return "absent";
    base::BufferBuilder json;
    api::json::EncodeAny(*at, json);
    return std::string(json.view());
  }

  static constexpr std::string_view kLease = "io.k8s.api.coordination.v1.Lease",
                                    kSpec = "io.k8s.api.coordination.v1.LeaseSpec",
                                    kMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
  static constexpr std::string_view kV2 = "/openapi/v2", kV3 = "/openapi/v3/apis/coordination.k8s.io/v1";
  Documents documents_{ResourcesOf("coordination.k8s.io")};
};

TEST_F(DescribedTest, InV3WhatIsSaidOfAReferenceStandsBesideAllOf) {
  EXPECT_EQ(Of(kV3, kLease, "spec"),
            R"({"allOf":[{"$ref":"#/components/schemas/io.k8s.api.coordination.v1.LeaseSpec"}],"default":{},)"
            R"("description":"Who holds the lease, since when and for how long."})");
}

TEST_F(DescribedTest, InV2ItStandsBesideTheReferenceAndThereAreNoDefaults) {
  EXPECT_EQ(Of(kV2, kLease, "spec"), R"({"$ref":"#/definitions/io.k8s.api.coordination.v1.LeaseSpec",)"
                                     R"("description":"Who holds the lease, since when and for how long."})");
  auto response = documents_.Handle(kV2, "", {});
  EXPECT_THAT(Body(response), testing::Not(testing::HasSubstr("\"default\":")));
}

TEST_F(DescribedTest, TypesFieldsListsAndWhatAllObjectsHaveAreDescribed) {
  for (const std::string_view path : {kV2, kV3}) {
    EXPECT_THAT(Of(path, kLease), testing::HasSubstr(R"({"description":"A claim that one of)"));
    EXPECT_THAT(Of(path, kLease, "kind"), testing::HasSubstr("CamelCase: Lease."));
    EXPECT_THAT(Of(path, kSpec, "leaseTransitions"), testing::HasSubstr(R"({"description":"How many times)"));
    EXPECT_THAT(Of(path, "io.k8s.api.coordination.v1.LeaseList", "items"), testing::HasSubstr("description"));
    EXPECT_THAT(Of(path, "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime"),
                testing::HasSubstr("description"));
    EXPECT_THAT(Of(path, kMeta, "creationTimestamp"), testing::HasSubstr("CreationTimestamp is a timestamp"))
        << "the conformance tests of explain look for these words";
  }
}

TEST_F(DescribedTest, InV3WhatCannotBeAbsentHasItsZeroForDefault) {
  EXPECT_THAT(Of(kV3, kMeta, "labels"),
              testing::HasSubstr(R"("additionalProperties":{"default":"","type":"string"})"));
  EXPECT_THAT(Of(kV3, kMeta, "managedFields"), testing::HasSubstr(R"(ManagedFieldsEntry"}],"default":{}})"));
  EXPECT_THAT(Of(kV3, "io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference", "uid"),
              testing::HasSubstr(R"("default":"")"));
  EXPECT_THAT(Of(kV3, kMeta, "name"), testing::Not(testing::HasSubstr("default")));
  EXPECT_THAT(Of(kV3, kSpec, "renewTime"), testing::Not(testing::HasSubstr("default")));
}

TEST_F(DescribedTest, OptionsAreKindsOfTheDocumentsVersionInV3AndOfAllInV2) {
  constexpr std::string_view kOptions = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions";
  EXPECT_THAT(Of(kV3, kOptions),
              testing::EndsWith(
                  R"("x-kubernetes-group-version-kind":[{"group":"","kind":"DeleteOptions","version":"v1"},)"
                  R"({"group":"coordination.k8s.io","kind":"DeleteOptions","version":"v1"}]})"));
  EXPECT_THAT(Of(kV2, kOptions), testing::HasSubstr(R"({"group":"extensions","kind":"DeleteOptions")"));
}

TEST(CompressedDescriptionsTest, HaveATextForEachTypeAndField) {
  Descriptions descriptions;
  EXPECT_FALSE(api::CompressedDescriptions().empty());
  for (const api::SchemaTexts& texts : api::CompressedDescriptions()) {
    for (const api::TypeDesc* type : api::BuiltinTypes()) {
      if (type->name.substr(0, type->name.rfind('.')) != texts.schema) continue;
      EXPECT_NE(descriptions.Of(*type), "") << type->name;
      for (const api::FieldDesc& field : type->fields)
        EXPECT_EQ(descriptions.Of(*type, field).empty(), field.has(api::FieldDesc::kInline))
            << type->name << " " << field.name;
    }
  }
}

TEST_F(DocumentsTest, WhatIsInlinedHasNoDefinition) {
  EXPECT_EQ(At({"components", "schemas", "io.k8s.api.core.v1.ProbeHandler"}), nullptr);
  EXPECT_NE(At({"components", "schemas", "io.k8s.api.core.v1.HTTPGetAction"}), nullptr);
}

TEST_F(DocumentsTest, OfEnumeratedItemsTheItemsAreEnumerated) {
  const api::Value* modes = At(
      {"components", "schemas", "io.k8s.api.core.v1.PersistentVolumeClaimSpec", "properties", "accessModes"});
  ASSERT_NE(modes, nullptr);
  EXPECT_EQ(modes->map()->Find("enum"), nullptr);
  EXPECT_NE(modes->map()->Find("items")->map()->Find("enum"), nullptr);
}

TEST_F(DocumentsTest, ADeleteAnswersWithWhatTheResourceAnswersWith) {
  const auto answer = [](Documents& documents, const char* plural) {
    auto response = documents.Handle("/openapi/v2", "", {});
    const std::string text = Body(response);
    api::Arena arena;
    const auto document = api::json::DecodeAny(text, arena);
    const api::Value* at = document->map()->Find("paths")->map()->Find("/api/v1/namespaces/{namespace}/" +
                                                                       std::string(plural) + "/{name}");
    for (const char* name : {"delete", "responses", "200", "schema", "$ref"}) at = at->map()->Find(name);
    return std::string(at->string());
  };
  Documents shown(Core(), {.shown_deleted = {api::FindResource("", "v1", "pods")}});
  EXPECT_EQ(answer(shown, "pods"), "#/definitions/io.k8s.api.core.v1.Pod");
  EXPECT_EQ(answer(shown, "secrets"), "#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.Status");
}

TEST_F(DocumentsTest, CborIsNamedWhereTheServerSpeaksIt) {
  const auto count = [](Documents& documents, std::string_view media_type) {
    const std::string name = "\"" + std::string(media_type) + "\"";
    auto response = documents.Handle("/openapi/v3/api/v1", "", {});
    const std::string text = Body(response);
    size_t found = 0;
    for (size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += name.size()) ++found;
    return found;
  };
  Documents speaking(Core(), {.cbor = true});
  for (const std::string_view media_type :
       {"application/cbor", "application/cbor-seq", "application/apply-patch+cbor"})
    EXPECT_EQ(count(documents_, media_type), 0u) << media_type;
  EXPECT_EQ(count(speaking, "application/cbor"), count(speaking, "application/vnd.kubernetes.protobuf"));
  EXPECT_EQ(count(speaking, "application/cbor-seq"),
            count(speaking, "application/vnd.kubernetes.protobuf;stream=watch"));
  EXPECT_EQ(count(speaking, "application/apply-patch+cbor"),
            count(speaking, "application/strategic-merge-patch+json"));
  EXPECT_GT(count(speaking, "application/apply-patch+cbor"), 0u);
}

TEST_F(DocumentsTest, MediaTypesOfV3AreInOrderOfNameSinceClientsUseTheFirst) {
  auto response = documents_.Handle("/openapi/v3/api/v1", "", {});
  const std::string text = Body(response);
  EXPECT_THAT(text, testing::HasSubstr(R"("content":{"application/apply-patch+yaml":)"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr(R"("content":{"application/json-patch+json":)")));
}

// --- v2

TEST_F(DocumentsTest, ParametersOfV2AreWrittenOnceButThoseThatKubectlLooksFor) {
  auto response = documents_.Handle("/openapi/v2", "", {});
  const std::string text = Body(response);
  api::Arena arena;
  const auto document = api::json::DecodeAny(text, arena);
  ASSERT_TRUE(document);
  const api::MapNode& parameters = *document->map()->Find("parameters")->map();
  constexpr std::string_view kReference = "\"#/parameters/";
  size_t references = 0;
  for (size_t at = 0; (at = text.find(kReference, at)) != std::string::npos; ++references) {
    at += kReference.size();
    const std::string name = text.substr(at, text.find('"', at) - at);
    EXPECT_NE(parameters.Find(name), nullptr) << name;
  }
  EXPECT_GT(references, 500u);
  for (const auto& entry : parameters.entries())
    EXPECT_THAT(std::string(entry.key),
                testing::Not(testing::ContainsRegex("^(name|dryRun|fieldValidation)-")));
  const api::Value* patch = document->map()
                                ->Find("paths")
                                ->map()
                                ->Find("/api/v1/namespaces/{namespace}/pods/{name}")
                                ->map()
                                ->Find("patch");
  std::string names;
  for (const api::Value& parameter : patch->map()->Find("parameters")->list()->items())
    if (const api::Value* name = parameter.map()->Find("name")) names += std::string(name->string()) + " ";
  EXPECT_EQ(names, "dryRun fieldValidation ");
}

TEST_F(DocumentsTest, V2IsOneDocumentOfEverything) {
  auto response = documents_.Handle("/openapi/v2", "", {});
  EXPECT_EQ(response.headers.Get("content-type"), "application/json");
  const std::string text = Body(response);
  api::Arena arena;
  auto parsed = api::json::DecodeAny(text, arena);
  ASSERT_TRUE(parsed) << parsed.error().message;
  const api::MapNode& definitions = *parsed->map()->Find("definitions")->map();
  constexpr std::string_view kReference = "\"#/definitions/";
  size_t references = 0;
  for (size_t at = 0; (at = text.find(kReference, at)) != std::string::npos; ++references) {
    at += kReference.size();
    const std::string name = text.substr(at, text.find('"', at) - at);
    EXPECT_NE(definitions.Find(name), nullptr) << name;
  }
  EXPECT_GT(references, 500u);
  EXPECT_EQ(text.find("\"oneOf\":"), text.npos) << "v2 knows no alternatives";
}

TEST_F(DocumentsTest, V2IsServedAsProtobufToThoseWhoAskForIt) {
  for (const char* asked : {"application/com.github.proto-openapi.spec.v2@v1.0+protobuf",
                            "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"}) {
    net::http::Headers headers;
    headers.Add("accept", asked);
    auto response = documents_.Handle("/openapi/v2", "", headers);
    EXPECT_EQ(response.headers.Get("content-type"),
              "application/com.github.proto-openapi.spec.v2.v1.0+protobuf");
    // {swagger=1: "2.0", info=2: {title=1: "Kubernetes", ...
    EXPECT_TRUE(
        Body(response).starts_with(std::string("\x0a\x03"
                                               "2.0"
                                               "\x12\x12\x0a\x0a"
                                               "Kubernetes")));
  }
  net::http::Headers headers;
  headers.Add("accept", "text/html");
  EXPECT_EQ(documents_.Handle("/openapi/v2", "", headers).status, 406);
}

// --- what definitions describe

// Definitions of gears in groups of their own. Counts how often a schema is written.
class CustomDocumentsTest : public DocumentsTest {
 protected:
  CustomDescription Describe(std::string group, std::string_view key) {
    const std::string& name = names_.emplace_back(std::move(group));
    const api::ResourceDesc& desc = descs_.emplace_back(api::ResourceDesc{
        .group = name, .version = "v1", .plural = "gears", .kind = "Gear", .list_kind = "GearList"});
    auto definition = std::make_shared<CustomDefinition>();
    definition->desc = &desc;
    definition->name = CustomDefinitionName(desc.group, desc.version, desc.kind);
    definition->list_name = CustomDefinitionName(desc.group, desc.version, desc.list_kind);
    definition->key = key;
    definition->write = [this](Dialect, base::BufferBuilder& out) {
      ++written_;
      out.Append(schema_);
    };
    return {.definition = "gears." + name, .versions = {std::move(definition)}};
  }
  std::string Index() {
    auto response = documents_.Handle("/openapi/v3", "", {});
    return Body(response);
  }
  std::string UrlOf(std::string_view group) {
    const std::string index = Index(), start = "/openapi/v3/apis/" + std::string(group) + "/v1?hash=";
    const size_t at = index.find(start);
    return at == index.npos ? "" : index.substr(at, index.find('"', at) - at);
  }
  std::string V2Tag() { return std::string(*documents_.Handle("/openapi/v2", "", {}).headers.Get("etag")); }

  std::deque<std::string> names_;
  std::deque<api::ResourceDesc> descs_;
  std::string_view schema_ = R"({"type":"object"})";
  int written_ = 0;
};

TEST_F(CustomDocumentsTest, TheProtobufFormHasTheBoundsOfValues) {
  schema_ = R"({"properties":{"a":{"maximum":9,"minimum":0,"maxLength":63,"pattern":"^b$"},)"
            R"("c":{"additionalProperties":true}}})";
  documents_.ChangeCustom({Describe("example.com", "1")});
  net::http::Headers headers;
  headers.Add("accept", "application/com.github.proto-openapi.spec.v2.v1.0+protobuf");
  auto response = documents_.Handle("/openapi/v2", "", headers);
  // {properties=25: {additional_properties=1: {name=1, value=2: {maximum=7, max_length=11, pattern=13}},
  // {name=1, value=2: {additional_properties=21: {boolean=2}}}}}; a bound of zero is what an absent one is.
  using namespace std::string_literals;
  const std::string first =
      "\x39\0\0\0\0\0\0\x22\x40"s
      "\x58\x3f"
      "\x6a\x03^b$";
  const std::string second = "\xaa\x01\x02\x10\x01";
  const auto named = [](char name, const std::string& value) {
    return "\x0a\x01"s + name + "\x12" + static_cast<char>(value.size()) + value;
  };
  const std::string body = Body(response);
  EXPECT_THAT(body, testing::HasSubstr(named('a', first)));
  EXPECT_THAT(body, testing::HasSubstr(named('c', second)));
}

TEST_F(CustomDocumentsTest, AChangeOfOneWritesNoneOfTheOthers) {
  std::vector<CustomDescription> many;
  for (int i = 0; i < 100; ++i) many.push_back(Describe("g" + std::to_string(i) + ".com", "1"));
  documents_.ChangeCustom(std::move(many));
  const std::string first = UrlOf("g1.com"), second = UrlOf("g2.com");
  EXPECT_NE(first, "");
  documents_.ChangeCustom({Describe("g1.com", "2")});
  EXPECT_NE(UrlOf("g1.com"), first);
  EXPECT_EQ(UrlOf("g2.com"), second);
  EXPECT_EQ(written_, 0) << "hashes are known without the documents";

  auto document = documents_.Handle("/openapi/v3/apis/g1.com/v1", "", {});
  EXPECT_THAT(Body(document), testing::HasSubstr("com.g1.v1.Gear"));
  EXPECT_EQ(written_, 1);
}

TEST_F(CustomDocumentsTest, WhoHasV2IsToldSoWithoutItsBeingWritten) {
  documents_.ChangeCustom({Describe("a.com", "1"), Describe("b.com", "1")});
  const std::string tag = V2Tag();
  written_ = 0;
  net::http::Headers headers;
  headers.Add("if-none-match", tag);
  EXPECT_EQ(documents_.Handle("/openapi/v2", "", headers).status, 304);
  EXPECT_EQ(written_, 0);
  documents_.ChangeCustom({Describe("a.com", "2")});
  EXPECT_EQ(documents_.Handle("/openapi/v2", "", headers).status, 200);
  documents_.ChangeCustom({Describe("a.com", "1")});
  EXPECT_EQ(V2Tag(), tag);
}

TEST_F(CustomDocumentsTest, WhatIsGoneIsDescribedNowhere) {
  documents_.ChangeCustom({Describe("a.com", "1")});
  const std::string with = V2Tag();
  documents_.ChangeCustom({{.definition = "gears.a.com", .versions = {}}});
  EXPECT_EQ(UrlOf("a.com"), "");
  EXPECT_EQ(documents_.Handle("/openapi/v3/apis/a.com/v1", "", {}).status, 404);
  EXPECT_NE(V2Tag(), with);
}

TEST(DefinitionNameTest, FollowsUpstreamsPackages) {
  EXPECT_EQ(DefinitionName("core_v1.PodSpec"), "io.k8s.api.core.v1.PodSpec");
  EXPECT_EQ(DefinitionName("meta_v1.ObjectMeta"), "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
  EXPECT_EQ(DefinitionName("rbac_v1.Role"), "io.k8s.api.rbac.v1.Role");
  EXPECT_EQ(DefinitionName("apiextensions_v1.JSONSchemaProps"),
            "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps");
}

}  // namespace
}  // namespace keelson::endpoints::openapi
