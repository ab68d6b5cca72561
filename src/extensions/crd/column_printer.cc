#include "extensions/crd/column_printer.h"

#include "api/codec/json.h"
#include "api/codec/time_format.h"
#include "api/codec/to_tree.h"
#include "api/generated/meta_v1.h"
#include "api/patch/go_format.h"
#include "api/types/custom_type.h"
#include "endpoints/table/cells.h"
#include "extensions/schema/render.h"

namespace keelson::extensions {
namespace {

using api::Value;
using Tag = Value::Tag;

constexpr size_t kMetadata = 2;  // ordinal
constexpr std::string_view kNameText = "The name of the object: one of a kind in its namespace.";
constexpr std::string_view kCreatedText = "When the object was made.";

Value DateCell(const Value& value, base::Clock::WallTime now, api::Arena& arena) {
  if (!value.is(Tag::kString)) return Value::Null();
  const auto time = api::ParseTime(value.string());
  if (!time) return Value::String("<invalid>");
  base::BufferBuilder unused;
  endpoints::table::RowWriter row(unused);
  return Value::String(arena.CopyString(endpoints::table::Cells(row, now).AgeText(time->seconds)));
}

// What a column of `type` shows of `value`.
Value CellOf(std::string_view type, const Value& value, base::Clock::WallTime now, api::Arena& arena) {
  const bool number = value.is(Tag::kInt) || value.is(Tag::kDouble);
  if (type == "string") {
    if (value.is(Tag::kString) || value.is(Tag::kNull)) return value;
    return Value::String(
        arena.CopyString(value.map() || value.list() ? TreeJson(value) : api::GoFormat(value)));
  }
  if (type == "integer" && number)
    return Value::Int(value.is(Tag::kInt) ? value.integer() : static_cast<int64_t>(value.real()));
  if (type == "number" && number) return Value::Double(value.real());
  if (type == "boolean" && value.is(Tag::kBool)) return value;
  return type == "date" ? DateCell(value, now, arena) : Value::Null();
}

}  // namespace

ColumnPrinter::ColumnPrinter(Columns columns) {
  for (const auto column : columns) {
    std::string description(column.description());
    if (description.empty())
      description =
          "Custom resource definition column (in JSONPath format): " + std::string(column.json_path());
    Add({.name = std::string(column.name()),
         .type = std::string(column.type()),
         .format = std::string(column.format()),
         .description = std::move(description),
         .priority = column.priority()},
        column.json_path());
  }
  if (columns.empty())
    Add({.name = "Age", .type = "date", .description = std::string(kCreatedText)},
        ".metadata.creationTimestamp");
  columns_.push_back({"Name", "string", "name", 0});
  for (const Column& c : own_) columns_.push_back({c.name, c.type, c.format, c.priority});
}

std::string_view ColumnPrinter::description(size_t i) const {
  return i == 0 ? kNameText : std::string_view(own_[i - 1].description);
}

void ColumnPrinter::Add(Column column, std::string_view path) {
  auto parsed = JsonPath::Parse(path);
  if (!parsed) return;  // a definition with such a path shows what is before it
  reads_metadata_ |= parsed->reads_metadata();
  column.path = *std::move(parsed);
  own_.push_back(std::move(column));
}

void ColumnPrinter::PrintCells(const api::StructNode& object, base::Clock::WallTime now,
                               base::BufferBuilder& out) const {
  const api::StructNode* metadata = object.slot(kMetadata).node();
  api::json::EncodeString(api::meta_v1::ObjectMetaView(metadata).name(), out);
  if (own_.empty()) return;
  api::Arena arena;
  Value tree = object.slot(object.type->fields.size() - 1);
  if (reads_metadata_ || !tree.map()) {
    api::MapNode* whole = api::MapNode::New(nullptr, arena);
    whole->Set("apiVersion", object.slot(1), arena);
    whole->Set("kind", object.slot(0), arena);
    if (metadata) whole->Set("metadata", api::json::ToTree(*metadata, arena), arena);
    if (tree.map())
      for (const auto& entry : tree.map()->entries()) whole->Set(entry.key, entry.value, arena);
    tree = Value::Of(whole);
  }
  for (const Column& column : own_) {
    const auto found = column.path.Find(tree);
    out.Append(',');
    api::json::EncodeAny(found.empty() ? Value::Null() : CellOf(column.type, *found.front(), now, arena),
                         out);
  }
}

}  // namespace keelson::extensions
