#include "storage/testing/interface_suite.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "api/codec/protobuf.h"
#include "storage/messages.h"

namespace keelson::storage {

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(InterfaceSuite);
namespace {

using base::SyncWait;
using testing::ElementsAre;
using testing::IsEmpty;

std::string KeyOf(const PodSpecForTest& pod) { return pod.ns + "/" + pod.name; }

std::string Described(const WatchEvent& event) {
  const std::string name =
      event.object ? std::string(event.object->ns()) + "/" + std::string(event.object->name()) : "";
  switch (event.type) {
    case EventType::kAdded: return "ADDED " + name;
    case EventType::kModified: return "MODIFIED " + name;
    case EventType::kDeleted: return "DELETED " + name;
    case EventType::kBookmark: return event.initial_events_end ? "BOOKMARK end" : "BOOKMARK";
    case EventType::kError: return "ERROR";
  }
  return "?";
}

base::Task<base::Result<Update, std::shared_ptr<const api::Status>>> Just(Update update) { co_return update; }

UpdateFn PutPod(PodSpecForTest pod) {
  return [pod = std::move(pod)](ObjectPtr) { return Just(Update{.stored = StoredPod(pod)}); };
}

Result<ObjectPtr> Get(Interface& storage, std::string key, std::string version = "") {
  GetOptions options{.resource_version = std::move(version)};
  return SyncWait(storage.Get(std::move(key), std::move(options)));
}

Result<ObjectPtr> RunUpdate(Interface& storage, std::string key, bool create, ChangeOptions options,
                            UpdateFn fn) {
  return SyncWait(storage.GuaranteedUpdate(std::move(key), create, std::move(options), std::move(fn)));
}

// All that tells an object from another, whoever made it.
std::string Shown(const ObjectPtr& object) {
  return std::string(object->key()) + " made at " + std::to_string(object->create_revision()) + " at " +
         std::to_string(object->revision()) + ": " + std::string(object->bytes());
}

template <class F>
bool Eventually(const F& f) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!f()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

std::string RevisionIn(const Object& object) {
  return std::string(api::protobuf::FindBytes(object.message(), {1, 6}).value_or(""));
}

}  // namespace

ObjectPtr MustCreate(Interface& storage, const PodSpecForTest& pod) {
  auto created = SyncWait(storage.Create(KeyOf(pod), StoredPod(pod), {}));
  EXPECT_TRUE(created) << created.error().detail;
  return created ? *created : nullptr;
}

ObjectPtr MustUpdate(Interface& storage, const PodSpecForTest& pod) {
  auto updated = RunUpdate(storage, KeyOf(pod), false, {}, PutPod(pod));
  EXPECT_TRUE(updated) << updated.error().detail;
  return updated ? *updated : nullptr;
}

ObjectPtr MustDelete(Interface& storage, std::string key) {
  auto deleted = SyncWait(storage.Delete(std::move(key), {}, nullptr));
  EXPECT_TRUE(deleted) << deleted.error().detail;
  return deleted ? *deleted : nullptr;
}

ListResult MustList(Interface& storage, ListOptions options) {
  auto list = SyncWait(storage.List(std::move(options)));
  EXPECT_TRUE(list) << list.error().detail;
  return list ? std::move(*list) : ListResult();
}

std::unique_ptr<WatchStream> MustWatch(Interface& storage, WatchOptions options) {
  auto watcher = SyncWait(storage.Watch(std::move(options)));
  EXPECT_TRUE(watcher) << watcher.error().detail;
  return watcher ? std::move(*watcher) : nullptr;
}

Selection SelectPods(std::string_view labels, std::string_view fields) {
  auto selection = Selection::Bind(*LabelSelector::Parse(labels), *FieldSelector::Parse(fields),
                                   ResourceNamed("pods").selectable_fields);
  EXPECT_TRUE(selection) << selection.error();
  return selection ? *selection : Selection();
}

std::vector<std::string> Names(const ListResult& list) {
  std::vector<std::string> names;
  for (const Object* o : list.items) names.push_back(std::string(o->ns()) + "/" + std::string(o->name()));
  return names;
}

namespace {

// Takes what there is. False: the watch has ended.
bool TakeAll(WatchStream& watch, std::vector<WatchEvent>& out) {
  for (;;) {
    const auto state = watch.Poll(2, out);
    if (state != WatchStream::State::kMore) return state == WatchStream::State::kSleep;
  }
}

std::vector<std::string> DescribedAll(std::vector<WatchEvent> taken, std::vector<WatchEvent>* events) {
  std::vector<std::string> described;
  for (const auto& event : taken) described.push_back(Described(event));
  if (events) *events = std::move(taken);
  return described;
}

}  // namespace

std::vector<std::string> Drain(WatchStream& watch, std::vector<WatchEvent>* events) {
  std::vector<WatchEvent> out;
  TakeAll(watch, out);
  return DescribedAll(std::move(out), events);
}

Interface& InterfaceSuite::Open(const LimitsForTest& limits) {
  opened_.push_back(GetParam().open(ResourceNamed("pods"), backend_, limits));
  return *opened_.back();
}

std::vector<std::string> InterfaceSuite::Told(WatchStream& watch, std::vector<WatchEvent>* events) const {
  const Revision now = storage_.CurrentRevision();
  std::vector<WatchEvent> out;
  EXPECT_TRUE(Eventually([&] { return !TakeAll(watch, out) || watch.position() >= now; }))
      << "the watch is at " << watch.position() << " and not at " << now;
  return DescribedAll(std::move(out), events);
}

TEST_P(InterfaceSuite, CreateGivesTheObjectWithItsRevision) {
  auto pod = MustCreate(storage_, {.name = "a", .uid = "u"});
  EXPECT_EQ(pod->name(), "a");
  EXPECT_EQ(RevisionIn(*pod), std::to_string(pod->revision()));
  EXPECT_EQ(pod->revision(), storage_.CurrentRevision());
  EXPECT_EQ(storage_.Count(), 1);
}

TEST_P(InterfaceSuite, CreateRefusesWhatExists) {
  MustCreate(storage_, {.name = "a"});
  auto again = SyncWait(storage_.Create("default/a", StoredPod({.name = "a"}), {}));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, Code::kExists);
  EXPECT_EQ(again.error().key, "/registry/pods/default/a");
}

