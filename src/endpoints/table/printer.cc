#include "endpoints/table/printer.h"

#include <charconv>

#include "api/codec/json.h"
#include "api/codec/json_writer.h"
#include "api/codec/time_format.h"
#include "api/generated/meta_v1.h"

namespace keelson::endpoints::table {
namespace {

constexpr size_t kMetadataOrdinal = 2;  // of every root type: behind kind and apiVersion

class DefaultColumns final : public Printer {
 public:
  std::span<const api::ColumnDesc> columns() const override {
    static constexpr api::ColumnDesc kColumns[] = {{"Name", "string", "name", 0},
                                                   {"Created At", "date", "", 0}};
    return kColumns;
  }
  void PrintRow(const api::StructNode& object, base::Clock::WallTime, RowWriter& row) const override {
    api::meta_v1::ObjectMetaView meta(object.slot(kMetadataOrdinal).node());
    row.String(meta.name());
    char text[api::kMaxTimeSize];
    int64_t created = meta.has_creation_timestamp() ? meta.creation_timestamp() : api::kZeroTimeSeconds;
    row.String({text, static_cast<size_t>(api::FormatTime(created, text) - text)});
  }
};

}  // namespace

void RowWriter::Separate() {
  if (!first_) out_.Append(',');
  first_ = false;
}

void RowWriter::String(std::string_view cell) {
  Separate();
  api::json::EncodeString(cell, out_);
}

void RowWriter::Int(int64_t cell) {
  Separate();
  char text[20];
  out_.Append(std::string_view(text, std::to_chars(text, text + sizeof(text), cell).ptr));
}

void RowWriter::Bool(bool cell) {
  Separate();
  out_.Append(cell ? "true" : "false");
}

void RowWriter::Null() {
  Separate();
  out_.Append("null");
}

void RowWriter::Condition(std::string_view type, std::string_view status, std::string_view reason,
                          std::string_view message) {
  if (conditions_.size()) conditions_.Append(',');
  api::json::JsonWriter json(conditions_);
  json.BeginObject().Member("type", type).Member("status", status);
  if (!reason.empty()) json.Member("reason", reason);
  if (!message.empty()) json.Member("message", message);
  json.EndObject();
}

const Printer& DefaultPrinter() {
  static const DefaultColumns kPrinter;
  return kPrinter;
}

}  // namespace keelson::endpoints::table
