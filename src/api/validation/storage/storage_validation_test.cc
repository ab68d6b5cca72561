// Rules of storage.k8s.io, node.k8s.io, scheduling.k8s.io and flowcontrol.apiserver.k8s.io.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/validation/flowcontrol/bootstrap.h"
#include "api/validation/flowcontrol/flow_schema.h"
#include "api/validation/flowcontrol/priority_level.h"
#include "api/validation/node/runtime_class.h"
#include "api/validation/scheduling/priority_class.h"
#include "api/validation/storage/csi.h"
#include "api/validation/storage/storage_class.h"
#include "api/validation/storage/volume_attachment.h"
#include "api/validation/testing/json_doc.h"

namespace keelson::api {
namespace {

using namespace storage_v1;
using ::testing::ElementsAre;
using testing::Errors;
using ::testing::IsEmpty;
using testing::Texts;
using testing::UpdateErrors;

TEST(StorageClassTest, TopologiesMustDiffer) {
  EXPECT_THAT(
      Errors<StorageClassView>(storage_api::ValidateStorageClass,
                               R"({"provisioner":"a/b","volumeBindingMode":"Immediate","allowedTopologies":[
                      {"matchLabelExpressions":[{"key":"z","values":["a","b"]}]},
                      {"matchLabelExpressions":[{"key":"z","values":["b","a"]}]}]})"),
      ElementsAre("allowedTopologies[1].matchLabelExpressions: Duplicate value: \"\""));
}

TEST(StorageClassTest, WhatVolumesWereMadeWithStays) {
  EXPECT_THAT(UpdateErrors<StorageClassView>(
                  storage_api::ValidateStorageClassUpdate,
                  R"({"provisioner":"a","volumeBindingMode":"Immediate","parameters":{"a":"b"}})",
                  R"({"provisioner":"b","volumeBindingMode":"Immediate","parameters":{"a":"c"}})"),
              ElementsAre("parameters: Invalid value: {\"a\":\"c\"}: field is immutable",
                          "provisioner: Invalid value: \"b\": field is immutable"));
}

TEST(VolumeAttachmentTest, TheSpecNeverChanges) {
  EXPECT_THAT(UpdateErrors<VolumeAttachmentView>(
                  storage_api::ValidateVolumeAttachmentUpdate,
                  R"({"spec":{"attacher":"a","nodeName":"n","source":{"persistentVolumeName":"v"}}})",
                  R"({"spec":{"attacher":"a","nodeName":"m","source":{"persistentVolumeName":"v"}}})"),
              ElementsAre(R"(spec: Invalid value: {"Attacher":"a","Source":{"PersistentVolumeName":"v",)"
                          R"("InlineVolumeSpec":null},"NodeName":"m"}: field is immutable)"));
}

TEST(CsiNodeTest, OnlyTheVolumeLimitOfADriverMayChange) {
  constexpr std::string_view kOne =
      R"({"spec":{"drivers":[{"name":"d","nodeID":"n","topologyKeys":["k"],"allocatable":{"count":1}}]}})";
  EXPECT_THAT(
      UpdateErrors<CSINodeView>(
          storage_api::ValidateCsiNodeUpdate, kOne,
          R"({"spec":{"drivers":[{"name":"d","nodeID":"n","topologyKeys":["k"],"allocatable":{"count":2}}]}})"),
      IsEmpty());
  EXPECT_THAT(
      UpdateErrors<CSINodeView>(storage_api::ValidateCsiNodeUpdate, kOne,
                                R"({"spec":{"drivers":[{"name":"d","nodeID":"m","topologyKeys":["k"]}]}})"),
      ElementsAre(R"(spec.drivers: Invalid value: {"Name":"d","NodeID":"m","TopologyKeys":["k"],)"
                  R"("Allocatable":null}: field is immutable)"));
}

TEST(RuntimeClassTest, TheHandlerStays) {
  EXPECT_THAT(UpdateErrors<node_v1::RuntimeClassView>(node::ValidateRuntimeClassUpdate, R"({"handler":"a"})",
                                                      R"({"handler":"b"})"),
              ElementsAre("handler: Invalid value: \"b\": field is immutable"));
}

TEST(PriorityClassTest, NamesOfTheSystemAreReserved) {
  using scheduling_v1::PriorityClassView;
  EXPECT_THAT(
      Errors<PriorityClassView>(scheduling::ValidatePriorityClass,
                                R"({"metadata":{"name":"system-x"},"value":1})"),
      ElementsAre("metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for "
                  "system use only. error: system-x is not a known system priority class"));
  EXPECT_THAT(
      Errors<PriorityClassView>(scheduling::ValidatePriorityClass,
                                R"({"metadata":{"name":"x"},"value":1000000001})"),
      ElementsAre("value: Forbidden: maximum allowed value of a user defined priority is 1000000000"));
}

TEST(FlowControlTest, WhatTheServerComesWithIsValid) {
  for (const auto& own : flowcontrol::BootstrapFlowSchemas())
    EXPECT_THAT(Texts(flowcontrol::ValidateFlowSchema(flowcontrol_v1::FlowSchemaView(own.doc))), IsEmpty())
        << own.name;
  for (const auto& own : flowcontrol::BootstrapPriorityLevels())
    EXPECT_THAT(
        Texts(flowcontrol::ValidatePriorityLevel(flowcontrol_v1::PriorityLevelConfigurationView(own.doc))),
        IsEmpty())
        << own.name;
}

TEST(FlowControlTest, MandatorySchemasStayAsTheyAre) {
  const auto errors = Errors<flowcontrol_v1::FlowSchemaView>(
      flowcontrol::ValidateFlowSchema,
      R"({"metadata":{"name":"catch-all"},"spec":{"matchingPrecedence":5,"priorityLevelConfiguration":{"name":"x"}}})");
  EXPECT_THAT(
      errors,
      ElementsAre(
          R"(spec: Invalid value: {"PriorityLevelConfiguration":{"Name":"x"},"MatchingPrecedence":5,)"
          R"("DistinguisherMethod":null,"Rules":null}: spec of 'catch-all' must equal the fixed value)"));
}

TEST(FlowControlTest, HandsMustBeDealtFromOneHash) {
  EXPECT_THAT(
      Errors<flowcontrol_v1::PriorityLevelConfigurationView>(
          flowcontrol::ValidatePriorityLevel,
          R"({"metadata":{"name":"a"},"spec":{"type":"Limited","limited":{"limitResponse":{"type":"Queue",
                      "queuing":{"queues":512,"handSize":8,"queueLengthLimit":1}}}}})"),
      ElementsAre("spec.limited.limitResponse.queuing.handSize: Invalid value: 8: required entropy bits of "
                  "deckSize 512 and handSize 8 should not be greater than 60"));
}

}  // namespace
}  // namespace keelson::api