TEST_P(InterfaceSuite, GetFindsTheNewestState) {
  EXPECT_EQ(Get(storage_, "default/a").error().code, Code::kNotFound);
  auto pod = MustCreate(storage_, {.name = "a"});
  EXPECT_EQ(Shown(*Get(storage_, "default/a")), Shown(pod));
  EXPECT_EQ(Shown(*Get(storage_, "default/a", "0")), Shown(pod));
  EXPECT_EQ(Shown(*Get(storage_, "default/a", std::to_string(pod->revision()))), Shown(pod));
  MustDelete(storage_, "default/a");
  EXPECT_EQ(Get(storage_, "default/a").error().code, Code::kNotFound);
}

TEST_P(InterfaceSuite, GetRefusesVersionsThatAreNoneOrNotYet) {
  auto pod = MustCreate(storage_, {.name = "a"});
  auto far = Get(storage_, "default/a", std::to_string(pod->revision() + 100));
  ASSERT_FALSE(far);
  EXPECT_EQ(far.error().code, Code::kTooLarge);
  EXPECT_EQ(far.error().detail, "Too large resource version: " + std::to_string(pod->revision() + 100) +
                                    ", current: " + std::to_string(pod->revision()));
  auto bad = Get(storage_, "default/a", "x");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().code, Code::kInvalidOption);
  EXPECT_EQ(bad.error().detail,
            R"(resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax)");
}

TEST_P(InterfaceSuite, UpdateReplacesAndKeepsTheCreationRevision) {
  auto pod = MustCreate(storage_, {.name = "a"});
  auto updated = MustUpdate(storage_, {.name = "a", .node = "n1"});
  EXPECT_GT(updated->revision(), pod->revision());
  EXPECT_EQ(updated->create_revision(), pod->revision());
  EXPECT_EQ(Shown(*Get(storage_, "default/a")), Shown(updated));
}

TEST_P(InterfaceSuite, UpdateThatSaysThatItChangesNothingMakesNoRevision) {
  auto pod = MustCreate(storage_, {.name = "a", .node = "n1"});
  auto same =
      RunUpdate(storage_, "default/a", false, {}, [](ObjectPtr) { return Just({.unchanged = true}); });
  EXPECT_EQ(Shown(*same), Shown(pod));
  EXPECT_EQ(storage_.CurrentRevision(), pod->revision());
}

TEST_P(InterfaceSuite, UpdateOfWhatIsAbsentCreatesOnlyIfAllowed) {
  EXPECT_EQ(RunUpdate(storage_, "default/a", false, {}, PutPod({.name = "a"})).error().code, Code::kNotFound);
  bool saw_null = false;
  auto made = RunUpdate(storage_, "default/a", true, {}, [&](ObjectPtr current) {
    saw_null = current == nullptr;
    return Just(Update{.stored = StoredPod({.name = "a"})});
  });
  ASSERT_TRUE(made);
  EXPECT_TRUE(saw_null);
  EXPECT_EQ((*made)->create_revision(), (*made)->revision());
}

TEST_P(InterfaceSuite, UpdateCanRemove) {
  auto pod = MustCreate(storage_, {.name = "a"});
  auto removed =
      RunUpdate(storage_, "default/a", false, {}, [](ObjectPtr) { return Just({.remove = true}); });
  ASSERT_TRUE(removed);
  EXPECT_GT((*removed)->revision(), pod->revision());
  EXPECT_EQ(RevisionIn(**removed), std::to_string((*removed)->revision()));
  EXPECT_EQ(storage_.Count(), 0);
}

