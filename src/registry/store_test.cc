#include "registry/store.h"

#include <gmock/gmock.h>

#include "api/meta/object_meta.h"
#include "registry/core/strategies.h"
#include "registry/testing/store_fixture.h"

namespace keelson::registry {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class StoreTest : public StoreFixture {
 protected:
  rest::Result<rest::Written> Create(std::string_view json, bool dry_run = false) {
    return loop_.Run(store_.Create(Request("default", dry_run), Document("configmaps", json)));
  }
  rest::Result<rest::Written> Update(const std::string& name, std::string json, std::string uid = "",
                                     bool dry_run = false) {
    auto updated = Replacement("configmaps", std::move(json), std::move(uid));
    return loop_.Run(store_.Update(Request("default", dry_run), name, std::move(updated)));
  }
  rest::Result<rest::Deleted> Delete(const std::string& name, DeleteOptions options = {}) {
    return loop_.Run(store_.Delete(Request("default", options.dry_run), name, options));
  }
  rest::Result<rest::ObjectPtr> Get(const std::string& name) {
    return loop_.Run(store_.Get("default", name, {}));
  }
  std::string Text(const rest::Encoded& object) { return Json(object, "configmaps"); }

  Store& store_ = Add("configmaps", core::ConfigMaps());
};

TEST_F(StoreTest, CreateFillsWhatOnlyTheServerKnows) {
  auto written =
      Create(R"({"metadata":{"name":"a","uid":"mine","creationTimestamp":"2001-01-01T00:00:00Z"}})");
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_TRUE(written->created);
  std::string json = Text(written->object);
  EXPECT_THAT(json, HasSubstr(R"("name":"a","namespace":"default","uid":")"));
  EXPECT_THAT(json, Not(HasSubstr("mine")));
  EXPECT_THAT(json, HasSubstr(R"("creationTimestamp":"2023-11-14T22:13:20Z")"));
  EXPECT_THAT(json, HasSubstr(R"("resourceVersion":")"));
}

TEST_F(StoreTest, CreatingWhatExistsIsRefused) {
  ASSERT_TRUE(Create(R"({"metadata":{"name":"a"}})"));
  auto again = Create(R"({"metadata":{"name":"a"}})");
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, 409);
  EXPECT_EQ(again.error().message, "configmaps \"a\" already exists");
}

TEST_F(StoreTest, AnObjectBeingDeletedIsNamedWhenItsNameIsTaken) {
  ASSERT_TRUE(Create(R"({"metadata":{"name":"a","finalizers":["x.io/f"]}})"));
  ASSERT_TRUE(Delete("a"));
  auto again = Create(R"({"metadata":{"name":"a"}})");
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().message, "object is being deleted: configmaps \"a\" already exists");
}

TEST_F(StoreTest, NamesAreGenerated) {
  auto written = Create(R"({"metadata":{"generateName":"x-"}})");
  ASSERT_TRUE(written);
  EXPECT_THAT(Text(written->object), HasSubstr(R"({"metadata":{"name":"x-)"));
}

TEST_F(StoreTest, EveryMistakeOfAnInvalidObjectIsTold) {
  auto written = Create(R"({"metadata":{"name":"A_b","labels":{"-":"x"}},"data":{"?":"x"}})");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, 422);
  EXPECT_GE(written.error().details->causes.size(), 3u);
}

TEST_F(StoreTest, AVersionMayNotBeSetOnCreation) {
  auto written = Create(R"({"metadata":{"name":"a","resourceVersion":"7"}})");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, 500);
}

TEST_F(StoreTest, ADryRunStoresNothing) {
  auto written = Create(R"({"metadata":{"name":"a"}})", /*dry_run=*/true);
  ASSERT_TRUE(written);
  EXPECT_THAT(Text(written->object), Not(HasSubstr("resourceVersion")));
  EXPECT_EQ(Get("a").error().code, 404);

  ASSERT_TRUE(Create(R"({"metadata":{"name":"a"}})"));
  EXPECT_EQ(Create(R"({"metadata":{"name":"a"}})", /*dry_run=*/true).error().code, 409);
  ASSERT_TRUE(Update("a", R"({"metadata":{"name":"a"},"data":{"k":"v"}})", "", /*dry_run=*/true));
  DeleteOptions dry{.dry_run = true};
  ASSERT_TRUE(Delete("a", dry));
  EXPECT_THAT(Text(rest::Encoded::Of(*Get("a"))), Not(HasSubstr(R"("data")")));
}

