// Negotiation, options and the query: what a request's text means.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "endpoints/negotiation.h"
#include "endpoints/options.h"
#include "endpoints/query.h"

namespace keelson::endpoints {
namespace {

using testing::HasSubstr;

net::http::Headers Accept(std::string_view value) {
  net::http::Headers headers;
  headers.Add("accept", value);
  return headers;
}

const api::ResourceDesc& ConfigMaps() {
  for (const api::ResourceDesc& desc : api::BuiltinResources())
    if (desc.plural == "configmaps") return desc;
  throw std::logic_error("no configmaps");
}

TEST(QueryTest, DecodesPairs) {
  Query query("a=1&b=x%2Fy+z&c&a=2&d=%zz");
  EXPECT_EQ(query.Get("a"), "1");
  EXPECT_EQ(query.Get("b"), "x/y z");
  EXPECT_EQ(query.Get("c"), "");
  EXPECT_EQ(query.Get("d"), "%zz");
  EXPECT_EQ(query.Get("e"), std::nullopt);
  EXPECT_EQ(query.All("a"), (std::vector<std::string>{"1", "2"}));
}

TEST(QueryTest, BooleansAndNumbersAsUpstreamReadsThem) {
  Query query("a&b=0&c=FALSE&d=no&e=12&f=1x&g=99999999999999999999&h=-3");
  EXPECT_EQ(query.Bool("a"), true);
  EXPECT_EQ(query.Bool("b"), false);
  EXPECT_EQ(query.Bool("c"), false);
  EXPECT_EQ(query.Bool("d"), true);
  EXPECT_EQ(query.Bool("z"), std::nullopt);
  EXPECT_EQ(*query.Int("e"), 12);
  EXPECT_EQ(*query.Int("h"), -3);
  EXPECT_EQ(*query.Int("z"), std::nullopt);
  EXPECT_EQ(query.Int("f").error(), "strconv.ParseInt: parsing \"1x\": invalid syntax");
  EXPECT_EQ(query.Int("g").error(), "strconv.ParseInt: parsing \"99999999999999999999\": value out of range");
}

TEST(NegotiationTest, TakesWhatTheClientPrefers) {
  auto media = [](std::string_view accept) {
    return NegotiateOutput(Accept(accept), Query(), AnswerKind::kObject)->media;
  };
  EXPECT_EQ(NegotiateOutput({}, Query(), AnswerKind::kObject)->media, Media::kJson);
  EXPECT_EQ(media("*/*"), Media::kJson);
  EXPECT_EQ(media("application/yaml;q=0.5,application/json;q=0.9"), Media::kJson);
  EXPECT_EQ(media("application/json;q=0.5, application/vnd.kubernetes.protobuf"), Media::kProtobuf);
  EXPECT_EQ(media("*/*, application/yaml"), Media::kYaml);
  EXPECT_EQ(media("application/json;as=Foo;g=meta.k8s.io;v=v1, application/yaml"), Media::kYaml);
  EXPECT_EQ(media("application/vnd.kubernetes.protobuf;as=Table;g=meta.k8s.io;v=v1, application/json"),
            Media::kJson);
  EXPECT_EQ(NegotiateOutput(Accept("text/html"), Query(), AnswerKind::kObject).error().code, 406);
}

TEST(NegotiationTest, TransformationsAreRecognised) {
  auto format = NegotiateOutput(Accept("application/json;as=Table;v=v1beta1;g=meta.k8s.io"), Query(),
                                AnswerKind::kList);
  EXPECT_EQ(format->target, Target::kTable);
  EXPECT_EQ(format->target_version, "v1beta1");
  // An error is told plainly even to those who want tables.
  EXPECT_EQ(
      NegotiateStatus(Accept("application/json;as=Table;v=v1;g=meta.k8s.io,application/yaml"), Query()).media,
      Media::kYaml);
}

TEST(NegotiationTest, CborIsThereOnlyWhereItIsOffered) {
  const MediaOffer offer{.cbor = true};
  const auto accepted = [&](std::string_view accept, MediaOffer o) {
    auto format = NegotiateOutput(Accept(accept), Query(), AnswerKind::kList, o);
    return format ? std::string(ContentType(format->media)) : format.error().message;
  };
  EXPECT_EQ(accepted("application/cbor", offer), "application/cbor");
  EXPECT_EQ(accepted("application/cbor;as=PartialObjectMetadata;g=meta.k8s.io;v=v1", offer),
            "application/cbor");
  EXPECT_EQ(accepted("application/cbor, application/json;q=0.9", {}), "application/json");
  EXPECT_EQ(accepted("application/cbor", {}),
            "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, "
            "application/vnd.kubernetes.protobuf, application/json;stream=watch, "
            "application/vnd.kubernetes.protobuf;stream=watch");
  const std::string only =
      "only the following media types are accepted: application/json, application/yaml, "
      "application/vnd.kubernetes.protobuf, application/cbor";
  EXPECT_EQ(accepted("application/cbor;as=Table;g=meta.k8s.io;v=v1", offer), only);
  EXPECT_EQ(accepted("application/cbor-seq", offer), only);
  EXPECT_EQ(WatchContentType(Media::kCbor), "application/cbor-seq");
}

TEST(NegotiationTest, WhatMakesNoTablesAcceptsNone) {
  const auto format = NegotiateOutput(Accept("application/json;as=Table;v=v1;g=meta.k8s.io"), Query(),
                                      AnswerKind::kObject, {.tables = false});
  EXPECT_EQ(format.error().code, 406);
  const auto either = NegotiateOutput(Accept("application/json;as=Table;v=v1;g=meta.k8s.io,application/json"),
                                      Query(), AnswerKind::kObject, {.tables = false});
  EXPECT_EQ(either->target, Target::kNone);
}

TEST(NegotiationTest, PrettyForPeople) {
  net::http::Headers curl;
  curl.Add("user-agent", "curl/7.88");
  EXPECT_TRUE(IsPretty(curl, Query()));
  EXPECT_FALSE(IsPretty(curl, Query("pretty=false")));
  EXPECT_TRUE(IsPretty({}, Query("pretty=1")));
  EXPECT_FALSE(IsPretty({}, Query()));
}

TEST(NegotiationTest, BodiesByTheirType) {
  auto input = [](std::string_view type) {
    net::http::Headers headers;
    if (!type.empty()) headers.Add("content-type", type);
    return NegotiateInput(headers, {});
  };
  EXPECT_EQ(*input(""), Media::kJson);
  EXPECT_EQ(*input("application/JSON; charset=utf-8"), Media::kJson);
  EXPECT_EQ(*input("application/yaml"), Media::kYaml);
  EXPECT_EQ(*input("application/vnd.kubernetes.protobuf"), Media::kProtobuf);
  EXPECT_EQ(
      input("text/plain").error().message,
      "the body of the request was in an unknown format - accepted media types include: application/json, "
      "application/yaml, application/vnd.kubernetes.protobuf");
}

TEST(OptionsTest, ListOptionsThatContradictThemselves) {
  auto message = [](std::string_view query, bool watch = false) {
    auto parsed = ParseListParameters(Query(query), watch, "", ConfigMaps());
    return parsed ? std::string("accepted") : parsed.error().message;
  };
  EXPECT_EQ(message("resourceVersionMatch=Exact&resourceVersion=5"), "accepted");
  EXPECT_THAT(message("resourceVersionMatch=Exact"),
              HasSubstr("resourceVersionMatch is forbidden unless resourceVersion is provided"));
  EXPECT_THAT(message("resourceVersionMatch=Exact&resourceVersion=0"),
              HasSubstr("is forbidden for resourceVersion \"0\""));
  EXPECT_THAT(message("resourceVersionMatch=Foo&resourceVersion=1"),
              HasSubstr("Unsupported value: \"Foo\": supported values: \"Exact\", \"NotOlderThan\", \"\""));
  EXPECT_THAT(message("resourceVersionMatch=Exact&resourceVersion=1&continue=x"),
              HasSubstr("forbidden when continue is provided"));
  EXPECT_THAT(message("sendInitialEvents=true"), HasSubstr("sendInitialEvents is forbidden for list"));
  EXPECT_EQ(message("limit=abc"), "strconv.ParseInt: parsing \"abc\": invalid syntax");
  EXPECT_EQ(message("fieldSelector=foo"), "invalid selector: 'foo'; can't understand 'foo'");
  EXPECT_EQ(message("fieldSelector=foo%3Dbar"),
            "\"foo\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"");
}

TEST(OptionsTest, ANameInThePathIsAFieldSelector) {
  auto one = ParseListParameters(Query(), true, "x", ConfigMaps());
  EXPECT_EQ(one->selection.exact_name(), "x");
  auto other = ParseListParameters(Query("fieldSelector=metadata.name%3Dy"), true, "x", ConfigMaps());
  EXPECT_EQ(other.error().message, "fieldSelector metadata.name doesn't match requested name");
}

TEST(OptionsTest, EveryMistakeOfWriteOptionsIsTold) {
  auto parsed =
      ParseWriteParameters(Query("fieldValidation=Bad&dryRun=x&fieldManager=a%00b"), "CreateOptions");
  EXPECT_EQ(parsed.error().message,
            "CreateOptions.meta.k8s.io \"\" is invalid: [fieldManager: Invalid value: \"a\\x00b\": invalid "
            "character "
            "U+0000 (at position 1), dryRun: Unsupported value: [\"x\"]: supported values: \"All\", "
            "fieldValidation: "
            "Unsupported value: \"Bad\": supported values: \"\", \"Ignore\", \"Strict\", \"Warn\"]");
  EXPECT_THAT(ParseWriteParameters(Query("force=true"), "PatchOptions").error().message,
              HasSubstr("force: Forbidden: may not be specified for non-apply patch"));
  EXPECT_TRUE(ParseWriteParameters(Query("dryRun=All"), "UpdateOptions")->dry_run);
}

TEST(OptionsTest, DeleteOptionsFromQueryOrBody) {
  auto query = ParseDeleteOptions(Query("gracePeriodSeconds=5&orphanDependents=false"), {}, Media::kJson);
  EXPECT_EQ(query->grace_period_seconds, 5);
  EXPECT_EQ(query->orphan_dependents, false);
  auto body = ParseDeleteOptions(
      Query("gracePeriodSeconds=5"),
      base::Slice::Copy(R"({"gracePeriodSeconds":0,"preconditions":{"uid":"u"},"dryRun":["All"]})"),
      Media::kJson);
  EXPECT_EQ(body->grace_period_seconds, 0);
  EXPECT_EQ(body->uid, "u");
  EXPECT_TRUE(body->dry_run);
  EXPECT_THAT(
      ParseDeleteOptions(Query("propagationPolicy=Foo&orphanDependents=true"), {}, Media::kJson)
          .error()
          .message,
      HasSubstr(
          "[propagationPolicy: Invalid value: \"Foo\": orphanDependents and deletionPropagation cannot be "
          "both set, propagationPolicy: Unsupported value: \"Foo\": supported values: \"Foreground\", "
          "\"Background\", \"Orphan\", \"nil\"]"));
}

}  // namespace
}  // namespace keelson::endpoints