base::Task<base::Result<Update, std::shared_ptr<const api::Status>>> Refuse() {
  co_return base::Err(std::shared_ptr<const api::Status>());
}

TEST_P(InterfaceSuite, UpdateThatIsRefusedIsAborted) {
  MustCreate(storage_, {.name = "a"});
  auto refused = RunUpdate(storage_, "default/a", false, {}, [](ObjectPtr) { return Refuse(); });
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kAborted);
}

TEST_P(InterfaceSuite, UpdateRunsAgainAfterAConflict) {
  MustCreate(storage_, {.name = "a"});
  int calls = 0;
  auto updated = RunUpdate(storage_, "default/a", false, {}, [&](ObjectPtr current) {
    if (++calls == 1) MustUpdate(storage_, {.name = "a", .node = "other"});
    PodSpecForTest pod{.name = "a", .node = "mine"};
    pod.phase = current->field(0) == "other" ? "after" : "before";
    return Just(Update{.stored = StoredPod(pod)});
  });
  ASSERT_TRUE(updated);
  EXPECT_EQ(calls, 2);
  EXPECT_EQ((*updated)->field(0), "mine");
}

TEST_P(InterfaceSuite, ConcurrentUpdatesLoseNothing) {
  constexpr int kThreads = 4;
  constexpr int kUpdates = 25;
  MustCreate(storage_, {.name = "a", .image = "0"});
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < kUpdates; ++i) {
        auto updated = RunUpdate(storage_, "default/a", false, {}, [](ObjectPtr current) {
          // The node's name counts.
          const std::string node(current->field(0));
          const int next = (node.empty() ? 0 : std::stoi(node)) + 1;
          return Just(Update{.stored = StoredPod({.name = "a", .node = std::to_string(next)})});
        });
        EXPECT_TRUE(updated);
      }
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ((*Get(storage_, "default/a"))->field(0), std::to_string(kThreads * kUpdates));
}

TEST_P(InterfaceSuite, PreconditionsAreToldInUpstreamsWords) {
  auto pod = MustCreate(storage_, {.name = "a", .uid = "u1"});
  auto wrong = SyncWait(storage_.Delete("default/a", {.uid = "u2"}, nullptr));
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, Code::kConflict);
  EXPECT_EQ(wrong.error().detail,
            "StorageError: invalid object, Code: 4, Key: /registry/pods/default/a, ResourceVersion: 0, "
            "AdditionalErrorMsg: Precondition failed: UID in precondition: u2, UID in object meta: u1");
  auto old = RunUpdate(storage_, "default/a", false, {.resource_version = "1000"},
                       PutPod({.name = "a", .node = "x"}));
  ASSERT_FALSE(old);
  EXPECT_EQ(old.error().code, Code::kConflict);
  EXPECT_TRUE(SyncWait(storage_.Delete(
      "default/a", {.uid = "u1", .resource_version = std::to_string(pod->revision())}, nullptr)));
}

TEST_P(InterfaceSuite, DeleteGivesTheLastStateAtItsOwnRevision) {
  auto pod = MustCreate(storage_, {.name = "a", .node = "n1"});
  auto deleted = MustDelete(storage_, "default/a");
  EXPECT_GT(deleted->revision(), pod->revision());
  EXPECT_EQ(deleted->field(0), "n1");
  EXPECT_EQ(RevisionIn(*deleted), std::to_string(deleted->revision()));
  EXPECT_EQ(SyncWait(storage_.Delete("default/a", {}, nullptr)).error().code, Code::kNotFound);
}

TEST_P(InterfaceSuite, DeleteAsksTheCheckLast) {
  MustCreate(storage_, {.name = "a"});
  DeleteCheckFn no = [](const Object&) -> base::Result<void, std::shared_ptr<const api::Status>> {
    return base::Err(std::shared_ptr<const api::Status>());
  };
  EXPECT_EQ(SyncWait(storage_.Delete("default/a", {}, no)).error().code, Code::kAborted);
  EXPECT_EQ(storage_.Count(), 1);
}

TEST_P(InterfaceSuite, ListGivesAllInOrderOfKey) {
  EXPECT_THAT(MustList(storage_).items, IsEmpty());
  for (const char* name : {"c", "a", "b"}) MustCreate(storage_, {.name = name});
  MustCreate(storage_, {.ns = "alpha", .name = "z"});
  MustCreate(storage_, {.ns = "default2", .name = "y"});
  auto all = MustList(storage_);
  EXPECT_THAT(Names(all), ElementsAre("alpha/z", "default/a", "default/b", "default/c", "default2/y"));
  EXPECT_EQ(all.revision, storage_.CurrentRevision());
  EXPECT_EQ(all.continue_token, "");
  EXPECT_EQ(all.remaining, std::nullopt);
  EXPECT_THAT(Names(MustList(storage_, {.ns = "default"})),
              ElementsAre("default/a", "default/b", "default/c"));
  EXPECT_THAT(Names(MustList(storage_, {.ns = "none"})), IsEmpty());
}

