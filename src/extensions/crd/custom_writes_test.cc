// Writes of custom objects, from the request to the answer.
#include <gtest/gtest.h>

#include "api/codec/passes.h"
#include "extensions/crd/testing/custom_fixture.h"

namespace keelson::extensions {
namespace {

using CustomWritesTest = CustomFixture;

std::string At(std::string_view name) { return std::string(kWidgets) + "/" + std::string(name); }

TEST_F(CustomWritesTest, AnApplyTakesSixPassesThroughACodecAtMost) {
  ASSERT_EQ(Apply(At("a"), Widget("a", "web:1")).status, 201);
  {
    const api::codec::PassCountForTest passes;
    ASSERT_EQ(Apply(At("a"), Widget("a", "web:2")).status, 200);
    EXPECT_LE(passes.all(), 6) << passes.decodes() << " decodes, " << passes.encodes() << " encodes, "
                               << passes.transcodes() << " transcodes";
  }
  const api::codec::PassCountForTest passes;
  ASSERT_EQ(Apply(At("a"), Widget("a", "web:2")).status, 200);
  EXPECT_LE(passes.all(), 6) << "of an apply that changes nothing: " << passes.decodes() << " decodes, "
                             << passes.encodes() << " encodes, " << passes.transcodes() << " transcodes";
}

TEST_F(CustomWritesTest, ACreateTakesFourPassesThroughACodecAtMost) {
  const api::codec::PassCountForTest passes;
  ASSERT_EQ(Send("POST", kWidgets, Widget("a", "web:1")).status, 201);
  EXPECT_LE(passes.all(), 4) << passes.decodes() << " decodes, " << passes.encodes() << " encodes, "
                             << passes.transcodes() << " transcodes";
}

}  // namespace
}  // namespace keelson::extensions