TEST_F(StoreTest, AnObjectOfAnotherNamespaceIsRefused) {
  auto written = Create(R"({"metadata":{"name":"a","namespace":"other"}})");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, 400);
}

TEST_F(StoreTest, UpdateKeepsWhatNoClientMayChange) {
  auto created = Create(R"({"metadata":{"name":"a"}})");
  auto before = *Get("a");
  clock_.Advance(std::chrono::hours(1));
  auto updated =
      Update("a", R"({"metadata":{"name":"a","creationTimestamp":"2001-01-01T00:00:00Z"},"data":{"k":"v"}})");
  ASSERT_TRUE(updated) << updated.error().message;
  EXPECT_FALSE(updated->created);
  std::string json = Text(updated->object);
  EXPECT_THAT(json, HasSubstr(std::string(before->uid())));
  EXPECT_THAT(json, HasSubstr(R"("creationTimestamp":"2023-11-14T22:13:20Z")"));
  EXPECT_THAT(json, HasSubstr(R"("data":{"k":"v"})"));
}

TEST_F(StoreTest, AnUpdateThatChangesNothingWritesNothing) {
  Create(R"({"metadata":{"name":"a"},"data":{"k":"v"}})").value();
  auto before = (*Get("a"))->revision();
  ASSERT_TRUE(Update("a", R"({"metadata":{"name":"a"},"data":{"k":"v"}})"));
  EXPECT_EQ((*Get("a"))->revision(), before);
}

TEST_F(StoreTest, AStaleVersionConflicts) {
  Create(R"({"metadata":{"name":"a"}})").value();
  auto updated = Update("a", R"({"metadata":{"name":"a","resourceVersion":"1"},"data":{"k":"v"}})");
  ASSERT_FALSE(updated);
  EXPECT_EQ(updated.error().code, 409);
  EXPECT_EQ(
      updated.error().message,
      "Operation cannot be fulfilled on configmaps \"a\": the object has been modified; please apply your "
      "changes to the latest version and try again");
}

TEST_F(StoreTest, AnotherUidConflicts) {
  Create(R"({"metadata":{"name":"a"}})").value();
  for (bool dry_run : {false, true}) {
    auto updated = Update("a", R"({"metadata":{"name":"a","uid":"1"}})", "1", dry_run);
    ASSERT_FALSE(updated);
    // A dry run does not get as far as the store, which knows the prefix of all keys.
    const std::string key = dry_run ? "/configmaps/default/a" : "/registry/configmaps/default/a";
    EXPECT_THAT(
        updated.error().message,
        StartsWith(
            "Operation cannot be fulfilled on configmaps \"a\": StorageError: invalid object, Code: 4, "
            "Key: " +
            key +
            ", ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: 1, UID in "
            "object meta: "));
  }
}

TEST_F(StoreTest, UpdatingWhatIsAbsentIsNotFound) {
  auto updated = Update("a", R"({"metadata":{"name":"a"}})");
  ASSERT_FALSE(updated);
  EXPECT_EQ(updated.error().message, "configmaps \"a\" not found");
}

TEST_F(StoreTest, ADeleteAnswersWithAStatus) {
  Create(R"({"metadata":{"name":"a"}})").value();
  auto deleted = Delete("a");
  ASSERT_TRUE(deleted) << deleted.error().message;
  EXPECT_TRUE(deleted->gone);
  EXPECT_TRUE(deleted->answer_with_status);
  EXPECT_FALSE(deleted->uid.empty());
  EXPECT_EQ(Get("a").error().code, 404);
  EXPECT_EQ(Delete("a").error().code, 404);
}

TEST_F(StoreTest, PreconditionsHoldADeleteBack) {
  Create(R"({"metadata":{"name":"a"}})").value();
  auto by_uid = Delete("a", {.uid = "x"});
  ASSERT_FALSE(by_uid);
  EXPECT_THAT(by_uid.error().message, HasSubstr("Operation cannot be fulfilled on"));
  auto by_version = Delete("a", {.resource_version = "1"});
  ASSERT_FALSE(by_version);
  EXPECT_EQ(by_version.error().code, 409);
  auto version = std::to_string((*Get("a"))->revision());
  EXPECT_TRUE(Delete("a", {.resource_version = version}));
}

