#include "api/validation/core/volume_sources.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace keelson::api::core {
namespace {

using namespace core_v1;
using field::RenderValue;

bool AllAlnum(std::string_view s) {
  return std::ranges::all_of(s, [](unsigned char c) { return std::isalnum(c); });
}

// "iqn.2001-04.com.example:storage.disk1".
bool IsIqn(std::string_view s) {
  if (!s.starts_with("iqn.") || s.size() < 13) return false;
  auto digits = [&](size_t at, size_t n) {
    return std::ranges::all_of(s.substr(at, n), [](unsigned char c) { return std::isdigit(c); });
  };
  if (!digits(4, 4) || s[8] != '-' || !digits(9, 2) || s[11] != '.') return false;
  const std::string_view rest = s.substr(12);
  const size_t colon = rest.find(':');
  if (colon == rest.npos || colon == 0 || colon + 1 == rest.size()) return false;
  const bool authority = std::ranges::all_of(
      rest.substr(0, colon), [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '.'; });
  return authority && rest.find_first_of(",;*&$| \t\n\r\f\v", colon) == rest.npos;
}

// host:port, the host possibly in brackets.
bool IsHostPort(std::string_view s) {
  const size_t colon = s.rfind(':');
  if (colon == s.npos) return false;
  const std::string_view host = s.substr(0, colon);
  if (host.starts_with('[')) return host.ends_with(']');
  return host.find(':') == host.npos;
}

}  // namespace

void CheckRequiredMembers(const StructView& source, std::span<const std::string_view> members,
                          const Path& path, ErrorList& errors) {
  for (std::string_view member : members) {
    const FieldDesc* field = source.node()->type->FindMember(member).field;
    const Value& value = source.node()->slot(field->ordinal);
    const bool empty = value.list() ? value.list()->size == 0 : value.string().empty();
    if (empty) errors.Add(field::Required(path.Child(member), ""));
  }
}

void CheckHostPath(HostPathVolumeSourceView source, const Path& path, ErrorList& errors) {
  if (source.path().empty()) return errors.Add(field::Required(path.Child("path"), ""));
  CheckNoBacksteps(source.path(), path.Child("path"), errors);
  if (source.has_type()) {
    CheckSupported(source.type(), kHostPathVolumeSourceType.FindMember("type").field->enum_values,
                   path.Child("type"), errors);
  }
}

void CheckNfs(NFSVolumeSourceView source, const Path& path, ErrorList& errors) {
  CheckRequired(source.server(), path.Child("server"), errors);
  CheckRequired(source.path(), path.Child("path"), errors);
  if (!source.path().starts_with('/')) {
    errors.Add(field::Invalid(path.Child("path"), RenderValue(source.path()), "must be an absolute path"));
  }
}

void CheckFibreChannel(FCVolumeSourceView source, const Path& path, ErrorList& errors) {
  const Path names = path.Child("targetWWNs");
  if (source.target_wwns().empty() && source.wwids().empty()) {
    errors.Add(field::Required(names, "must specify either targetWWNs or wwids, but not both"));
  }
  if (source.target_wwns().empty()) return;
  if (!source.wwids().empty()) {
    std::string rendered = "[";
    for (const Value& v : source.target_wwns()) {
      if (rendered.size() > 1) rendered += ",";
      rendered += RenderValue(v.string());
    }
    errors.Add(
        field::Invalid(names, rendered + "]", "targetWWNs and wwids can not be specified simultaneously"));
  }
  if (!source.has_lun()) {
    errors.Add(field::Required(path.Child("lun"), "lun is required if targetWWNs is specified"));
  } else {
    CheckInRange(source.lun(), 0, 255, path.Child("lun"), errors);
  }
}

void CheckCsiDriverName(std::string_view driver, const Path& path, ErrorList& errors) {
  if (driver.empty()) return errors.Add(field::Required(path, ""));
  if (driver.size() > 63) errors.Add(field::TooLong(path, 63));
  std::string lower(driver);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  errors.AddInvalid(path, driver, IsDns1123Subdomain(lower));
}

