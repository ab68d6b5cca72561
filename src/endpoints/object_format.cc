#include "endpoints/object_format.h"

#include "api/codec/cbor.h"
#include "api/codec/json_writer.h"
#include "api/codec/protobuf.h"
#include "api/codec/transcode.h"
#include "api/conversion/conversion.h"
#include "api/generated/meta_v1.h"
#include "api/types/custom_type.h"
#include "endpoints/decode.h"
#include "endpoints/table/custom_printer.h"
#include "endpoints/wire.h"

namespace keelson::endpoints {
namespace {

std::string Head(std::string_view kind, std::string_view api_version) {
  std::string head = "\"kind\":\"";
  return head.append(kind).append("\",\"apiVersion\":\"").append(api_version).append("\"");
}

// An annotation that is a field of the spec in upstream's own form of the object, which is what
// it takes metadata from.
std::string_view HiddenAnnotation(const api::ResourceDesc& resource) {
  const bool daemon_set = resource.group == "apps" && resource.plural == "daemonsets";
  return daemon_set ? "deprecated.daemonset.template.generation" : std::string_view();
}

}  // namespace

ObjectFormat::ObjectFormat(const api::ResourceDesc& resource, const table::Printer& printer,
                           const OutputFormat& output, TableParameters table, base::Clock::WallTime now,
                           std::shared_ptr<const void> keepalive)
    : keepalive_(std::move(keepalive)),
      resource_(resource),
      printer_(printer),
      custom_(dynamic_cast<const table::CustomPrinter*>(&printer)),
      output_(output),
      table_(table),
      now_(now),
      object_head_(Head(resource.kind, GroupVersionString(resource.group, resource.version))),
      partial_head_(Head("PartialObjectMetadata", "meta.k8s.io/" + output.target_version)),
      converts_(api::ConvertsContent(resource)),
      is_custom_(api::IsCustom(resource)),
      hidden_annotation_(HiddenAnnotation(resource)) {}

std::string_view ObjectFormat::MetadataOf(std::string_view message) {
  return api::protobuf::FindBytes(message, {wire::kMetadataField}).value_or(std::string_view());
}

std::string_view ObjectFormat::PartialMetadata(std::string_view message, base::BufferBuilder& made) const {
  const std::string_view metadata = MetadataOf(message);
  if (hidden_annotation_.empty() || metadata.find(hidden_annotation_) == metadata.npos) return metadata;
  api::Arena arena;
  auto node = api::protobuf::Decode(metadata, api::meta_v1::kObjectMetaType, arena);
  if (!node) return metadata;
  api::meta_v1::ObjectMetaEditor(*node, &arena).mutable_annotations().Erase(hidden_annotation_);
  api::protobuf::Encode(**node, made);
  return made.view();
}

bool ObjectFormat::AppendPartial(std::string_view message, base::BufferBuilder& out) const {
  base::BufferBuilder made;
  size_t start = out.size();
  out.Append('{');
  out.Append(partial_head_);
  out.Append(",\"metadata\":");
  if (!api::transcode::ProtobufToJson(PartialMetadata(message, made), api::meta_v1::kObjectMetaType, "",
                                      out)) {
    out.Truncate(start);
    return false;
  }
  out.Append('}');
  return true;
}

void ObjectFormat::AppendPartialProtobuf(std::string_view message, base::BufferBuilder& out) const {
  base::BufferBuilder made;
  const std::string_view metadata = PartialMetadata(message, made);
  size_t raw_size = wire::BytesSize(wire::kMetadataField, metadata.size());
  api::protobuf::AppendEnvelopeHead(TargetVersion(), "PartialObjectMetadata", raw_size, out);
  wire::AppendBytesHead(wire::kMetadataField, metadata.size(), out);
  out.Append(metadata);
  out.Append(api::protobuf::EnvelopeTail());
}

bool ObjectFormat::AppendProtobuf(std::string_view message, base::BufferBuilder& out) const {
  if (output_.target != Target::kNone) {
    AppendPartialProtobuf(message, out);
    return true;
  }
  base::BufferBuilder made;
  const auto served = Served(message, made);
  if (!served) return false;
  api::protobuf::AppendEnvelopeHead(GroupVersionString(resource_.group, resource_.version), resource_.kind,
                                    served->size(), out);
  out.Append(*served);
  out.Append(api::protobuf::EnvelopeTail());
  return true;
}

bool ObjectFormat::AppendPartialCbor(std::string_view message, base::BufferBuilder& out) const {
  api::Arena arena;
  base::BufferBuilder made;
  auto metadata = api::protobuf::Decode(PartialMetadata(message, made), api::meta_v1::kObjectMetaType, arena);
  if (!metadata) return false;
  api::cbor::AppendMapHead(3, out);
  api::cbor::AppendString("kind", out);
  api::cbor::AppendString("PartialObjectMetadata", out);
  api::cbor::AppendString("metadata", out);
  api::cbor::Encode(**metadata, "", "", out);
  api::cbor::AppendString("apiVersion", out);
  api::cbor::AppendString(TargetVersion(), out);
  return true;
}

bool ObjectFormat::AppendCborItem(std::string_view message, base::BufferBuilder& out) const {
  if (output_.target != Target::kNone) return AppendPartialCbor(message, out);
  base::BufferBuilder made;
  const auto served = Served(message, made);
  const std::string version = is_custom_ ? GroupVersionString(resource_.group, resource_.version) : "";
  return served && api::cbor::ProtobufToCbor(*served, *resource_.type,
                                             is_custom_ ? resource_.kind : std::string_view(), version, out);
}

bool ObjectFormat::AppendCbor(std::string_view message, base::BufferBuilder& out) const {
  base::BufferBuilder made;
  const auto served = Served(message, made);
  if (!served) return false;
  const size_t start = out.size();
  out.Append(api::cbor::kSelfDescribed);
  const std::string version = GroupVersionString(resource_.group, resource_.version);
  const bool whole = output_.target != Target::kNone
                         ? AppendPartialCbor(message, out)
                         : api::cbor::ProtobufToCbor(*served, *resource_.type, resource_.kind, version, out);
  if (!whole) out.Truncate(start);
  return whole;
}

void ObjectFormat::AppendCborListHead(size_t items, base::BufferBuilder& out) const {
  out.Append(api::cbor::kSelfDescribed);
  api::cbor::AppendMapHead(4, out);
  api::cbor::AppendString("kind", out);
  const bool partial = output_.target != Target::kNone;
  api::cbor::AppendString(partial ? "PartialObjectMetadataList" : resource_.list_kind, out);
  api::cbor::AppendString("items", out);
  api::cbor::AppendArrayHead(items, out);
}

void ObjectFormat::AppendCborListTail(std::string_view list_meta_json, base::BufferBuilder& out) const {
  api::cbor::AppendString("metadata", out);
  api::cbor::EncodeJson(list_meta_json, out);
  api::cbor::AppendString("apiVersion", out);
  const bool partial = output_.target != Target::kNone;
  api::cbor::AppendString(partial ? TargetVersion() : GroupVersionString(resource_.group, resource_.version),
                          out);
}

std::optional<std::string_view> ObjectFormat::Served(std::string_view message,
                                                     base::BufferBuilder& made) const {
  if (!converts()) return message;
  api::Arena arena;
  auto stored = api::protobuf::Decode(message, *resource_.storage_type, arena);
  if (!stored) return std::nullopt;
  const api::Doc served = api::ToServed(api::Doc(std::move(arena), *stored), resource_);
  api::protobuf::Encode(*served.root(), made);
  return made.view();
}

bool ObjectFormat::AppendWhole(std::string_view message, std::string_view head,
                               base::BufferBuilder& out) const {
  base::BufferBuilder made;
  const auto served = Served(message, made);
  return served && api::transcode::ProtobufToJson(*served, *resource_.type, head, out);
}

bool ObjectFormat::AppendRow(std::string_view message, base::BufferBuilder& out) const {
  size_t start = out.size();
  api::Arena arena;
  auto object = api::protobuf::Decode(message, converts() ? *resource_.storage_type : *resource_.type, arena);
  if (!object) return false;
  out.Append("{\"cells\":[");
  table::RowWriter row(out);
  custom_ ? custom_->PrintCells(**object, now_, out) : printer_.PrintRow(**object, now_, row);
  out.Append(']');
  if (!row.conditions().empty()) {
    out.Append(",\"conditions\":[");
    out.Append(row.conditions());
    out.Append(']');
  }
  out.Append(",\"object\":");
  bool whole = true;
  switch (table_.include_object) {
    case IncludeObject::kNone: out.Append("null"); break;
    case IncludeObject::kMetadata: whole = AppendPartial(message, out); break;
    case IncludeObject::kObject: whole = AppendWhole(message, object_head_, out); break;
  }
  if (!whole) {
    out.Truncate(start);
    return false;
  }
  out.Append('}');
  return true;
}

void ObjectFormat::AppendColumns(base::BufferBuilder& out) {
  out.Append("\"columnDefinitions\":");
  if (columns_sent_) return out.Append("null");
  columns_sent_ = true;
  api::json::JsonWriter json(out);
  json.BeginArray();
  for (size_t i = 0; i < printer_.columns().size(); ++i) {
    const api::ColumnDesc& column = printer_.columns()[i];
    json.BeginObject()
        .Member("name", column.name)
        .Member("type", column.type)
        .Member("format", column.format);
    json.Member("description", custom_ ? custom_->description(i) : std::string_view())
        .Key("priority")
        .Int(column.priority)
        .EndObject();
  }
  json.EndArray();
}

bool ObjectFormat::AppendTable(std::string_view message, base::BufferBuilder& out) {
  size_t start = out.size();
  auto version = api::protobuf::FindBytes(message, {wire::kMetadataField, wire::kResourceVersionField});
  out.Append('{');
  out.Append(Head("Table", TargetVersion()));
  out.Append(",\"metadata\":{");
  if (version && !version->empty()) {
    out.Append("\"resourceVersion\":\"");
    out.Append(*version);
    out.Append('"');
  }
  out.Append("},");
  AppendColumns(out);
  out.Append(",\"rows\":[");
  if (!AppendRow(message, out)) {
    out.Truncate(start);
    return false;
  }
  out.Append("]}");
  return true;
}

bool ObjectFormat::AppendJson(std::string_view message, base::BufferBuilder& out) {
  switch (output_.target) {
    case Target::kNone: return AppendWhole(message, object_head_, out);
    case Target::kTable: return AppendTable(message, out);
    case Target::kPartialObjectMetadata:
    case Target::kPartialObjectMetadataList: return AppendPartial(message, out);
  }
  std::abort();
}

bool ObjectFormat::AppendJsonItem(std::string_view message, base::BufferBuilder& out) {
  switch (output_.target) {
    // Items of custom lists say what they are.
    case Target::kNone: return AppendWhole(message, is_custom_ ? object_head_ : std::string_view(), out);
    case Target::kTable: return AppendRow(message, out);
    case Target::kPartialObjectMetadata:
    case Target::kPartialObjectMetadataList: return AppendPartial(message, out);
  }
  std::abort();
}

void ObjectFormat::AppendListHead(std::string_view list_meta_json, base::BufferBuilder& out) {
  AppendListStart(list_meta_json, out);
  out.Append('[');
}

void ObjectFormat::AppendEmptyList(std::string_view list_meta_json, base::BufferBuilder& out) {
  AppendListStart(list_meta_json, out);
  // Upstream's general table never makes the rows it does not need.
  const bool general = output_.target == Target::kTable && &printer_ == &table::DefaultPrinter();
  out.Append(general ? "null}" : "[]}");
}

void ObjectFormat::AppendListStart(std::string_view list_meta_json, base::BufferBuilder& out) {
  out.Append('{');
  switch (output_.target) {
    case Target::kNone:
      out.Append(Head(resource_.list_kind, GroupVersionString(resource_.group, resource_.version)));
      break;
    case Target::kTable: out.Append(Head("Table", TargetVersion())); break;
    case Target::kPartialObjectMetadata:
    case Target::kPartialObjectMetadataList:
      out.Append(Head("PartialObjectMetadataList", TargetVersion()));
      break;
  }
  out.Append(",\"metadata\":");
  out.Append(list_meta_json);
  if (output_.target == Target::kTable) {
    out.Append(',');
    AppendColumns(out);
    out.Append(",\"rows\":");
  } else {
    out.Append(",\"items\":");
  }
}

std::string ListMetaJson(int64_t resource_version, std::string_view continue_token,
                         std::optional<int64_t> remaining, bool always_continue) {
  base::BufferBuilder out;
  api::json::JsonWriter json(out);
  json.BeginObject();
  if (resource_version > 0) json.Member("resourceVersion", std::to_string(resource_version));
  if (!continue_token.empty() || always_continue) json.Member("continue", continue_token);
  if (remaining) json.Key("remainingItemCount").Int(*remaining);
  json.EndObject();
  return std::string(out.view());
}

}  // namespace keelson::endpoints