TEST_F(StoreTest, FinalizersKeepADeletedObjectUntilTheLastGoes) {
  Create(R"({"metadata":{"name":"a","finalizers":["x.io/f"]}})").value();
  auto deleted = Delete("a");
  ASSERT_TRUE(deleted);
  EXPECT_FALSE(deleted->gone);
  EXPECT_FALSE(deleted->answer_with_status);
  EXPECT_THAT(Text(deleted->object),
              HasSubstr(R"("deletionTimestamp":"2023-11-14T22:13:20Z","deletionGracePeriodSeconds":0)"));

  auto kept = Update("a", R"({"metadata":{"name":"a","finalizers":["x.io/f"]},"data":{"k":"v"}})");
  ASSERT_TRUE(kept) << kept.error().message;
  EXPECT_THAT(Text(kept->object), HasSubstr("deletionTimestamp"));
  ASSERT_TRUE(Get("a"));

  auto emptied = Update("a", R"({"metadata":{"name":"a"},"data":{"k":"w"}})");
  ASSERT_TRUE(emptied) << emptied.error().message;
  EXPECT_THAT(Text(emptied->object), HasSubstr(R"("k":"w")"));
  EXPECT_EQ(Get("a").error().code, 404);
}

TEST_F(StoreTest, PropagationIsRecordedAsAFinalizer) {
  Create(R"({"metadata":{"name":"a"}})").value();
  Create(R"({"metadata":{"name":"b"}})").value();
  Create(R"({"metadata":{"name":"c"}})").value();
  auto foreground = Delete("a", {.propagation_policy = "Foreground"});
  EXPECT_THAT(Text(foreground->object), HasSubstr(R"("finalizers":["foregroundDeletion"])"));
  auto orphan = Delete("b", {.orphan_dependents = true});
  EXPECT_THAT(Text(orphan->object), HasSubstr(R"("finalizers":["orphan"])"));
  EXPECT_TRUE(Delete("c", {.propagation_policy = "Background"})->gone);
  EXPECT_TRUE(Delete("a", {.propagation_policy = "Background"})->gone);
}

TEST_F(StoreTest, ACollectionIsDeletedThroughItsSelection) {
  for (int i = 0; i < 40; ++i)
    Create(R"({"metadata":{"name":"n)" + std::to_string(i) + R"(","labels":{"even":")" +
           (i % 2 ? "no" : "yes") + R"("}}})")
        .value();
  rest::ListOptions list{.ns = "default"};
  list.selection = rest::Selection::Bind(*rest::LabelSelector::Parse("even=yes"), {}, {}).value();
  auto deleted = loop_.Run(store_.DeleteCollection(Request(), {}, std::move(list)));
  ASSERT_TRUE(deleted) << deleted.error().message;
  EXPECT_EQ(deleted->items.size(), 20u);
  auto left = loop_.Run(store_.List({.ns = "default"}));
  EXPECT_EQ(left->items.size(), 20u);
}

TEST_F(StoreTest, AdmissionMayChangeAndMayRefuse) {
  struct Hooks {
    static base::Task<rest::Result<void>> Label(admission::Attributes request) {
      if (request.object) api::MutableMetadataOf(*request.object).put_labels("seen", "yes");
      co_return rest::Result<void>();
    }
    static base::Task<rest::Result<void>> Refuse(admission::Attributes request) {
      if (request.operation == admission::Operation::kDelete) co_return base::Err(api::BadRequest("no"));
      co_return rest::Result<void>();
    }
  };
  Store& store = Add("configmaps", core::ConfigMaps(), {.admission = {Hooks::Label, Hooks::Refuse}});
  auto written = loop_.Run(store.Create(Request(), Document("configmaps", R"({"metadata":{"name":"a"}})")));
  ASSERT_TRUE(written);
  EXPECT_THAT(Text(written->object), HasSubstr(R"("labels":{"seen":"yes"})"));
  EXPECT_EQ(loop_.Run(store.Delete(Request(), "a", {})).error().message, "no");
  EXPECT_TRUE(Get("a"));
}

