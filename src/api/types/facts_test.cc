// Compares every built-in type with the published facts of the API when those are at
// hand (KEELSON_FACTS, or shared/facts beside the source tree). What must hold without
// them is in kGolden: a change of the wire format cannot pass unseen.
#include <gtest/gtest.h>
#include <simdjson.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "api/types/builtin_types.h"
#include "api/types/resource_desc.h"

namespace keelson::api {
namespace {

namespace dom = simdjson::dom;

std::filesystem::path FactsDir() {
  if (const char* dir = std::getenv("KEELSON_FACTS")) return dir;
  return std::filesystem::path(KEELSON_SOURCE_DIR) / ".." / "shared" / "facts";
}

std::string Join(std::span<const std::string_view> words) {
  std::string out;
  for (auto w : words) out += std::string(w) + ",";
  return out;
}

// "admissionregistration.k8s.io_v1", a file of the facts, is admissionregistration_v1 here.
std::string StemOfFile(std::string_view file) {
  const size_t version = file.rfind('_');
  // OpenAPI knows this group by the name of its package.
  if (file.starts_with("internal.apiserver.")) return "apiserverinternal" + std::string(file.substr(version));
  return std::string(file.substr(0, std::min(file.find('.'), version))) + std::string(file.substr(version));
}

// Of definitions in the version that is only stored, what did not change since is written in v1 alone.
std::string Written(std::string_view stem, std::string_view name) {
  const std::string full = std::string(stem) + "." + std::string(name);
  if (FindType(full) || stem != "apiextensions_v1beta1") return full;
  return "apiextensions_v1." + std::string(name);
}

std::string_view StemOf(const TypeDesc& type) { return type.name.substr(0, type.name.find('.')); }

// Everything about a field in one line.
std::string Describe(const FieldDesc& f) {
  std::string s(f.name);
  s += " #" + std::to_string(f.number) + " " + std::string(f.type->name) +
       " flags=" + std::to_string(f.flags) + " list=" + std::to_string(static_cast<int>(f.list_type)) +
       " keys=" + Join(f.list_map_keys) + " merge=" + std::string(f.patch_merge_key) +
       " enum=" + Join(f.enum_values) + " default=" + std::to_string(static_cast<int>(f.default_value.tag)) +
       ":" + std::to_string(f.default_value.number) + ":" + std::string(f.default_value.text);
  return s;
}

uint64_t Fnv(std::string_view s, uint64_t h) {
  for (unsigned char c : s) h = (h ^ c) * 1099511628211u;
  return h;
}

struct Summary {
  size_t types = 0, fields = 0;
  uint64_t hash = 14695981039346656037u;
  bool operator==(const Summary&) const = default;
};
void PrintTo(const Summary& s, std::ostream* os) {
  *os << "{" << s.types << ", " << s.fields << ", " << s.hash << "u}";
}

const std::map<std::string_view, Summary> kGolden = {
    {"admission_v1", {3, 26, 7921815158430448472u}},
    {"admissionregistration_v1", {36, 140, 1698310621047389759u}},
    {"admissionregistration_v1alpha1", {15, 48, 5413696601814190450u}},
    {"admissionregistration_v1beta1", {15, 48, 18234726919835478907u}},
    {"apidiscovery_v2", {5, 23, 3472010303037063254u}},
    {"apiextensions_v1", {26, 132, 921288208743793883u}},
    {"apiextensions_v1beta1", {5, 34, 11915290192618300925u}},
    {"apiregistration_v1", {6, 25, 15564630353939176696u}},
    {"apiserverinternal_v1alpha1", {6, 22, 12263199425975967668u}},
    {"apps_v1", {30, 145, 7736388722908895595u}},
    {"authentication_v1", {10, 34, 5224399001357605777u}},
    {"authorization_v1", {15, 58, 10221673942741398358u}},
    {"autoscaling_v1", {21, 84, 7804954479959512579u}},
    {"autoscaling_v2", {24, 82, 8433425930374681646u}},
    {"batch_v1", {17, 78, 9134142266560776725u}},
    {"certificates_v1", {5, 25, 4478460435288715664u}},
    {"certificates_v1alpha1", {3, 10, 5829975854056448707u}},
    {"certificates_v1beta1", {7, 36, 12885333899302597896u}},
    {"coordination_v1", {3, 15, 1951505298425731875u}},
    {"coordination_v1alpha2", {3, 14, 8831477173567851265u}},
    {"coordination_v1beta1", {3, 14, 10788612984121034332u}},
    {"core_v1", {241, 1088, 1861628204582588215u}},
    {"discovery_v1", {8, 29, 5597684032827045680u}},
    {"events_v1", {3, 23, 2989822370174821926u}},
    {"flowcontrol_v1", {23, 68, 17535944646957377984u}},
    {"meta_v1", {42, 189, 15822582622805996760u}},
    {"networking_v1", {35, 99, 2678813862605841352u}},
    {"networking_v1beta1", {8, 24, 15387045048680089155u}},
    {"node_v1", {4, 13, 11264546041512664944u}},
    {"policy_v1", {5, 24, 11489215910102950343u}},
    {"rbac_v1", {12, 48, 5231445269233675990u}},
    {"resource_v1", {44, 162, 505745215333572183u}},
    {"resource_v1alpha3", {11, 44, 1439140513054243434u}},
    {"resource_v1beta1", {44, 162, 15746866998448981157u}},
    {"resource_v1beta2", {49, 177, 12396996467002266784u}},
    {"scheduling_v1", {2, 11, 14757350179210959332u}},
    {"scheduling_v1alpha2", {18, 51, 8102858968385579133u}},
    {"storage_v1", {21, 90, 3217443543758423537u}},
    {"storage_v1beta1", {2, 9, 6427801449406470033u}},
    {"storagemigration_v1beta1", {4, 12, 15381865911652554820u}},
};

void PrintTo(const std::map<std::string_view, Summary>& summaries, std::ostream* os) {
  for (const auto& [stem, summary] : summaries) {
    *os << "\n    {\"" << stem << "\", ";
    PrintTo(summary, os);
    *os << "},";
  }
}

TEST(SchemaGolden, TypesFieldsAndWireFormatAreAsRecorded) {
  std::map<std::string_view, Summary> now;
  for (const TypeDesc* type : BuiltinTypes()) {
    Summary& s = now[StemOf(*type)];
    ++s.types;
    s.fields += type->fields.size();
    s.hash = Fnv(type->name, s.hash);
    s.hash = Fnv(type->root ? "root" : type->atomic ? "atomic" : "", s.hash);
    for (const FieldDesc& f : type->fields) s.hash = Fnv(Describe(f), s.hash);
  }
  EXPECT_EQ(now, kGolden);
}

TEST(SchemaTables, EveryIndexAgreesWithTheFields) {
  for (const TypeDesc* type : BuiltinTypes()) {
    SCOPED_TRACE(std::string(type->name));
    size_t numbered = 0;
    for (size_t i = 0; i < type->fields.size(); ++i) {
      const FieldDesc& f = type->fields[i];
      EXPECT_EQ(f.ordinal, i);
      ASSERT_NE(f.type, nullptr);
      EXPECT_EQ(f.has(FieldDesc::kInline), f.name.empty());
      if (!f.name.empty()) {
        EXPECT_EQ(f.json_key, "\"" + std::string(f.name) + "\":");
        EXPECT_EQ(type->FindMember(f.name).field, &f);
      } else {
        for (const FieldDesc& inner : f.type->fields) {
          if (inner.name.empty()) {
            for (const FieldDesc& innermost : inner.type->fields) {
              EXPECT_EQ(type->FindMember(innermost.name).outer, &f);
              EXPECT_EQ(type->FindMember(innermost.name).inner, &inner);
              EXPECT_EQ(type->FindMember(innermost.name).field, &innermost);
            }
            continue;
          }
          EXPECT_EQ(type->FindMember(inner.name).outer, &f);
          EXPECT_EQ(type->FindMember(inner.name).field, &inner);
        }
      }
      if (f.number == 0) continue;
      EXPECT_EQ(type->FieldByNumber(f.number), &f);
      ASSERT_LT(numbered, type->by_number.size());
      ++numbered;
    }
    EXPECT_EQ(type->by_number.size(), numbered);
    for (size_t i = 1; i < type->by_number.size(); ++i) {
      EXPECT_LT(type->fields[type->by_number[i - 1]].number, type->fields[type->by_number[i]].number);
    }
    EXPECT_EQ(type->FindMember("no such member").field, nullptr);
    EXPECT_EQ(type->FieldByNumber(60000), nullptr);
    EXPECT_EQ(FindType(type->name), type);
    if (type->root) {
      ASSERT_GE(type->fields.size(), 2u);
      EXPECT_EQ(type->fields[0].name, "kind");
      EXPECT_EQ(type->fields[1].name, "apiVersion");
      for (int i : {0, 1}) {
        EXPECT_TRUE(type->fields[i].has(FieldDesc::kTypeMeta));
        EXPECT_EQ(type->fields[i].number, 0);
      }
    }
  }
}

TEST(SchemaTables, EveryResourceNamesItsTypes) {
  for (const ResourceDesc& r : BuiltinResources()) {
    SCOPED_TRACE(std::string(r.plural));
    EXPECT_EQ(FindKind(r.group, r.version, r.kind), r.type);
    EXPECT_EQ(FindResource(r.group, r.version, r.plural), &r);
    if (!r.list_kind.empty()) {
      EXPECT_EQ(FindKind(r.group, r.version, r.list_kind), r.list_type);
      EXPECT_EQ(r.list_type->FindMember("items").field->type->element, r.type);
    }
  }
  EXPECT_EQ(FindKind("", "v1", "Nonsense"), nullptr);
  EXPECT_EQ(FindKind("apps", "v1", "DeleteOptions"), FindType("meta_v1.DeleteOptions"));
  EXPECT_EQ(FindKind("", "v1", "Status"), FindType("meta_v1.Status"));
  EXPECT_EQ(FindKind("meta.k8s.io", "v1", "Table"), FindType("meta_v1.Table"));
  EXPECT_EQ(FindKind("", "", "DeleteOptions"), nullptr);
}

// --- against the facts

// Types that are only an encoding of something built in.
const std::set<std::string_view> kEncodings = {"Duration", "ExtraValue", "FieldsV1",  "JSON",     "MicroTime",
                                               "Patch",    "Time",       "Timestamp", "TypeMeta", "Verbs"};

class FactsTest : public ::testing::Test {
 protected:
  static bool AtHand() { return std::filesystem::exists(FactsDir() / "types"); }
  dom::element Load(const std::string& file) {
    dom::element doc;
    EXPECT_EQ(parser_.load((FactsDir() / file).string()).get(doc), simdjson::SUCCESS) << file;
    return doc;
  }

