// FieldManager: keeps metadata.managedFields true through every write of one resource or
// subresource: who owns which fields, and since when. A resource that is served in several
// versions has managers of each; the fields of a manager are those of the version it wrote in.
//
// Threads: immutable, any thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "api/managed_fields/compare.h"
#include "api/managed_fields/config.h"
#include "api/managed_fields/conversions.h"
#include "api/managed_fields/managed.h"
#include "api/meta/status.h"
#include "api/types/doc.h"
#include "api/types/resource_desc.h"
#include "base/result.h"

namespace keelson::api::managed_fields {

class FieldManager {
 public:
  // `resource` must outlive this; documents are in its version. `subresource` is empty for
  // the resource itself.
  FieldManager(const ResourceDesc& resource, std::string_view subresource);

  // After a create, update or patch by `manager` at `time` (Unix seconds) and before
  // admission: what differs between `live` (null: nothing, a create) and `now` is the
  // manager's from here on. Managed fields that a client sent along are taken over when
  // they are valid; an empty list or a list of one empty entry forgets them all.
  // `api_version`: that the client wrote in, when it is another one of the same form. `conversions`: objects
  // of a kind with a converter in the versions of other managers.
  void Update(const Doc* live, Doc& now, std::string_view manager, int64_t time,
              std::string_view api_version = {}, Conversions* conversions = nullptr) const;

  // Server-side apply of `config`, a tree as JSON decodes to, by `manager`: `live` (null:
  // nothing yet) with the configuration laid over it and without what the manager applied
  // before and nobody claims any more. 409 when another manager owns what would change, unless
  // `force` takes it over. The result shares nothing with `config`.
  base::Result<Doc, Status> Apply(const Doc* live, const Value& config, std::string_view manager, bool force,
                                  int64_t time, Conversions* conversions = nullptr) const;

 private:
  struct Attempt;
  struct Conflict {
    Manager manager;
    const FieldSet* fields = nullptr;
  };

  bool Serves(std::string_view api_version) const;
  // The resource in another version, for which objects can be converted; null: there is none.
  const ResourceDesc* OtherVersion(std::string_view api_version) const;
  Managed Current(const Doc* live, const Doc& now, Arena& arena) const;
  Comparison Changes(const StructNode* was, const StructNode& now, Arena& arena,
                     const StructNode* touched = nullptr) const;
  // The fields that a write takes from managers of one version: those it sets, and those it sets or removes.
  struct OwnershipChanges {
    const FieldSet *taken = nullptr, *lost = nullptr;
  };
  using ChangesByVersion = std::map<std::string_view, std::optional<OwnershipChanges>>;
  // The changes in the paths of the version that `api_version` names; nullopt where they are
  // the same. `known` has those of the versions that were asked for before.
  const std::optional<OwnershipChanges>& ChangesIn(std::string_view api_version, const StructNode* was,
                                                   const StructNode& now, Arena& arena,
                                                   ChangesByVersion& known, Conversions* conversions) const;

  base::Result<void, Status> CheckKind(const Value& config) const;
  base::Result<Config, Status> TypedConfig(const Value& config, Arena& arena) const;
  base::Result<Managed, Status> LiveManagers(const Doc* live, int64_t time, Arena& arena) const;
  // Fills attempt.doc and, unless it is forced, attempt.conflicts.
  base::Result<void, Status> TryApply(Attempt& attempt, bool force) const;
  const FieldSet* Prune(Attempt& attempt, const Manager& self, const FieldSet* last) const;
  // The same where versions are converted by asking. `last_version`: that `last` is of.
  const FieldSet* PruneAsking(Attempt& attempt, const FieldSet* last, std::string_view last_version) const;
  const FieldSet* AllowedByLastApplied(const Doc& live, Arena& arena) const;
  std::string ObjectName(const Value& config) const;

  const ResourceDesc& resource_;
  const std::string subresource_;
  const std::string api_version_;
  const FieldSet* const reset_;
};

// The name that a write without fieldManager goes by: the User-Agent up to the first slash,
// printable characters only, 128 bytes at most.
std::string ManagerFromUserAgent(std::string_view user_agent);

// Takes back new times in `now` when nothing else about it differs from `was`: a write that
// changed nothing is no write.
void KeepTimesOfUnchanged(const Doc& was, Doc& now);

}  // namespace keelson::api::managed_fields