TEST_F(StoreTest, WarningsAreKeptWhenTheWriteIsRefused) {
  struct Hooks {
    static base::Task<rest::Result<void>> Warn(admission::Attributes request) {
      admission::AddWarning(request.warnings, "careful with " + std::string(request.name));
      co_return base::Err(api::BadRequest("no"));
    }
  };
  Store& store = Add("configmaps", core::ConfigMaps(), {.admission = {.validate = Hooks::Warn}});
  Create(R"({"metadata":{"name":"a"}})").value();
  std::vector<std::string> warnings;
  rest::WriteRequest request = Request();
  request.warnings = &warnings;
  EXPECT_FALSE(loop_.Run(store.Create(request, Document("configmaps", R"({"metadata":{"name":"b"}})"))));
  EXPECT_FALSE(
      loop_.Run(store.Update(request, "a", Replacement("configmaps", R"({"metadata":{"name":"a"}})"))));
  EXPECT_FALSE(loop_.Run(store.Delete(request, "a", {})));
  EXPECT_THAT(warnings, testing::ElementsAre("careful with b", "careful with a"));
}

TEST_F(StoreTest, OwnersThatAdmissionRepeatsAreDropped) {
  struct Hooks {
    static base::Task<rest::Result<void>> Own(admission::Attributes request) {
      if (!request.object) co_return rest::Result<void>();
      for (int i = 0; i < 2; ++i) {
        auto owner = api::MutableMetadataOf(*request.object).add_owner_references();
        owner.set_api_version("v1");
        owner.set_kind("Pod");
        owner.set_name("p");
        owner.set_uid("1");
      }
      co_return rest::Result<void>();
    }
  };
  Store& store = Add("configmaps", core::ConfigMaps(), {.admission = {.mutate = Hooks::Own}});
  std::vector<std::string> warnings;
  rest::WriteRequest request = Request();
  request.warnings = &warnings;
  const std::string once = R"("ownerReferences":[{"kind":"Pod","name":"p","uid":"1","apiVersion":"v1"}])";
  auto written = loop_.Run(store.Create(request, Document("configmaps", R"({"metadata":{"name":"a"}})")));
  ASSERT_TRUE(written);
  EXPECT_THAT(Text(written->object), HasSubstr(once));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0], HasSubstr("duplicate entries after mutating admission happens"));
  EXPECT_THAT(warnings[0], testing::EndsWith("duplicate UID(s) observed: 1"));
  written = loop_.Run(store.Update(request, "a", Replacement("configmaps", R"({"metadata":{"name":"a"}})")));
  ASSERT_TRUE(written);
  EXPECT_THAT(Text(written->object), HasSubstr(once));
}

constexpr char kPod[] =
    R"({"metadata":{"name":"p"},"spec":{"nodeName":"n1","containers":[{"name":"c","image":"i"}]}})";
constexpr char kUnscheduledPod[] =
    R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}})";

class PodStoreTest : public StoreFixture {
 protected:
  void Create(const char* json) {
    auto written = loop_.Run(pods_.Create(Request(), Document("pods", json)));
    ASSERT_TRUE(written) << written.error().message;
  }
  rest::Deleted Delete(DeleteOptions options = {}) {
    auto deleted = loop_.Run(pods_.Delete(Request("default", options.dry_run), "p", options));
    EXPECT_TRUE(deleted) << deleted.error().message;
    return *std::move(deleted);
  }
  int Status() {
    auto found = loop_.Run(pods_.Get("default", "p", {}));
    return found ? 200 : found.error().code;
  }

  Store& pods_ = Add("pods", core::Pods(), {.returns_deleted_object = true});
  Store& status_ = Add("pods", core::PodStatus(), {.subresource = "status"});
};

TEST_F(PodStoreTest, ARunningPodIsGivenItsGracePeriod) {
  Create(kPod);
  rest::Deleted marked = Delete();
  EXPECT_FALSE(marked.gone);
  EXPECT_FALSE(marked.answer_with_status);
  EXPECT_THAT(Json(marked.object, "pods"),
              HasSubstr(R"("deletionTimestamp":"2023-11-14T22:13:50Z","deletionGracePeriodSeconds":30)"));

  // A second delete neither prolongs it nor writes anything.
  clock_.Advance(std::chrono::seconds(5));
  rest::Deleted pending = Delete({.grace_period_seconds = 60});
  EXPECT_EQ(pending.object.bytes.view(), marked.object.bytes.view());

  rest::Deleted shortened = Delete({.grace_period_seconds = 10});
  EXPECT_THAT(Json(shortened.object, "pods"),
              HasSubstr(R"("deletionTimestamp":"2023-11-14T22:13:30Z","deletionGracePeriodSeconds":10)"));
  EXPECT_EQ(Status(), 200);

  EXPECT_TRUE(Delete({.grace_period_seconds = 0}).gone);
  EXPECT_EQ(Status(), 404);
}

