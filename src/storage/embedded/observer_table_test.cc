#include "storage/embedded/observer_table.h"

#include <gmock/gmock.h>

#include "storage/testing/backend_contract.h"

namespace keelson::storage {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class ObserverTableTest : public testing::Test {
 protected:
  void Publish(std::vector<std::string> keys) {
    std::vector<Change> changes;
    for (const std::string& key : keys)
      changes.push_back({.type = Write::Type::kPut, .key = key, .revision = 1});
    table_.Publish(changes, 1);
  }
  static std::vector<std::string> Keys(const RecordingObserver& observer) {
    std::vector<std::string> keys;
    for (const SeenChange& change : observer.changes()) keys.push_back(change.key);
    return keys;
  }
  ObserverTable table_;
};

TEST_F(ObserverTableTest, AKeyReachesEveryPrefixOfItAndNoOther) {
  RecordingObserver root, a, ab, ac, abx, b;
  table_.Add("/ab/x/", abx);
  table_.Add("/", root);
  table_.Add("/ac/", ac);
  table_.Add("/a", a);
  table_.Add("/b/", b);
  table_.Add("/ab/", ab);
  Publish({"/ab/x/1", "/ab/y", "/ac", "/c", "x"});
  EXPECT_THAT(Keys(root), ElementsAre("/ab/x/1", "/ab/y", "/ac", "/c"));
  EXPECT_THAT(Keys(a), ElementsAre("/ab/x/1", "/ab/y", "/ac"));
  EXPECT_THAT(Keys(ab), ElementsAre("/ab/x/1", "/ab/y"));
  EXPECT_THAT(Keys(abx), ElementsAre("/ab/x/1"));
  EXPECT_THAT(Keys(ac), IsEmpty());
  EXPECT_THAT(Keys(b), IsEmpty());
}

TEST_F(ObserverTableTest, APrefixThatComesBetweenOthersTakesOverWhatIsBelowIt) {
  RecordingObserver outer, inner, beside, middle;
  table_.Add("/a/", outer);
  table_.Add("/a/b/c/", inner);
  table_.Add("/a/c/", beside);
  table_.Add("/a/b/", middle);
  Publish({"/a/b/c/1", "/a/b/2", "/a/c/3"});
  EXPECT_THAT(Keys(outer), ElementsAre("/a/b/c/1", "/a/b/2", "/a/c/3"));
  EXPECT_THAT(Keys(middle), ElementsAre("/a/b/c/1", "/a/b/2"));
  EXPECT_THAT(Keys(inner), ElementsAre("/a/b/c/1"));
  EXPECT_THAT(Keys(beside), ElementsAre("/a/c/3"));
}

TEST_F(ObserverTableTest, WhoHasSeenEverythingIsAddedWithoutTheCommitThread) {
  RecordingObserver late, timely;
  EXPECT_FALSE(table_.AddIf("/a/", late, 1, [] { return false; }));
  EXPECT_TRUE(table_.AddIf("/a/", timely, 1, [] { return true; }));
  Publish({"/a/x"});
  EXPECT_THAT(Keys(late), IsEmpty());
  EXPECT_THAT(Keys(timely), ElementsAre("/a/x"));
}

TEST_F(ObserverTableTest, RemovingAPrefixLeavesItsNeighboursLinked) {
  RecordingObserver outer, middle, inner;
  table_.Add("/a/", outer);
  table_.Add("/a/b/", middle);
  table_.Add("/a/b/c/", inner);
  table_.Remove("/a/b/", middle);
  Publish({"/a/b/c/d"});
  EXPECT_THAT(Keys(outer), ElementsAre("/a/b/c/d"));
  EXPECT_THAT(Keys(middle), IsEmpty());
  EXPECT_THAT(Keys(inner), ElementsAre("/a/b/c/d"));
  table_.Remove("/a/", outer);
  Publish({"/a/x", "/a/b/c/e"});
  EXPECT_THAT(Keys(inner), ElementsAre("/a/b/c/d", "/a/b/c/e"));
}

TEST_F(ObserverTableTest, TwoObserversOfOnePrefixAreIndependent) {
  RecordingObserver one, two;
  table_.Add("/a/", one);
  table_.Add("/a/", two);
  table_.Remove("/a/", one);
  Publish({"/a/b"});
  EXPECT_THAT(Keys(one), IsEmpty());
  EXPECT_THAT(Keys(two), ElementsAre("/a/b"));
}

TEST(PrefixEndTest, IsTheFirstKeyAfterAllThatStartWithThePrefix) {
  EXPECT_EQ(PrefixEnd("/a/"), "/a0");
  EXPECT_EQ(PrefixEnd("a\xff\xff"), "b");
  EXPECT_EQ(PrefixEnd("\xff"), "");
  EXPECT_EQ(PrefixEnd(""), "");
}

}  // namespace
}  // namespace keelson::storage
