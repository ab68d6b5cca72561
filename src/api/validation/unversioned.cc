#include "api/validation/unversioned.h"

#include <algorithm>
#include <span>
#include <utility>

#include "api/codec/go_names.h"
#include "api/codec/json.h"
#include "api/validation/line_diff.h"
#include "base/slice.h"

namespace keelson::api::field {
namespace {

// A member of an unversioned struct: the JSON name of the field it is made of, preceded by ^
// when that is the enclosing struct's, and its own name when Go's rules do not give it.
struct Member {
  std::string_view field;
  std::string_view name = {};
};

struct Layout {
  std::string_view type;
  std::span<const Member> members;
};

constexpr Member kPodSpec[] = {{"volumes"},
                               {"initContainers"},
                               {"containers"},
                               {"ephemeralContainers"},
                               {"restartPolicy"},
                               {"terminationGracePeriodSeconds"},
                               {"activeDeadlineSeconds"},
                               {"dnsPolicy"},
                               {"nodeSelector"},
                               {"serviceAccountName"},
                               {"automountServiceAccountToken"},
                               {"nodeName"},
                               {"securityContext"},
                               {"imagePullSecrets"},
                               {"hostname"},
                               {"subdomain"},
                               {"setHostnameAsFQDN"},
                               {"affinity"},
                               {"schedulerName"},
                               {"tolerations"},
                               {"hostAliases"},
                               {"priorityClassName"},
                               {"priority"},
                               {"preemptionPolicy"},
                               {"dnsConfig"},
                               {"readinessGates"},
                               {"runtimeClassName"},
                               {"overhead"},
                               {"enableServiceLinks"},
                               {"topologySpreadConstraints"},
                               {"os"},
                               {"schedulingGates"},
                               {"resourceClaims"},
                               {"resources"},
                               {"hostnameOverride"},
                               {"schedulingGroup"}};
constexpr Member kPodSecurityContext[] = {{"^hostNetwork"},
                                          {"^hostPID"},
                                          {"^hostIPC"},
                                          {"^shareProcessNamespace"},
                                          {"^hostUsers"},
                                          {"seLinuxOptions"},
                                          {"windowsOptions"},
                                          {"runAsUser"},
                                          {"runAsGroup"},
                                          {"runAsNonRoot"},
                                          {"supplementalGroups"},
                                          {"supplementalGroupsPolicy"},
                                          {"fsGroup"},
                                          {"fsGroupChangePolicy"},
                                          {"sysctls"},
                                          {"seccompProfile"},
                                          {"appArmorProfile"},
                                          {"seLinuxChangePolicy"}};
constexpr Member kVolumeSource[] = {{"hostPath"},
                                    {"emptyDir"},
                                    {"gcePersistentDisk"},
                                    {"awsElasticBlockStore"},
                                    {"gitRepo"},
                                    {"secret"},
                                    {"nfs"},
                                    {"iscsi"},
                                    {"glusterfs"},
                                    {"persistentVolumeClaim"},
                                    {"rbd"},
                                    {"quobyte"},
                                    {"flexVolume"},
                                    {"cinder"},
                                    {"cephfs"},
                                    {"flocker"},
                                    {"downwardAPI"},
                                    {"fc"},
                                    {"azureFile"},
                                    {"configMap"},
                                    {"vsphereVolume"},
                                    {"azureDisk"},
                                    {"photonPersistentDisk"},
                                    {"projected"},
                                    {"portworxVolume"},
                                    {"scaleIO"},
                                    {"storageos"},
                                    {"csi"},
                                    {"ephemeral"},
                                    {"image"}};
constexpr Member kPersistentVolumeSource[] = {{"gcePersistentDisk"},
                                              {"awsElasticBlockStore"},
                                              {"hostPath"},
                                              {"glusterfs"},
                                              {"nfs"},
                                              {"rbd"},
                                              {"quobyte"},
                                              {"iscsi"},
                                              {"flexVolume"},
                                              {"cinder"},
                                              {"cephfs"},
                                              {"fc"},
                                              {"flocker"},
                                              {"azureFile"},
                                              {"vsphereVolume"},
                                              {"azureDisk"},
                                              {"photonPersistentDisk"},
                                              {"portworxVolume"},
                                              {"scaleIO"},
                                              {"local"},
                                              {"storageos"},
                                              {"csi"}};
constexpr Member kAzureDisk[] = {
    {"diskName"}, {"diskURI", "DataDiskURI"}, {"cachingMode"}, {"fsType"}, {"readOnly"}, {"kind"}};
constexpr Member kGlusterfs[] = {{"endpoints", "EndpointsName"}, {"path"}, {"readOnly"}};
constexpr Member kPersistentGlusterfs[] = {
    {"endpoints", "EndpointsName"}, {"path"}, {"readOnly"}, {"endpointsNamespace"}};
constexpr Member kIscsi[] = {{"targetPortal"},
                             {"iqn"},
                             {"lun"},
                             {"iscsiInterface"},
                             {"fsType"},
                             {"readOnly"},
                             {"portals"},
                             {"chapAuthDiscovery", "DiscoveryCHAPAuth"},
                             {"chapAuthSession", "SessionCHAPAuth"},
                             {"secretRef"},
                             {"initiatorName"}};
constexpr Member kRbd[] = {
    {"monitors", "CephMonitors"}, {"image", "RBDImage"}, {"fsType"},    {"pool", "RBDPool"},
    {"user", "RadosUser"},        {"keyring"},           {"secretRef"}, {"readOnly"}};
constexpr Member kDeviceAttribute[] = {{"int", "IntValue"},         {"bool", "BoolValue"},
                                       {"string", "StringValue"},   {"version", "VersionValue"},
                                       {"ints", "IntValues"},       {"bools", "BoolValues"},
                                       {"strings", "StringValues"}, {"versions", "VersionValues"}};

// The types whose unversioned form is not simply their own.
constexpr Layout kLayouts[] = {
    {"core_v1.PodSpec", kPodSpec},
    {"core_v1.PodSecurityContext", kPodSecurityContext},
    {"core_v1.VolumeSource", kVolumeSource},
    {"core_v1.PersistentVolumeSource", kPersistentVolumeSource},
    {"core_v1.AzureDiskVolumeSource", kAzureDisk},
    {"core_v1.GlusterfsVolumeSource", kGlusterfs},
    {"core_v1.GlusterfsPersistentVolumeSource", kPersistentGlusterfs},
    {"core_v1.ISCSIVolumeSource", kIscsi},
    {"core_v1.ISCSIPersistentVolumeSource", kIscsi},
    {"core_v1.RBDVolumeSource", kRbd},
    {"core_v1.RBDPersistentVolumeSource", kRbd},
    {"resource_v1.DeviceAttribute", kDeviceAttribute},
};

// One struct being written, for the members of it that upstream holds in a nested one.
struct Enclosing {
  const StructNode* node;
  const TypeDesc* type;
};

class Writer {
 public:
  explicit Writer(base::BufferBuilder& out) : out_(out) {}

