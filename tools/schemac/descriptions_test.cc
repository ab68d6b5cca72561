#include "descriptions.h"

#include <gmock/gmock.h>

#include "emit.h"
#include "parser.h"
#include "resolve.h"

namespace schemac {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::string_view kMetaSchema = R"(group meta.k8s.io/v1
type ObjectMeta
  1  name  string
type ListMeta
  1  continue  string
)";
constexpr std::string_view kSchema = R"(
kind Gear  cluster
  plural  gears
object Gear
  1  metadata  ObjectMeta
  2  spec      GearSpec
type GearSpec
  1  teeth   int32
  2  inline  Shape
type Shape
  1  radius  int32
)";
constexpr std::string_view kWords = R"(# The words of x/v1.

Gear: A wheel
    with teeth.
  spec: What it should be: round.

GearSpec: How a gear is made.
  teeth: How many teeth it has,
      above 0.
Shape: A form.
  radius: Half of its width.
)";

class DescriptionsTest : public testing::Test {
 protected:
  // Compiles x_v1, and y_v1 with the same types, with these words; empty: none.
  std::vector<std::string> Compile(std::string_view x, std::string_view y = "",
                                   Undescribed undescribed = Undescribed::kAllowed) {
    Parse("meta_v1", "meta_v1.kschema", kMetaSchema, model_, diagnostics_);
    Parse("x_v1", "x_v1.kschema", "group x/v1" + std::string(kSchema), model_, diagnostics_);
    Parse("y_v1", "y_v1.kschema", "group y/v1" + std::string(kSchema), model_, diagnostics_);
    Resolve(model_, diagnostics_);
    if (!x.empty()) ParseDescriptions("x_v1", "x_v1.txt", x, model_, diagnostics_);
    if (!y.empty()) ParseDescriptions("y_v1", "y_v1.txt", y, model_, diagnostics_);
    Describe(model_, undescribed, diagnostics_);
    return diagnostics_.errors();
  }
  // The text of a field; of the type if none is given.
  std::string Text(std::string_view stem, std::string_view name, std::string_view field = "") const {
    const Type& type = *model_.FindFile(stem)->FindType(name);
    if (field.empty()) return type.description;
    return std::ranges::find(type.fields, field, &Field::name)->description;
  }

  Model model_;
  Diagnostics diagnostics_;
};

TEST_F(DescriptionsTest, LinesOfATextAreJoinedWithABlank) {
  ASSERT_THAT(Compile(kWords), IsEmpty());
  EXPECT_EQ(Text("x_v1", "Gear"), "A wheel with teeth.");
  EXPECT_EQ(Text("x_v1", "Gear", "spec"), "What it should be: round.");
  EXPECT_EQ(Text("x_v1", "GearSpec", "teeth"), "How many teeth it has, above 0.");
}

TEST_F(DescriptionsTest, TheCompilerHasWordsForWhatAllObjectsAndListsHave) {
  ASSERT_THAT(Compile(kWords), IsEmpty());
  for (const char* field : {"kind", "apiVersion", "metadata"}) {
    EXPECT_NE(Text("x_v1", "Gear", field), "") << field;
    EXPECT_NE(Text("x_v1", "GearList", field), "") << field;
  }
  EXPECT_THAT(Text("x_v1", "GearList"), HasSubstr("Gear"));
  EXPECT_NE(Text("x_v1", "GearList", "items"), "");
}

TEST_F(DescriptionsTest, AFileTakesOverTheWordsOfAnother) {
  ASSERT_THAT(Compile(kWords, "from x_v1\n\nGearSpec: Another way.\n  teeth: How many.\n"), IsEmpty());
  EXPECT_EQ(Text("y_v1", "GearSpec"), "Another way.");
  EXPECT_EQ(Text("y_v1", "GearSpec", "teeth"), "How many.");
  EXPECT_EQ(Text("y_v1", "Shape", "radius"), "Half of its width.");
}

TEST_F(DescriptionsTest, FilesThatTakeWordsFromEachOtherLackThem) {
  EXPECT_THAT(Compile("from y_v1\n", "from x_v1\n"),
              testing::Contains("x_v1.kschema:4: Gear is not described in x_v1.txt"));
}

TEST_F(DescriptionsTest, ASchemaWithoutAFileHasNoWordsUnlessAllMust) {
  ASSERT_THAT(Compile(kWords), IsEmpty());
  EXPECT_FALSE(model_.FindFile("y_v1")->described);
  EXPECT_EQ(Text("y_v1", "Gear", "kind"), "");
  model_ = {};
  EXPECT_THAT(Compile(kWords, "", Undescribed::kRefused),
              ElementsAre("meta_v1.kschema:1: there is no descriptions/meta_v1.txt",
                          "y_v1.kschema:1: there is no descriptions/y_v1.txt"));
}

