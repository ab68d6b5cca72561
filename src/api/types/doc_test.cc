#include "api/types/doc.h"

#include <gtest/gtest.h>

#include "api/generated/core_v1.h"
#include "api/types/builtin_types.h"
#include "api/types/resource_desc.h"

namespace keelson::api {
namespace {

using core_v1::PodEditor;
using core_v1::PodView;

Doc NewPod() { return Doc(core_v1::kPodType); }

TEST(ArenaTest, AllocationsAreAlignedAndKeepTheirBytes) {
  Arena arena;
  std::vector<std::string_view> copies;
  for (int i = 0; i < 2000; ++i)
    copies.push_back(arena.CopyString(std::string(1 + i % 97, static_cast<char>('a' + i % 26))));
  for (size_t align : {8, 16, 64}) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(arena.Allocate(3, align)) % align, 0u);
  }
  const std::string_view large = arena.CopyString(std::string(1 << 20, 'x'));
  EXPECT_EQ(large.size(), 1u << 20);
  for (int i = 0; i < 2000; ++i)
    EXPECT_EQ(copies[i], std::string(1 + i % 97, static_cast<char>('a' + i % 26)));
  EXPECT_GE(arena.allocated_bytes(), 1u << 20);
}

TEST(ArenaTest, AnArenaMovedFromCanBeUsedAgain) {
  Arena a;
  const std::string_view kept = a.CopyString("kept");
  Arena b = std::move(a);
  const std::string_view other = a.CopyString("other");
  EXPECT_EQ(kept, "kept");
  EXPECT_EQ(other, "other");
  EXPECT_NE(kept.data(), other.data());
}

TEST(MapNodeTest, EntriesStaySortedWhateverTheOrderOfSetting) {
  Arena arena;
  MapNode* map = MapNode::New(&kStringType, arena);
  for (const char* key : {"m", "a", "z", "b", "a", "k", "c", "y"}) map->Set(key, Value::String(key), arena);
  std::string keys;
  for (const auto& e : map->entries()) keys += e.key;
  EXPECT_EQ(keys, "abckmyz");
  ASSERT_NE(map->Find("k"), nullptr);
  EXPECT_EQ(map->Find("k")->string(), "k");
  EXPECT_EQ(map->Find("l"), nullptr);
  map->Erase("m");
  map->Erase("not there");
  EXPECT_EQ(map->size, 6u);
  EXPECT_EQ(map->Find("m"), nullptr);
}

TEST(ListNodeTest, ErasingKeepsTheOrderOfTheRest) {
  Arena arena;
  ListNode* list = ListNode::New(&kInt64Type, arena);
  for (int i = 0; i < 9; ++i) list->Append(Value::Int(i), arena);
  list->Erase(0);
  list->Erase(3);
  list->Erase(6);
  std::vector<int64_t> left;
  for (const Value& v : list->items()) left.push_back(v.integer());
  EXPECT_EQ(left, (std::vector<int64_t>{1, 2, 3, 5, 6, 7}));
}

TEST(ViewTest, AnAbsentStructReadsAsAbsentFieldsAllTheWayDown) {
  Doc doc = NewPod();
  PodView pod(doc);
  EXPECT_FALSE(pod.spec());
  EXPECT_EQ(pod.spec()
                .affinity()
                .node_affinity()
                .required_during_scheduling_ignored_during_execution()
                .node_selector_terms()
                .size(),
            0u);
  EXPECT_EQ(pod.spec().node_name(), "");
  EXPECT_FALSE(pod.spec().has_priority());
  EXPECT_EQ(pod.metadata().labels().Find("a"), nullptr);
}

