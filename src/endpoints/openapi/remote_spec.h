// RemoteSpec: what the OpenAPI v2 document of another server says of one version, for the document of this
// server. Such documents are not trusted: what cannot be read, is too large or refers to what it does not
// have is refused as a whole.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace keelson::endpoints::openapi {

// Immutable once it is read.
struct RemoteSpec {
  struct Definition {
    std::string json;
    std::string meaning;  // MeaningOf the JSON
  };
  std::map<std::string, std::string, std::less<>> paths;       // items as JSON, by path
  std::map<std::string, Definition, std::less<>> definitions;  // what the paths use, by name
  std::string hash;                                            // of all of it

  size_t Bytes() const;
};
using RemoteSpecPtr = std::shared_ptr<const RemoteSpec>;

// The most that is kept of one document.
inline constexpr size_t kMaxRemoteSpecBytes = size_t{16} << 20;

// The paths of a document below `root` ("/apis/metrics.k8s.io/v1beta1/"), with the definitions that they use
// and those that nothing in the document uses. References to parameters are replaced by these.
base::Result<RemoteSpec, std::string> ReadRemoteSpec(std::string_view json, std::string_view root);

// Tells definitions apart as the merging of documents does: two with the same one are the same but for prose,
// defaults and the kinds that they are known as.
std::string MeaningOf(std::string_view definition);

// How several documents go together with the definitions that are here: one that means the same as one of
// that name is left out, one that does not is renamed ("NAME_v2"). Borrows the specs.
class MergedSpecs {
 public:
  MergedSpecs() = default;
  // `specs`: in the order of their priority. `local`: what the definitions here mean, by name, of those that
  // the specs have too.
  MergedSpecs(std::span<const RemoteSpecPtr> specs, std::map<std::string, std::string, std::less<>> local);

  // As JSON, with the new names. Of several specs with one path the first one has it.
  using Take = std::function<void(std::string_view, std::string_view)>;
  void ForEachPath(const std::function<bool(std::string_view)>& has_path, const Take& take) const;
  void ForEachDefinition(const Take& take) const;

 private:
  struct Part {
    const RemoteSpec* spec;
    std::map<std::string, std::string, std::less<>> renamed;      // from what to what, as JSON has them
    std::vector<std::pair<std::string_view, std::string>> added;  // a definition of it, under which name
  };
  std::vector<Part> parts_;
};

}  // namespace keelson::endpoints::openapi
