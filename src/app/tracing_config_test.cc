#include "app/tracing_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace keelson::app {
namespace {

using ::testing::HasSubstr;

std::string TracingFile(const std::string& members, const std::string& version = "v1") {
  return "apiVersion: apiserver.config.k8s.io/" + version + "\nkind: TracingConfiguration\n" + members;
}
std::string TracingError(const std::string& text) {
  const auto parsed = ParseTracingConfig(text);
  return parsed ? "no error" : parsed.error();
}

TEST(TracingConfigTest, AnEmptyConfigurationAsksTheUsualCollectorAndFollowsItsClients) {
  for (const char* version : {"v1", "v1beta1", "v1alpha1"}) {
    const auto config = ParseTracingConfig(TracingFile("", version));
    ASSERT_TRUE(config) << config.error();
    EXPECT_EQ(config->collector.Show(), "localhost:4317");
    EXPECT_EQ(config->sampling_rate_per_million, 0);
  }
}

TEST(TracingConfigTest, EndpointsAreReadAsGrpcReadsThem) {
  const auto shown = [](const std::string& endpoint) {
    const auto config = ParseTracingConfig(TracingFile("endpoint: \"" + endpoint + "\"\n"));
    return config ? config->collector.Show() : config.error();
  };
  EXPECT_EQ(shown("collector:4000"), "collector:4000");
  EXPECT_EQ(shown("dns:///collector:4000"), "collector:4000");
  EXPECT_EQ(shown("collector"), "collector:443");
  EXPECT_EQ(shown("[::1]:4317"), "::1:4317");
  EXPECT_EQ(shown("unix:///run/otel.sock"), "/run/otel.sock");
  EXPECT_EQ(shown("unix-abstract:///otel"), "@/otel");
}

TEST(TracingConfigTest, WhatIsWrongIsToldInUpstreamsWords) {
  EXPECT_EQ(TracingError(TracingFile("samplingRatePerMillion: -1\n")),
            "failed to validate tracing configuration: samplingRatePerMillion: Invalid value: -1: sampling "
            "rate must be positive");
  EXPECT_EQ(TracingError(TracingFile("samplingRatePerMillion: 1000001\nendpoint: http://localhost:4317\n")),
            "failed to validate tracing configuration: [samplingRatePerMillion: Invalid value: 1000001: "
            "sampling rate per million must be less than or equal to one million, endpoint: Invalid value: "
            "\"http://localhost:4317\": unsupported scheme: http.  Options are none, dns, unix, or "
            "unix-abstract.  See https://github.com/grpc/grpc/blob/master/doc/naming.md]");
  EXPECT_THAT(TracingError(TracingFile("endpoint: \"localhost:4317a\"\n")),
              HasSubstr("endpoint: Invalid value: \"dns://localhost:4317a\": parse"));
}

TEST(TracingConfigTest, TheFileIsReadStrictly) {
  EXPECT_EQ(TracingError(TracingFile("sampling: 1\n")),
            "failed to read tracing config: unable to decode tracing configuration data: strict decoding "
            "error: unknown field \"sampling\"");
  EXPECT_THAT(TracingError(TracingFile("", "v2")),
              HasSubstr("no kind \"TracingConfiguration\" is registered for version "
                        "\"apiserver.config.k8s.io/v2\""));
  EXPECT_THAT(TracingError("{}"), HasSubstr("Object 'Kind' is missing in '{}'"));
  EXPECT_THAT(TracingError(TracingFile("samplingRatePerMillion: 1.5\n")),
              HasSubstr("samplingRatePerMillion"));
  EXPECT_THAT(TracingError(TracingFile("samplingRatePerMillion: many\n")),
              HasSubstr("samplingRatePerMillion: a number is expected"));
}

}  // namespace
}  // namespace keelson::app