TEST_F(PodStoreTest, APodThatNeverRanGoesAtOnce) {
  Create(kUnscheduledPod);
  rest::Deleted deleted = Delete();
  EXPECT_TRUE(deleted.gone);
  EXPECT_FALSE(deleted.answer_with_status);
  EXPECT_EQ(Status(), 404);
}

TEST_F(PodStoreTest, ADryRunOfADeleteLeavesThePodAlone) {
  Create(kPod);
  EXPECT_THAT(Json(Delete({.dry_run = true}).object, "pods"), HasSubstr("deletionTimestamp"));
  EXPECT_THAT(Json(rest::Encoded::Of(*loop_.Run(pods_.Get("default", "p", {}))), "pods"),
              Not(HasSubstr("deletionTimestamp")));
}

TEST_F(PodStoreTest, FinalizersOutlastTheGracePeriod) {
  Create(
      R"({"metadata":{"name":"p","finalizers":["x.io/f"]},"spec":{"containers":[{"name":"c","image":"i"}]}})");
  rest::Deleted marked = Delete({.grace_period_seconds = 0});
  EXPECT_FALSE(marked.gone);
  EXPECT_EQ(Status(), 200);
}

TEST_F(PodStoreTest, TheStatusSubresourceChangesTheStatusAlone) {
  Create(kPod);
  auto updated = loop_.Run(status_.Update(
      Request(), "p",
      Replacement(
          "pods",
          R"({"metadata":{"name":"p","labels":{"a":"b"}},"spec":{"nodeName":"n2","containers":[{"name":"d","image":"j"}]},"status":{"phase":"Running"}})")));
  ASSERT_TRUE(updated) << updated.error().message;
  std::string json = Json(updated->object, "pods");
  EXPECT_THAT(json, HasSubstr(R"("phase":"Running")"));
  EXPECT_THAT(json, HasSubstr(R"("nodeName":"n1")"));
  EXPECT_THAT(json, HasSubstr(R"("image":"i")"));
}

class NamespaceStoreTest : public StoreFixture {
 protected:
  Store& namespaces_ = Add("namespaces", core::Namespaces(), {.returns_deleted_object = true});
  Store& finalize_ = Add("namespaces", core::NamespaceFinalize(), {.subresource = "finalize"});
};

TEST_F(NamespaceStoreTest, ANamespaceGoesWhenItsOwnFinalizersAreGone) {
  ASSERT_TRUE(
      loop_.Run(namespaces_.Create(Request(""), Document("namespaces", R"({"metadata":{"name":"n"}})"))));
  auto deleted = loop_.Run(namespaces_.Delete(Request(""), "n", {}));
  ASSERT_TRUE(deleted) << deleted.error().message;
  EXPECT_FALSE(deleted->gone);
  std::string json = Json(deleted->object, "namespaces");
  EXPECT_THAT(json, HasSubstr(R"("status":{"phase":"Terminating"})"));
  EXPECT_THAT(json, HasSubstr(R"("deletionTimestamp")"));
  EXPECT_THAT(json, HasSubstr(R"("spec":{"finalizers":["kubernetes"]})"));

  auto again = loop_.Run(namespaces_.Delete(Request(""), "n", {}));
  ASSERT_TRUE(again);
  EXPECT_FALSE(again->gone);

  auto finalized = loop_.Run(finalize_.Update(
      Request(""), "n", Replacement("namespaces", R"({"metadata":{"name":"n"},"spec":{}})")));
  ASSERT_TRUE(finalized) << finalized.error().message;
  EXPECT_EQ(loop_.Run(namespaces_.Get("", "n", {})).error().code, 404);
}

