// Custom resources whose versions a webhook converts, from the request to the answer.
#include <gmock/gmock.h>

#include <functional>
#include <optional>

#include "admission/webhooks/breaker.h"
#include "admission/webhooks/sender.h"
#include "api/codec/json.h"
#include "api/codec/protobuf.h"
#include "base/metrics.h"
#include "base/testing/fake_occupancy.h"
#include "endpoints/testing/api_fixture.h"
#include "extensions/conversion/conversion_review.h"
#include "extensions/crd/custom_storage.h"

namespace keelson::extensions {
namespace {

using admission::SendFailure;
using api::MapNode;
using api::Value;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::string_view kV1 = "/apis/example.com/v1/namespaces/default/sites";
constexpr std::string_view kV2 = "/apis/example.com/v2/namespaces/default/sites";

// Converts sites: v1 has spec.host and spec.port, v2 has spec.address with both, "host:port".
class FakeWebhook final : public admission::WebhookSender {
 public:
  base::Task<base::Result<std::string, SendFailure>> Post(const admission::WebhookTarget&, base::Slice sent,
                                                          std::chrono::nanoseconds timeout, size_t,
                                                          base::SpanParent) override {
    const std::string review(sent.view());
    reviews.push_back(review);
    timeouts.push_back(timeout);
    if (asked) asked();
    if (held) co_await *held;
    if (failure) co_return base::Err(*failure);
    co_return answer ? answer(review) : Answer(review);
  }

  std::string Answer(const std::string& review) const {
    api::Arena arena;
    const Value tree = *api::json::DecodeAny(review, arena);
    const MapNode& request = *tree.map()->Find("request")->map();
    const std::string version(request.Find("desiredAPIVersion")->string());
    const std::string review_version(tree.map()->Find("apiVersion")->string());
    std::string objects;
    for (Value& object : request.Find("objects")->list()->items()) {
      Convert(*object.map(), version, arena);
      if (edit) edit(*object.map(), arena);
      base::BufferBuilder text;
      api::json::EncodeAny(object, text);
      objects.append(objects.empty() ? "" : ",").append(text.view());
    }
    return R"({"kind":"ConversionReview","apiVersion":")" + review_version + R"(","response":{"uid":")" +
           std::string(request.Find("uid")->string()) +
           R"(","result":{"status":"Success"},"convertedObjects":[)" + objects + "]}}";
  }

  static void Convert(MapNode& site, const std::string& version, api::Arena& arena) {
    site.Set("apiVersion", Value::String(arena.CopyString(version)), arena);
    Value* const at = site.Find("spec");
    if (!at) return;
    MapNode& spec = *at->map();
    if (version == "example.com/v2") {
      std::string address(spec.Find("host") ? spec.Find("host")->string() : "");
      if (const Value* port = spec.Find("port")) address += ":" + std::to_string(port->integer());
      spec.Erase("host");
      spec.Erase("port");
      spec.Set("address", Value::String(arena.CopyString(address)), arena);
    } else if (const Value* const given = spec.Find("address")) {
      const std::string address(given->string());
      spec.Set("host", Value::String(arena.CopyString(address.substr(0, address.find(':')))), arena);
      spec.Set("port", Value::Int(std::stoi(address.substr(address.find(':') + 1))), arena);
      spec.Erase("address");
    }
  }

  std::vector<std::string> reviews;
  std::vector<std::chrono::nanoseconds> timeouts;
  std::function<void()> asked;
  std::optional<SendFailure> failure;
  std::function<std::string(const std::string& review)> answer;
  std::function<void(MapNode& object, api::Arena& arena)> edit;
  std::optional<base::Completion<bool>> held;
};

constexpr std::string_view kSpecOfV1 = R"("host":{"type":"string"},"port":{"type":"integer"})";
constexpr std::string_view kSpecOfV2 = R"("address":{"type":"string"})";