  void Struct(const StructNode* node, const TypeDesc& type, Enclosing enclosing = {}) {
    if (type.name.starts_with("meta_v1.")) {
      if (node) return json::Encode(*node, out_);
      return out_.Append("{}");
    }
    bool first = true;
    out_.Append('{');
    Members(node, type, enclosing, first);
    out_.Append('}');
  }

  void Field(const StructNode* node, const TypeDesc& type, const FieldDesc& field) {
    Write(node ? node->slot(field.ordinal) : Value(), *field.type, field.has(FieldDesc::kPointer),
          {node, &type});
  }

 private:
  void Members(const StructNode* node, const TypeDesc& type, Enclosing enclosing, bool& first) {
    if (const auto* layout = std::ranges::find(kLayouts, type.name, &Layout::type);
        layout != std::end(kLayouts)) {
      for (const Member& member : layout->members) {
        const bool outer = member.field.starts_with('^');
        const Enclosing from = outer ? enclosing : Enclosing{node, &type};
        if (!from.type) continue;
        const std::string_view name = member.field.substr(outer ? 1 : 0);
        OneMember(from.node, *from.type, *std::ranges::find(from.type->fields, name, &FieldDesc::name),
                  member.name, first);
      }
      return;
    }
    for (const FieldDesc& field : type.fields) OneMember(node, type, field, {}, first);
  }

  void OneMember(const StructNode* node, const TypeDesc& type, const FieldDesc& field, std::string_view name,
                 bool& first) {
    const Value value = node ? node->slot(field.ordinal) : Value();
    if (field.has(FieldDesc::kInline)) return Members(value.node(), *field.type, {node, &type}, first);
    if (field.has(FieldDesc::kTypeMeta)) return;
    if (field.type->name == "meta_v1.ObjectMeta") return Embedded(value.node(), first);
    if (!std::exchange(first, false)) out_.Append(',');
    json::EncodeString(name.empty() ? GoFieldName(field.name) : std::string(name), out_);
    out_.Append(':');
    Field(node, type, field);
  }