// As upstream: the record of who wrote what is given up before the object is.
TEST_F(StoreTest, WhatIsTooLargeIsTriedOnceMoreWithoutManagedFields) {
  const auto secret = [](const std::string& name, int keys, const std::string& more = "") {
    std::string json = R"({"metadata":{"name":")" + name + R"("},"stringData":{"more":")" + more + "\"";
    for (int i = 0; i < keys; ++i) json += ",\"a-rather-long-key-" + std::to_string(i) + "\":\"x\"";
    return json + "}}";
  };
  max_object_bytes_ = 4000;
  Store& store = Add("secrets", core::Secrets());
  const auto create = [&](const std::string& json) {
    return loop_.Run(store.Create(Request(), Document("secrets", json)));
  };
  auto small = create(secret("small", 20));
  ASSERT_TRUE(small) << small.error().message;
  EXPECT_THAT(Json(small->object, "secrets"), HasSubstr("managedFields"));

  auto large = create(secret("large", 70));
  ASSERT_TRUE(large) << large.error().message;
  EXPECT_THAT(Json(large->object, "secrets"), Not(HasSubstr("managedFields")));

  auto updated =
      loop_.Run(store.Update(Request(), "small", Replacement("secrets", secret("small", 70, "again"))));
  ASSERT_TRUE(updated) << updated.error().message;
  EXPECT_THAT(Json(updated->object, "secrets"), Not(HasSubstr("managedFields")));

  // Who applies depends on the record.
  std::string record;
  for (int i = 0; i < 70; ++i) record += ",\"f:a-rather-long-key-" + std::to_string(i) + "\":{}";
  std::string json = secret("small", 70);
  json.replace(json.find("},"), 2,
               R"(,"managedFields":[{"manager":"m","operation":"Apply","apiVersion":"v1",)"
               R"("time":"2023-11-14T22:13:20Z","fieldsType":"FieldsV1","fieldsV1":{"f:data":{".":{})" +
                   record + "}}}]},");
  auto applied = Replacement("secrets", json);
  applied.tracked = true;
  auto kept = loop_.Run(store.Update(Request(), "small", std::move(applied)));
  ASSERT_FALSE(kept);
  EXPECT_EQ(kept.error().code, 500);

  auto refused = create(secret("huge", 200));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, 500);
}

// Lets nobody create what is called "new", and remembers whom it was asked about.
class NothingNew : public auth::Authorizer {
 public:
  base::Task<auth::Verdict> Authorize(const auth::Attributes& a) override {
    asked.push_back(std::string(a.verb).append(" ").append(a.resource).append(" ").append(a.ns) + "/" +
                    std::string(a.name));
    co_return auth::Verdict{a.name == "new" ? auth::Decision::kNoOpinion : auth::Decision::kAllow, "because"};
  }
  std::vector<std::string> asked;
};

TEST_F(StoreTest, AnUpdateCreatesOnlyForWhoMayCreate) {
  NothingNew authorizer;
  Store& store = Add("endpoints", core::Endpoints(), {.authorizer = &authorizer});
  const auto put = [&](const std::string& name) {
    auto updated =
        Replacement("endpoints", R"({"metadata":{"namespace":"default","name":")" + name + R"("}})");
    return loop_.Run(store.Update(Request(), name, std::move(updated)));
  };
  auto refused = put("new");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, 403);
  EXPECT_THAT(
      refused.error().message,
      StartsWith(R"(endpoints "new" is forbidden: User "someone" cannot create resource "endpoints" in API )"
                 R"(group "" in the namespace "default": because)"));
  EXPECT_FALSE(loop_.Run(store.Get("default", "new", {})));

  auto created = put("other");
  ASSERT_TRUE(created) << created.error().message;
  EXPECT_TRUE(created->created);
  EXPECT_THAT(authorizer.asked,
              ElementsAre("create endpoints default/new", "create endpoints default/other"));
  ASSERT_TRUE(put("other"));  // is there by now, and nothing is created
  EXPECT_EQ(authorizer.asked.size(), 2U);
}

TEST_F(StoreTest, ApplyingCreatesOnlyForWhoMayCreate) {
  NothingNew authorizer;
  Store& store = Add("configmaps", core::ConfigMaps(), {.authorizer = &authorizer});
  const auto apply = [&](const std::string& name) {
    rest::UpdatedObject updated;
    updated.apply = rest::ApplyConfiguration::FromJson(
                        Resource("configmaps"),
                        base::Slice::Copy(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" +
                                          name + R"("}})"))
                        .value();
    return loop_.Run(store.Update(Request(), name, std::move(updated)));
  };
  auto refused = apply("new");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, 403);
  EXPECT_FALSE(Get("new"));
  EXPECT_TRUE(apply("other"));
}

}  // namespace
}  // namespace keelson::registry