  static std::string_view Str(dom::element e, std::string_view key) {
    std::string_view s;
    return e[key].get(s) == simdjson::SUCCESS ? s : std::string_view();
  }
  static bool Flag(dom::element e, std::string_view key) {
    bool b = false;
    return e[key].get(b) == simdjson::SUCCESS && b;
  }
  static std::string List(dom::element e, std::string_view key) {
    std::string out;
    dom::array array;
    if (e[key].get(array)) return out;
    for (dom::element x : array) out += std::string(x.get_string().value()) + ",";
    return out;
  }

  // The notation our type should have for a fact's "json".
  static std::string TypeNotation(dom::element field) {
    std::string json(Str(field, "json"));
    std::string format(Str(field, "format"));
    if (json.starts_with("[]") || json.starts_with("{}")) {
      std::string open, close;
      while (json.starts_with("[]") || json.starts_with("{}")) {
        open += json[0];
        close.insert(close.begin(), json[1]);
        json.erase(0, 2);
      }
      return open + Word(json, format) + close;
    }
    return Word(json, format);
  }
  static std::string Word(const std::string& json, const std::string& format) {
    static const std::map<std::string, std::string> words = {{"boolean", "bool"},
                                                             {"number", "double"},
                                                             {"object", "any"},
                                                             {"meta_v1.Time", "time"},
                                                             {"meta_v1.MicroTime", "microtime"},
                                                             {"meta_v1.Duration", "duration"},
                                                             {"meta_v1.FieldsV1", "fields"},
                                                             {"runtime.RawExtension", "raw"},
                                                             {"apiextensions.k8s.io_v1.JSON", "json"},
                                                             {"apiextensions.k8s.io_v1beta1.JSON", "json"},
                                                             {"resource.Quantity", "quantity"},
                                                             {"intstr.IntOrString", "int-or-string"}};
    if (json == "string") return format == "byte" ? "bytes" : "string";
    if (json == "integer") return format;
    if (auto it = words.find(json); it != words.end()) return it->second;
    const size_t dot = json.rfind('.');
    return dot == json.npos ? json : Written(StemOfFile(json.substr(0, dot)), json.substr(dot + 1));
  }

