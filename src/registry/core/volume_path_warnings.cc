#include "registry/core/volume_path_warnings.h"

#include <utility>

#include "api/validation/field.h"

namespace keelson::registry::core {
namespace {

using namespace api::core_v1;
using api::field::RenderValue;

// A path in a volume and where its content comes from, where that is worth telling.
struct Target {
  std::string path, source;
  std::string ToString() const {
    return source.empty() ? RenderValue(path) : RenderValue(path) + " (" + source + ")";
  }
};

// One of them is the other, or a folder on the way to it.
bool Overlap(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return false;
  if (a.size() > b.size()) std::swap(a, b);
  return b.starts_with(a) && (a.size() == b.size() || b[a.size()] == '/');
}

// The paths of one volume; each new one is compared with the first ones, which is all of them
// unless there are more than anybody would write.
class Volume {
 public:
  Volume(std::string heading, std::vector<std::string>& warnings)
      : heading_(std::move(heading)), warnings_(warnings) {}

  void Add(std::string_view path, std::string source = {}) {
    while (path.ends_with('/')) path.remove_suffix(1);
    Target target{std::string(path), std::move(source)};
    for (const Target& other : targets_)
      if (Overlap(other.path, target.path))
        warnings_.push_back(heading_ + ": overlapping paths: " + target.ToString() + " with " +
                            other.ToString());
    if (targets_.size() < kMostCompared) targets_.push_back(std::move(target));
  }
  template <class Items>
  void AddAll(Items items, const std::string& source = {}) {
    for (auto item : items) Add(item.path(), source);
  }

 private:
  static constexpr size_t kMostCompared = 100;

  std::string heading_;
  std::vector<std::string>& warnings_;
  std::vector<Target> targets_;
};

std::string Heading(VolumeView volume, const std::string& what) {
  return "volume " + RenderValue(volume.name()) + " (" + what + ")";
}

bool IsEmpty(VolumeProjectionView source) {
  if (!source) return true;
  for (const api::Value& slot : source.node()->slots())
    if (!slot.absent()) return false;
  return true;
}

void AddCertificate(PodCertificateProjectionView certificate, Volume& paths) {
  if (!certificate.certificate_chain_path().empty())
    paths.Add(certificate.certificate_chain_path(), "PodCertificate chain");
  if (!certificate.key_path().empty()) paths.Add(certificate.key_path(), "PodCertificate key");
  if (!certificate.credential_bundle_path().empty())
    paths.Add(certificate.credential_bundle_path(), "PodCertificate credential bundle");
}

void WarnOfProjected(VolumeView volume, std::vector<std::string>& warnings) {
  Volume paths(Heading(volume, "Projected"), warnings);
  for (auto source : volume.volume_source().projected().sources()) {
    if (IsEmpty(source)) {
      warnings.push_back(Heading(volume, "Projected") + " has no sources provided");
    } else if (auto config = source.config_map(); !config.items().empty()) {
      paths.AddAll(config.items(), "ConfigMap " + RenderValue(config.local_object_reference().name()));
    } else if (auto secret = source.secret(); !secret.items().empty()) {
      paths.AddAll(secret.items(), "Secret " + RenderValue(secret.local_object_reference().name()));
    } else if (auto downward = source.downward_api(); !downward.items().empty()) {
      paths.AddAll(downward.items(), "DownwardAPI");
    } else if (auto token = source.service_account_token()) {
      paths.Add(token.path(), "ServiceAccountToken");
    } else if (auto bundle = source.cluster_trust_bundle()) {
      paths.Add(bundle.path(), "ClusterTrustBundle " +
                                   RenderValue(bundle.has_name() ? bundle.name() : bundle.signer_name()));
    } else if (auto certificate = source.pod_certificate()) {
      AddCertificate(certificate, paths);
    }
  }
}

}  // namespace

void WarnOfOverlappingPaths(api::ListView<VolumeView> volumes, std::vector<std::string>& warnings) {
  for (auto volume : volumes) {
    const auto source = volume.volume_source();
    if (auto config = source.config_map(); !config.items().empty()) {
      const std::string what = "ConfigMap " + RenderValue(config.local_object_reference().name());
      Volume(Heading(volume, what), warnings).AddAll(config.items());
    }
    if (auto secret = source.secret(); !secret.items().empty())
      Volume(Heading(volume, "Secret " + RenderValue(secret.secret_name())), warnings).AddAll(secret.items());
    if (auto downward = source.downward_api(); !downward.items().empty())
      Volume(Heading(volume, "DownwardAPI"), warnings).AddAll(downward.items());
    if (source.projected()) WarnOfProjected(volume, warnings);
  }
}

}  // namespace keelson::registry::core
