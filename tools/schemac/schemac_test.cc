#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emit.h"
#include "names.h"
#include "parser.h"
#include "resolve.h"

namespace schemac {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kMeta = R"(group meta.k8s.io/v1
type ObjectMeta
  1  name  string
type ListMeta
  1  continue  string
)";

struct Compiled {
  Model model;
  Diagnostics diagnostics;
  const std::vector<std::string>& errors() const { return diagnostics.errors(); }
};

std::unique_ptr<Compiled> Compile(std::string_view body) {
  auto c = std::make_unique<Compiled>();
  Parse("meta_v1", "meta_v1.kschema", kMeta, c->model, c->diagnostics);
  Parse("x_v1", "x_v1.kschema", "group x/v1\n" + std::string(body), c->model, c->diagnostics);
  Resolve(c->model, c->diagnostics);
  return c;
}

std::vector<std::string> ErrorsOf(std::string_view body) { return Compile(body)->errors(); }

TEST(ParserTest, AFieldLineGivesNumberNameTypeAndMarks) {
  auto c = Compile(R"(
enum Mode  A B
type Item
  1  name  string  required
type T  atomic
   1  items  [Item]    keyed by name  merge  retain-keys   # a comment
   2  mode   Mode?     default A
   -  loose  {string}  atomic
   3  inline Item
)");
  ASSERT_THAT(c->errors(), IsEmpty());
  const Type& t = *c->model.FindFile("x_v1")->FindType("T");
  EXPECT_TRUE(t.atomic);
  ASSERT_EQ(t.fields.size(), 4u);
  EXPECT_EQ(t.fields[0].keys, std::vector<std::string>{"name"});
  EXPECT_TRUE(t.fields[0].merge && t.fields[0].retain_keys && t.fields[0].omit_empty);
  EXPECT_EQ(t.fields[0].merge_key, "name");
  EXPECT_TRUE(t.fields[1].pointer);
  EXPECT_EQ(t.fields[1].default_text, "A");
  EXPECT_EQ(t.fields[2].number, 0);
  EXPECT_TRUE(t.fields[3].inlined);
  EXPECT_FALSE(t.fields[3].omit_empty);
}

TEST(ParserTest, AKindThatCanBeListedHasAListType) {
  auto c = Compile(R"(
kind Thing  namespaced
  plural       things
  stored       /things  hash abc=
  columns      Name:name "Created At":date wide(Node) Count:integer
  subresource  scale  get update  as autoscaling/v1.Scale
object Thing
  1  metadata  ObjectMeta
)");
  ASSERT_THAT(c->errors(), IsEmpty());
  const File& file = *c->model.FindFile("x_v1");
  const Kind& kind = file.kinds[0];
  EXPECT_EQ(kind.singular, "thing");
  EXPECT_EQ(kind.columns[0].format, "name");
  EXPECT_EQ(kind.columns[1].name, "Created At");
  EXPECT_EQ(kind.columns[1].type, "date");
  EXPECT_TRUE(kind.columns[2].wide);
  EXPECT_FALSE(kind.columns[3].wide);
  EXPECT_EQ(kind.subresources[0].group, "autoscaling");
  ASSERT_NE(file.FindType("ThingList"), nullptr);
  EXPECT_EQ(file.FindType("ThingList")->fields[3].type.element->type, file.FindType("Thing"));
}

TEST(ErrorsTest, ANumberUsedTwiceIsRefusedWithItsLine) {
  EXPECT_THAT(ErrorsOf("type T\n  1  a  string\n  1  b  string\n"),
              ElementsAre("x_v1.kschema:4: number 1 is used twice in T"));
}

TEST(ErrorsTest, AnUnknownTypeIsRefused) {
  EXPECT_THAT(
      ErrorsOf("type T\n  1  a  Missing\n  2  b  [other_v1.X]\n"),
      ElementsAre("x_v1.kschema:3: unknown type 'Missing'", "x_v1.kschema:4: unknown type 'other_v1.X'"));
}

