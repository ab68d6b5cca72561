// StoredNamespaces: the states of namespaces, read from what is stored of them.
#pragma once

#include "admission/plugins/namespace_lifecycle.h"
#include "client/client.h"

namespace keelson::admission {

// Borrows the client. Nothing is decoded.
class StoredNamespaces final : public NamespaceStates {
 public:
  explicit StoredNamespaces(const client::Client& objects) : objects_(objects) {}
  base::Task<base::Result<NamespaceState, api::Status>> Find(std::string_view ns) const override;

 private:
  const client::Client& objects_;
};

}  // namespace keelson::admission
