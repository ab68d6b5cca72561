#include "auth/authz/access_review.h"

#include "api/codec/config_reader.h"
#include "api/codec/json_writer.h"
#include "auth/authz/review_requirements.h"

namespace keelson::auth {
namespace {

constexpr std::string_view kAccessReviewGroup = "authorization.k8s.io/";

class SpecWriter {
 public:
  explicit SpecWriter(base::BufferBuilder& out) : json_(out) {}

  void Write(const Attributes& a, std::string_view version) {
    json_.BeginObject();
    if (a.resource_request) {
      WriteResource(a);
    } else {
      json_.Key("nonResourceAttributes").BeginObject();
      Text("path", a.path);
      Text("verb", a.verb);
      json_.EndObject();
    }
    if (a.user) WriteUser(*a.user, version);
    json_.EndObject();
  }

 private:
  void Text(std::string_view name, std::string_view value) {
    if (!value.empty()) json_.Member(name, value);
  }

  void WriteResource(const Attributes& a) {
    json_.Key("resourceAttributes").BeginObject();
    Text("namespace", a.ns);
    Text("verb", a.verb);
    Text("group", a.group);
    Text("version", a.version);
    Text("resource", a.resource);
    Text("subresource", a.subresource);
    Text("name", a.name);
    WriteSelector("fieldSelector", a.field_selector);
    WriteSelector("labelSelector", a.label_selector);
    json_.EndObject();
  }

  void WriteSelector(std::string_view name, const api::SelectorRequirements* selector) {
    const auto requirements = ReviewRequirements(selector);
    if (requirements.empty()) return;
    json_.Key(name).BeginObject().Key("requirements").BeginArray();
    for (const auto& [requirement, op] : requirements) {
      json_.BeginObject().Member("key", std::string_view(requirement->key)).Member("operator", op);
      if (!requirement->values.empty()) json_.Member("values", requirement->values);
      json_.EndObject();
    }
    json_.EndArray().EndObject();
  }

  void WriteUser(const User& user, std::string_view version) {
    Text("user", user.name);
    if (!user.groups.empty()) json_.Member(version == "v1beta1" ? "group" : "groups", user.groups);
    if (!user.extra.empty()) {
      json_.Key("extra").BeginObject();
      for (const auto& [key, values] : user.extra) json_.Member(key, values);
      json_.EndObject();
    }
    Text("uid", user.uid);
  }

  api::json::JsonWriter json_;
};

class AccessReviewReader {
 public:
  explicit AccessReviewReader(std::string_view json) : reader_(json, /*strict=*/false) {}

  base::Result<AccessReviewStatus, std::string> Run(std::string_view version) {
    AccessReviewStatus status;
    std::string api_version, kind;
    const bool read = reader_.Object([&](std::string_view name) {
      if (name == "apiVersion") return reader_.Text(api_version);
      if (name == "kind") return reader_.Text(kind);
      return name == "status" ? Status(status) : reader_.Skip();
    });
    if (!read || !reader_.AtEnd())
      return base::Err("the answer is no SubjectAccessReview: " + reader_.error());
    const std::string expected = std::string(kAccessReviewGroup).append(version);
    if ((!kind.empty() && kind != "SubjectAccessReview") || (!api_version.empty() && api_version != expected))
      return base::Err("the answer is no SubjectAccessReview of " + expected);
    return status;
  }

 private:
  bool Status(AccessReviewStatus& status) {
    return reader_.Object([&](std::string_view name) {
      if (name == "allowed") return reader_.Bool(status.allowed);
      if (name == "denied") return reader_.Bool(status.denied);
      if (name == "reason") return reader_.Text(status.reason);
      return reader_.Skip();
    });
  }

  api::ConfigReader reader_;
};

}  // namespace

std::string AccessReviewSpec(const Attributes& attributes, std::string_view version) {
  base::BufferBuilder out;
  SpecWriter(out).Write(attributes, version);
  return std::string(out.view());
}

std::string AccessReview(std::string_view spec, std::string_view version) {
  base::BufferBuilder out;
  api::json::JsonWriter json(out);
  json.BeginObject()
      .Member("kind", std::string_view("SubjectAccessReview"))
      .Member("apiVersion", std::string(kAccessReviewGroup).append(version));
  json.Key("metadata").BeginObject().EndObject();
  json.Key("spec").Raw(spec);
  json.Key("status").BeginObject().Key("allowed").Bool(false).EndObject();
  json.EndObject();
  return std::string(out.view());
}

base::Result<AccessReviewStatus, std::string> ParseAccessReview(std::string_view json,
                                                                std::string_view version) {
  return AccessReviewReader(json).Run(version);
}

}  // namespace keelson::auth
