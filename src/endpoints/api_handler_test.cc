#include <gmock/gmock.h>

#include "api/codec/passes.h"
#include "api/codec/protobuf.h"
#include "base/turns.h"
#include "endpoints/testing/api_fixture.h"

namespace keelson::endpoints {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

constexpr char kTable[] = "application/json;as=Table;g=meta.k8s.io;v=v1,application/json";
constexpr char kPartial[] = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
constexpr char kPartialList[] = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
constexpr char kProtobuf[] = "application/vnd.kubernetes.protobuf";

class ApiTest : public ApiFixture {
 protected:
  std::string Path(const std::string& name) { return std::string(kMaps) + "/" + name; }
  Reply CreateMap(const std::string& name, const std::string& data = "{}") {
    return Send("POST", kMaps, R"({"metadata":{"name":")" + name + R"("},"data":)" + data + "}");
  }
  Reply Patch(const std::string& name, const std::string& body, const std::string& query = "") {
    return Do("PATCH", Path(name) + query, body, {{"content-type", "application/merge-patch+json"}});
  }
};

TEST_F(ApiTest, AnObjectComesBackAsItWasStored) {
  Reply created = CreateMap("a", R"({"k":"<v>"})");
  EXPECT_EQ(created.status, 201);
  Reply got = Do("GET", Path("a"));
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(got.header("content-type"), "application/json");
  EXPECT_EQ(got.body, created.body);
  EXPECT_THAT(
      got.body,
      StartsWith(R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","namespace":"default",)"));
  EXPECT_THAT(got.body, EndsWith(R"(},"data":{"k":"\u003cv\u003e"}})"
                                 "\n"));
}

// Each is a decode of the body, one of what is stored, the encoding of what is to be stored, and the
// answer's.
TEST_F(ApiTest, AWriteTakesFourPassesThroughACodecAtMost) {
  const auto apply = [&](std::string_view value) {
    return Do("PATCH", Path("b") + "?fieldManager=m",
              R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b"},"data":{"k":")" +
                  std::string(value) + R"("}})",
              {{"content-type", "application/apply-patch+yaml"}});
  };
  const auto passes = [](const auto& write) {
    const api::codec::PassCountForTest count;
    write();
    return count.all();
  };
  EXPECT_LE(passes([&] { EXPECT_EQ(CreateMap("a").status, 201); }), 3);
  EXPECT_LE(passes([&] { EXPECT_EQ(apply("1").status, 201); }), 3);
  EXPECT_LE(passes([&] { EXPECT_EQ(apply("2").status, 200); }), 4);
  EXPECT_LE(passes([&] { EXPECT_EQ(apply("2").status, 200); }), 4);
  const std::string body = R"({"metadata":{"name":"a"},"data":{"k":"v"}})";
  EXPECT_LE(passes([&] { EXPECT_EQ(Send("PUT", Path("a"), body).status, 200); }), 4);
}

TEST_F(ApiTest, ErrorsAreStatuses) {
  Reply missing = Do("GET", Path("a"));
  EXPECT_EQ(missing.status, 404);
  EXPECT_EQ(
      missing.body,
      R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"configmaps \"a\" not found",)"
      R"("reason":"NotFound","details":{"name":"a","kind":"configmaps"},"code":404})"
      "\n");
}

TEST_F(ApiTest, PathsAndMethodsThatAreNotServed) {
  const std::string not_found =
      R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"the server could not find the )"
      R"(requested resource","reason":"NotFound","details":{},"code":404})"
      "\n";
  for (const char* path :
       {"/api/v1/foo", "/api/v1/configmaps/a", "/api/v1/namespaces/default/configmaps/a/status", "/api/v2",
        "/api/v1/namespaces/n/status/more", "/api/v1/namespaces/default/namespaces"}) {
    Reply reply = Do("GET", path);
    EXPECT_EQ(reply.status, 404) << path;
    EXPECT_EQ(reply.body, not_found) << path;
  }
  for (const char* path : {"/apis/nobody", "/apis/nobody/v1/things"}) {
    Reply reply = Do("GET", path);
    EXPECT_EQ(reply.status, 404) << path;
    EXPECT_EQ(reply.body, "404 page not found\n") << path;
  }
  const std::pair<const char*, const char*> refused[] = {{"POST", "/api/v1/namespaces/default/configmaps/a"},
                                                         {"PUT", kMaps},
                                                         {"HEAD", kMaps},
                                                         {"POST", "/api/v1/configmaps"},
                                                         {"DELETE", "/api/v1/configmaps"},
                                                         {"DELETE", "/api/v1/namespaces"},
                                                         {"FOO", "/api/v1/namespaces"},
                                                         {"DELETE", "/api/v1/namespaces/a/status"},
                                                         {"POST", "/api"}};
  for (auto [method, path] : refused) {
    Reply reply = Do(method, path);
    EXPECT_EQ(reply.status, 405) << method << path;
    EXPECT_THAT(reply.body,
                HasSubstr(R"("message":"the server does not allow this method on the requested resource")"));
  }
}

