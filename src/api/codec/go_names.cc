#include "api/codec/go_names.h"

#include <algorithm>
#include <utility>

namespace keelson::api {

std::string GoTypeName(const TypeDesc& type) {
  switch (type.kind) {
    case Kind::kBool: return "bool";
    case Kind::kInt32: return "int32";
    case Kind::kInt64: return "int64";
    case Kind::kDouble: return "float64";
    case Kind::kString: return "string";
    case Kind::kBytes: return "[]uint8";
    case Kind::kQuantity: return "resource.Quantity";
    case Kind::kTime: return "v1.Time";
    case Kind::kMicroTime: return "v1.MicroTime";
    case Kind::kDuration: return "v1.Duration";
    case Kind::kIntOrString: return "intstr.IntOrString";
    case Kind::kRaw: return "runtime.RawExtension";
    case Kind::kAny: return "interface {}";
    case Kind::kList: return "[]" + GoTypeName(*type.element);
    case Kind::kMap: return "map[string]" + GoTypeName(*type.element);
    case Kind::kStruct: break;
  }
  // "core_v1.PodSpec" is v1.PodSpec.
  const size_t dot = type.name.rfind('.');
  const size_t underscore = dot == type.name.npos ? type.name.npos : type.name.rfind('_', dot);
  return std::string(underscore == type.name.npos ? type.name : type.name.substr(underscore + 1));
}

std::string GoFieldName(std::string_view json_name) {
  constexpr std::pair<std::string_view, std::string_view> kAcronyms[] = {
      {"api", "API"},   {"aws", "AWS"},     {"ca", "CA"},   {"cel", "CEL"},   {"cephfs", "CephFS"},
      {"cidr", "CIDR"}, {"cidrs", "CIDRs"}, {"csi", "CSI"}, {"dns", "DNS"},   {"fc", "FC"},
      {"fs", "FS"},     {"gce", "GCE"},     {"gid", "GID"}, {"gmsa", "GMSA"}, {"grpc", "GRPC"},
      {"http", "HTTP"}, {"ip", "IP"},       {"ips", "IPs"}, {"iqn", "IQN"},   {"iscsi", "ISCSI"},
      {"json", "JSON"}, {"nfs", "NFS"},     {"os", "OS"},   {"pkix", "PKIX"}, {"pd", "PD"},
      {"qos", "QOS"},   {"rbd", "RBD"},     {"se", "SE"},   {"ssl", "SSL"},   {"storageos", "StorageOS"},
      {"tcp", "TCP"},   {"tls", "TLS"},     {"ttl", "TTL"}, {"tty", "TTY"},   {"uid", "UID"},
      {"url", "URL"},   {"wwids", "WWIDs"}};
  const auto word_end =
      std::ranges::find_if(json_name, [](char c) { return c >= 'A' && c <= 'Z'; }) - json_name.begin();
  const std::string_view word = json_name.substr(0, word_end);
  for (const auto& [json, go] : kAcronyms)
    if (word == json) return std::string(go).append(json_name.substr(word_end));
  std::string out(json_name);
  if (!out.empty() && out[0] >= 'a' && out[0] <= 'z') out[0] = static_cast<char>(out[0] - 'a' + 'A');
  return out;
}

std::string GoQuote(std::string_view s) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : s) {
    const auto u = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (u < 0x20 || u == 0x7f) {
      out += {'\\', 'x', kHex[u >> 4], kHex[u & 15]};
    } else {
      out += c;
    }
  }
  return out + '"';
}

}  // namespace keelson::api
