// Strategy: the rules of one resource. The generic Store calls them in the order given
// here; they touch nothing but the documents: no I/O, no HTTP, no lock.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/types/doc.h"
#include "api/types/resource_desc.h"
#include "api/validation/field.h"
#include "auth/user.h"
#include "base/clock.h"
#include "registry/features.h"
#include "registry/rest/options.h"

namespace keelson::registry {

// What a write knows of its request.
struct WriteContext {
  const auth::User* user = nullptr;
  std::string_view ns;
  std::string_view subresource;
  const base::Clock* clock = &base::Clock::Real();
  bool dry_run = false;
  api::GroupVersion api_version;  // in which the client speaks; documents are in the stored version
  // For what preparing and checking an object finds; warnings of the object itself are asked for. Null:
  // nobody reads them.
  std::vector<std::string>* warnings = nullptr;
  Features features = {};
};

class Strategy {
 public:
  virtual ~Strategy() = default;

  virtual bool NamespaceScoped() const = 0;

  // Completes what a client sent with what objects of the kind always show, before it is
  // recorded who owns which field.
  virtual void PrepareForTracking(api::Doc&) const {}

  // --- create: PrepareForCreate, Validate, WarningsOnCreate, Canonicalize
  // Resets what a client may not set; mutates only.
  virtual void PrepareForCreate(const WriteContext&, api::Doc&) const {}
  // All errors at once; never mutates. Metadata is validated by the Store with ValidateName.
  virtual api::field::ErrorList Validate(const WriteContext&, const api::Doc& doc) const = 0;
  virtual std::vector<std::string> WarningsOnCreate(const WriteContext&, const api::Doc&) const { return {}; }
  // Brings a valid object into its normal form.
  virtual void Canonicalize(api::Doc&) const {}
  // What is wrong with `name` for this resource, as upstream words it; empty: nothing.
  // `prefix`: it is a generateName and may end in '-'.
  virtual std::vector<std::string> ValidateName(std::string_view name, bool prefix) const = 0;
  // Whether a generateName gets random characters behind it; else it is the name.
  virtual bool RandomizesGenerateName() const { return true; }
  // Whether Validate looks at metadata itself. What holds for every kind is then asked of
  // objects that have passed it.
  virtual bool ValidatesMetadata() const { return false; }
  // Finalizers without a domain must be those that the system knows.
  virtual bool ChecksStandardFinalizers() const { return true; }

  // --- update: PrepareForUpdate, ValidateUpdate, WarningsOnUpdate, Canonicalize
  virtual void PrepareForUpdate(const WriteContext&, api::Doc& /*now*/, const api::Doc& /*was*/) const {}
  virtual api::field::ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now,
                                               const api::Doc& was) const = 0;
  virtual std::vector<std::string> WarningsOnUpdate(const WriteContext&, const api::Doc&,
                                                    const api::Doc&) const {
    return {};
  }
  // PUT to a name that is absent creates it.
  virtual bool AllowCreateOnUpdate() const { return false; }
  // An update without resourceVersion overwrites whatever is there.
  virtual bool AllowUnconditionalUpdate() const { return true; }

  // --- delete
  // Upstream's default garbage collection policy of the resource.
  virtual bool OrphanDependentsByDefault() const { return false; }
  // The grace period to apply when the resource is deleted gracefully (pods); nullopt: at
  // once. May look at `options` and `doc`.
  virtual std::optional<int64_t> GracePeriodSeconds(const api::Doc&, const DeleteOptions&) const {
    return std::nullopt;
  }
  // Objects are deleted for good only when this list field is empty too
  // (namespaces: spec.finalizers).
  virtual bool HasOwnFinalizers(const api::Doc&) const { return false; }
  // Marks the object as being deleted beyond deletionTimestamp (namespaces: phase Terminating).
  virtual void PrepareForDeletion(const WriteContext&, api::Doc&) const {}

  virtual std::vector<std::string> WarningsOnDelete(const DeleteOptions&) const { return {}; }

  // Lifetime of a stored object (events).
  virtual std::optional<std::chrono::seconds> TimeToLive(const api::Doc&) const { return std::nullopt; }
};

}  // namespace keelson::registry