TEST_F(ApiTest, ListsAreWrittenItemByItem) {
  EXPECT_THAT(
      Do("GET", kMaps).body,
      MatchesRegex(
          R"(\{"kind":"ConfigMapList","apiVersion":"v1","metadata":\{"resourceVersion":"[0-9]+"\},"items":\[\]\})"
          "\n"));
  for (int i = 0; i < 30; ++i)
    CreateMap("m" + std::to_string(i), R"({"k":")" + std::string(1000, 'x') + R"("})");
  Reply all = Do("GET", "/api/v1/configmaps");
  EXPECT_EQ(all.status, 200);
  EXPECT_THAT(all.body, HasSubstr(R"("items":[{"metadata":{"name":"m0","namespace":"default")"));
  EXPECT_THAT(all.body, EndsWith("}}]}\n"));
  size_t items = 0;
  for (size_t at = 0; (at = all.body.find(R"({"metadata":{"name":)", at)) != std::string::npos; ++at) ++items;
  EXPECT_EQ(items, 30u);

  Reply page = Do("GET", std::string(kMaps) + "?limit=10");
  EXPECT_THAT(page.body, HasSubstr(R"("continue":")"));
  EXPECT_THAT(page.body, HasSubstr(R"("remainingItemCount":20)"));
}

TEST_F(ApiTest, ProtobufListsCarryTheStoredBytes) {
  CreateMap("small");
  CreateMap("large", R"({"k":")" + std::string(10'000, 'x') + R"("})");
  net::http::Response response = Open("GET", kMaps, "", {{"accept", kProtobuf}});
  EXPECT_EQ(response.headers.Get("content-type"), kProtobuf);
  auto size = response.body->Size();
  std::string bytes = ReadAll(*response.body);
  EXPECT_EQ(size, bytes.size());
  auto envelope = api::protobuf::ParseEnvelope(bytes);
  ASSERT_TRUE(envelope);
  EXPECT_EQ(envelope->kind, "ConfigMapList");
  auto list = api::protobuf::DecodeObject(base::Slice::Copy(bytes), *Resource("configmaps").list_type);
  ASSERT_TRUE(list) << list.error().message;

  std::string one = Do("GET", Path("large"), "", {{"accept", kProtobuf}}).body;
  auto object = api::protobuf::ParseEnvelope(one);
  ASSERT_TRUE(object);
  EXPECT_NE(bytes.find(object->raw), std::string::npos);
}

TEST_F(ApiTest, OnlyMetadataWhenThatIsAsked) {
  CreateMap("a", R"({"k":"v"})");
  Reply one = Do("GET", Path("a"), "", {{"accept", kPartial}});
  EXPECT_THAT(
      one.body,
      StartsWith(R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a",)"));
  EXPECT_THAT(one.body, Not(HasSubstr(R"("data")")));
  Reply list = Do("GET", kMaps, "", {{"accept", kPartialList}});
  EXPECT_THAT(
      list.body,
      StartsWith(
          R"({"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":")"));
  EXPECT_THAT(
      list.body,
      HasSubstr(
          R"("items":[{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a")"));

  Reply mismatch = Do("GET", kMaps, "", {{"accept", kPartial}});
  EXPECT_EQ(mismatch.status, 406);
  EXPECT_THAT(
      mismatch.body,
      HasSubstr(
          "you requested PartialObjectMetadata, but the requested object is a list (*core.ConfigMapList)"));
  EXPECT_THAT(Do("GET", Path("a"), "", {{"accept", kPartialList}}).body,
              HasSubstr("you requested PartialObjectMetadataList, but the requested object is not a list "
                        "(*core.ConfigMap)"));

  std::string partial = std::string(kProtobuf) + ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
  std::string bytes = Do("GET", Path("a"), "", {{"accept", partial}}).body;
  auto envelope = api::protobuf::ParseEnvelope(bytes);
  ASSERT_TRUE(envelope);
  EXPECT_EQ(envelope->kind, "PartialObjectMetadata");
  EXPECT_EQ(envelope->api_version, "meta.k8s.io/v1");
  EXPECT_EQ(*api::protobuf::FindBytes(envelope->raw, {1, 1}), "a");
}

TEST_F(ApiTest, TablesHaveColumnsAndRows) {
  CreateMap("a");
  Reply table = Do("GET", kMaps, "", {{"accept", kTable}});
  EXPECT_THAT(table.body,
              StartsWith(R"({"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":")"));
  EXPECT_THAT(
      table.body,
      HasSubstr(
          R"("columnDefinitions":[{"name":"Name","type":"string","format":"name","description":"","priority":0},)"));
  EXPECT_THAT(
      table.body,
      HasSubstr(R"("rows":[{"cells":["a","2023-11-14T22:13:20Z"],"object":{"kind":"PartialObjectMetadata")"));
  EXPECT_THAT(Do("GET", Path("a") + "?includeObject=None", "", {{"accept", kTable}}).body,
              HasSubstr(R"("rows":[{"cells":["a","2023-11-14T22:13:20Z"],"object":null}]})"));
  EXPECT_THAT(Do("GET", Path("a") + "?includeObject=Object", "", {{"accept", kTable}}).body,
              HasSubstr(R"("object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a")"));
  EXPECT_EQ(Do("GET", Path("a") + "?includeObject=Foo", "", {{"accept", kTable}}).status, 400);
}

TEST_F(ApiTest, YamlAndPrettyAnswers) {
  CreateMap("a");
  Reply yaml = Do("GET", Path("a"), "", {{"accept", "application/yaml"}});
  EXPECT_EQ(yaml.header("content-type"), "application/yaml");
  EXPECT_THAT(yaml.body, StartsWith("apiVersion: v1\nkind: ConfigMap\nmetadata:\n"));
  Reply pretty = Do("GET", std::string(kMaps) + "?pretty=true&labelSelector=none");
  EXPECT_THAT(
      pretty.body,
      MatchesRegex("\\{\n  \"kind\": \"ConfigMapList\",\n  \"apiVersion\": \"v1\",\n  \"metadata\": \\{\n"
                   "    \"resourceVersion\": \"[0-9]+\"\n  \\},\n  \"items\": \\[\\]\n\\}"));
  EXPECT_THAT(Do("GET", Path("zz"), "", {{"user-agent", "curl/8"}}).body,
              StartsWith("{\n  \"kind\": \"Status\","));
}

TEST_F(ApiTest, WhatCannotBeServedIsNotAcceptable) {
  Reply reply = Do("GET", kMaps, "", {{"accept", "application/xml"}});
  EXPECT_EQ(reply.status, 406);
  EXPECT_THAT(
      reply.body,
      HasSubstr(R"(406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, )"
                R"(application/vnd.kubernetes.protobuf, application/json;stream=watch, )"));
  EXPECT_THAT(Do("GET", Path("a"), "",
                 {{"accept", "application/vnd.kubernetes.protobuf;as=Table;g=meta.k8s.io;v=v1"}})
                  .body,
              HasSubstr("only the following media types are accepted: application/json, application/yaml, "
                        "application/vnd.kubernetes.protobuf"));
}

TEST_F(ApiTest, BodiesThatAreNoObjectAreRefused) {
  auto message = [&](const char* body, const char* type = "application/json") {
    return Do("POST", kMaps, body, {{"content-type", type}});
  };
  EXPECT_EQ(message("x", "text/plain").status, 415);
  EXPECT_THAT(message("garbage").body,
              AllOf(HasSubstr("the object provided is unrecognized (must be of type ConfigMap): couldn't get "
                              "version/kind; json parse error: "),
                    HasSubstr("(67617262616765)")));
  EXPECT_THAT(
      message(R"({"kind":"Foo","apiVersion":"v1"})").body,
      HasSubstr(
          R"(Foo in version \"v1\" cannot be handled as a ConfigMap: no kind \"Foo\" is registered for version \"v1\" in scheme)"));
  EXPECT_THAT(
      message(R"({"kind":"Secret","apiVersion":"v1"})").body,
      HasSubstr(
          R"(Secret in version \"v1\" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion)"));
  EXPECT_EQ(message(std::string(4 << 20, ' ').c_str()).status, 413);
}

TEST_F(ApiTest, UnknownFieldsAreWarnedOfOrRefused) {
  const char* body = R"({"metadata":{"name":"a"},"foo":1,"data":{"a":"b","a":"c"}})";
  Reply strict = Send("POST", std::string(kMaps) + "?fieldValidation=Strict", body);
  EXPECT_EQ(strict.status, 400);
  EXPECT_THAT(
      strict.body,
      HasSubstr(
          R"(ConfigMap in version \"v1\" cannot be handled as a ConfigMap: strict decoding error: unknown field \"foo\", duplicate field \"data.a\")"));
  Reply warned = Send("POST", kMaps, body);
  EXPECT_EQ(warned.status, 201);
  EXPECT_EQ(warned.header("warning"), R"(299 - "unknown field \"foo\"", 299 - "duplicate field \"data.a\"")");
  Reply ignored = Send("PUT", Path("a") + "?fieldValidation=Ignore", body);
  EXPECT_EQ(ignored.status, 200);
  EXPECT_EQ(ignored.header("warning"), "");
}

TEST_F(ApiTest, YamlBodiesAreTaken) {
  Reply created =
      Do("POST", kMaps, "metadata:\n  name: why\ndata:\n  k: v\n", {{"content-type", "application/yaml"}});
  EXPECT_EQ(created.status, 201) << created.body;
  EXPECT_THAT(created.body, HasSubstr(R"("data":{"k":"v"})"));
}

TEST_F(ApiTest, PutMustNameWhatItsPathNames) {
  CreateMap("a");
  EXPECT_THAT(Send("PUT", Path("a"), R"({"metadata":{"name":"b"}})").body,
              HasSubstr("the name of the object (b) does not match the name on the URL (a)"));
  EXPECT_THAT(Send("PUT", Path("a"), R"({"metadata":{}})").body,
              HasSubstr("the name of the object (a based on URL) was undeterminable: name must be provided"));
  EXPECT_THAT(
      Send("PUT", Path("a"), R"({"metadata":{"name":"a","namespace":"x"}})").body,
      HasSubstr("the namespace of the provided object does not match the namespace sent on the request"));
}

TEST_F(ApiTest, MergePatchesChangeSingleMembers) {
  CreateMap("a", R"({"k":"v","l":"w"})");
  Reply patched = Patch("a", R"({"metadata":{"labels":{"x":"y"}},"data":{"k":null,"m":"n"}})");
  EXPECT_EQ(patched.status, 200) << patched.body;
  EXPECT_THAT(patched.body, HasSubstr(R"("labels":{"x":"y"})"));
  EXPECT_THAT(patched.body, HasSubstr(R"("data":{"l":"w","m":"n"})"));
}

TEST_F(ApiTest, PatchesThatCannotBeApplied) {
  CreateMap("a");
  EXPECT_EQ(Patch("zz", "{}").status, 404);
  EXPECT_THAT(Patch("a", "[]").body, HasSubstr("error decoding patch: json: cannot unmarshal array into Go "
                                               "value of type map[string]interface {}"));
  EXPECT_THAT(Patch("a", R"({"metadata":{"name":"b"}})").body,
              HasSubstr("the name of the object (b) does not match the name on the URL (a)"));
  Reply broken = Patch("a", R"({"data":5})");
  EXPECT_EQ(broken.status, 422);
  EXPECT_THAT(broken.body, HasSubstr(R"("message":" \"\" is invalid: patch: Invalid value: )"));
  EXPECT_EQ(Patch("a", R"({"metadata":{"resourceVersion":"1"}})").status, 409);
  EXPECT_EQ(Patch("a", R"({"foo":1})", "?fieldValidation=Strict").status, 422);
  EXPECT_EQ(Patch("a", R"({"foo":1})").header("warning"), R"(299 - "unknown field \"foo\"")");
  EXPECT_THAT(Do("PATCH", Path("a"), "{}", {{"content-type", "application/json"}}).body,
              HasSubstr("415: Unsupported Media Type"));
}

TEST_F(ApiTest, JsonPatchesAreAppliedOperationByOperation) {
  CreateMap("a", R"({"k":"v"})");
  auto patch = [&](std::string text, std::string_view query = "") {
    return Do("PATCH", Path("a") + std::string(query), text,
              {{"content-type", "application/json-patch+json"}});
  };
  Reply patched = patch(
      R"([{"op":"test","path":"/data/k","value":"v"},{"op":"move","from":"/data/k","path":"/data/m"}])");
  EXPECT_EQ(patched.status, 200) << patched.body;
  EXPECT_THAT(patched.body, HasSubstr(R"("data":{"m":"v"})"));

  Reply failed = patch(R"([{"op":"test","path":"/data/k","value":"v"}])");
  EXPECT_EQ(failed.status, 422);
  EXPECT_THAT(failed.body, HasSubstr("the server rejected our request due to an error in our request"));
  EXPECT_THAT(patch("{}").body,
              HasSubstr("error decoding patch: json: cannot unmarshal object into Go value of "
                        "type []handlers.jsonPatchOp"));
  EXPECT_EQ(patch(R"([{"op":"add","path":"/data/x","value":"y","z":1}])").header("warning"),
            R"(299 - "json patch unknown field \"[0].z\"")");
  EXPECT_EQ(patch(R"([{"op":"add","path":"/data/x","value":"y","z":1}])", "?fieldValidation=Strict").status,
            422);
}

TEST_F(ApiTest, StrategicMergePatchesFollowTheTypes) {
  CreateMap("a", R"({"k":"v"})");
  auto patch = [&](std::string text, std::string_view query = "") {
    return Do("PATCH", Path("a") + std::string(query), text,
              {{"content-type", "application/strategic-merge-patch+json"}});
  };
  EXPECT_THAT(patch(R"({"metadata":{"finalizers":["x.io/a","x.io/b"]},"data":{"k":null,"l":"w"}})").body,
              HasSubstr(R"("data":{"l":"w"})"));
  EXPECT_THAT(patch(R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["x.io/a"]}})").body,
              HasSubstr(R"("finalizers":["x.io/b"])"));
  EXPECT_THAT(patch(R"({"data":{"k":5}})").body,
              HasSubstr(R"(patch: Invalid value: \"map[data:map[k:5]]\": cannot convert int64 to string)"));
  EXPECT_THAT(patch(R"({"foo":1})", "?fieldValidation=Strict").body,
              HasSubstr(R"(strict decoding error: unknown field \"foo\")"));
  EXPECT_EQ(patch("[]").status, 400);
}

TEST_F(ApiTest, ApplyCreatesMergesAndRefusesConflicts) {
  auto apply = [&](std::string data, std::string_view query) {
    return Do("PATCH", Path("a") + std::string(query),
              "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata: " + data + "\n",
              {{"content-type", "application/apply-patch+yaml"}});
  };
  EXPECT_EQ(apply("{k: v}", "").status, 422);
  Reply created = apply("{k: v}", "?fieldManager=one");
  EXPECT_EQ(created.status, 201) << created.body;
  EXPECT_THAT(created.body, HasSubstr(R"("manager":"one","operation":"Apply","apiVersion":"v1")"));
  EXPECT_EQ(apply("{l: w}", "?fieldManager=two").status, 200);

  Reply refused = apply("{k: x}", "?fieldManager=two");
  EXPECT_EQ(refused.status, 409);
  EXPECT_THAT(refused.body,
              HasSubstr(R"("message":"Apply failed with 1 conflict: conflict with \"one\": .data.k")"));
  EXPECT_THAT(refused.body,
              HasSubstr(R"("causes":[{"reason":"FieldManagerConflict","message":"conflict with \"one\"",)"
                        R"("field":".data.k"}])"));
  Reply forced = apply("{k: x}", "?fieldManager=two&force=true");
  EXPECT_THAT(forced.body, HasSubstr(R"("data":{"k":"x"})"));
  EXPECT_EQ(forced.body.find("one"), std::string::npos);
}

// A dry run of a create does not wait for the store: without turns each would be answered before the next
// begins.
TEST_F(ApiTest, AShortRequestIsAnsweredBeforeLongBodiesThatCameWithIt) {
  CreateMap("short");
  const auto create = [](const std::string& name, size_t bytes) {
    return Call{.method = "POST",
                .target = std::string(kMaps) + "?dryRun=All",
                .body = R"({"metadata":{"name":")" + name + R"("},"data":{"k":")" + std::string(bytes, 'x') +
                        R"("}})",
                .status = 201};
  };
  const auto long_create = [&](const std::string& name) { return create(name, base::kLongWorkBytes); };
  const Call get{.method = "GET", .target = Path("short")};
  // The first has its turn at once; the others wait for theirs, and nobody waits for them.
  EXPECT_THAT(OrderOfAnswers({long_create("a"), long_create("b"), long_create("c"), get}),
              ElementsAre(0, 3, 1, 2));
  // Bodies that are not long take no turns.
  EXPECT_THAT(OrderOfAnswers({create("a", 100), create("b", 100), get}), ElementsAre(0, 1, 2));
}