TEST(ErrorsTest, ANameDeclaredTwiceIsRefused) {
  EXPECT_THAT(ErrorsOf("type T\n  1  a  string\ntype T\n  1  a  string\n"),
              ElementsAre("x_v1.kschema:4: T is declared twice"));
  EXPECT_THAT(ErrorsOf("type T\n  1  a  string\n  2  a  string\n"),
              ::testing::Contains("x_v1.kschema:4: member 'a' appears twice in T"));
}

TEST(ErrorsTest, AMemberOfAnInlinedStructCountsAsTheTypesOwn) {
  EXPECT_THAT(ErrorsOf("type I\n  1  a  string\ntype T\n  1  a  string\n  2  inline  I\n"),
              ElementsAre("x_v1.kschema:6: member 'a' appears twice in T"));
}

TEST(ErrorsTest, BadLinesAreNamedAndReadingGoesOn) {
  EXPECT_THAT(
      ErrorsOf("type T\n  x  a  string\n  1  b\n  2  c  [string\n  3  d  string  shiny\nthing\n  lost\n"),
      ElementsAre("x_v1.kschema:3: 'x' is not a field number",
                  "x_v1.kschema:4: expected a type at the end of the line",
                  "x_v1.kschema:4: '' is not a type", "x_v1.kschema:5: '[string' is not a type",
                  "x_v1.kschema:6: unknown mark 'shiny' on field d",
                  "x_v1.kschema:7: unknown declaration 'thing': expected group, kind, enum, object or type",
                  "x_v1.kschema:8: an indented line belongs to nothing"));
}

TEST(ErrorsTest, MarksMustFitTheirType) {
  EXPECT_THAT(ErrorsOf("type T\n  1  a  string  set\n"), ElementsAre(HasSubstr("'set' needs a list")));
  EXPECT_THAT(ErrorsOf("type T\n  1  a  string  atomic\n"), ElementsAre(HasSubstr("'atomic' needs")));
  EXPECT_THAT(ErrorsOf("type T\n  1  a  [string]?\n"),
              ElementsAre(HasSubstr("'?' is for scalars and structs")));
  EXPECT_THAT(ErrorsOf("type T\n  1  a  [string]  keyed by name\n"),
              ElementsAre(HasSubstr("needs a list of structs")));
  EXPECT_THAT(ErrorsOf("type T\n  1  a  [T]  keyed by b\n"),
              ElementsAre(HasSubstr("names b, which T does not have")));
  EXPECT_THAT(ErrorsOf("type T\n  1  a  int32  default many\n"), ElementsAre(HasSubstr("must be a number")));
  EXPECT_THAT(ErrorsOf("enum E  A\ntype T\n  1  a  E  default B\n"),
              ElementsAre(HasSubstr("'B' is not a value of E")));
}

TEST(ErrorsTest, AUnionIsMadeOfFields) {
  EXPECT_THAT(ErrorsOf("type T\n  union\n  1  a  string\n"),
              ElementsAre("x_v1.kschema:3: a union needs fields"));
  EXPECT_THAT(ErrorsOf("type T\n  union  by kind  b\n  1  a  string\n"),
              ElementsAre("x_v1.kschema:2: union of T: there is no field b",
                          "x_v1.kschema:2: union of T: there is no field kind"));
}

TEST(ErrorsTest, AKindNeedsAPluralAndAnObject) {
  EXPECT_THAT(ErrorsOf("kind K  cluster\n  verbs get\n"),
              ElementsAre("x_v1.kschema:2: kind K has no plural",
                          "x_v1.kschema:2: kind K has no object of that name"));
  EXPECT_THAT(ErrorsOf("kind K  somewhere\n"),
              ::testing::Contains(HasSubstr("expected 'namespaced' or 'cluster'")));
}