  void CompareField(dom::element fact, const FieldDesc& f) {
    int64_t number = 0;
    if (fact["num"].get(number) != simdjson::SUCCESS) number = 0;
    EXPECT_EQ(f.number, number);
    EXPECT_EQ(f.name, Str(fact, "name"));
    EXPECT_EQ(f.type->name, TypeNotation(fact));
    EXPECT_EQ(f.has(FieldDesc::kPointer), Flag(fact, "ptr"));
    EXPECT_EQ(f.has(FieldDesc::kInline), Flag(fact, "inline"));
    EXPECT_EQ(f.has(FieldDesc::kRequired), Flag(fact, "req"));
    EXPECT_EQ(f.has(FieldDesc::kOmitEmpty), Flag(fact, "omitempty"));
    EXPECT_EQ(f.has(FieldDesc::kOmitZero), Flag(fact, "omitzero"));
    const std::string_view strategy = Str(fact, "patchStrategy");
    EXPECT_EQ(f.has(FieldDesc::kPatchMerge), strategy.find("merge") != strategy.npos);
    EXPECT_EQ(f.has(FieldDesc::kPatchRetainKeys), strategy.find("retainKeys") != strategy.npos);
    EXPECT_EQ(f.patch_merge_key, Str(fact, "patchMergeKey"));
    EXPECT_EQ(f.has(FieldDesc::kAtomicMap), Str(fact, "mapType") == "atomic");
    EXPECT_EQ(f.has(FieldDesc::kGranularMap), Str(fact, "mapType") == "granular");
    static const std::map<std::string_view, ListType> list_types = {{"", ListType::kUnspecified},
                                                                    {"atomic", ListType::kAtomic},
                                                                    {"set", ListType::kSet},
                                                                    {"map", ListType::kMap}};
    EXPECT_EQ(f.list_type, list_types.at(Str(fact, "listType")));
    EXPECT_EQ(Join(f.list_map_keys), List(fact, "listMapKeys"));
    EXPECT_EQ(Join(f.enum_values), List(fact, "enum") + List(fact, "itemEnum"));
    CompareDefault(fact, f);
  }