TEST_F(ApiTest, AShortRequestIsAnsweredBeforeUpdatesOfLongObjectsThatCameWithIt) {
  CreateMap("short");
  std::vector<Call> calls;
  for (const char* name : {"a", "b", "c"}) {
    CreateMap(name, R"({"k":")" + std::string(base::kLongWorkBytes, 'x') + R"("})");
    calls.push_back({.method = "PATCH",
                     .target = Path(name) + "?dryRun=All",
                     .body = R"({"metadata":{"labels":{"x":"y"}}})",
                     .content_type = "application/merge-patch+json"});
  }
  calls.push_back({.method = "GET", .target = Path("short")});
  EXPECT_THAT(OrderOfAnswers(std::move(calls)), ElementsAre(0, 3, 1, 2));
}

TEST_F(ApiTest, WritesRecordTheirManager) {
  Reply created = Do("POST", kMaps, R"({"metadata":{"name":"a"},"data":{"k":"v"}})",
                     {{"content-type", "application/json"}, {"user-agent", "client/1.0 (test)"}});
  EXPECT_THAT(created.body,
              HasSubstr(R"("manager":"client","operation":"Update","apiVersion":"v1","time":)"));
  EXPECT_THAT(created.body, HasSubstr(R"("fieldsType":"FieldsV1","fieldsV1":{"f:data":{".":{},"f:k":{}}})"));
  EXPECT_THAT(Patch("a", R"({"data":{"k":"w"}})", "?fieldManager=other").body,
              HasSubstr(R"("manager":"other","operation":"Update")"));
}