  // Metadata is embedded and brings its JSON names along.
  void Embedded(const StructNode* node, bool& first) {
    if (!node) return;
    base::BufferBuilder text;
    json::Encode(*node, text);
    const std::string_view members = text.view().substr(1, text.view().size() - 2);
    if (members.empty()) return;
    if (!std::exchange(first, false)) out_.Append(',');
    out_.Append(members);
  }

  void Write(const Value& value, const TypeDesc& type, bool pointer, Enclosing enclosing) {
    if (value.absent()) return pointer ? out_.Append("null") : Absent(type, enclosing);
    switch (type.kind) {
      case Kind::kStruct: return Struct(value.node(), type, enclosing);
      case Kind::kList: {
        out_.Append('[');
        bool first = true;
        for (const Value& item : value.list()->items()) {
          if (!std::exchange(first, false)) out_.Append(',');
          Write(item, *type.element, false, {});
        }
        return out_.Append(']');
      }
      case Kind::kMap: {
        if (type.element->kind != Kind::kStruct) return json::Encode(value, type, out_);
        out_.Append('{');
        bool first = true;
        for (const auto& entry : value.map()->entries()) {
          if (!std::exchange(first, false)) out_.Append(',');
          json::EncodeString(entry.key, out_);
          out_.Append(':');
          Write(entry.value, *type.element, false, {});
        }
        return out_.Append('}');
      }
      default: return json::Encode(value, type, out_);
    }
  }

  void Absent(const TypeDesc& type, Enclosing enclosing) {
    switch (type.kind) {
      case Kind::kBool: return out_.Append("false");
      case Kind::kInt32:
      case Kind::kInt64:
      case Kind::kDouble:
      case Kind::kIntOrString: return out_.Append("0");
      case Kind::kString: return out_.Append("\"\"");
      case Kind::kQuantity: return out_.Append("\"0\"");
      case Kind::kDuration: return out_.Append("\"0s\"");
      case Kind::kStruct: return Struct(nullptr, type, enclosing);
      default: return out_.Append("null");
    }
  }

  base::BufferBuilder& out_;
};

// JSON with a member or element per line, each level a blank further in; what is empty stays
// together.
std::string Indented(std::string_view json) {
  std::string out;
  size_t depth = 0;
  bool quoted = false;
  const auto line = [&] { out.append("\n").append(depth, ' '); };
  for (size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (quoted) {
      out += c;
      if (c == '\\') out += json[++i];
      quoted = c != '"';
      continue;
    }
    if (c == '}' || c == ']') {
      --depth;
      if (json[i - 1] != '{' && json[i - 1] != '[') line();
    }
    out += c;
    if (c == '"') quoted = true;
    if (c == ':') out += ' ';
    if (c == ',') line();
    if (c == '{' || c == '[') {
      ++depth;
      if (json[i + 1] != '}' && json[i + 1] != ']') line();
    }
  }
  return out + "\n";
}

std::string IndentedStruct(const StructNode* node, const TypeDesc& type) {
  base::BufferBuilder out;
  Writer(out).Struct(node, type);
  return Indented(out.view());
}

std::string IndentedList(std::span<const StructNode* const> nodes) {
  base::BufferBuilder out;
  out.Append('[');
  for (const StructNode* node : nodes) {
    if (node != nodes.front()) out.Append(',');
    Writer(out).Struct(node, *node->type);
  }
  out.Append(']');
  return Indented(out.view());
}

}  // namespace

std::string RenderUnversioned(const StructNode* node) {
  if (!node) return "null";
  base::BufferBuilder out;
  Writer(out).Struct(node, *node->type);
  return std::string(out.view());
}

std::string RenderUnversionedField(const StructNode* node, std::string_view member) {
  if (!node) return "null";
  const auto field = std::ranges::find(node->type->fields, member, &FieldDesc::name);
  base::BufferBuilder out;
  Writer(out).Field(node, *node->type, *field);
  return std::string(out.view());
}

std::string UnversionedDifference(const StructNode* was, const StructNode* now) {
  const TypeDesc& type = *(was ? was : now)->type;
  return LineDiff(IndentedStruct(was, type), IndentedStruct(now, type));
}

std::string UnversionedDifference(std::span<const StructNode* const> was,
                                  std::span<const StructNode* const> now) {
  return LineDiff(IndentedList(was), IndentedList(now));
}

}  // namespace keelson::api::field