  // The facts also list the zero that a field without pointer has anyway.
  void CompareDefault(dom::element fact, const FieldDesc& f) {
    using Tag = DefaultValue::Tag;
    const DefaultValue& d = f.default_value;
    dom::element value;
    if (fact["default"].get(value)) {
      EXPECT_EQ(d.tag, Tag::kNone);
      return;
    }
    if (d.tag == Tag::kNone) {
      EXPECT_FALSE(f.has(FieldDesc::kPointer));
      const bool zero = (value.is_string() && value.get_string().value().empty()) ||
                        (value.is_bool() && !value.get_bool().value()) ||
                        (value.is_int64() && value.get_int64().value() == 0) || value.is_object();
      EXPECT_TRUE(zero);
    } else if (value.is_string()) {
      EXPECT_EQ(d.tag, Tag::kString);
      EXPECT_EQ(d.text, value.get_string().value());
    } else if (value.is_bool()) {
      EXPECT_EQ(d.tag, Tag::kBool);
      EXPECT_EQ(d.number != 0, value.get_bool().value());
    } else {
      EXPECT_EQ(d.tag, Tag::kInt);
      EXPECT_EQ(d.number, value.get_int64().value());
    }
  }

  void CompareType(dom::element fact, const TypeDesc& type) {
    const bool root = fact["root"].error() == simdjson::SUCCESS;
    EXPECT_EQ(type.root, root);
    EXPECT_EQ(type.atomic, Str(fact, "mapType") == "atomic");
    size_t ordinal = root ? 2 : 0;
    for (dom::element field : fact["fields"].get_array()) {
      if (Flag(field, "inline") && Str(field, "json") == "meta_v1.TypeMeta") continue;
      ASSERT_LT(ordinal, type.fields.size());
      SCOPED_TRACE(std::string(Str(field, "name")));
      if (type.either) {  // names do not show
        EXPECT_EQ(type.fields[ordinal].number, field["num"].get_int64().value());
        EXPECT_EQ(type.fields[ordinal++].has(FieldDesc::kPointer), Flag(field, "ptr"));
      } else {
        CompareField(field, type.fields[ordinal++]);
      }
    }
    EXPECT_EQ(ordinal, type.fields.size());
  }

  void CompareSubresources(dom::element fact, const ResourceDesc& r) {
    dom::array subresources;
    if (fact["subresources"].get(subresources) != simdjson::SUCCESS) {
      EXPECT_TRUE(r.subresources.empty());
      return;
    }
    size_t i = 0;
    for (dom::element sub : subresources) {
      ASSERT_LT(i, r.subresources.size());
      const SubresourceDesc& s = r.subresources[i++];
      EXPECT_EQ(s.name, Str(sub, "name"));
      EXPECT_EQ(Join(s.verbs), List(sub, "verbs"));
      const std::string group(s.group.empty() ? "core" : s.group);
      EXPECT_EQ(group + "_" + std::string(s.version) + "." + std::string(s.kind), Str(sub, "kind"));
    }
    EXPECT_EQ(r.subresources.size(), i);
  }