TEST_P(InterfaceSuite, ListSelects) {
  MustCreate(storage_, {.name = "a", .node = "n1", .labels = {{"app", "web"}}});
  MustCreate(storage_, {.name = "b", .node = "n2", .labels = {{"app", "api"}}});
  MustCreate(storage_, {.ns = "other", .name = "a", .node = "n1", .labels = {{"app", "api"}}});
  const auto names = [&](std::string ns, std::string_view labels, std::string_view fields) {
    return Names(MustList(storage_, {.ns = std::move(ns), .selection = SelectPods(labels, fields)}));
  };
  EXPECT_THAT(names("", "app=api", ""), ElementsAre("default/b", "other/a"));
  EXPECT_THAT(names("", "", "spec.nodeName=n1"), ElementsAre("default/a", "other/a"));
  EXPECT_THAT(names("other", "", "spec.nodeName=n1"), ElementsAre("other/a"));
  EXPECT_THAT(names("", "app=web", "spec.nodeName=n1"), ElementsAre("default/a"));
  EXPECT_THAT(names("", "", "spec.nodeName!=n1"), ElementsAre("default/b"));
  EXPECT_THAT(names("", "", "metadata.name=a"), ElementsAre("default/a", "other/a"));
  EXPECT_THAT(names("default", "", "metadata.name=a"), ElementsAre("default/a"));
  EXPECT_THAT(names("default", "app=api", "metadata.name=a"), IsEmpty());
  EXPECT_THAT(names("", "", "metadata.namespace=other"), ElementsAre("other/a"));
  EXPECT_THAT(names("default", "", "metadata.namespace=other"), IsEmpty());
  MustUpdate(storage_, {.name = "b", .node = "n1"});
  EXPECT_THAT(names("", "", "spec.nodeName=n1"), ElementsAre("default/a", "default/b", "other/a"));
  MustDelete(storage_, "default/a");
  EXPECT_THAT(names("", "", "spec.nodeName=n1"), ElementsAre("default/b", "other/a"));
}

TEST_P(InterfaceSuite, PagesAreOfOneVersion) {
  for (const char* name : {"a", "b", "c", "d", "e"}) MustCreate(storage_, {.name = name});
  auto first = MustList(storage_, {.ns = "default", .limit = 2});
  EXPECT_THAT(Names(first), ElementsAre("default/a", "default/b"));
  EXPECT_EQ(first.remaining, 3);
  MustDelete(storage_, "default/c");
  MustCreate(storage_, {.name = "bb"});
  auto second = MustList(storage_, {.ns = "default", .limit = 2, .continue_token = first.continue_token});
  EXPECT_THAT(Names(second), ElementsAre("default/c", "default/d"));
  EXPECT_EQ(second.revision, first.revision);
  EXPECT_EQ(second.remaining, 1);
  auto last = MustList(storage_, {.ns = "default", .limit = 2, .continue_token = second.continue_token});
  EXPECT_THAT(Names(last), ElementsAre("default/e"));
  EXPECT_EQ(last.continue_token, "");
  EXPECT_EQ(last.remaining, std::nullopt);
}

TEST_P(InterfaceSuite, PagesOfASelectionDoNotCountTheRest) {
  for (const char* name : {"a", "b", "c", "d"})
    MustCreate(storage_, {.name = name, .labels = {{"odd", *name % 2 ? "yes" : "no"}}});
  auto first = MustList(storage_, {.selection = SelectPods("odd=yes"), .limit = 1});
  EXPECT_THAT(Names(first), ElementsAre("default/a"));
  EXPECT_EQ(first.remaining, std::nullopt);
  auto second = MustList(
      storage_, {.selection = SelectPods("odd=yes"), .limit = 1, .continue_token = first.continue_token});
  EXPECT_THAT(Names(second), ElementsAre("default/c"));
}

TEST_P(InterfaceSuite, ListRefusesBadOptions) {
  auto pod = MustCreate(storage_, {.name = "a"});
  MustCreate(storage_, {.name = "b"});
  auto bad = SyncWait(storage_.List({.continue_token = "*"}));
  EXPECT_EQ(bad.error().code, Code::kInvalidOption);
  EXPECT_EQ(bad.error().detail,
            "invalid continue token: continue key is not valid: illegal base64 data at input byte 0");
  auto token = MustList(storage_, {.limit = 1}).continue_token;
  auto both =
      SyncWait(storage_.List({.resource_version = std::to_string(pod->revision()), .continue_token = token}));
  EXPECT_EQ(both.error().detail, "specifying resource version is not allowed when using continue");
  auto future = SyncWait(storage_.List({.resource_version = "1000000", .match = VersionMatch::kExact}));
  EXPECT_EQ(future.error().code, Code::kTooLarge);
  auto word = SyncWait(storage_.List({.resource_version = "x"}));
  EXPECT_EQ(
      word.error().detail,
      R"(invalid resource version: resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax)");
}

