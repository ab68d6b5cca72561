#include "endpoints/table/apiserverinternal/rows.h"

#include <string>

#include "api/generated/apiserverinternal_v1alpha1.h"

namespace keelson::endpoints::table::apiserverinternal {
namespace {

constexpr std::string_view kUnset = "<unset>";

// The first three servers and the version that each encodes in.
std::string Servers(api::apiserverinternal_v1alpha1::StorageVersionStatusView status) {
  constexpr size_t kShown = 3;
  const auto servers = status.storage_versions();
  std::string text;
  for (size_t i = 0; i < servers.size() && i < kShown; ++i)
    text.append(i ? "," : "")
        .append(servers[i].api_server_id())
        .append("=")
        .append(servers[i].encoding_version());
  if (servers.size() > kShown)
    text.append(" + ").append(std::to_string(servers.size() - kShown)).append(" more...");
  return text;
}

void StorageVersionRow(const api::StructNode& object, Cells& cells) {
  const api::apiserverinternal_v1alpha1::StorageVersionView version(&object);
  const auto status = version.status();
  cells.Text(version.metadata().name());
  cells.Text(status.has_common_encoding_version() ? status.common_encoding_version() : kUnset);
  cells.TextOr(Servers(status), kUnset);
  cells.Age(version.metadata().creation_timestamp());
}

constexpr KindRow kRows[] = {{"StorageVersion", StorageVersionRow, "v1alpha1"}};

}  // namespace

std::span<const KindRow> Rows() { return kRows; }

}  // namespace keelson::endpoints::table::apiserverinternal
