#include "audit/encoding.h"

#include <cstring>
#include <utility>

#include "api/codec/time_format.h"
#include "api/codec/token_writer.h"
#include "api/validation/quote.h"

namespace keelson::audit {
namespace {

using api::json::TokenWriter;

constexpr std::string_view kTruncated = "audit.k8s.io/truncated";

// All that follow write a comma after what they write. `key` is quoted and has its colon.

void AddMember(std::string_view key, std::string_view value, TokenWriter& out) {
  if (!value.empty()) out.KeyString(key, value);
}

void AddStrings(const std::vector<std::string>& values, TokenWriter& out) {
  out.Raw('[');
  for (const std::string& value : values) {
    out.String(value);
    out.Comma();
  }
  out.CloseArray();
  out.Comma();
}

std::string_view MicroTime(base::Clock::WallTime time, char (&text)[api::kMaxTimeSize]) {
  const auto micros = std::chrono::floor<std::chrono::microseconds>(time.time_since_epoch()).count();
  return {text, static_cast<size_t>(api::FormatMicroTime(micros, text) - text)};
}

// Most times that a thread writes are in the second of the last one: only the fraction is written anew.
void AddTime(std::string_view key, base::Clock::WallTime time, TokenWriter& out) {
  struct Second {
    int64_t seconds = INT64_MIN;
    char text[api::kMaxTimeSize];
    size_t size = 0;
  };
  constexpr size_t kFraction = std::string_view("000000Z").size();
  static thread_local Second last;
  const auto second = std::chrono::floor<std::chrono::seconds>(time.time_since_epoch());
  if (last.seconds != second.count()) {
    last.seconds = second.count();
    last.size = MicroTime(time, last.text).size();
  }
  auto micros = std::chrono::floor<std::chrono::microseconds>(time.time_since_epoch() - second).count();
  char* const fraction = last.text + last.size - kFraction;
  for (int i = 5; i >= 0; --i, micros /= 10) fraction[i] = static_cast<char>('0' + micros % 10);
  out.KeyString(key, {last.text, last.size});
}

void WriteUser(std::string_view key, const auth::User& user, TokenWriter& out) {
  out.Raw(key);
  out.Raw('{');
  AddMember(R"("username":)", user.name, out);
  AddMember(R"("uid":)", user.uid, out);
  if (!user.groups.empty()) {
    out.Raw(R"("groups":)");
    AddStrings(user.groups, out);
  }
  if (!user.extra.empty()) {
    out.Raw(R"("extra":{)");
    for (const auto& [name, values] : user.extra) {
      out.String(name);
      out.Raw(':');
      AddStrings(values, out);
    }
    out.CloseObject();
    out.Comma();
  }
  out.CloseObject();
  out.Comma();
}

void WriteReference(const ObjectReference& object, TokenWriter& out) {
  out.Raw(R"("objectRef":{)");
  AddMember(R"("resource":)", object.resource, out);
  AddMember(R"("namespace":)", object.ns, out);
  AddMember(R"("name":)", object.name, out);
  AddMember(R"("uid":)", object.uid, out);
  AddMember(R"("apiGroup":)", object.group, out);
  AddMember(R"("apiVersion":)", object.version, out);
  AddMember(R"("resourceVersion":)", object.resource_version, out);
  AddMember(R"("subresource":)", object.subresource, out);
  out.CloseObject();
  out.Comma();
}

// A status without its kind, which an event's has not.
void WriteStatus(const api::Status& status, TokenWriter& out) {
  constexpr std::string_view kHead = R"({"kind":"Status","apiVersion":"v1",)";
  out.Raw(R"("responseStatus":{)");
  if (status.status.empty() && status.message.empty() && status.reason.empty() && !status.details &&
      status.continue_token.empty() && status.code != 0) {
    out.Raw(R"("metadata":{},"code":)");
    out.Int(status.code);
  } else {
    const std::string json = status.ToJson();
    out.Raw(std::string_view(json).substr(kHead.size(), json.size() - kHead.size() - 2));
  }
  out.CloseObject();
  out.Comma();
}

// Who asks for what.
void WriteRequest(const Event& event, TokenWriter& out) {
  out.KeyString(R"("requestURI":)", event.uri);
  out.KeyString(R"("verb":)", event.verb);
  static const auth::User nobody;
  WriteUser(R"("user":)", event.user ? *event.user : nobody, out);
  if (event.impersonated) WriteUser(R"("impersonatedUser":)", *event.impersonated, out);
  if (!event.impersonation_constraint.empty()) {
    out.Raw(R"("authenticationMetadata":{)");
    out.KeyString(R"("impersonationConstraint":)", event.impersonation_constraint);
    out.CloseObject();
    out.Comma();
  }
  if (!event.source_ips.empty()) {
    out.Raw(R"("sourceIPs":)");
    AddStrings(event.source_ips, out);
  }
  AddMember(R"("userAgent":)", event.user_agent, out);
}

// Where in the text of a stage the next stage finds what it says, too.
struct Shared {
  size_t request = 0, object = 0, end = 0;
};

// Writes the members of an event that come before its bodies.
Shared WriteHead(const Event& event, Stage stage, base::BufferBuilder& text) {
  TokenWriter out(text);
  const auto written = [&] {
    out.Flush();
    return text.size();
  };
  Shared shared;
  out.Raw(kEventHead);
  out.KeyString(R"("level":)", NameOf(event.decision.level));
  out.KeyString(R"("auditID":)", event.audit_id);
  out.KeyString(R"("stage":)", NameOf(stage));
  shared.request = written();
  if (!event.told.request.empty() && !event.impersonated)
    out.Raw(event.told.request.view());
  else
    WriteRequest(event, out);
  shared.object = written();
  if (!event.told.object.empty())
    out.Raw(event.told.object.view());
  else if (event.object)
    WriteReference(*event.object, out);
  shared.end = written();
  if (event.status) WriteStatus(*event.status, out);
  out.Flush();
  return shared;
}

void WriteTail(const Event& event, base::Clock::WallTime when, bool truncated, base::BufferBuilder& text) {
  TokenWriter out(text);
  AddTime(R"("requestReceivedTimestamp":)", event.received, out);
  AddTime(R"("stageTimestamp":)", when, out);
  if (truncated || !event.annotations.empty()) {
    out.Raw(R"("annotations":{)");
    const auto add = [&](std::string_view key, std::string_view value) {
      out.String(key);
      out.Raw(':');
      out.String(value);
      out.Comma();
    };
    bool told = !truncated;
    for (const auto& [key, value] : event.annotations) {
      if (!told && key >= kTruncated) {
        add(kTruncated, "true");
        told = true;
      }
      if (!truncated || key != kTruncated) add(key, value);
    }
    if (!told) add(kTruncated, "true");
    out.CloseObject();
    out.Comma();
  }
  out.CloseObject();
  out.Raw('\n');
  out.Flush();
}

// Blocks of memory that the small texts of one thread stand in, one behind the other. A block is used again
// when its events are gone: memory that comes and goes with every few requests is given back to the system,
// and costs page faults.
class Blocks {
 public:
  static constexpr size_t kLargest = 4 * 1024;