TEST(ViewTest, WhatAnEditorWritesAViewReads) {
  Doc doc = NewPod();
  PodEditor pod(doc);
  {
    std::string transient = "web-0";
    pod.mutable_metadata().set_name(transient);
    transient.assign("xxxxx");
  }
  pod.mutable_metadata().put_labels("app", "web");
  pod.mutable_metadata().put_labels("app", "db");
  pod.mutable_metadata().add_finalizers("example.com/f");
  auto spec = pod.mutable_spec();
  spec.set_restart_policy_static("Always");
  spec.set_termination_grace_period_seconds(0);
  auto container = spec.add_containers();
  container.set_name("c");
  auto port = container.add_ports();
  port.set_container_port(80);
  auto volume = spec.add_volumes();
  volume.set_name("v");
  volume.mutable_volume_source().mutable_empty_dir();

  PodView view(doc);
  EXPECT_EQ(view.metadata().name(), "web-0");
  EXPECT_EQ(view.metadata().labels().Find("app")->string(), "db");
  EXPECT_EQ(view.metadata().finalizers()[0].string(), "example.com/f");
  EXPECT_TRUE(view.spec().has_termination_grace_period_seconds());
  EXPECT_EQ(view.spec().containers()[0].ports()[0].container_port(), 80);
  EXPECT_TRUE(view.spec().volumes()[0].volume_source().empty_dir());
  EXPECT_FALSE(view.spec().volumes()[0].volume_source().host_path());

  for (auto c : spec.edit_containers()) c.set_image("img");
  EXPECT_EQ(view.spec().containers()[0].image(), "img");
  EXPECT_FALSE(spec.edit_affinity());
  EXPECT_TRUE(spec.edit_init_containers().empty());
  EXPECT_FALSE(view.spec().affinity()) << "edit_ must not make what it does not find";

  spec.clear_termination_grace_period_seconds();
  EXPECT_FALSE(view.spec().has_termination_grace_period_seconds());
}

TEST(ViewTest, WritingZeroRemovesAScalarUnlessItIsAPointer) {
  Doc doc = NewPod();
  auto spec = PodEditor(doc).mutable_spec();
  spec.set_host_network(true);
  spec.set_host_network(false);
  spec.set_node_name("n");
  spec.set_node_name("");
  spec.set_priority(0);
  EXPECT_TRUE(spec.node()->slot(core_v1::kPodSpecType.FindMember("hostNetwork").field->ordinal).absent());
  EXPECT_TRUE(spec.node()->slot(core_v1::kPodSpecType.FindMember("nodeName").field->ordinal).absent());
  EXPECT_TRUE(spec.has_priority());
}

TEST(DocTest, ACloneIsEqualAndIndependent) {
  Doc doc = NewPod();
  PodEditor pod(doc);
  pod.mutable_metadata().put_labels("a", "1");
  pod.mutable_spec().add_containers().set_name("c");
  Doc copy = doc.Clone();
  EXPECT_TRUE(Equal(doc.root(), copy.root()));
  pod.mutable_spec().edit_containers()[0].set_name("changed");
  EXPECT_EQ(PodView(copy).spec().containers()[0].name(), "c");
  EXPECT_FALSE(Equal(doc.root(), copy.root()));
  doc = Doc();
  EXPECT_EQ(PodView(copy).metadata().labels().Find("a")->string(), "1");
}

TEST(DocTest, ADocumentMovedFromIsEmpty) {
  Doc a = NewPod();
  Doc b = std::move(a);
  EXPECT_FALSE(a);
  EXPECT_TRUE(b);
}

TEST(EqualTest, AbsentEqualsZeroOnlyWherePresenceHasNoMeaning) {
  Doc a = NewPod(), b = NewPod();
  PodEditor pa(a), pb(b);
  pa.mutable_spec();
  EXPECT_TRUE(Equal(a.root(), b.root())) << "spec is no pointer";
  pa.mutable_spec().mutable_containers();
  EXPECT_TRUE(Equal(a.root(), b.root())) << "an empty list is an absent one";
  pa.mutable_spec().mutable_security_context();
  EXPECT_FALSE(Equal(a.root(), b.root())) << "securityContext is a pointer";
  pb.mutable_spec().mutable_security_context();
  EXPECT_TRUE(Equal(a.root(), b.root()));
  pa.mutable_spec().set_priority(0);
  EXPECT_FALSE(Equal(a.root(), b.root())) << "priority is a pointer";
}

TEST(EqualTest, ElementsAreComparedInOrder) {
  Doc a = NewPod(), b = NewPod();
  for (const char* name : {"x", "y"}) PodEditor(a).mutable_spec().add_containers().set_name(name);
  for (const char* name : {"y", "x"}) PodEditor(b).mutable_spec().add_containers().set_name(name);
  EXPECT_FALSE(Equal(a.root(), b.root()));
}

}  // namespace
}  // namespace keelson::api
