// Expected errors are what kube-apiserver v1.36 answers to the same objects.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/validation/batch/cron_job.h"
#include "api/validation/batch/indexes.h"
#include "api/validation/batch/job.h"
#include "api/validation/batch/schedule.h"
#include "api/validation/testing/json_doc.h"

namespace keelson::api::batch {
namespace {

using namespace batch_v1;
using testing::DocFromJson;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::Texts;

TEST(ScheduleTest, WhatCronUnderstandsIsFine) {
  for (std::string_view schedule :
       {"* * * * *", "*/5 0-23/2 1,15 JAN-mar ?", "0 0 1 1 sun", "5/10 * * * 0-6", "@daily", "@every 1h30m",
        "\t1 2  3 4 5 ", ", * * * *", "+5 * * * *", "TZ=UTC 0 0 * * *", "CRON_TZ=Europe/Berlin @hourly"})
    EXPECT_EQ(ScheduleError(schedule), std::nullopt) << schedule;
}

TEST(ScheduleTest, MistakesAreToldAsItsParserTellsThem) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"* * * *", "expected exactly 5 fields, found 4: [* * * *]"},
      {"60 * * * *", "end of range (60) above maximum (59): 60"},
      {"* * 0 * *", "beginning of range (0) below minimum (1): 0"},
      {"5-1 * * * *", "beginning of range (5) beyond end of range (1): 5-1"},
      {"*/0 * * * *", "step of range should be a positive number: */0"},
      {"1-2-3 * * * *", "too many hyphens: 1-2-3"},
      {"1/2/3 * * * *", "too many slashes: 1/2/3"},
      {"x * * * *", "failed to parse int from x: strconv.Atoi: parsing \"x\": invalid syntax"},
      {"99999999999999999999 * * * *",
       "failed to parse int from 99999999999999999999: strconv.Atoi: parsing \"99999999999999999999\": value "
       "out "
       "of range"},
      {"@never", "unrecognized descriptor: @never"},
      {"@every x", "failed to parse duration @every x: time: invalid duration \"x\""},
      {"TZ=0", "invalid schedule format: runtime error: slice bounds out of range [:-1]"},
      {"TZ=Nowhere * * * * *", "provided bad location Nowhere: unknown time zone Nowhere"},
  };
  for (const auto& [schedule, error] : cases) EXPECT_EQ(ScheduleError(schedule), error) << schedule;
}

TEST(IndexesTest, CountsAndFindsMistakes) {
  EXPECT_EQ(*CountIndexes("", 5), 0);
  EXPECT_EQ(*CountIndexes("0,2-4", 5), 4);
  EXPECT_EQ(CountIndexes("5", 5).error(), "too large index: \"5\"");
  EXPECT_EQ(CountIndexes("2,1", 5).error(), "non-increasing order, previous: 2, current: 1");
  EXPECT_EQ(CountIndexes("1-1", 5).error(), "non-increasing order, previous: 1, current: 1");
  EXPECT_EQ(CountIndexes("a", 5).error(), "cannot convert string to integer for index: \"a\"");
  EXPECT_EQ(FirstCommonIndex("0,2-4", "1,3", 5), 3);
  EXPECT_EQ(FirstCommonIndex("0,2", "1,x,3", 5), std::nullopt);
}

// With what defaulting and the strategy would have filled in.
std::string Job(std::string_view spec, std::string_view status = "{}") {
  return R"({"metadata":{"name":"j","namespace":"n","uid":"u"},"spec":{"manualSelector":true,
      "selector":{"matchLabels":{"a":"b"}},"parallelism":1,
      "template":{"metadata":{"labels":{"a":"b"}},"spec":{"terminationGracePeriodSeconds":30,"restartPolicy":"Never",
      "dnsPolicy":"ClusterFirst",
      "containers":[{"name":"c","image":"i","imagePullPolicy":"Always","terminationMessagePolicy":"File"}]}})" +
         std::string(spec) + R"(},"status":)" + std::string(status) + "}";
}

std::vector<std::string> JobErrors(std::string_view spec) {
  const Doc doc = DocFromJson<JobView>(Job(spec));
  return Texts(ValidateJob(JobView(doc)));
}

TEST(JobValidationTest, AnIndexedJobNeedsCompletionsAndNamesThatFit) {
  EXPECT_THAT(JobErrors(R"(,"completionMode":"Indexed","completions":3)"), IsEmpty());
  EXPECT_THAT(JobErrors(R"(,"completionMode":"Indexed")"),
              ElementsAre("spec.completions: Required value: when completion mode is Indexed"));
  EXPECT_THAT(JobErrors(R"(,"completionMode":"NonIndexed","backoffLimitPerIndex":1)"),
              ElementsAre("spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode"));
}

TEST(JobValidationTest, AFailurePolicyIsCheckedRuleByRule) {
  EXPECT_THAT(
      JobErrors(
          R"(,"podFailurePolicy":{"rules":[{"action":"Ignore"},
              {"action":"FailIndex","onExitCodes":{"operator":"In","values":[0,2,1],"containerName":"x"}}]})"),
      ElementsAre(
          "spec.podFailurePolicy.rules[0]: Invalid value: specifying one of OnExitCodes and "
          "OnPodConditions is required",
          "spec.podFailurePolicy.rules[1].action: Invalid value: \"FailIndex\": requires the "
          "backoffLimitPerIndex to be set",
          "spec.podFailurePolicy.rules[1].onExitCodes.containerName: Invalid value: \"x\": must be one "
          "of the container or initContainer names in the pod template",
          "spec.podFailurePolicy.rules[1].onExitCodes.values[0]: Invalid value: 0: must not be 0 for the "
          "In operator",
          "spec.podFailurePolicy.rules[1].onExitCodes.values: Invalid value: [0,2,1]: must be ordered"));
}

