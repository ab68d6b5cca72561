// Client: how the parts of the server read and write objects in-process. What one can do to any stored
// resource, built-in or custom, under one identity, through the admission that every request passes.
//
// Threads: any loop; every call resumes where it was awaited. Documents have their defaults and are in the
// version that is stored. Errors are those a client of the API would get; a resource that is not served is
// a 404. `ns` is empty for cluster-scoped resources.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/meta/status.h"
#include "api/types/doc.h"
#include "api/types/resource_desc.h"
#include "base/result.h"
#include "base/task.h"
#include "storage/interface.h"

namespace keelson::client {

using storage::EventType;
using storage::FieldSelector;
using storage::ListOptions;
using storage::ListResult;
using storage::Object;
using storage::ObjectPtr;
using storage::Revision;
using storage::Selection;
using storage::VersionMatch;
using storage::WatchEvent;
using storage::WatchOptions;
using storage::WatchStream;

template <class T>
using Result = base::Result<T, api::Status>;

// A resource or one of its subresources, such as {"", "pods"} and {"", "pods", "status"}. The names are
// borrowed until the call that takes them has returned its task.
struct Resource {
  constexpr Resource(std::string_view g, std::string_view p, std::string_view sub = {})
      : group(g), plural(p), subresource(sub) {}
  constexpr Resource(api::GroupResource r) : group(r.group), plural(r.resource) {}

  std::string_view group, plural, subresource;

  constexpr Resource Sub(std::string_view name) const { return {group, plural, name}; }
};

// What a resource is stored in. It works for as long as somebody has the pointer, also when the resource is
// not served any more.
struct Source {
  const api::ResourceDesc* desc = nullptr;  // in the version that is stored
  storage::Interface* storage = nullptr;
  bool garbage_collected = true;          // its objects have owners, or may be owners
  std::shared_ptr<const void> keepalive;  // of a custom resource

  Resource resource() const { return {desc->group, desc->plural}; }
  bool is_custom() const { return keepalive != nullptr; }
};
using SourcePtr = std::shared_ptr<const Source>;

// How new the answer to a read must be.
enum class Fresh : uint8_t {
  kCached,         // what the watch cache has: all that this server has acknowledged
  kAbsenceIsSure,  // the same; only that there is none is made sure of, as by kNewest
  kNewest,         // all that was written before the call, by whomever
};

// What a write left behind.
struct Written {
  std::string resource_version;
};

enum class Propagation : uint8_t { kDefault, kBackground, kForeground, kOrphan };

struct DeleteOptions {
  std::string uid, resource_version;  // that the object must have; empty: any
  Propagation propagation = Propagation::kDefault;
};

class Client {
 public:
  virtual ~Client() = default;

  // ---- what there is

  // Null: it is not served.
  virtual SourcePtr Find(Resource resource) const = 0;
  // Every resource whose objects are stored.
  virtual std::vector<SourcePtr> Sources() const = 0;
  // Whether clients reach the resource in that very version: --runtime-config may switch it off.
  virtual bool Serves(const api::ResourceDesc& version) const = 0;
  // `see` is told, on the loop of the custom resources, of each resource that comes from now on (`was` is
  // null), is replaced, or goes (`now` is null), for as long as the server runs.
  using SourceObserver = std::function<void(const SourcePtr& now, const SourcePtr& was)>;
  virtual void ObserveSources(SourceObserver see) const = 0;

  // ---- reading

  // Not decoded; null: there is none.
  virtual base::Task<Result<ObjectPtr>> GetObject(Resource resource, std::string ns, std::string name,
                                                  Fresh fresh) const = 0;
  // nullopt: there is none.
  virtual base::Task<Result<std::optional<api::Doc>>> Get(Resource resource, std::string ns, std::string name,
                                                          Fresh fresh) const = 0;
  // What the cache has, in the order of their names. A list of all namespaces is decoded when it has
  // changed, and shared until then.
  using Docs = std::shared_ptr<const std::vector<api::Doc>>;
  virtual base::Task<Result<Docs>> List(Resource resource, std::string ns = {}) const = 0;
  // Not decoded. By default all of the newest that there are.
  virtual base::Task<Result<ListResult>> ListObjects(Resource resource, ListOptions options) const = 0;
  // How many the cache has.
  virtual base::Task<Result<int64_t>> Count(Resource resource, std::string ns) const = 0;
  // Informers follow what changes; this is for who needs other options than they use.
  virtual base::Task<Result<std::unique_ptr<WatchStream>>> Watch(Resource resource,
                                                                 WatchOptions options) const = 0;

  // ---- writing

  // The name is the one in the metadata.
  virtual base::Task<Result<Written>> Create(Resource resource, std::string ns, api::Doc doc) const = 0;
  // `edit` is called with the object as it is, again after each conflict. It gives false to leave it so.
  using Edit = std::function<bool(api::Doc&)>;
  // `uid`: that the object must have; empty: any.
  virtual base::Task<Result<Written>> Update(Resource resource, std::string ns, std::string name, Edit edit,
                                             std::string uid = {}) const = 0;
  // Writes `doc` over the object it was read as; 409: that has changed since.
  virtual base::Task<Result<Written>> Replace(Resource resource, api::Doc doc) const = 0;
  // Server-side apply of `config`, the JSON of what this client's manager wants to own, whoever owned it
  // before. What is absent is not created.
  virtual base::Task<Result<Written>> Apply(Resource resource, std::string ns, std::string name,
                                            std::string config) const = 0;
  virtual base::Task<Result<void>> Delete(Resource resource, std::string ns, std::string name,
                                          DeleteOptions options = {}) const = 0;
  // Asks all there are in `ns` (empty: everywhere) to go, and gives their number. Finalizers may keep some.
  virtual base::Task<Result<int64_t>> DeleteAll(Resource resource, std::string ns,
                                                Propagation propagation) const = 0;
};

}  // namespace keelson::client
