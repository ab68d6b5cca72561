// StoredDefinition: a CustomResourceDefinition as the watch cache holds it, encoded. Most of its bytes are
// the schemas of its versions, which few readers need: they are decoded when somebody asks for them.
//
// A definition of 100 kB, say, takes 0.9 MB decoded and 5 kB without its schemas. Five thousand of them are
// followed and served by their outlines; the schemas of those that somebody uses are compiled then.
//
// Threads: any.
#pragma once

#include <string_view>
#include <vector>

#include "api/types/doc.h"
#include "base/mutex.h"
#include "base/slice.h"

namespace keelson::extensions {

class StoredDefinition {
 public:
  // `envelope`: the encoded definition.
  explicit StoredDefinition(base::Slice envelope) : envelope_(std::move(envelope)) {}

  // The whole definition; an empty document, and a line in the log, if it cannot be decoded.
  api::Doc Read() const;
  // The encoded schema of each version, in their order; empty for a version without one. The views live as
  // long as the bytes that this was made with.
  std::vector<std::string_view> EncodedSchemas() const;

  // Takes another encoding of the same definition, one that differs in its status or metadata, and lets the
  // former go: the watch cache has no use for it either.
  void Replace(base::Slice envelope) const;

 private:
  base::Slice envelope() const;

  mutable base::Mutex mu_;
  mutable base::Slice envelope_ GUARDED_BY(mu_);
};

}  // namespace keelson::extensions
