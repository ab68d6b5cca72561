#include "api/meta/status.h"

#include <gtest/gtest.h>

#include "api/codec/protobuf.h"

namespace keelson::api {
namespace {

constexpr GroupResource kPods{"", "pods"};
constexpr GroupResource kDeployments{"apps", "deployments"};

TEST(StatusTest, MakersHaveUpstreamsCodesReasonsAndMessages) {
  field::ErrorList one;
  one.Add(field::Required(field::Path("spec"), ""));
  struct Case {
    const char* name;
    Status status;
    int32_t code;
    std::string_view reason, message;
  };
  const Case cases[] = {
      {"not found", NotFound(kPods, "a"), 404, "NotFound", R"(pods "a" not found)"},
      {"not found in a group", NotFound(kDeployments, "a"), 404, "NotFound",
       R"(deployments.apps "a" not found)"},
      {"already exists", AlreadyExists(kPods, "a"), 409, "AlreadyExists", R"(pods "a" already exists)"},
      {"conflict", Conflict(kPods, "a", "stale"), 409, "Conflict",
       R"(Operation cannot be fulfilled on pods "a": stale)"},
      {"generate name conflict", GenerateNameConflict(kPods, "a", 1), 409, "AlreadyExists",
       R"(pods "a" already exists, the server was not able to generate a unique name for the object)"},
      {"unauthorized", Unauthorized(""), 401, "Unauthorized", "not authorized"},
      {"forbidden", Forbidden(kPods, "a", "no"), 403, "Forbidden", R"(pods "a" is forbidden: no)"},
      {"forbidden without a name", Forbidden(kPods, "", "no"), 403, "Forbidden", "pods is forbidden: no"},
      {"forbidden without a resource", Forbidden({}, "", "no"), 403, "Forbidden", "forbidden: no"},
      {"invalid", Invalid({"", "Pod"}, "a", one), 422, "Invalid",
       R"(Pod "a" is invalid: spec: Required value)"},
      {"bad request", BadRequest("why"), 400, "BadRequest", "why"},
      {"method", MethodNotSupported(kPods, "create"), 405, "MethodNotAllowed",
       R"(create is not supported on resources of kind "pods")"},
      {"server timeout", ServerTimeout(kPods, "list", 2), 500, "ServerTimeout",
       "The list operation against pods could not be completed at this time, please try again."},
      {"too many requests", TooManyRequests("busy", 1), 429, "TooManyRequests", "busy"},
      {"expired", Expired("too old"), 410, "Expired", "too old"},
      {"too large", RequestEntityTooLarge("limit is 3145728"), 413, "RequestEntityTooLarge",
       "Request entity too large: limit is 3145728"},
      {"internal", InternalError("oops"), 500, "InternalError", "Internal error occurred: oops"},
      {"timeout", Timeout("slow", 1), 504, "Timeout", "Timeout: slow"},
      {"generic 404", GenericServerResponse(404, "GET", {}, "", ""), 404, "NotFound",
       "the server could not find the requested resource"},
      {"generic with a resource", GenericServerResponse(405, "POST", kPods, "a", ""), 405, "MethodNotAllowed",
       "the server does not allow this method on the requested resource (post pods a)"},
      {"generic 5xx", GenericServerResponse(502, "GET", {}, "", "gone"), 502, "InternalError",
       R"(an error on the server ("gone") has prevented the request from succeeding)"},
      {"generic other", GenericServerResponse(418, "GET", {}, "", ""), 418, "",
       "the server responded with the status code 418 but did not return more information"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(c.status.code, c.code) << c.name;
    EXPECT_EQ(c.status.reason, c.reason) << c.name;
    EXPECT_EQ(c.status.message, c.message) << c.name;
    EXPECT_EQ(c.status.status, "Failure") << c.name;
  }
}

TEST(StatusTest, JsonLeavesOutWhatIsEmpty) {
  EXPECT_EQ(
      NotFound(kPods, "a").ToJson(),
      R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"pods \"a\" not found",)"
      R"("reason":"NotFound","details":{"name":"a","kind":"pods"},"code":404})"
      "\n");
  EXPECT_EQ(
      BadRequest("").ToJson(),
      R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","reason":"BadRequest","code":400})"
      "\n");
  EXPECT_EQ(TooManyRequests("busy", 0).ToJson(),
            R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"busy",)"
            R"("reason":"TooManyRequests","details":{},"code":429})"
            "\n");
}

TEST(StatusTest, AnExpiredListSaysHowToGoOn) {
  Status status = Expired("too old");
  status.continue_token = "abc";
  EXPECT_NE(status.ToJson().find(R"("metadata":{"continue":"abc"})"), std::string::npos);
  const std::string bytes = status.ToProtobuf();
  const auto envelope = protobuf::ParseEnvelope(bytes);
  ASSERT_TRUE(envelope);
  EXPECT_EQ(protobuf::FindBytes(envelope->raw, {1, 3}), "abc");
}

TEST(StatusTest, JsonOfInvalidNamesEveryCause) {
  field::ErrorList errors;
  errors.Add(field::Required(field::Path("a"), ""));
  errors.Add(field::Forbidden(field::Path("b"), "no"));
  EXPECT_EQ(Invalid({"apps", "Deployment"}, "x", errors).ToJson(),
            R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
            R"("message":"Deployment.apps \"x\" is invalid: [a: Required value, b: Forbidden: no]",)"
            R"("reason":"Invalid","details":{"name":"x","group":"apps","kind":"Deployment","causes":[)"
            R"({"reason":"FieldValueRequired","message":"Required value","field":"a"},)"
            R"({"reason":"FieldValueForbidden","message":"Forbidden: no","field":"b"}]},"code":422})"
            "\n");
}

TEST(StatusTest, ProtobufIsTheMessageInItsEnvelope) {
  const std::string bytes = NotFound(kPods, "a").ToProtobuf();
  const auto envelope = protobuf::ParseEnvelope(bytes);
  ASSERT_TRUE(envelope);
  EXPECT_EQ(envelope->api_version, "v1");
  EXPECT_EQ(envelope->kind, "Status");
  using namespace std::string_view_literals;
  EXPECT_EQ(envelope->raw,
            "\x0a\x06\x0a\x00\x12\x00\x1a\x00"  // metadata
            "\x12\x07"
            "Failure"                       // status
            "\x1a\x12pods \"a\" not found"  // message
            "\x22\x08NotFound"              // reason
            "\x2a\x0f\x0a\x01"
            "a\x12\x00\x1a\x04pods\x28\x00\x32\x00"  // details
            "\x30\x94\x03"sv);                       // code
}

}  // namespace
}  // namespace keelson::api