TEST_F(ApiTest, DeletesTellWhatIsGone) {
  CreateMap("a");
  Reply deleted = Do("DELETE", Path("a"));
  EXPECT_EQ(deleted.status, 200);
  EXPECT_THAT(
      deleted.body,
      MatchesRegex(
          R"(\{"kind":"Status","apiVersion":"v1","metadata":\{\},"status":"Success","details":\{"name":"a","kind":"configmaps","uid":"[-0-9a-f]+"\}\})"
          "\n"));
  EXPECT_EQ(Do("DELETE", Path("a")).status, 404);

  CreateMap("b");
  Reply marked = Send("DELETE", Path("b"),
                      R"({"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Foreground"})");
  EXPECT_THAT(marked.body, HasSubstr(R"("finalizers":["foregroundDeletion"])"));
  EXPECT_THAT(
      Send("DELETE", Path("b"), R"({"preconditions":{"uid":"x"}})").body,
      HasSubstr(
          R"(Operation cannot be fulfilled on ConfigMap \"b\": the UID in the precondition (x) does not match the UID in record ()"));
  EXPECT_THAT(Send("DELETE", Path("b"), R"({"kind":"Pod","apiVersion":"v1"})").body,
              HasSubstr(R"(no kind \"Pod\" is registered for version \"v1\" in scheme)"));
}

