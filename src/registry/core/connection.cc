#include "registry/core/connection.h"

#include <algorithm>
#include <charconv>

#include "api/validation/field.h"

namespace keelson::registry::core {
namespace {

using net::http::Query;

bool IsFalse(std::string_view text) {
  constexpr std::string_view kFalse = "false";
  return text == "0" || std::ranges::equal(text, kFalse, [](char a, char b) { return (a | 0x20) == b; });
}

api::ListNode* StringsOf(const std::vector<std::string_view>& texts, const api::TypeDesc& list,
                         api::Arena& arena) {
  api::ListNode* const strings = api::ListNode::New(list.element, arena);
  for (const std::string_view text : texts)
    strings->Append(api::Value::String(arena.CopyString(text)), arena);
  return strings;
}

rest::Result<api::ListNode*> PortsOf(const std::vector<std::string_view>& texts, const api::TypeDesc& list,
                                     api::Arena& arena) {
  api::ListNode* const ports = api::ListNode::New(list.element, arena);
  for (const std::string_view text : texts) {
    for (size_t at = 0; at <= text.size();) {
      const std::string_view port = text.substr(at, text.find(',', at) - at);
      at += port.size() + 1;
      uint16_t number = 0;
      const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
      if (error == std::errc() && end == port.data() + port.size()) {
        ports->Append(api::Value::Int(number), arena);
        continue;
      }
      const bool range = error == std::errc::result_out_of_range;
      return base::Err(api::BadRequest("cannot convert to []int32: strconv.ParseUint: parsing " +
                                       api::field::RenderValue(port) +
                                       (range ? ": value out of range" : ": invalid syntax")));
    }
  }
  return ports;
}

// The value of a field whose parameter has these texts, of which there is at least one.
rest::Result<api::Value> ValueOf(const std::vector<std::string_view>& texts, const api::TypeDesc& type,
                                 api::Arena& arena) {
  switch (type.kind) {
    case api::Kind::kBool: return IsFalse(texts[0]) ? api::Value() : api::Value::Bool(true);
    case api::Kind::kString:
      return texts[0].empty() ? api::Value() : api::Value::String(arena.CopyString(texts[0]));
    case api::Kind::kList: break;
    default: std::unreachable();
  }
  if (type.element->kind == api::Kind::kString) return api::Value::Of(StringsOf(texts, type, arena));
  return api::Value::Of(TRY(PortsOf(texts, type, arena)));
}

}  // namespace

rest::Result<api::Doc> ReadConnectOptions(const Query& query, const api::TypeDesc& type) {
  api::Doc doc(type);
  for (const api::FieldDesc& field : type.fields) {
    if (field.has(api::FieldDesc::kTypeMeta)) continue;
    if (const auto texts = query.All(field.name); !texts.empty())
      doc.root()->slot(field.ordinal) = TRY(ValueOf(texts, *field.type, doc.arena()));
  }
  return doc;
}

Connection::Connection(ServingOptions options) : options_(std::move(options)) {
  const auto& subresources = options_.resource->subresources;
  desc_ = &*std::ranges::find(subresources, options_.subresource, &api::SubresourceDesc::name);
  type_ = api::FindKind(desc_->group, desc_->version, desc_->kind);
}

base::Task<rest::Result<net::http::Response>> Connection::Connect(rest::ConnectRequest request) {
  const Query query = Query::Parse(request.request->query);
  if (query.Has("dryRun")) co_return base::Err(api::BadRequest("dryRun is not supported"));
  api::Doc options = CO_TRY(ReadConnectOptions(query, *type_));
  options.root()->slot(0) = api::Value::String(desc_->kind);
  options.root()->slot(1) = api::Value::String(desc_->version);  // of the core group
  Complete(request, options);

  const admission::Attributes attributes{.operation = admission::Operation::kConnect,
                                         .resource = options_.resource,
                                         .subresource = options_.subresource,
                                         .ns = request.ns,
                                         .name = request.name,
                                         .user = request.user,
                                         .object = &options,
                                         .warnings = request.warnings,
                                         .audit = request.audit,
                                         .occupancy = request.occupancy,
                                         .notes = request.notes};
  const admission::Hooks& hooks = options_.admission;
  if (hooks.mutate) CO_TRY(co_await hooks.mutate(attributes));
  if (hooks.validate) CO_TRY(co_await hooks.validate(attributes));
  co_return co_await ConnectAdmitted(std::move(request), std::move(options));
}

}  // namespace keelson::registry::core