void CheckIscsiName(std::string_view name, const Path& path, ErrorList& errors) {
  const bool iqn = name.starts_with("iqn"), eui = name.starts_with("eui"), naa = name.starts_with("naa");
  if (!iqn && !eui && !naa) {
    errors.Add(
        field::Invalid(path, RenderValue(name), "must be valid format starting with iqn, eui, or naa"));
    return;
  }
  const bool valid = (iqn && IsIqn(name)) || (eui && name.size() == 20 && AllAlnum(name.substr(4))) ||
                     (naa && name.size() == 36 && AllAlnum(name.substr(4)));
  if (!valid) errors.Add(field::Invalid(path, RenderValue(name), "must be valid format"));
}

void CheckAzureDisk(AzureDiskVolumeSourceView source, const Path& path, ErrorList& errors) {
  CheckRequired(source.disk_name(), path.Child("diskName"), errors);
  CheckRequired(source.disk_uri(), path.Child("diskURI"), errors);
  auto values = [](std::string_view member) {
    return kAzureDiskVolumeSourceType.FindMember(member).field->enum_values;
  };
  if (source.has_caching_mode())
    CheckSupported(source.caching_mode(), values("cachingMode"), path.Child("cachingMode"), errors);
  if (!source.has_kind()) return;
  CheckSupported(source.kind(), values("kind"), path.Child("kind"), errors);
  constexpr std::string_view kManaged[] = {
      "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"};
  constexpr std::string_view kBlob[] = {
      "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"};
  const bool managed = source.kind() == AzureDataDiskKind::kManaged;
  if (!source.disk_uri().starts_with(managed ? "/subscriptions/" : "https://")) {
    errors.Add(field::NotSupported(path.Child("diskURI"), RenderValue(source.disk_uri()),
                                   managed ? kManaged : kBlob));
  }
}

void CheckQuobyte(QuobyteVolumeSourceView source, const Path& path, ErrorList& errors) {
  constexpr std::string_view kPairs = "must be a host:port pair or multiple pairs separated by commas";
  if (source.registry().empty()) {
    errors.Add(field::Required(path.Child("registry"), kPairs));
  } else if (source.tenant().size() >= 65) {
    errors.Add(
        field::Required(path.Child("tenant"), "must be a UUID and may not exceed a length of 64 characters"));
  } else {
    std::string_view rest = source.registry();
    while (true) {
      const size_t comma = rest.find(',');
      if (!IsHostPort(rest.substr(0, comma))) {
        errors.Add(field::Invalid(path.Child("registry"), RenderValue(source.registry()), kPairs));
      }
      if (comma == rest.npos) break;
      rest.remove_prefix(comma + 1);
    }
  }
  CheckRequired(source.volume(), path.Child("volume"), errors);
}

namespace {

void CheckPartition(int64_t partition, const Path& path, ErrorList& errors) {
  if (partition < 0 || partition > 255)
    errors.Add(field::Invalid(path.Child("partition"), RenderValue(partition), RangeMessage(1, 255)));
}

}  // namespace

void CheckGceDisk(GCEPersistentDiskVolumeSourceView source, const Path& path, ErrorList& errors) {
  CheckRequired(source.pd_name(), path.Child("pdName"), errors);
  CheckPartition(source.partition(), path, errors);
}

void CheckAwsDisk(AWSElasticBlockStoreVolumeSourceView source, const Path& path, ErrorList& errors) {
  CheckRequired(source.volume_id(), path.Child("volumeID"), errors);
  CheckPartition(source.partition(), path, errors);
}

void CheckFlexOptions(MapView options, const Path& path, ErrorList& errors) {
  for (const auto& [key, value] : options) {
    std::string space = "." + std::string(key.substr(0, key.find('/')));
    std::ranges::transform(space, space.begin(), [](unsigned char c) { return std::tolower(c); });
    if (space.ends_with(".kubernetes.io") || space.ends_with(".k8s.io")) {
      errors.Add(field::Invalid(path.Key(key), RenderValue(key),
                                "kubernetes.io and k8s.io namespaces are reserved"));
    }
  }
}

}  // namespace keelson::api::core