TEST_F(ApiTest, ACollectionIsDeletedAndListed) {
  CreateMap("a");
  CreateMap("b");
  Reply deleted = Do("DELETE", kMaps);
  EXPECT_EQ(deleted.status, 200);
  EXPECT_THAT(deleted.body, AllOf(StartsWith(R"({"kind":"ConfigMapList")"), HasSubstr(R"("name":"a")"),
                                  HasSubstr(R"("name":"b")")));
  EXPECT_THAT(Do("GET", kMaps).body, HasSubstr(R"("items":[])"));
}

TEST_F(ApiTest, SubresourcesChangeTheirPart) {
  Send("POST", "/api/v1/namespaces", R"({"metadata":{"name":"n"}})");
  EXPECT_THAT(Do("GET", "/api/v1/namespaces/n").body, HasSubstr(R"("status":{"phase":"Active"})"));
  Do("DELETE", "/api/v1/namespaces/n");
  Reply finalized =
      Send("PUT", "/api/v1/namespaces/n/finalize", R"({"metadata":{"name":"n"},"spec":{"finalizers":[]}})");
  EXPECT_EQ(finalized.status, 200) << finalized.body;
  EXPECT_EQ(Do("GET", "/api/v1/namespaces/n").status, 404);
}

TEST_F(ApiTest, LargeAnswersAreCompressedForThoseWhoAccept) {
  CreateMap("big", R"({"k":")" + std::string(300'000, 'x') + R"("})");
  Reply plain = Do("GET", kMaps);
  Reply packed = Do("GET", kMaps, "", {{"accept-encoding", "deflate, gzip"}});
  EXPECT_EQ(packed.header("content-encoding"), "gzip");
  EXPECT_EQ(packed.header("vary"), "Accept-Encoding");
  EXPECT_LT(packed.body.size(), plain.body.size() / 10);
  EXPECT_EQ(static_cast<unsigned char>(packed.body[0]), 0x1f);
  EXPECT_EQ(static_cast<unsigned char>(packed.body[1]), 0x8b);
  EXPECT_EQ(Do("GET", "/api/v1/namespaces", "", {{"accept-encoding", "gzip"}}).header("content-encoding"),
            "");
}