TEST_P(InterfaceSuite, ListAtAVersion) {
  auto a = MustCreate(storage_, {.name = "a", .node = "n1"});
  auto b = MustCreate(storage_, {.name = "b", .node = "n1"});
  MustUpdate(storage_, {.name = "a", .node = "n2"});
  MustDelete(storage_, "default/b");
  const std::string then = std::to_string(b->revision());
  auto exact = MustList(storage_, {.resource_version = then, .match = VersionMatch::kExact});
  ASSERT_EQ(exact.items.size(), 2u);
  EXPECT_EQ(Shown(ObjectPtr(exact.items[0])), Shown(a));
  EXPECT_EQ(Shown(ObjectPtr(exact.items[1])), Shown(b));
  EXPECT_EQ(exact.revision, b->revision());
  // An old version that is selected by an indexed field.
  auto selected = MustList(storage_, {.resource_version = then,
                                      .match = VersionMatch::kExact,
                                      .selection = SelectPods("", "spec.nodeName=n1")});
  EXPECT_THAT(Names(selected), ElementsAre("default/a", "default/b"));
  // Without a rule a limit makes it exact, as upstream has it.
  EXPECT_THAT(Names(MustList(storage_, {.resource_version = then, .limit = 5})),
              ElementsAre("default/a", "default/b"));
  EXPECT_THAT(Names(MustList(storage_, {.resource_version = then})), ElementsAre("default/a"));
  auto newer =
      MustList(storage_, {.resource_version = then, .match = VersionMatch::kNotOlderThan, .limit = 5});
  EXPECT_THAT(Names(newer), ElementsAre("default/a"));
  EXPECT_EQ(newer.revision, storage_.CurrentRevision());
}

TEST_P(InterfaceSuite, ListAtZeroIsNotCut) {
  for (const char* name : {"a", "b"}) MustCreate(storage_, {.name = name});
  EXPECT_EQ(MustList(storage_, {.resource_version = "0", .limit = 1}).items.size(), 2u);
}

TEST_P(InterfaceSuite, WatchWithoutAVersionStartsWithWhatThereIs) {
  for (const char* name : {"a", "b", "c"}) MustCreate(storage_, {.name = name});
  for (const char* version : {"", "0"}) {
    auto watcher = MustWatch(storage_, {.resource_version = version});
    EXPECT_THAT(Told(*watcher), ElementsAre("ADDED default/a", "ADDED default/b", "ADDED default/c"))
        << version;
    EXPECT_EQ(watcher->position(), storage_.CurrentRevision());
  }
}

TEST_P(InterfaceSuite, WatchFromAVersionTellsWhatFollowed) {
  auto a = MustCreate(storage_, {.name = "a"});
  MustCreate(storage_, {.name = "b"});
  MustUpdate(storage_, {.name = "a", .node = "n1"});
  auto watcher = MustWatch(storage_, {.resource_version = std::to_string(a->revision())});
  EXPECT_THAT(Told(*watcher), ElementsAre("ADDED default/b", "MODIFIED default/a"));
  auto gone = MustDelete(storage_, "default/b");
  std::vector<WatchEvent> events;
  EXPECT_THAT(Told(*watcher, &events), ElementsAre("DELETED default/b"));
  EXPECT_EQ(Shown(events[0].object), Shown(gone));
  EXPECT_EQ(events[0].revision, gone->revision());
  EXPECT_NE(events[0].shared, nullptr);
}

TEST_P(InterfaceSuite, AWatchFromTheFutureIsToldToListAgain) {
  auto a = MustCreate(storage_, {.name = "a"});
  const std::string future = std::to_string(a->revision() + 1'000'000);
  auto watcher = MustWatch(storage_, {.resource_version = future});
  std::vector<WatchEvent> events;
  ASSERT_THAT(Told(*watcher, &events), ElementsAre("ERROR"));
  EXPECT_EQ(events[0].error->code, Code::kExpired);
  EXPECT_THAT(events[0].error->detail,
              testing::StartsWith("Too large resource version: " + future + ", current: "));
}

TEST_P(InterfaceSuite, WatchWithoutInitialEventsStartsNow) {
  MustCreate(storage_, {.name = "a"});
  auto watcher = MustWatch(storage_, {.resource_version = "0", .match = VersionMatch::kNotOlderThan});
  MustCreate(storage_, {.name = "b"});
  EXPECT_THAT(Told(*watcher), ElementsAre("ADDED default/b"));
}