  dom::parser parser_;
};

TEST_F(FactsTest, EveryTypeIsAsTheFactsSay) {
  if (!AtHand()) return;                     // SchemaGolden holds what was compared when it was recorded
  std::map<std::string, std::string> files;  // by stem
  for (const auto& entry : std::filesystem::directory_iterator(FactsDir() / "types")) {
    const std::string file = entry.path().stem().string();
    if (file.find('_') != file.npos) files[StemOfFile(file)] = file;
  }
  std::set<std::string_view> stems;
  for (const TypeDesc* type : BuiltinTypes()) stems.insert(StemOf(*type));
  for (std::string_view stem : stems) {
    std::set<std::string> known;
    for (auto [name, fact] : Load("types/" + files.at(std::string(stem)) + ".json")["types"].get_object()) {
      if (kEncodings.contains(name)) continue;
      if (stem == "apiextensions_v1beta1" && Str(fact, "root") == "list") continue;  // not served
      const std::string full = Written(stem, name);
      // Of a version that is not served by default only what its kinds are made of is written.
      if (!stem.ends_with("_v1") && !stem.ends_with("_v2") && !FindType(full)) continue;
      SCOPED_TRACE(full);
      known.insert(full);
      const TypeDesc* type = FindType(full);
      ASSERT_NE(type, nullptr);
      CompareType(fact, *type);
    }
    for (const TypeDesc* type : BuiltinTypes()) {
      if (StemOf(*type) != stem) continue;
      EXPECT_TRUE(known.contains(std::string(type->name))) << type->name;
    }
  }
}

TEST_F(FactsTest, EveryResourceIsAsTheFactsSay) {
  if (!AtHand()) return;
  size_t compared = 0;
  for (dom::element fact : Load("resources.json")["resources"].get_array()) {
    if (!Flag(fact, "servedByDefault") &&
        !FindResource(Str(fact, "group"), Str(fact, "version"), Str(fact, "plural")))
      continue;
    SCOPED_TRACE(std::string(Str(fact, "plural")));
    ASSERT_LT(compared, BuiltinResources().size());
    const ResourceDesc& r = BuiltinResources()[compared++];  // the same order, too
    EXPECT_EQ(r.group, Str(fact, "group"));
    EXPECT_EQ(r.version, Str(fact, "version"));
    EXPECT_EQ(r.plural, Str(fact, "plural"));
    EXPECT_EQ(r.singular, Str(fact, "singular"));
    EXPECT_EQ(r.kind, Str(fact, "kind"));
    EXPECT_EQ(r.list_kind, Str(fact, "listKind"));
    EXPECT_EQ(r.type->name, Word(std::string(Str(fact, "type")), ""));
    EXPECT_EQ(r.namespaced, Flag(fact, "namespaced"));
    EXPECT_EQ(Join(r.short_names), List(fact, "shortNames"));
    EXPECT_EQ(Join(r.categories), List(fact, "categories"));
    EXPECT_EQ(Join(r.verbs), List(fact, "verbs"));
    EXPECT_EQ(r.storage_version_hash, Str(fact, "storageVersionHash"));
    dom::element storage;
    if (!fact["storage"].get(storage) && storage.is_object()) {
      const std::string key =
          "/registry" + std::string(r.storage_prefix) + (r.namespaced ? "/{namespace}" : "") + "/{name}";
      EXPECT_EQ(key, Str(storage, "key"));
    } else {
      EXPECT_EQ(r.storage_prefix, "");
    }
    CompareSubresources(fact, r);
  }
  EXPECT_EQ(compared, BuiltinResources().size());
}

TEST_F(FactsTest, EveryColumnIsAsTheFactsSay) {
  if (!AtHand()) return;
  size_t tables = 0;
  for (dom::element fact : Load("printers.json")["tables"].get_array()) {
    if (Str(fact, "handler").starts_with("unused")) continue;
    for (const ResourceDesc& r : BuiltinResources()) {
      if (r.group != Str(fact, "group") || r.kind != Str(fact, "kind")) continue;
      SCOPED_TRACE(std::string(r.kind));
      ++tables;
      size_t i = 0;
      for (dom::element column : fact["columns"].get_array()) {
        ASSERT_LT(i, r.columns.size());
        const ColumnDesc& c = r.columns[i++];
        EXPECT_EQ(c.name, Str(column, "name"));
        EXPECT_EQ(c.type, Str(column, "type"));
        EXPECT_EQ(c.format, Str(column, "format"));
        EXPECT_EQ(c.priority, column["priority"].get_int64().value());
      }
      EXPECT_EQ(i, r.columns.size());
    }
  }
  EXPECT_GT(tables, 0u);
}

}  // namespace
}  // namespace keelson::api
