#include "audit/encoding.h"

#include "api/codec/json_writer.h"
#include "api/codec/time_format.h"
#include "api/validation/quote.h"

namespace keelson::audit {
namespace {

using api::json::JsonWriter;

constexpr std::string_view kTruncated = "audit.k8s.io/truncated";

void AddMember(std::string_view name, std::string_view value, JsonWriter& out) {
  if (!value.empty()) out.Member(name, value);
}

std::string_view MicroTime(base::Clock::WallTime time, char (&text)[api::kMaxTimeSize]) {
  const auto micros = std::chrono::floor<std::chrono::microseconds>(time.time_since_epoch()).count();
  return {text, static_cast<size_t>(api::FormatMicroTime(micros, text) - text)};
}

void WriteUser(const auth::User& user, JsonWriter& out) {
  out.BeginObject();
  AddMember("username", user.name, out);
  AddMember("uid", user.uid, out);
  if (!user.groups.empty()) out.Member("groups", user.groups);
  if (!user.extra.empty()) {
    out.Key("extra").BeginObject();
    for (const auto& [key, values] : user.extra) out.Member(key, values);
    out.EndObject();
  }
  out.EndObject();
}

void WriteReference(const ObjectReference& object, JsonWriter& out) {
  out.BeginObject();
  AddMember("resource", object.resource, out);
  AddMember("namespace", object.ns, out);
  AddMember("name", object.name, out);
  AddMember("uid", object.uid, out);
  AddMember("apiGroup", object.group, out);
  AddMember("apiVersion", object.version, out);
  AddMember("resourceVersion", object.resource_version, out);
  AddMember("subresource", object.subresource, out);
  out.EndObject();
}

// A status without its kind, which an event's has not.
void WriteStatus(const api::Status& status, JsonWriter& out) {
  constexpr std::string_view kHead = R"({"kind":"Status","apiVersion":"v1",)";
  const std::string json = status.ToJson();
  out.BeginObject()
      .Raw(std::string_view(json).substr(kHead.size(), json.size() - kHead.size() - 2))
      .EndObject();
}

// Writes the members of an event that come before its bodies.
void WriteHead(const Event& event, Stage stage, JsonWriter& out) {
  out.Member("level", NameOf(event.decision.level));
  out.Member("auditID", event.audit_id);
  out.Member("stage", NameOf(stage));
  out.Member("requestURI", event.uri);
  out.Member("verb", event.verb);
  out.Key("user");
  WriteUser(event.user ? *event.user : auth::User(), out);
  if (event.impersonated) {
    out.Key("impersonatedUser");
    WriteUser(*event.impersonated, out);
  }
  if (!event.impersonation_constraint.empty())
    out.Key("authenticationMetadata")
        .BeginObject()
        .Member("impersonationConstraint", event.impersonation_constraint)
        .EndObject();
  if (!event.source_ips.empty()) out.Member("sourceIPs", event.source_ips);
  AddMember("userAgent", event.user_agent, out);
  if (event.object) {
    out.Key("objectRef");
    WriteReference(*event.object, out);
  }
  if (event.status) {
    out.Key("responseStatus");
    WriteStatus(*event.status, out);
  }
}

void WriteTail(const Event& event, base::Clock::WallTime when, bool truncated, JsonWriter& out) {
  char text[api::kMaxTimeSize];
  out.Member("requestReceivedTimestamp", MicroTime(event.received, text));
  out.Member("stageTimestamp", MicroTime(when, text));
  if (truncated || !event.annotations.empty()) {
    out.Key("annotations").BeginObject();
    bool told = !truncated;
    for (const auto& [key, value] : event.annotations) {
      if (!told && key >= kTruncated) {
        out.Member(kTruncated, "true");
        told = true;
      }
      if (!truncated || key != kTruncated) out.Member(key, value);
    }
    if (!told) out.Member(kTruncated, "true");
    out.EndObject();
  }
  out.EndObject();
}

// `"a","b"`, quoted as Go quotes.
std::string QuotedGroups(const std::vector<std::string>& groups) {
  std::string text;
  for (const std::string& group : groups) {
    if (!text.empty()) text += ',';
    api::AppendQuoted(group, text);
  }
  return text;
}

// As Go's RFC3339Nano: no zeros at the end of the fraction.
std::string NanoTime(base::Clock::WallTime time) {
  char text[api::kMaxTimeSize];
  std::string shown(MicroTime(time, text));
  shown.pop_back();  // Z
  while (shown.ends_with('0')) shown.pop_back();
  if (shown.ends_with('.')) shown.pop_back();
  return shown + "Z";
}

}  // namespace

EventText EncodeJson(const Event& event, Stage stage, base::Clock::WallTime when, Bodies bodies) {
  EventText text;
  base::BufferBuilder head(1024);
  JsonWriter out(head);
  WriteHead(event, stage, out);
  const auto add_body = [&](std::string_view name, base::Slice json) {
    if (json.empty()) return;
    out.Key(name).Raw("");
    if (json.view().ends_with('\n')) json = json.Sub(0, json.size() - 1);
    text.Add(head.Take());
    text.Add(std::move(json));
  };
  if (bodies == Bodies::kKept) {
    add_body("requestObject", event.request_object);
    add_body("responseObject", event.response_object);
  }
  WriteTail(event, when, bodies == Bodies::kLeftOut, out);
  text.Add(head.Take());
  return text;
}

EventText EncodeLegacy(const Event& event, Stage stage) {
  const auto or_else = [](std::string_view text, std::string_view other) {
    return text.empty() ? other : text;
  };
  const auth::User nobody;
  const auth::User& user = event.user ? *event.user : nobody;
  const std::string groups = user.name.empty() ? std::string() : QuotedGroups(user.groups);
  const auth::User* const as = event.impersonated.get();
  const std::string as_groups = as ? QuotedGroups(as->groups) : std::string();
  std::string line = NanoTime(event.received) + " AUDIT:";
  const auto add = [&](std::string_view name, std::string_view value) {
    line.append(" ").append(name).append("=");
    api::AppendQuoted(value, line);
  };
  add("id", event.audit_id);
  add("stage", NameOf(stage));
  add("ip", event.source_ips.empty() ? std::string_view("<unknown>") : event.source_ips.front());
  add("method", event.verb);
  add("user", or_else(user.name, "<none>"));
  add("groups", or_else(groups, "<none>"));
  add("as", as ? std::string_view(as->name) : "<self>");
  add("asgroups", or_else(as_groups, "<lookup>"));
  add("user-agent", event.user_agent);
  add("namespace", or_else(event.object ? event.object->ns : std::string_view(), "<none>"));
  add("uri", event.uri);
  line += " response=\"" + (event.status ? std::to_string(event.status->code) : "<deferred>") + "\"\n";
  EventText text;
  text.Add(base::Slice::Copy(line));
  return text;
}

}  // namespace keelson::audit