TEST(ErrorsTest, OnlyASelectableFieldCanBeIndexed) {
  EXPECT_THAT(ErrorsOf("kind K  cluster\n  plural ks\n  selectable a.b\n  indexed a.c\nobject K\n"),
              ::testing::Contains("x_v1.kschema:2: indexed field a.c of K is not selectable"));
}

TEST(ErrorsTest, AFileWithoutAGroupIsRefused) {
  Model model;
  Diagnostics diagnostics;
  Parse("y_v1", "y_v1.kschema", "type T\n  1  a  string\n", model, diagnostics);
  EXPECT_THAT(diagnostics.errors(),
              ElementsAre("y_v1.kschema:1: the file has no 'group <group>/<version>' line"));
}

TEST(NamesTest, AccessorsAreSnakeCaseAndNeverKeywords) {
  const std::pair<const char*, const char*> cases[] = {{"name", "name"},
                                                       {"podIPs", "pod_ips"},
                                                       {"hostIPC", "host_ipc"},
                                                       {"setHostnameAsFQDN", "set_hostname_as_fqdn"},
                                                       {"targetWWNs", "target_wwns"},
                                                       {"JSONPath", "json_path"},
                                                       {"fsType", "fs_type"},
                                                       {"podCIDR", "pod_cidr"},
                                                       {"clientIP", "client_ip"},
                                                       {"x-kubernetes-list-type", "x_kubernetes_list_type"}};
  for (auto [json, snake] : cases) EXPECT_EQ(SnakeCase(json), snake);
  Field field;
  field.name = "namespace";
  EXPECT_EQ(AccessorName(field), "namespace_");
  EXPECT_EQ(AccessorStem(field), "namespace");
}

TEST(EmitTest, ATypeThatHoldsItselfGetsItsAccessorBehindTheClass) {
  auto c = Compile("type Tree\n  1  children  [Tree]\n  2  left  Tree?\n");
  ASSERT_THAT(c->errors(), IsEmpty());
  const std::string views = EmitViews(*c->model.FindFile("x_v1"));
  EXPECT_THAT(views, HasSubstr("TreeView left() const;"));
  EXPECT_THAT(views, HasSubstr("inline TreeView TreeView::left() const"));
}

TEST(EmitTest, NumbersMapToOrdinals) {
  auto c = Compile("type T\n  3  a  string\n  1  b  string\n");
  const std::string tables = EmitTables(*c->model.FindFile("x_v1"));
  EXPECT_THAT(tables, HasSubstr("kTByNumber[] = {1, 0};"));
  EXPECT_THAT(tables, HasSubstr("kTNumbers[] = {0, 2, 0, 1, };"));
}

TEST(EmitTest, UnionsAreListed) {
  auto c = Compile("type T\n  union  by kind  a b\n  1  kind  string\n  2  a  string\n  3  b  string\n");
  ASSERT_THAT(c->errors(), IsEmpty());
  const std::string builtin = EmitBuiltin(c->model);
  EXPECT_THAT(builtin, HasSubstr("k_x_v1_TUnion[] = {\"a\", \"b\"};"));
  EXPECT_THAT(builtin, HasSubstr("{&x_v1::kTType, \"kind\", k_x_v1_TUnion},"));
}

TEST(EmitTest, AnUnservedFileHasViewsButIsNotBuiltIn) {
  Compiled c;
  Parse("meta_v1", "meta_v1.kschema", kMeta, c.model, c.diagnostics);
  Parse("x_v1", "x_v1.kschema", "group x/v1 unserved\nobject T\n  -  a  string\n", c.model, c.diagnostics);
  Resolve(c.model, c.diagnostics);
  ASSERT_THAT(c.errors(), IsEmpty());
  EXPECT_THAT(EmitViews(*c.model.FindFile("x_v1")), HasSubstr("class TView"));
  EXPECT_THAT(EmitBuiltin(c.model), ::testing::Not(HasSubstr("kTType")));
}

}  // namespace
}  // namespace schemac