  // A copy. Requires: no longer than kLargest.
  base::Slice Copy(std::string_view text) {
    if (blocks_.empty() || kBytes - used_ < text.size()) Next();
    if (blocks_[at_]->unique()) used_ = 0;
    char* const to = blocks_[at_]->data() + std::exchange(used_, used_ + text.size());
    std::memcpy(to, text.data(), text.size());
    return base::Slice::Share({to, text.size()}, blocks_[at_]);
  }

 private:
  static constexpr size_t kBytes = 16 * 1024, kKept = 16;

  // The first block that is free.
  void Next() {
    used_ = 0;
    for (size_t i = 0; i < blocks_.size(); ++i) {
      at_ = (at_ + 1) % blocks_.size();
      if (blocks_[at_]->unique()) return;
    }
    if (blocks_.size() < kKept) {
      at_ = blocks_.size();
      blocks_.emplace_back();
    }
    blocks_[at_] = base::Buffer::Create(kBytes);
  }

  std::vector<base::IntrusivePtr<base::Buffer>> blocks_;
  size_t at_ = 0, used_ = 0;
};

// Takes the encoded text out of `text`.
base::Slice Packed(base::BufferBuilder& text) {
  if (text.size() > Blocks::kLargest) return text.Take();
  static thread_local Blocks blocks;
  base::Slice packed = blocks.Copy(text.view());
  text.Truncate(0);
  return packed;
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

EventText EncodeJson(Event& event, Stage stage, base::Clock::WallTime when, Bodies bodies) {
  EventText text;
  static thread_local base::BufferBuilder head;  // empty between calls; kept since it is warm
  const Shared shared = WriteHead(event, stage, head);
  const auto add_body = [&](std::string_view key, base::Slice json) {
    if (json.empty()) return;
    head.Append(key);
    if (json.view().ends_with('\n')) json = json.Sub(0, json.size() - 1);
    text.Add(Packed(head));
    text.Add(std::move(json));
    head.Append(',');
  };
  if (bodies == Bodies::kKept) {
    add_body(R"("requestObject":)", event.request_object);
    add_body(R"("responseObject":)", event.response_object);
  }
  WriteTail(event, when, bodies == Bodies::kLeftOut, head);
  text.Add(Packed(head));
  // An answer may go on for hours: only the stage that follows the first finds what it said.
  event.told = {};
  if (stage == Stage::kRequestReceived)
    event.told = {.request = text.first.Sub(shared.request, shared.object - shared.request),
                  .object = text.first.Sub(shared.object, shared.end - shared.object)};
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