TEST_P(InterfaceSuite, StreamingListEndsWithABookmark) {
  MustCreate(storage_, {.name = "a"});
  auto last = MustCreate(storage_, {.name = "b"});
  auto watcher = MustWatch(
      storage_, {.allow_bookmarks = true, .send_initial_events = true, .match = VersionMatch::kNotOlderThan});
  MustCreate(storage_, {.name = "c"});
  std::vector<WatchEvent> events;
  EXPECT_THAT(Told(*watcher, &events),
              ElementsAre("ADDED default/a", "ADDED default/b", "BOOKMARK end", "ADDED default/c"));
  EXPECT_EQ(events[2].revision, last->revision());
  auto future = MustWatch(storage_, {.resource_version = "1000000", .send_initial_events = true});
  EXPECT_THAT(Told(*future, &events), ElementsAre("ERROR"));
  EXPECT_EQ(events[0].error->code, Code::kTooLarge);
}

TEST_P(InterfaceSuite, SelectorsTurnModificationsIntoAdditionsAndDeletions) {
  auto watcher = MustWatch(storage_, {.selection = SelectPods("app=web")});
  MustCreate(storage_, {.name = "a"});
  EXPECT_THAT(Told(*watcher), IsEmpty());
  MustUpdate(storage_, {.name = "a", .labels = {{"app", "web"}}});
  auto in = MustUpdate(storage_, {.name = "a", .node = "n1", .labels = {{"app", "web"}}});
  auto out = MustUpdate(storage_, {.name = "a", .node = "n2", .labels = {{"app", "api"}}});
  std::vector<WatchEvent> events;
  EXPECT_THAT(Told(*watcher, &events),
              ElementsAre("ADDED default/a", "MODIFIED default/a", "DELETED default/a"));
  // What it saw last, at the revision of the change that took it away.
  EXPECT_EQ(events[2].object->field(0), "n1");
  EXPECT_EQ(events[2].object->revision(), out->revision());
  EXPECT_EQ(RevisionIn(*events[2].object), std::to_string(out->revision()));
  EXPECT_EQ(Shown(events[1].object), Shown(in));
  MustDelete(storage_, "default/a");
  EXPECT_THAT(Told(*watcher), IsEmpty());
}

TEST_P(InterfaceSuite, NarrowWatchersSeeTheirOwn) {
  auto by_node = MustWatch(storage_, {.selection = SelectPods("", "spec.nodeName=n1")});
  auto by_ns = MustWatch(storage_, {.ns = "other"});
  auto by_name = MustWatch(storage_, {.ns = "default", .selection = SelectPods("", "metadata.name=b")});
  for (WatchStream* w : {by_node.get(), by_ns.get(), by_name.get()}) EXPECT_THAT(Told(*w), IsEmpty());
  MustCreate(storage_, {.name = "a"});
  MustCreate(storage_, {.name = "b"});
  MustCreate(storage_, {.ns = "other", .name = "b"});
  MustUpdate(storage_, {.name = "a", .node = "n1"});
  MustUpdate(storage_, {.name = "a", .node = "n2"});
  EXPECT_THAT(Told(*by_node), ElementsAre("ADDED default/a", "DELETED default/a"));
  EXPECT_THAT(Told(*by_ns), ElementsAre("ADDED other/b"));
  EXPECT_THAT(Told(*by_name), ElementsAre("ADDED default/b"));
  // All have seen everything that concerns them.
  for (WatchStream* w : {by_node.get(), by_ns.get(), by_name.get()})
    EXPECT_EQ(w->position(), storage_.CurrentRevision());
}

TEST_P(InterfaceSuite, PositionStopsBeforeWhatWasNotReadYet) {
  auto a = MustCreate(storage_, {.name = "a"});
  auto watcher = MustWatch(
      storage_, {.resource_version = std::to_string(a->revision()), .selection = SelectPods("app=web")});
  EXPECT_THAT(Told(*watcher), IsEmpty());
  auto b = MustCreate(storage_, {.name = "b"});
  EXPECT_TRUE(Eventually([&] { return watcher->position() == b->revision(); })) << watcher->position();
  auto c = MustCreate(storage_, {.name = "c", .labels = {{"app", "web"}}});
  EXPECT_TRUE(Eventually([&] { return watcher->position() == c->revision() - 1; })) << watcher->position();
  EXPECT_THAT(Told(*watcher), ElementsAre("ADDED default/c"));
  EXPECT_EQ(watcher->position(), c->revision());
}

TEST_P(InterfaceSuite, WakesOnceForEachSleep) {
  auto watch = MustWatch(storage_);
  std::atomic<int> wakes = 0;
  watch->SetWaker([&] { ++wakes; });
  std::vector<WatchEvent> events;
  int sleeps = 0;
  const auto sleep = [&] {
    ASSERT_TRUE(TakeAll(*watch, events));
    ++sleeps;
  };
  sleep();
  MustCreate(storage_, {.name = "a"});
  MustCreate(storage_, {.name = "b"});
  EXPECT_TRUE(Eventually([&] { return wakes == 1; }));
  EXPECT_TRUE(Eventually([&] {
    sleep();
    return events.size() == 2;
  }));
  // It sleeps, and there is nothing left to wake it.
  const int woken = wakes;
  EXPECT_LT(woken, sleeps);
  MustDelete(storage_, "default/a");
  EXPECT_TRUE(Eventually([&] { return wakes == woken + 1; }));
}