TEST(JobValidationTest, ASuccessPolicyNeedsIndexes) {
  EXPECT_THAT(
      JobErrors(R"(,"successPolicy":{"rules":[{"succeededIndexes":"0"}]})"),
      ElementsAre("spec.successPolicy: Invalid value: "
                  "{\"Rules\":[{\"SucceededIndexes\":\"0\",\"SucceededCount\":null}]}: requires indexed "
                  "completion mode"));
  EXPECT_THAT(
      JobErrors(R"(,"completionMode":"Indexed","completions":3,
                          "successPolicy":{"rules":[{"succeededIndexes":"0-1","succeededCount":3}]})"),
      ElementsAre("spec.successPolicy.rules[0].succeededCount: Invalid value: 3: must be less than or "
                  "equal to 2 (the number of indexes in the specified succeededIndexes field)"));
}

TEST(JobValidationTest, ManagedByIsAPrefixedPath) {
  EXPECT_THAT(JobErrors(R"(,"managedBy":"acme.io/foo")"), IsEmpty());
  EXPECT_THAT(JobErrors(R"(,"managedBy":"acme")"),
              ElementsAre("spec.managedBy: Invalid value: \"acme\": must be a domain-prefixed path (such as "
                          "\"acme.io/foo\")"));
}

std::vector<std::string> UpdateErrors(const std::string& now_json, const std::string& was_json) {
  const Doc now = DocFromJson<JobView>(now_json), was = DocFromJson<JobView>(was_json);
  return Texts(ValidateJobUpdate(JobView(now), JobView(was)));
}

TEST(JobValidationTest, CompletionsFollowParallelismOrStay) {
  EXPECT_THAT(UpdateErrors(Job(R"(,"completions":2)"), Job(R"(,"completions":1)")),
              ElementsAre("spec.completions: Invalid value: 2: field is immutable"));
  EXPECT_THAT(UpdateErrors(Job(R"(,"completionMode":"Indexed","completions":2)"),
                           Job(R"(,"completionMode":"Indexed","completions":1)")),
              ElementsAre("spec.completions: Invalid value: 2: can only be modified in tandem with "
                          "spec.parallelism"));
}

std::vector<std::string> StatusErrors(std::string_view now_status, std::string_view was_status = "{}") {
  const Doc now = DocFromJson<JobView>(Job("", now_status)), was = DocFromJson<JobView>(Job("", was_status));
  return Texts(ValidateJobStatusUpdate(JobView(now), JobView(was)));
}

TEST(JobStatusValidationTest, AJobEndsInTwoSteps) {
  EXPECT_THAT(StatusErrors(
                  R"({"startTime":"2020-01-01T00:00:00Z","conditions":[{"type":"Failed","status":"True"}]})"),
              ElementsAre("status.conditions: Invalid value: cannot set Failed=True condition without the "
                          "FailureTarget=true condition"));
  EXPECT_THAT(
      StatusErrors(R"({"conditions":[{"type":"Complete","status":"True"},
                                             {"type":"SuccessCriteriaMet","status":"True"}]})"),
      ElementsAre("status.completionTime: Required value: completionTime is required for Complete jobs",
                  "status.startTime: Required value: startTime is required for finished job"));
}

TEST(JobStatusValidationTest, WhatWasReportedIsNotTakenBack) {
  EXPECT_THAT(StatusErrors(R"({"failed":1})",
                           R"({"failed":2,"conditions":[{"type":"FailureTarget","status":"True"}]})"),
              ElementsAre("status.conditions: Invalid value: cannot disable the terminal FailureTarget=True "
                          "condition",
                          "status.failed: Invalid value: 1: cannot decrease the failed counter"));
}

TEST(CronJobValidationTest, ScheduleAndTimeZone) {
  auto errors = [](std::string_view spec) {
    const std::string job = Job("");
    const size_t start = job.find(R"("template")"), end = job.rfind(R"(},"status")");
    const std::string json =
        R"({"metadata":{"name":"c"},"spec":{"concurrencyPolicy":"Allow","jobTemplate":{"spec":{)" +
        job.substr(start, end - start) + "}}," + std::string(spec) + "}}";
    const Doc doc = DocFromJson<CronJobView>(json);
    return Texts(ValidateCronJob(CronJobView(doc)));
  };
  EXPECT_THAT(errors(R"("schedule":"* * * * *","timeZone":"Europe/Berlin")"), IsEmpty());
  EXPECT_THAT(errors(R"("schedule":"","timeZone":"")"),
              ElementsAre("spec.schedule: Required value",
                          "spec.timeZone: Invalid value: \"\": timeZone must be nil or non-empty string"));
  EXPECT_THAT(errors(R"("schedule":"TZ=UTC * * * * *","timeZone":"Moon/Base")"),
              ElementsAre("spec.schedule: Invalid value: \"TZ=UTC * * * * *\": cannot use TZ or CRON_TZ in "
                          "schedule, use timeZone field instead",
                          "spec.timeZone: Invalid value: \"Moon/Base\": unknown time zone Moon/Base"));
  EXPECT_THAT(
      errors(R"("schedule":"* * * * *","timeZone":"Local")"),
      ElementsAre("spec.timeZone: Invalid value: \"Local\": timeZone must be an explicit time zone as "
                  "defined in https://www.iana.org/time-zones"));
}

}  // namespace
}  // namespace keelson::api::batch
