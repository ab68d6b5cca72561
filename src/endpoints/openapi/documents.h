// /openapi/v2 and /openapi/v3: one document for everything, and an index of hashed URLs with
// one document per group-version, per group, and for each page that is no resource. Documents are written
// when they are asked for and not kept: clients keep them, by their hash, and the server stays small.
//
// What definitions describe is kept by group and version. A change of a definition makes its own anew and
// shares the others. Their hashes are made of the keys of what they describe, so that neither the index nor
// the question whether v2 has changed writes a document.
//
// Threads: any.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "api/types/resource_desc.h"
#include "base/hash_trie.h"
#include "base/intrusive_ptr.h"
#include "base/published.h"
#include "base/slice.h"
#include "base/string_hash.h"
#include "endpoints/openapi/custom.h"
#include "endpoints/openapi/document.h"
#include "endpoints/openapi/paths.h"
#include "net/http/message.h"

namespace keelson::endpoints::openapi {

class Documents {
 public:
  // The resources served, which must outlive this, and how the server answers.
  explicit Documents(std::vector<const api::ResourceDesc*> resources, Behaviour behaviour = {});

  // "/openapi/v2", "/openapi/v3" and everything below that.
  static bool Owns(std::string_view path);

  // Describes definitions so from now on, besides what is built in. One thread at a time.
  void ChangeCustom(std::vector<CustomDescription> changes);

  // The index names these documents, which others have, besides the others from now on: their URLs by
  // "apis/GROUP/VERSION". One thread at a time.
  using Urls = std::map<std::string, std::string, std::less<>>;
  void SetRemote(Urls urls);
  // v2 has these parts of the documents of others from now on, in the order of their priority. The same
  // thread as SetRemote.
  void SetRemoteSpecs(std::vector<RemoteSpecPtr> specs);

  // Requires: Owns(path). `path` and `query` as in the request, decoded.
  net::http::Response Handle(std::string_view path, std::string_view query,
                             const net::http::Headers& headers);

 private:
  // The hash of a document's JSON, made when first asked for.
  struct Hash {
    std::once_flag made;
    std::string text;
  };
  struct GroupVersion final : base::RefCounted<GroupVersion> {
    explicit GroupVersion(std::string of) : path(std::move(of)), path_hash(base::StringHash()(path)) {}
    uint64_t hash() const { return path_hash; }

    const std::string path;  // "apis/g/v", "apis/g", "version"
    const uint64_t path_hash;
    std::vector<const api::ResourceDesc*> resources;
    std::vector<CustomDefinitionPtr> custom;  // by name
    std::vector<Page> pages;                  // of a document that is of no version
    mutable Hash document_hash;
  };
  using GroupVersionPtr = base::IntrusivePtr<const GroupVersion>;
  // What comes and goes, at one moment.
  struct CustomSet final : base::Publishable<CustomSet> {
    base::HashTrie<GroupVersion> group_versions;
    mutable Hash v2_hash;

    const GroupVersion* Find(std::string_view path) const;
    // Everything that is described, by name.
    std::vector<CustomDefinitionPtr> Definitions() const;
  };
  struct RemoteSet final : base::Publishable<RemoteSet> {
    Urls urls;
    std::vector<RemoteSpecPtr> specs;
    std::string specs_hash;  // empty: there are none
  };
  net::http::Response Index(const CustomSet& custom) const;
  net::http::Response V2(const CustomSet& custom, const net::http::Headers& headers) const;
  Document DocumentOf(const GroupVersion& group_version) const;
  const std::string& HashOf(const GroupVersion& group_version) const;
  const std::string& V2HashOf(const CustomSet& custom,
                              const std::vector<CustomDefinitionPtr>& definitions) const;

  const std::vector<const api::ResourceDesc*> resources_;
  const Behaviour behaviour_;
  const std::vector<Page> pages_;
  std::map<std::string, GroupVersionPtr, std::less<>> group_versions_;  // built in, by path
  mutable Hash built_in_v2_hash_;
  // How each definition is described. Belongs to the thread that calls ChangeCustom.
  std::map<std::string, std::vector<CustomDefinitionPtr>, std::less<>> by_definition_;
  base::Published<CustomSet> custom_{new CustomSet()};
  base::Published<RemoteSet> remote_{new RemoteSet()};
};

}  // namespace keelson::endpoints::openapi
