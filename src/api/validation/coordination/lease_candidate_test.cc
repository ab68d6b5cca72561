#include "api/validation/coordination/lease_candidate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/validation/semantic_version.h"
#include "api/validation/testing/json_doc.h"

namespace keelson::api::coordination {
namespace {

using coordination_v1beta1::LeaseCandidateView;
using testing::DocFromJson;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::Texts;

TEST(LeaseCandidateTest, ABinaryIsNotOlderThanWhatItEmulates) {
  const Doc doc = DocFromJson<LeaseCandidateView>(
      R"({"spec":{"leaseName":"l","binaryVersion":"1.9.0","emulationVersion":"1.10.0",
          "strategy":"OldestEmulationVersion"}})");
  const LeaseCandidateView candidate(doc);
  EXPECT_THAT(Texts(ValidateLeaseCandidate(candidate, LeaseCandidateView())),
              ElementsAre("spec.binaryVersion: Invalid value: \"1.9.0\": must be greater than or equal to "
                          "`emulationVersion`"));
  const Doc other = DocFromJson<LeaseCandidateView>(
      R"({"spec":{"leaseName":"m","binaryVersion":"1.10.0","strategy":"example.com/own"}})");
  EXPECT_THAT(Texts(ValidateLeaseCandidate(LeaseCandidateView(other), LeaseCandidateView())), IsEmpty());
  EXPECT_THAT(Texts(ValidateLeaseCandidate(LeaseCandidateView(other), candidate)),
              ElementsAre("spec.leaseName: Invalid value: \"m\": field is immutable"));
}

TEST(SemanticVersionTest, PrereleasesComeBeforeTheirRelease) {
  const std::string_view ordered[] = {"0.9.9",       "1.0.0-1",       "1.0.0-2",    "1.0.0-11",
                                      "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-beta", "1.0.0",
                                      "1.0.10",      "1.2.0",         "10.0.0"};
  for (size_t i = 1; i < std::size(ordered); ++i)
    EXPECT_LT(*ParseSemanticVersion(ordered[i - 1]), *ParseSemanticVersion(ordered[i])) << ordered[i];
  EXPECT_EQ(*ParseSemanticVersion("1.0.0+a"), *ParseSemanticVersion("1.0.0+b"));
  for (const std::string_view none : {"", "1", "1.2", "01.2.3", "1.2.3-", "1.2.3-01", "1.2.3+", "v1.2.3"})
    EXPECT_FALSE(ParseSemanticVersion(none)) << none;
}

}  // namespace
}  // namespace keelson::api::coordination
