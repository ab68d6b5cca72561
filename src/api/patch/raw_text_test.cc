#include "api/patch/raw_text.h"

#include <gtest/gtest.h>

#include "api/generated/apps_v1.h"
#include "api/generated/resource_v1.h"
#include "api/validation/testing/json_doc.h"

namespace keelson::api {
namespace {

using testing::DocFromJson;

TEST(RewriteEmbeddedTest, EmbeddedObjectsLoseBlanksAndAreSorted) {
  Doc revision = DocFromJson<apps_v1::ControllerRevisionView>(R"({"data": {"b": [ 1, 2 ], "a": "c d"}})");
  EXPECT_EQ(apps_v1::ControllerRevisionView(revision).data(), R"({"b": [ 1, 2 ], "a": "c d"})");
  RewriteEmbedded(revision, Doc());
  EXPECT_EQ(apps_v1::ControllerRevisionView(revision).data(), R"({"a":"c d","b":[1,2]})");
}

TEST(RewriteEmbeddedTest, WhatHasNotChangedStays) {
  Doc revision = DocFromJson<apps_v1::ControllerRevisionView>(R"({"data": {"a": 1}})");
  RewriteEmbedded(revision, revision.Clone());
  EXPECT_EQ(apps_v1::ControllerRevisionView(revision).data(), R"({"a": 1})");
}

TEST(RewriteEmbeddedTest, TheyAreFoundWhereverTheyAre) {
  Doc claim = DocFromJson<resource_v1::ResourceClaimView>(
      R"({"spec": {"devices": {"config": [{"opaque": {"driver": "d", "parameters": {"a": 1}}}]}}})");
  RewriteEmbedded(claim, Doc());
  EXPECT_EQ(resource_v1::ResourceClaimView(claim)
                .spec()
                .devices()
                .config()[0]
                .device_configuration()
                .opaque()
                .parameters(),
            R"({"a":1})");
}

}  // namespace
}  // namespace keelson::api