TEST_F(ApiTest, DiscoveryTellsWhatIsServed) {
  EXPECT_EQ(
      Do("GET", "/api").body,
      R"({"kind":"APIVersions","versions":["v1"],"serverAddressByClientCIDRs":[{"clientCIDR":"0.0.0.0/0","serverAddress":"127.0.0.1:6443"}]})"
      "\n");
  EXPECT_EQ(Do("GET", "/apis/").body, R"({"kind":"APIGroupList","apiVersion":"v1","groups":[]})"
                                      "\n");
  Reply resources = Do("GET", "/api/v1");
  EXPECT_THAT(
      resources.body,
      StartsWith(
          R"({"kind":"APIResourceList","groupVersion":"v1","resources":[{"name":"configmaps","singularName":"configmap","namespaced":true,"kind":"ConfigMap","verbs":["create","delete","deletecollection","get","list","patch","update","watch"],"shortNames":["cm"],"storageVersionHash":")"));
  EXPECT_THAT(
      resources.body,
      HasSubstr(
          R"({"name":"namespaces/finalize","singularName":"","namespaced":false,"kind":"Namespace","verbs":["update"]},{"name":"namespaces/status")"));

  HeaderList accept = {
      {"accept", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"}};
  Reply aggregated = Do("GET", "/api", "", accept);
  EXPECT_EQ(aggregated.header("content-type"),
            "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
  EXPECT_THAT(
      aggregated.body,
      StartsWith(
          R"({"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","metadata":{},"items":[{"metadata":{},"versions":[{"version":"v1","resources":[{"resource":"configmaps","responseKind":{"group":"","version":"","kind":"ConfigMap"},"scope":"Namespaced")"));
  accept.emplace_back("if-none-match", aggregated.header("etag"));
  Reply unchanged = Do("GET", "/api", "", accept);
  EXPECT_EQ(unchanged.status, 304);
  EXPECT_EQ(unchanged.body, "");

  std::string bytes = Do("GET", "/api/v1", "", {{"accept", kProtobuf}}).body;
  auto envelope = api::protobuf::ParseEnvelope(bytes);
  ASSERT_TRUE(envelope);
  EXPECT_EQ(envelope->kind, "APIResourceList");
}

}  // namespace
}  // namespace keelson::endpoints