TEST_F(DescriptionsTest, WhatIsNotDescribedIsNamedWithItsLine) {
  EXPECT_THAT(Compile("Gear: A wheel.\nGearSpec: How it is made.\nShape: A form.\n  radius: Half.\n"),
              ElementsAre("x_v1.kschema:6: Gear.spec is not described in x_v1.txt",
                          "x_v1.kschema:8: GearSpec.teeth is not described in x_v1.txt"));
}

TEST_F(DescriptionsTest, WhatDoesNotExistCannotBeDescribed) {
  EXPECT_THAT(Compile(std::string(kWords) + "  inline: A form.\nLever: A bar.\n", "from x_v1\nfrom z_v1\n"),
              ElementsAre("x_v1.txt:12: Shape has no field inline", "x_v1.txt:13: x_v1 has no type Lever",
                          "y_v1.txt:2: there is no descriptions/z_v1.txt"));
  diagnostics_ = {};
  ParseDescriptions("z_v1", "z_v1.txt", "", model_, diagnostics_);
  Describe(model_, Undescribed::kAllowed, diagnostics_);
  EXPECT_THAT(diagnostics_.errors(), testing::Contains("z_v1.txt:1: there is no schema z_v1"));
}

TEST_F(DescriptionsTest, KindAndVersionOfAnObjectAreNotWritten) {
  EXPECT_THAT(Compile("from y_v1\nGear: A wheel.\n  kind: Gear.\n", kWords),
              ElementsAre("x_v1.txt:3: kind is described by the compiler"));
}

TEST_F(DescriptionsTest, NothingIsDescribedTwice) {
  EXPECT_THAT(Compile("Gear: A wheel.\n  spec: This.\n  spec: That.\nGear: A wheel.\n", ""),
              testing::AllOf(testing::Contains("x_v1.txt:3: field spec of Gear is described twice"),
                             testing::Contains("x_v1.txt:4: Gear is described twice")));
}

TEST_F(DescriptionsTest, FieldsOfATypeReadDifferently) {
  EXPECT_THAT(Compile("from y_v1\nGear: A wheel.\n  metadata: What it is.\n  spec: What it is.\n", kWords),
              ElementsAre("x_v1.txt:4: fields metadata and spec of Gear have the same words"));
}

TEST_F(DescriptionsTest, TextsAndLinesHaveLimits) {
  std::string text = "from y_v1\nGear: ‘" + std::string(98, 'a') + "’.\n";
  for (int i = 0; i < 3; ++i) text += "    " + std::string(98, 'b') + "\n";
  ASSERT_THAT(Compile(text, kWords), IsEmpty());
  model_ = {};
  EXPECT_THAT(Compile(text + "    more\n", kWords),
              ElementsAre("x_v1.txt:2: Gear is described in 403 characters, 400 are allowed"));
  model_ = {};
  diagnostics_ = {};
  EXPECT_THAT(Compile("from y_v1\nGear: A\twheel.\nShape: " + std::string(120, 'a') + "\n", kWords),
              ElementsAre("x_v1.txt:2: only ASCII and typographic quotes, and no blank at the end",
                          "x_v1.txt:3: the line has more than 120 characters"));
}

TEST_F(DescriptionsTest, BadLinesAreNamedAndReadingGoesOn) {
  EXPECT_THAT(Compile("  spec: Of nothing.\nGear A wheel.\nGear: A wheel.\n   deep: What.\n\n    Lost.\n"
                      "from y_v1\n  spec:\n",
                      kWords),
              testing::IsSupersetOf(
                  {"x_v1.txt:1: a field of no type", "x_v1.txt:2: expected 'name: text'",
                   "x_v1.txt:4: indented by 3 blanks, it is neither a field nor the rest of a text",
                   "x_v1.txt:6: indented by 4 blanks, it is neither a field nor the rest of a text",
                   "x_v1.txt:7: 'from' belongs before the first type", "x_v1.txt:8: a field of no type"}));
}

TEST_F(DescriptionsTest, TextsAreWrittenAsLiteralsOfTheirSchema) {
  ASSERT_THAT(Compile(kWords), IsEmpty());
  const std::string out = EmitDescriptions(model_);
  EXPECT_THAT(out, HasSubstr("{\"x_v1\", "));
  EXPECT_THAT(out, Not(HasSubstr("y_v1")));
  EXPECT_THAT(out, HasSubstr("{\"\\170")) << "how a zlib stream starts";
}

}  // namespace
}  // namespace schemac