TEST_P(InterfaceSuite, WatchRefusesAVersionThatIsNone) {
  EXPECT_EQ(SyncWait(storage_.Watch({.resource_version = "-1"})).error().code, Code::kInvalidOption);
}

// ---- Preconditions, pages, quotas and the past, which both storages treat alike

TEST_P(InterfaceSuite, PreconditionsOfAnUpdateAreCheckedBeforeItIsAsked) {
  auto pod = MustCreate(storage_, {.name = "a", .uid = "u1"});
  bool asked = false;
  const UpdateFn ask = [&](ObjectPtr) {
    asked = true;
    return Just(Update{.stored = StoredPod({.name = "a", .uid = "u1", .node = "n"})});
  };
  EXPECT_EQ(RunUpdate(storage_, "default/a", false, {.uid = "u2"}, ask).error().code, Code::kConflict);
  EXPECT_EQ(
      RunUpdate(storage_, "default/a", false, {.uid = "u1", .resource_version = "7000"}, ask).error().detail,
      "StorageError: invalid object, Code: 4, Key: /registry/pods/default/a, ResourceVersion: 0, "
      "AdditionalErrorMsg: Precondition failed: ResourceVersion in precondition: 7000, ResourceVersion in "
      "object meta: " +
          std::to_string(pod->revision()));
  EXPECT_FALSE(asked);
  ChangeOptions right{.uid = "u1", .resource_version = std::to_string(pod->revision())};
  EXPECT_TRUE(RunUpdate(storage_, "default/a", false, right, ask));
  // What is absent has neither.
  EXPECT_EQ(RunUpdate(storage_, "default/b", true, {.uid = "u1"}, ask).error().code, Code::kConflict);
  EXPECT_EQ(SyncWait(storage_.Delete("default/b", {.uid = "u1"}, nullptr)).error().code, Code::kNotFound);
}

// A precondition that held when the update began must hold for what it is written over.
TEST_P(InterfaceSuite, APreconditionThatAConflictBreaksRefusesTheUpdate) {
  auto pod = MustCreate(storage_, {.name = "a"});
  int calls = 0;
  auto updated = RunUpdate(storage_, "default/a", false,
                           {.resource_version = std::to_string(pod->revision())}, [&](ObjectPtr) {
                             if (++calls == 1) MustUpdate(storage_, {.name = "a", .node = "other"});
                             return Just(Update{.stored = StoredPod({.name = "a", .node = "mine"})});
                           });
  ASSERT_FALSE(updated);
  EXPECT_EQ(updated.error().code, Code::kConflict);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ((*Get(storage_, "default/a"))->field(0), "other");
}

TEST_P(InterfaceSuite, ADeletionIsCheckedAgainAfterAConflict) {
  MustCreate(storage_, {.name = "a"});
  std::vector<std::string> seen;
  const DeleteCheckFn check =
      [&](const Object& object) -> base::Result<void, std::shared_ptr<const api::Status>> {
    seen.emplace_back(object.field(0));
    if (seen.size() == 1) MustUpdate(storage_, {.name = "a", .node = "n1"});
    return {};
  };
  ASSERT_TRUE(SyncWait(storage_.Delete("default/a", {}, check)));
  EXPECT_THAT(seen, ElementsAre("", "n1"));
}

TEST_P(InterfaceSuite, PagesFollowEachOtherToTheEnd) {
  std::vector<std::string> all;
  for (int i = 10; i < 33; ++i) {
    const PodSpecForTest pod{.ns = i % 2 ? "odd" : "even", .name = "p" + std::to_string(i)};
    MustCreate(storage_, pod);
    all.push_back(KeyOf(pod));
  }
  std::ranges::sort(all);
  std::vector<std::string> paged;
  ListOptions options{.limit = 5};
  do {
    const ListResult page = MustList(storage_, options);
    for (const std::string& name : Names(page)) paged.push_back(name);
    EXPECT_EQ(page.remaining.value_or(0), static_cast<int64_t>(all.size() - paged.size()));
    options.continue_token = page.continue_token;
  } while (!options.continue_token.empty() && paged.size() < 2 * all.size());
  EXPECT_EQ(paged, all);
}

