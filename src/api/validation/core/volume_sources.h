// Sources that pod volumes and persistent volumes share.
#pragma once

#include <initializer_list>
#include <string_view>
#include <type_traits>

#include "api/generated/core_v1.h"
#include "api/validation/core/checks.h"

namespace keelson::api::core {

void CheckHostPath(core_v1::HostPathVolumeSourceView source, const Path& path, ErrorList& errors);
void CheckNfs(core_v1::NFSVolumeSourceView source, const Path& path, ErrorList& errors);
void CheckFibreChannel(core_v1::FCVolumeSourceView source, const Path& path, ErrorList& errors);
void CheckCsiDriverName(std::string_view driver, const Path& path, ErrorList& errors);
// "iqn...", "eui..." or "naa...".
void CheckIscsiName(std::string_view name, const Path& path, ErrorList& errors);
void CheckAzureDisk(core_v1::AzureDiskVolumeSourceView source, const Path& path, ErrorList& errors);
void CheckQuobyte(core_v1::QuobyteVolumeSourceView source, const Path& path, ErrorList& errors);
void CheckGceDisk(core_v1::GCEPersistentDiskVolumeSourceView source, const Path& path, ErrorList& errors);
void CheckAwsDisk(core_v1::AWSElasticBlockStoreVolumeSourceView source, const Path& path, ErrorList& errors);
// Options must stay out of the system's namespaces.
void CheckFlexOptions(MapView options, const Path& path, ErrorList& errors);

// The members of `source` that must not be empty: strings, lists.
void CheckRequiredMembers(const StructView& source, std::span<const std::string_view> members,
                          const Path& path, ErrorList& errors);

// Takes the sources of one volume in the order in which upstream looks for them: the first
// is checked, every other is one too many.
class OneSource {
 public:
  // `path` is the volume's. Both must outlive this.
  OneSource(const Path& path, ErrorList& errors) : path_(path), errors_(errors) {}

  // `check` gets the view and its path, and the errors if it asks for them. `checked_as`: the
  // path of the source's own mistakes where upstream has another.
  template <class View, class Check>
  void Take(View view, std::string_view name, Check check, std::string_view checked_as = {}) {
    if (!view) return;
    if (found_) {
      errors_.Add(field::Forbidden(path_.Child(name), "may not specify more than 1 volume type"));
      return;
    }
    found_ = true;
    const Path at = path_.Child(checked_as.empty() ? name : checked_as);
    if constexpr (std::is_invocable_v<Check, View, const Path&, ErrorList&>) {
      check(view, at, errors_);
    } else {
      check(view, at);
    }
  }
  // A source that only has to have some members.
  template <class View>
  void Require(View view, std::string_view name, std::initializer_list<std::string_view> members,
               std::string_view checked_as = {}) {
    const auto check = [&](View v, const Path& at) {
      CheckRequiredMembers(v, {members.begin(), members.size()}, at, errors_);
    };
    Take(view, name, check, checked_as);
  }
  void Finish() {
    if (!found_) errors_.Add(field::Required(path_, "must specify a volume type"));
  }

 private:
  const Path& path_;
  ErrorList& errors_;
  bool found_ = false;
};

}  // namespace keelson::api::core