std::string VersionJson(std::string_view name, bool stored, std::string_view spec,
                        std::string_view selectable) {
  std::string text = R"({"name":")";
  text.append(name).append(R"(","served":true,"storage":)").append(stored ? "true" : "false");
  text.append(R"(,"subresources":{"status":{}},"selectableFields":[{"jsonPath":")").append(selectable);
  text.append(R"("}],"schema":{"openAPIV3Schema":{"type":"object","properties":{
    "spec":{"type":"object","properties":{)");
  return text.append(spec).append(
      R"(}},"status":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}})");
}

// A base of its own: the fixture keeps what it serves until after the members of a test are gone.
struct CountedConversions {
  base::Metrics metrics_;
};

class ConversionTest : public CountedConversions, public endpoints::ApiFixture {
 protected:
  ConversionTest() { Open("v2"); }

  void Open(std::string_view stored, std::string_view review_version = "v1") {
    const std::string names = R"({"plural":"sites","singular":"site","kind":"Site","listKind":"SiteList"})";
    const std::string definition =
        R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
        "metadata":{"name":"sites.example.com","uid":"s"},"spec":{"group":"example.com","scope":"Namespaced",
        "conversion":{"strategy":"Webhook","webhook":{"clientConfig":{"url":"https://hook"},
        "conversionReviewVersions":["v9",")" +
        std::string(review_version) + R"("]}},"names":)" + names + R"(,"versions":[)" +
        VersionJson("v1", stored == "v1", kSpecOfV1, ".spec.host") + "," +
        VersionJson("v2", stored == "v2", kSpecOfV2, ".spec.address") + R"(]},"status":{"acceptedNames":)" +
        names + "}}";
    const api::ResourceDesc& definitions =
        *api::FindResource("apiextensions.k8s.io", "v1", "customresourcedefinitions");
    api::Arena arena;
    api::StructNode* const root =
        api::json::Decode(arena.CopyString(definition), *definitions.type, arena, nullptr).value();
    const api::Doc doc(std::move(arena), root);
    const StorageOptions options{
        .backend = &backend(),
        .cacher = [](const api::ResourceDesc&) { return storage::CacherOptions(); },
        .admission = [](const api::ResourceDesc&, std::string_view) { return admission::Hooks(); },
        .conversion = {.sender = &hook_, .metrics = &metrics_, .clock = &clock_},
        .clock = &clock_};
    base::BufferBuilder envelope;
    api::protobuf::EncodeObject(doc, envelope);
    sites_ = CustomStorage::Open(
                 CustomResource::Make(doc, envelope.Take(), nullptr, options.conversion).value(), options)
                 .value();
    for (endpoints::ServedResource& served : CustomStorage::Served(sites_)) Serve(std::move(served));
  }

  static std::string Site(std::string_view version, std::string_view name, std::string_view spec) {
    std::string text = R"({"apiVersion":"example.com/)";
    return text.append(version)
        .append(R"(","kind":"Site","metadata":{"name":")")
        .append(name)
        .append(R"("},"spec":)")
        .append(spec)
        .append("}");
  }
  void Create(std::string_view name, std::string_view host = "h") {
    const auto made = Send("POST", std::string(kV1),
                           Site("v1", name, R"({"host":")" + std::string(host) + R"(","port":80})"));
    ASSERT_EQ(made.status, 201) << made.body;
  }
  std::string At(std::string_view version, std::string_view name) {
    return std::string(version) + "/" + std::string(name);
  }
  size_t Asked() { return std::exchange(hook_.reviews, {}).size(); }
  Reply Patch(const std::string& target, const std::string& body, const std::string& type) {
    return Do("PATCH", target, body, {{"content-type", type}});
  }
  std::string ReadWoken(net::http::BodySource& body) {
    std::string text = ReadAvailable(body);
    loop_.RunUntil([&] { return !text.empty() || !(text = ReadAvailable(body)).empty(); });
    return text;
  }

  FakeWebhook hook_;
  std::shared_ptr<CustomStorage> sites_;
};

TEST_F(ConversionTest, NobodyIsAskedWhereNothingIsThere) {
  EXPECT_EQ(Do("GET", std::string(kV1)).status, 200);
  EXPECT_EQ(Do("GET", At(kV1, "absent")).status, 404);
  EXPECT_EQ(Do("DELETE", At(kV1, "absent")).status, 404);
  const auto watch = ApiFixture::Open("GET", std::string(kV1) + "?watch=1");
  EXPECT_EQ(watch.status, 200);
  EXPECT_EQ(Send("POST", std::string(kV2), Site("v2", "a", R"({"address":"h:1"})")).status, 201);
  EXPECT_EQ(Do("GET", At(kV2, "a")).status, 200);
  EXPECT_EQ(Do("GET", std::string(kV2)).status, 200);
  EXPECT_EQ(Asked(), 0u);
}

TEST_F(ConversionTest, WhatIsWrittenInOneVersionIsReadInTheOther) {
  Create("a");
  EXPECT_EQ(Asked(), 2u);  // to be stored, and for the answer
  EXPECT_THAT(Do("GET", At(kV2, "a")).body, HasSubstr(R"("spec":{"address":"h:80"})"));
  EXPECT_EQ(Asked(), 0u);
  const std::string v1 = Do("GET", At(kV1, "a")).body;
  EXPECT_THAT(v1, HasSubstr(R"("apiVersion":"example.com/v1")"));
  EXPECT_THAT(v1, HasSubstr(R"("spec":{"host":"h","port":80})"));
  EXPECT_EQ(Asked(), 0u);  // it is kept
}

TEST_F(ConversionTest, AReviewHasTheObjectsAsTheyAreStored) {
  Create("a");
  const std::string& to_be_stored = hook_.reviews.front();
  EXPECT_THAT(
      to_be_stored,
      HasSubstr(R"({"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":")"));
  EXPECT_THAT(
      to_be_stored,
      HasSubstr(
          R"("desiredAPIVersion":"example.com/v2","objects":[{"apiVersion":"example.com/v1","kind":"Site")"));
  EXPECT_THAT(to_be_stored,
              HasSubstr(R"("response":{"uid":"","convertedObjects":null,"result":{"metadata":{}}}})"));
  EXPECT_THAT(hook_.reviews.back(), Not(HasSubstr("resourceVersion")));
}

TEST_F(ConversionTest, AListIsOneQuestionAboutWhatIsNotKnown) {
  for (int i = 0; i < 5; ++i)
    ASSERT_EQ(
        Send("POST", std::string(kV2), Site("v2", "s" + std::to_string(i), R"({"address":"h:1"})")).status,
        201);
  const std::string list = Do("GET", std::string(kV1)).body;
  EXPECT_EQ(Asked(), 1u);
  EXPECT_THAT(list, HasSubstr(R"("name":"s4")"));
  EXPECT_THAT(list, Not(HasSubstr(R"("address")")));
  Create("more");
  Asked();
  EXPECT_THAT(Do("GET", std::string(kV1) + "?limit=2").body, HasSubstr(R"("remainingItemCount":4)"));
  EXPECT_EQ(Asked(), 0u);
}

TEST_F(ConversionTest, MetadataNeedsNoConversion) {
  Create("a");
  Open("v2");  // nothing is kept
  Asked();
  hook_.failure = SendFailure{"gone"};
  const std::string accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
  const auto list = Do("GET", std::string(kV1), "", {{"accept", accept}});
  EXPECT_EQ(list.status, 200);
  EXPECT_THAT(list.body, HasSubstr(R"("name":"a")"));
  EXPECT_EQ(Do("GET", At(kV1, "a"), "",
               {{"accept", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"}})
                .status,
            200);
  EXPECT_EQ(Asked(), 0u);
}

TEST_F(ConversionTest, UpdatesAndPatchesSpeakTheVersionOfTheRequest) {
  Create("a");
  auto patched = Patch(At(kV1, "a"), R"({"spec":{"port":81}})", "application/merge-patch+json");
  EXPECT_EQ(patched.status, 200) << patched.body;
  EXPECT_THAT(patched.body, HasSubstr(R"("spec":{"host":"h","port":81})"));
  patched = Patch(At(kV1, "a"), R"([{"op":"replace","path":"/spec/host","value":"j"}])",
                  "application/json-patch+json");
  EXPECT_EQ(patched.status, 200) << patched.body;
  EXPECT_THAT(Do("GET", At(kV2, "a")).body, HasSubstr(R"("spec":{"address":"j:81"})"));
  std::string whole = Do("GET", At(kV1, "a")).body;
  whole.replace(whole.find("\"port\":81"), 9, "\"port\":82");
  EXPECT_EQ(Send("PUT", At(kV1, "a"), whole).status, 200);
  EXPECT_THAT(Do("GET", At(kV2, "a")).body, HasSubstr(R"("spec":{"address":"j:82"})"));
  patched = Patch(At(kV1, "a") + "/status", R"({"status":{"seen":true}})", "application/merge-patch+json");
  EXPECT_EQ(patched.status, 200) << patched.body;
  EXPECT_THAT(Do("GET", At(kV2, "a")).body, HasSubstr(R"("status":{"seen":true})"));
}

TEST_F(ConversionTest, WhatAppliesInOneVersionTakesFieldsOfTheOther) {
  const HeaderList apply = {{"content-type", "application/apply-patch+yaml"}};
  ASSERT_EQ(
      Do("PATCH", At(kV1, "a") + "?fieldManager=one", Site("v1", "a", R"({"host":"h","port":80})"), apply)
          .status,
      201);
  const auto conflict =
      Do("PATCH", At(kV2, "a") + "?fieldManager=two", Site("v2", "a", R"({"address":"j:80"})"), apply);
  EXPECT_EQ(conflict.status, 409) << conflict.body;
  EXPECT_THAT(conflict.body, HasSubstr("conflict with \\\"one\\\""));
  const auto forced = Do("PATCH", At(kV2, "a") + "?fieldManager=two&force=true",
                         Site("v2", "a", R"({"address":"j:80"})"), apply);
  ASSERT_EQ(forced.status, 200) << forced.body;
  // The port is the same in both, and stays with its first owner.
  EXPECT_THAT(forced.body, HasSubstr(R"("fieldsV1":{"f:spec":{"f:port":{}}}},{"manager":"two")"));
  EXPECT_THAT(forced.body, HasSubstr(R"("fieldsV1":{"f:spec":{"f:address":{}}}}])"));
  // Who gives up the port does not take it out of the address of the other.
  const auto given_up =
      Do("PATCH", At(kV1, "a") + "?fieldManager=one", Site("v1", "a", R"({"host":"j"})"), apply);
  EXPECT_EQ(given_up.status, 200) << given_up.body;
  EXPECT_THAT(given_up.body, HasSubstr(R"("spec":{"host":"j","port":80})"));
}

TEST_F(ConversionTest, EventsAreConvertedOnceForAllWatches) {
  auto one = ApiFixture::Open("GET", std::string(kV1) + "?watch=1&resourceVersion=0");
  auto two = ApiFixture::Open("GET", std::string(kV1) + "?watch=1&resourceVersion=0");
  auto stored = ApiFixture::Open("GET", std::string(kV2) + "?watch=1&resourceVersion=0");
  EXPECT_THAT(ReadAvailable(*one.body), IsEmpty());
  EXPECT_THAT(ReadAvailable(*two.body), IsEmpty());
  EXPECT_THAT(ReadAvailable(*stored.body), IsEmpty());
  ASSERT_EQ(Send("POST", std::string(kV2), Site("v2", "a", R"({"address":"h:1"})")).status, 201);
  const std::string told = ReadWoken(*one.body);
  EXPECT_THAT(told, HasSubstr(R"({"type":"ADDED","object":{"kind":"Site","apiVersion":"example.com/v1")"));
  EXPECT_THAT(told, HasSubstr(R"("spec":{"host":"h","port":1})"));
  EXPECT_EQ(ReadWoken(*two.body), told);
  EXPECT_THAT(ReadWoken(*stored.body), HasSubstr(R"("spec":{"address":"h:1"})"));
  EXPECT_EQ(Asked(), 1u);
}

TEST_F(ConversionTest, WhoWantsWhatIsBeingConvertedWaitsForIt) {
  ASSERT_EQ(Send("POST", std::string(kV2), Site("v2", "a", R"({"address":"h:1"})")).status, 201);
  auto one = ApiFixture::Open("GET", std::string(kV1) + "?watch=1&resourceVersion=0");
  auto two = ApiFixture::Open("GET", std::string(kV1) + "?watch=1&resourceVersion=0");
  hook_.held.emplace();
  EXPECT_THAT(ReadAvailable(*one.body), IsEmpty());
  EXPECT_THAT(ReadAvailable(*two.body), IsEmpty());
  EXPECT_EQ(Asked(), 1u);
  // Nobody else waits.
  EXPECT_EQ(Do("GET", At(kV2, "a")).status, 200);
  hook_.held->Set(true);
  hook_.held.reset();
  const std::string told = ReadWoken(*one.body);
  EXPECT_THAT(told, HasSubstr(R"("host":"h")"));
  EXPECT_EQ(ReadWoken(*two.body), told);
  EXPECT_EQ(Asked(), 0u);
}

TEST_F(ConversionTest, AWatchEndsWithWhatCannotBeConverted) {
  auto watch = ApiFixture::Open("GET", std::string(kV1) + "?watch=1&resourceVersion=0");
  EXPECT_THAT(ReadAvailable(*watch.body), IsEmpty());
  hook_.failure = SendFailure{"gone"};
  ASSERT_EQ(Send("POST", std::string(kV2), Site("v2", "a", R"({"address":"h:1"})")).status, 201);
  EXPECT_THAT(ReadWoken(*watch.body), HasSubstr(R"({"type":"ERROR","object":{"kind":"Status")"));
  net::http::BodySource::State state{};
  ReadAvailable(*watch.body, &state);
  EXPECT_EQ(state, net::http::BodySource::State::kEnd);
}

TEST_F(ConversionTest, FieldsAreSelectedInTheVersionOfTheRequest) {
  Create("a", "h");
  Create("b", "j");
  const std::string selector = "?fieldSelector=spec.host%3Dj";
  const std::string list = Do("GET", std::string(kV1) + selector).body;
  EXPECT_THAT(list, HasSubstr(R"("name":"b")"));
  EXPECT_THAT(list, Not(HasSubstr(R"("name":"a")")));
  auto watch = ApiFixture::Open("GET", std::string(kV1) + selector + "&watch=1&resourceVersion=0");
  EXPECT_THAT(ReadWoken(*watch.body), HasSubstr(R"({"type":"ADDED")"));
  ASSERT_EQ(Patch(At(kV1, "b"), R"({"spec":{"host":"k"}})", "application/merge-patch+json").status, 200);
  const std::string gone = ReadWoken(*watch.body);
  EXPECT_THAT(gone, HasSubstr(R"({"type":"DELETED")"));
  EXPECT_THAT(gone, HasSubstr(R"("host":"j")"));
  ASSERT_EQ(Patch(At(kV1, "a"), R"({"spec":{"host":"j"}})", "application/merge-patch+json").status, 200);
  EXPECT_THAT(ReadWoken(*watch.body), HasSubstr(R"({"type":"ADDED")"));
}

TEST_F(ConversionTest, ObjectsOfAnOlderStoredVersionAreConvertedWhenTheyAreRead) {
  Open("v1");
  Create("a");
  Open("v2");
  Asked();
  EXPECT_THAT(Do("GET", At(kV1, "a")).body, HasSubstr(R"("spec":{"host":"h","port":80})"));
  EXPECT_EQ(Asked(), 0u);
  EXPECT_THAT(Do("GET", At(kV2, "a")).body, HasSubstr(R"("spec":{"address":"h:80"})"));
  EXPECT_EQ(Asked(), 1u);
  // An update that changes nothing writes it in the version of today.
  EXPECT_EQ(Patch(At(kV2, "a"), "{}", "application/merge-patch+json").status, 200);
  Open("v2");
  Asked();
  EXPECT_THAT(Do("GET", At(kV2, "a")).body, HasSubstr(R"("spec":{"address":"h:80"})"));
  EXPECT_EQ(Asked(), 0u);
}

TEST_F(ConversionTest, DeletionGoesOnWithoutTheWebhook) {
  for (const char* name : {"a", "b", "c"}) Create(name);
  ASSERT_EQ(Patch(At(kV1, "c"), R"({"metadata":{"finalizers":["example.com/hold"]}})",
                  "application/merge-patch+json")
                .status,
            200);
  Open("v2");
  hook_.failure = SendFailure{"gone"};
  EXPECT_EQ(Do("GET", At(kV1, "a")).status, 500);
  EXPECT_EQ(Do("DELETE", At(kV1, "a")).status, 200);
  const auto all = Do("DELETE", std::string(kV1));
  EXPECT_EQ(all.status, 200) << all.body;
  EXPECT_THAT(all.body, HasSubstr(R"("status":"Success")"));
  EXPECT_EQ(Do("GET", At(kV2, "b")).status, 404);
  EXPECT_THAT(Do("GET", At(kV2, "c")).body, HasSubstr("deletionTimestamp"));
  // Its manager wrote in v1; that is nothing a write of the stored version should need.
  const auto released =
      Patch(At(kV2, "c"), R"({"metadata":{"finalizers":null}})", "application/merge-patch+json");
  EXPECT_EQ(released.status, 200) << released.body;
  EXPECT_THAT(released.header("warning"), HasSubstr("managed fields of other versions stay as they are"));
  EXPECT_EQ(Do("GET", At(kV2, "c")).status, 404);
}

TEST_F(ConversionTest, WrongAnswersAreToldAsUpstreamTellsThem) {
  for (const char* name : {"a", "b"})
    ASSERT_EQ(Send("POST", std::string(kV2), Site("v2", name, R"({"address":"h:1"})")).status, 201);
  const auto get = [&] { return Do("GET", At(kV1, "a")); };
  const auto list = [&] { return Do("GET", std::string(kV1)); };
  const std::string of = "conversion webhook for example.com/v2, Kind=Site ";
  const std::string of_list = "conversion webhook for example.com/v1, Kind=SiteList ";

  hook_.failure = SendFailure{"Post \"https://hook?timeout=30s\": dial tcp: refused"};
  EXPECT_THAT(get().body, HasSubstr(of + R"(failed: Post \"https://hook?timeout=30s\": dial tcp: refused)"));
  EXPECT_EQ(get().status, 500);
  hook_.failure.reset();

  hook_.edit = [](MapNode& object, api::Arena& arena) { object.Set("kind", Value::String("Other"), arena); };
  EXPECT_THAT(
      get().body,
      HasSubstr(of + "returned invalid object at index 0: invalid kind (expected Site, received Other)"));
  EXPECT_THAT(
      list().body,
      HasSubstr(
          of_list +
          "returned invalid converted object at index 0: invalid kind (expected Site, received Other)"));
  hook_.edit = [](MapNode& object, api::Arena& arena) {
    object.Set("apiVersion", Value::String("example.com/v9"), arena);
  };
  EXPECT_THAT(
      list().body,
      HasSubstr("at index 0: invalid groupVersion (expected example.com/v1, received example.com/v9)"));
  const auto metadata = [&](std::string_view name, std::string_view value) {
    hook_.edit = [name, value](MapNode& object, api::Arena& arena) {
      object.Find("metadata")->map()->Set(name, Value::String(value), arena);
    };
  };
  metadata("name", "other");
  EXPECT_THAT(get().body, HasSubstr(of + "returned invalid object: must have the same name: a != other"));
  metadata("namespace", "other");
  EXPECT_THAT(list().body, HasSubstr("index 0: must have the same namespace: default != other"));
  metadata("uid", "other");
  EXPECT_THAT(get().body, HasSubstr("must have the same UID: "));
  metadata("labels", "text");
  EXPECT_THAT(
      get().body,
      HasSubstr(of +
                "returned invalid metadata: invalid metadata.labels of type string in converted object"));
  hook_.edit = nullptr;

  const auto review = [](std::string_view uid, std::string_view rest) {
    return [=](const std::string& asked) {
      const std::string own = asked.substr(asked.find("\"uid\":\"") + 7, 36);
      return R"({"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","response":{"uid":")" +
             (uid.empty() ? own : std::string(uid)) + "\"," + std::string(rest) + "}}";
    };
  };
  hook_.answer = review("", R"("result":{"status":"Success"},"convertedObjects":[])");
  EXPECT_THAT(list().body, HasSubstr(of_list + "returned 0 objects, expected 2"));
  hook_.answer = review("x", R"("result":{"status":"Success"},"convertedObjects":[])");
  EXPECT_THAT(get().body, HasSubstr(of + R"(failed: expected response.uid=\")"));
  hook_.answer = review("", R"("result":{"status":"Failed","message":"I cannot"})");
  EXPECT_THAT(get().body, HasSubstr(of + "failed: I cannot"));
  hook_.answer = review("", R"("result":{"status":"Failed"})");
  EXPECT_THAT(get().body, HasSubstr(of + "failed: response.result.status was 'Failed', not 'Success'"));
  hook_.answer = [](const std::string&) { return "garbage"; };
  EXPECT_THAT(get().body, HasSubstr(of + "failed: couldn't get version/kind; json parse error"));
  // Another resource, and the stored version of this one, do not notice.
  EXPECT_EQ(Do("GET", std::string(kV2)).status, 200);
  EXPECT_EQ(Do("GET", endpoints::kMaps).status, 200);
}

TEST_F(ConversionTest, LabelsAndAnnotationsAreTheWebhooksAndTheRestIsNot) {
  ASSERT_EQ(Send("POST", std::string(kV2), Site("v2", "a", R"({"address":"h:1"})")).status, 201);
  hook_.edit = [](MapNode& object, api::Arena& arena) {
    MapNode& metadata = *object.Find("metadata")->map();
    MapNode* const labels = MapNode::New(nullptr, arena);
    labels->Set("converted", Value::String("yes"), arena);
    metadata.Set("labels", Value::Of(labels), arena);
    metadata.Set("generation", Value::Int(77), arena);
    metadata.Erase("creationTimestamp");
  };
  const std::string got = Do("GET", At(kV1, "a")).body;
  EXPECT_THAT(got, HasSubstr(R"("labels":{"converted":"yes"})"));
  EXPECT_THAT(got, HasSubstr(R"("generation":1)"));
  EXPECT_THAT(got, HasSubstr("creationTimestamp"));
}

TEST_F(ConversionTest, WhoKeepsTimingOutIsLeftAlone) {
  ASSERT_EQ(Send("POST", std::string(kV2), Site("v2", "a", R"({"address":"h:1"})")).status, 201);
  hook_.failure = SendFailure{"Post: context deadline exceeded", 503, /*timed_out=*/true};
  for (int i = 0; i < 5; ++i)
    EXPECT_THAT(Do("GET", At(kV1, "a")).body,
                HasSubstr("context deadline exceeded (Client.Timeout exceeded while awaiting headers)"));
  EXPECT_EQ(Asked(), 5u);
  EXPECT_THAT(Do("GET", At(kV1, "a")).body, HasSubstr("it keeps timing out"));
  EXPECT_EQ(Asked(), 0u);
}

TEST_F(ConversionTest, WhoDeletesDoesNotWaitForAWebhookThatHangs) {
  for (const char* name : {"a", "b"})
    ASSERT_EQ(Send("POST", std::string(kV2), Site("v2", name, R"({"address":"h:1"})")).status, 201);
  hook_.failure = SendFailure{"Post: context deadline exceeded", 503, /*timed_out=*/true};
  EXPECT_EQ(Do("GET", At(kV1, "a")).status, 500);
  EXPECT_EQ(Asked(), 1u);
  for (const std::string& path : {At(kV1, "a"), std::string(kV1)}) {
    const auto deleted = Do("DELETE", path);
    EXPECT_EQ(deleted.status, 200);
    EXPECT_THAT(deleted.body, HasSubstr(R"("status":"Success")"));
  }
  EXPECT_EQ(Asked(), 0u);
  EXPECT_THAT(Do("GET", std::string(kV2)).body, HasSubstr(R"("items":[])"));
}

constexpr std::string_view kOutOfTime =
    "Timeout: request did not complete within requested timeout - context deadline exceeded";

TEST_F(ConversionTest, ARequestGivesItsPlaceBackWhileTheWebhookIsAsked) {
  base::FakeOccupancy occupancy;
  occupancy_ = &occupancy;
  hook_.asked = [&] { occupancy.moves += "asked "; };
  const auto moves = [&] { return std::exchange(occupancy.moves, ""); };
  Create("a");
  EXPECT_EQ(moves(), "out asked in out asked in ");
  ASSERT_EQ(Send("POST", std::string(kV2), Site("v2", "b", R"({"address":"h:1"})")).status, 201);
  EXPECT_EQ(moves(), "");
  EXPECT_EQ(Do("GET", At(kV1, "b")).status, 200);
  EXPECT_EQ(moves(), "out asked in ");
  EXPECT_EQ(Do("GET", At(kV1, "b")).status, 200);
  EXPECT_EQ(moves(), "") << "it is kept";
  ASSERT_EQ(Send("POST", std::string(kV2), Site("v2", "c", R"({"address":"h:1"})")).status, 201);
  EXPECT_EQ(Do("GET", std::string(kV1)).status, 200);
  EXPECT_EQ(moves(), "out asked in ");
  // Of what has an owner in v2: before and after, as well as to be stored and for the answer.
  EXPECT_EQ(Patch(At(kV1, "c"), R"({"spec":{"port":2}})", "application/merge-patch+json").status, 200);
  EXPECT_EQ(moves(), "out asked in out asked in out asked in out asked in ");
  ASSERT_EQ(Send("POST", std::string(kV2), Site("v2", "d", R"({"address":"h:1"})")).status, 201);
  EXPECT_EQ(Do("DELETE", std::string(kV1)).status, 200);
  EXPECT_EQ(moves(), "out asked in ");
  EXPECT_THAT(hook_.timeouts, Each(std::chrono::seconds(30)));
}

TEST_F(ConversionTest, WhoIsOutOfTimeLeavesAndTheConversionGoesOn) {
  ASSERT_EQ(Send("POST", std::string(kV2), Site("v2", "a", R"({"address":"h:1"})")).status, 201);
  auto watch = ApiFixture::Open("GET", std::string(kV1) + "?watch=1&resourceVersion=0");
  hook_.held.emplace();
  EXPECT_THAT(ReadAvailable(*watch.body), IsEmpty());

  base::FakeOccupancy occupancy;
  occupancy_ = &occupancy;
  for (const std::string& path : {At(kV1, "a"), std::string(kV1)}) {
    occupancy.deadline = clock_.SteadyNow() + std::chrono::seconds(5);
    loop_.Post([this] { loop_.Advance(std::chrono::seconds(4)); });
    loop_.Post([this] { loop_.Advance(std::chrono::seconds(1)); });
    const auto late = Do("GET", path);
    EXPECT_EQ(late.status, 504);
    EXPECT_THAT(late.body, HasSubstr(kOutOfTime));
    EXPECT_EQ(clock_.SteadyNow(), occupancy.deadline);
    EXPECT_EQ(std::exchange(occupancy.moves, ""), "out in ");
    EXPECT_EQ(Do("GET", path).status, 504) << "there is no time to wait";
    EXPECT_EQ(occupancy.moves, "");
  }
  EXPECT_EQ(Asked(), 1u);
  EXPECT_THAT(hook_.timeouts, ElementsAre(std::chrono::seconds(30)));

  hook_.held->Set(true);
  hook_.held.reset();
  EXPECT_THAT(ReadWoken(*watch.body), HasSubstr(R"("host":"h")"));
  EXPECT_EQ(Do("GET", At(kV1, "a")).status, 200) << "what is kept takes no time";
  EXPECT_EQ(Asked(), 0u);
}

TEST_F(ConversionTest, TheDeadlineOfAWriteShortensItsOwnQuestions) {
  base::FakeOccupancy occupancy;
  occupancy_ = &occupancy;
  occupancy.deadline = clock_.SteadyNow() + std::chrono::seconds(2);
  hook_.failure = SendFailure{"Post: context deadline exceeded", 503, /*timed_out=*/true};
  const std::string site = Site("v1", "a", R"({"host":"h","port":80})");
  // It is no fault of the webhook's, so it is asked however often that happens.
  for (int i = 0; i < 2 * admission::Breaker::kTimeouts; ++i) {
    const auto late = Send("POST", std::string(kV1), site);
    EXPECT_EQ(late.status, 504);
    EXPECT_THAT(late.body, HasSubstr(kOutOfTime));
  }
  EXPECT_EQ(Asked(), size_t{2} * admission::Breaker::kTimeouts);
  EXPECT_THAT(hook_.timeouts, Each(std::chrono::seconds(2)));
  occupancy.deadline = clock_.SteadyNow();
  EXPECT_EQ(Send("POST", std::string(kV1), site).status, 504);
  EXPECT_EQ(Asked(), 0u);
  EXPECT_EQ(Do("GET", At(kV2, "a")).status, 404) << "nothing was written";

  ASSERT_EQ(Send("POST", std::string(kV2), Site("v2", "a", R"({"address":"h:1"})")).status, 201);
  occupancy.deadline = clock_.SteadyNow() + std::chrono::seconds(2);
  const auto deleted = Do("DELETE", At(kV1, "a"));
  EXPECT_EQ(deleted.status, 200);
  EXPECT_THAT(deleted.body, HasSubstr(R"("status":"Success")"));
}

TEST_F(ConversionTest, ConversionsAreCounted) {
  Create("a");
  const auto counted = [&](const std::string& line, int count) {
    EXPECT_THAT(metrics_.Render(), HasSubstr("apiserver_" + line + " " + std::to_string(count) + "\n"));
  };
  const std::string of_sites =
      R"(crd_conversion_webhook_duration_seconds_count{crd_name="sites.example.com",)";
  counted(of_sites + R"(from_version="v1",succeeded="true",to_version="v2"})", 1);
  counted(of_sites + R"(from_version="v2",succeeded="true",to_version="v1"})", 1);
  counted(R"(conversion_webhook_request_total{failure_type="",result="success"})", 2);

  const auto fails = [&](const std::string& type, int count) {
    EXPECT_EQ(Do("GET", At(kV1, "b")).status, 500);
    counted(R"(conversion_webhook_request_total{failure_type="conversion_webhook_)" + type +
                R"(_failure",result="failure"})",
            count);
    counted(R"(conversion_webhook_duration_seconds_count{failure_type="conversion_webhook_)" + type +
                R"(_failure",result="failure"})",
            count);
  };
  ASSERT_EQ(Send("POST", std::string(kV2), Site("v2", "b", R"({"address":"h:1"})")).status, 201);
  hook_.failure = SendFailure{"refused"};
  fails("call", 1);
  hook_.failure.reset();
  hook_.answer = [](const std::string&) { return std::string("garbage"); };
  fails("call", 2);
  hook_.answer = [](const std::string&) {
    return std::string(R"({"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1"})");
  };
  fails("malformed_response", 1);
  hook_.answer = [](const std::string& review) {
    return R"({"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","response":{"uid":")" +
           review.substr(review.find(R"("uid":")") + 7, 36) + R"(","result":{"status":"Success"}}})";
  };
  fails("partial_response", 1);
  hook_.answer = nullptr;
  hook_.edit = [](MapNode& object, api::Arena& arena) { object.Set("kind", Value::String("Other"), arena); };
  fails("invalid_converted_object", 1);
  counted(of_sites + R"(from_version="v2",succeeded="false",to_version="v1"})", 5);
}

TEST_F(ConversionTest, V1Beta1NamesNeitherItsKindNorTheUid) {
  Open("v2", "v1beta1");
  ASSERT_EQ(Send("POST", std::string(kV2), Site("v2", "a", R"({"address":"h:1"})")).status, 201);
  hook_.answer = [&](const std::string& asked) {
    std::string answer = hook_.Answer(asked);
    answer.replace(answer.find(R"("uid":")"), 43, R"("uid":"other)");
    constexpr std::string_view kNamed =
        R"("kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1beta1",)";
    return answer.erase(answer.find(kNamed), kNamed.size());
  };
  EXPECT_THAT(Do("GET", At(kV1, "a")).body, HasSubstr(R"("host":"h")"));
}

TEST_F(ConversionTest, WhatIsKeptIsBounded) {
  for (int i = 0; i < 50; ++i)
    ASSERT_EQ(
        Send("POST", std::string(kV2), Site("v2", "s" + std::to_string(i), R"({"address":"h:1"})")).status,
        201);
  const api::ResourceDesc& v1 = sites_->resource().versions().front().desc;
  constexpr size_t kFew = size_t{20} << 10;
  const auto kept = ConvertedObjects::Create(v1, "/registry" + std::string(v1.storage_prefix), nullptr,
                                             {.most_bytes = kFew, .clock = &clock_});
  ConvertedObjects& objects = *kept;
  const auto listed = loop_.Run(sites_->store().List({}));
  ASSERT_TRUE(listed);
  for (const storage::Object* const item : listed->items) {
    const auto converted = loop_.Run(objects.Convert(storage::ObjectPtr(item), nullptr));
    ASSERT_TRUE(converted);
    EXPECT_TRUE(objects.IsInVersion(**converted));
    EXPECT_LE(objects.bytes(), kFew);
  }
  EXPECT_GT(objects.bytes(), kFew / 2);
  EXPECT_TRUE(objects.Find({storage::ObjectPtr(listed->items.back())}));
  EXPECT_FALSE(objects.Find({storage::ObjectPtr(listed->items.front())}));
}

}  // namespace
}  // namespace keelson::extensions
