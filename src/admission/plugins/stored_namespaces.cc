#include "admission/plugins/stored_namespaces.h"

#include <string>

#include "client/object.h"

namespace keelson::admission {

base::Task<base::Result<NamespaceState, api::Status>> StoredNamespaces::Find(std::string_view ns) const {
  static const size_t phase = client::FieldIndex(*api::FindResource("", "v1", "namespaces"), "status.phase");
  const auto found = CO_TRY(
      co_await objects_.GetObject({"", "namespaces"}, "", std::string(ns), client::Fresh::kAbsenceIsSure));
  if (!found) co_return NamespaceState::kAbsent;
  co_return found->field(phase) == "Terminating" ? NamespaceState::kTerminating : NamespaceState::kActive;
}

}  // namespace keelson::admission
