// ObjectFormat: how the objects of one resource look in one negotiated form. Works from
// the stored bytes; builds a document only for the cells of a table.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/types/resource_desc.h"
#include "base/clock.h"
#include "base/slice.h"
#include "endpoints/negotiation.h"
#include "endpoints/options.h"
#include "endpoints/table/printer.h"

namespace keelson::endpoints {

namespace table {
class CustomPrinter;
}

class ObjectFormat {
 public:
  // `resource` and `printer` must outlive this, or be kept by `keepalive`.
  ObjectFormat(const api::ResourceDesc& resource, const table::Printer& printer, const OutputFormat& output,
               TableParameters table, base::Clock::WallTime now,
               std::shared_ptr<const void> keepalive = nullptr);

  const OutputFormat& output() const { return output_; }
  const api::ResourceDesc& resource() const { return resource_; }
  // Lists show whole custom objects.
  bool lists_custom() const { return is_custom_ && output_.target == Target::kNone; }

  // Each appends one object from its `message` and returns false, with `out` as it was,
  // when the message does not decode.

  // The root of an answer or of a watch event, as JSON, by the target.
  bool AppendJson(std::string_view message, base::BufferBuilder& out);
  // An item of a list's "items", or a row of a table's "rows".
  bool AppendJsonItem(std::string_view message, base::BufferBuilder& out);
  // The same as AppendJson, as CBOR; a table has no such form.
  bool AppendCbor(std::string_view message, base::BufferBuilder& out) const;
  bool AppendCborItem(std::string_view message, base::BufferBuilder& out) const;
  // The same as AppendJson, as protobuf in its envelope; a table has no such form.
  bool AppendProtobuf(std::string_view message, base::BufferBuilder& out) const;

  // The stored message in the version that is served; `made` holds it when the two differ.
  // Nullopt when it does not decode.
  std::optional<std::string_view> Served(std::string_view message, base::BufferBuilder& made) const;
  // Answers are made anew for each client, since the stored bytes are of another version.
  bool converts() const { return converts_; }

  // Everything before the first item and after the last of a JSON list or table.
  void AppendListHead(std::string_view list_meta_json, base::BufferBuilder& out);
  static std::string_view ListTail() { return "]}"; }
  // A whole list or table without items.
  void AppendEmptyList(std::string_view list_meta_json, base::BufferBuilder& out);
  // The same of a CBOR list of `items`.
  void AppendCborListHead(size_t items, base::BufferBuilder& out) const;
  void AppendCborListTail(std::string_view list_meta_json, base::BufferBuilder& out) const;

  // The metadata of an answer's object: a view into `message`; empty when it has none.
  static std::string_view MetadataOf(std::string_view message);
  // The same as it stands alone; `made` holds it when it is not part of the message.
  std::string_view PartialMetadata(std::string_view message, base::BufferBuilder& made) const;
  bool edits_metadata() const { return !hidden_annotation_.empty(); }

 private:
  bool AppendPartialCbor(std::string_view message, base::BufferBuilder& out) const;
  std::string TargetVersion() const { return "meta.k8s.io/" + output_.target_version; }
  void AppendPartialProtobuf(std::string_view message, base::BufferBuilder& out) const;
  bool AppendWhole(std::string_view message, std::string_view head, base::BufferBuilder& out) const;
  bool AppendPartial(std::string_view message, base::BufferBuilder& out) const;
  bool AppendRow(std::string_view message, base::BufferBuilder& out) const;
  void AppendColumns(base::BufferBuilder& out);
  void AppendListStart(std::string_view list_meta_json, base::BufferBuilder& out);
  bool AppendTable(std::string_view message, base::BufferBuilder& out);

  const std::shared_ptr<const void> keepalive_;
  const api::ResourceDesc& resource_;
  const table::Printer& printer_;
  const table::CustomPrinter* const custom_;  // the same, if it is one
  const OutputFormat output_;
  const TableParameters table_;
  const base::Clock::WallTime now_;
  const std::string object_head_;  // `"kind":"Pod","apiVersion":"v1"`
  const std::string partial_head_;
  const bool converts_;
  const bool is_custom_;
  const std::string_view hidden_annotation_;
  bool columns_sent_ = false;  // in a watch only the first table has its columns
};

// {"resourceVersion":"7","continue":"...","remainingItemCount":3}; version 0 is left out.
// `always_continue`: the token is told even if it is empty, as in lists of custom objects.
std::string ListMetaJson(int64_t resource_version, std::string_view continue_token,
                         std::optional<int64_t> remaining, bool always_continue = false);

}  // namespace keelson::endpoints