TEST_P(InterfaceSuite, AnExpiredPageCanGoOnFromNow) {
  for (const char* name : {"a", "b", "c"}) MustCreate(storage_, {.name = name});
  const auto page = MustList(storage_, {.limit = 1});
  MustDelete(storage_, "default/b");
  const auto last = MustCreate(storage_, {.name = "d"});
  ASSERT_TRUE(SyncWait(backend_.Compact(last->revision())));
  auto expired = SyncWait(storage_.List({.limit = 1, .continue_token = page.continue_token}));
  ASSERT_FALSE(expired);
  EXPECT_EQ(expired.error().code, Code::kExpired);
  EXPECT_EQ(expired.error().detail, kContinueExpired);
  const auto rest = MustList(storage_, {.limit = 5, .continue_token = expired.error().continue_token});
  EXPECT_THAT(Names(rest), ElementsAre("default/c", "default/d"));
  auto exact = SyncWait(
      storage_.List({.resource_version = std::to_string(page.revision), .match = VersionMatch::kExact}));
  ASSERT_FALSE(exact);
  EXPECT_EQ(exact.error().code, Code::kExpired);
  EXPECT_EQ(exact.error().detail, kListExpired);
}

TEST_P(InterfaceSuite, AWatchFromWhatIsCompactedIsToldToListAgain) {
  const auto a = MustCreate(storage_, {.name = "a"});
  MustUpdate(storage_, {.name = "a", .node = "n1"});
  const auto b = MustCreate(storage_, {.name = "b"});
  MustCreate(storage_, {.name = "c"});
  ASSERT_TRUE(SyncWait(backend_.Compact(b->revision())));
  // A storage that is opened now has not seen any of it.
  Interface& later = Open();
  auto watch = MustWatch(later, {.resource_version = std::to_string(a->revision())});
  std::vector<WatchEvent> events;
  ASSERT_THAT(Told(*watch, &events), ElementsAre("ERROR"));
  EXPECT_EQ(events[0].error->code, Code::kExpired);
  EXPECT_THAT(events[0].error->detail,
              testing::StartsWith("too old resource version: " + std::to_string(a->revision()) + " ("));
  auto resumed = MustWatch(later, {.resource_version = std::to_string(b->revision())});
  EXPECT_THAT(Told(*resumed), ElementsAre("ADDED default/c"));
}

TEST_P(InterfaceSuite, AWatchFromThePastTellsOfWhatWasBefore) {
  const auto a = MustCreate(storage_, {.name = "a", .labels = {{"app", "web"}}});
  MustUpdate(storage_, {.name = "a", .labels = {{"app", "api"}}});
  MustUpdate(storage_, {.name = "a", .labels = {{"app", "web"}}});
  MustDelete(storage_, "default/a");
  MustCreate(storage_, {.name = "a"});
  Interface& later = Open();
  auto web = MustWatch(
      later, {.resource_version = std::to_string(a->revision()), .selection = SelectPods("app=web")});
  EXPECT_THAT(Told(*web), ElementsAre("DELETED default/a", "ADDED default/a", "DELETED default/a"));
}

TEST_P(InterfaceSuite, AnObjectCanBeTooBig) {
  Interface& limited = Open({.max_object_bytes = 1000});
  MustCreate(limited, {.name = "a"});
  const auto code = [&](Result<ObjectPtr> result) { return result ? Code::kAborted : result.error().code; };
  EXPECT_EQ(code(SyncWait(limited.Create("default/b", StoredPod({.name = "b", .padding = 2000}), {}))),
            Code::kTooBig);
  EXPECT_EQ(code(RunUpdate(limited, "default/a", false, {}, PutPod({.name = "a", .padding = 2000}))),
            Code::kTooBig);
  EXPECT_EQ(limited.Count(), 1);
}

TEST_P(InterfaceSuite, AFullResourceTakesOnlyWhatAddsNothing) {
  Interface& limited = Open({.quota_bytes = 5000});
  MustCreate(limited, {.name = "a", .padding = 2000});
  MustCreate(limited, {.name = "b", .padding = 2000});
  auto refused = SyncWait(limited.Create("default/c", StoredPod({.name = "c", .padding = 2000}), {}));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kFull);
  EXPECT_EQ(refused.error().detail, "the store keeps no more than 5000 bytes of pods");
  EXPECT_EQ(RunUpdate(limited, "default/a", false, {}, PutPod({.name = "a", .padding = 4000})).error().code,
            Code::kFull);
  MustUpdate(limited, {.name = "a", .phase = "Running", .padding = 100});
  MustCreate(limited, {.name = "c", .padding = 1500});
}

TEST_P(InterfaceSuite, WhatHasALifetimeIsWrittenWithALease) {
  ASSERT_TRUE(
      SyncWait(storage_.Create("default/a", StoredPod({.name = "a"}), {.ttl = std::chrono::seconds(3600)})));
  ASSERT_TRUE(
      SyncWait(storage_.Create("default/b", StoredPod({.name = "b"}), {.ttl = std::chrono::seconds(3600)})));
  MustCreate(storage_, {.name = "c"});
  const auto lease = [&](const char* name) {
    return (*backend_.Get(std::string(kPodPrefix) + "default/" + name, 0))->lease;
  };
  EXPECT_NE(lease("a"), 0);
  EXPECT_EQ(lease("b"), lease("a"));
  EXPECT_EQ(lease("c"), 0);
}

}  // namespace keelson::storage
