#include <algorithm>
#include <tuple>

#include "emit.h"
#include "names.h"

namespace schemac {
namespace {

std::string TypeName(const File& file, const Type& type) { return file.stem + "::k" + type.name + "Type"; }

class BuiltinWriter {
 public:
  explicit BuiltinWriter(const Model& model) : model_(model) {}

  std::string Write() {
    out_ =
        "// Written by schemac.\n#include \"api/types/builtin_types.h\"\n#include "
        "\"api/types/resource_desc.h\"\n";
    out_ += "\nnamespace keelson::api {\n";
    for (const File& file : model_.files) {
      if (file.unserved) continue;
      out_ += "namespace " + file.stem + " {\n";
      for (const Type& type : file.types) out_ += "extern const TypeDesc k" + type.name + "Type;\n";
      out_ += "}\n";
    }
    out_ += "namespace {\n\nusing Names = std::string_view;\n\n";
    for (const File& file : model_.files)
      for (const Kind& kind : file.kinds) KindArrays(ArrayPrefix(file, kind), kind);
    Resources();
    Types();
    Kinds();
    Unions();
    out_ +=
        "}  // namespace\n\n"
        "std::span<const ResourceDesc> BuiltinResources() { return kResources; }\n"
        "std::span<const TypeDesc* const> BuiltinTypes() { return kTypes; }\n"
        "std::span<const KindEntry> BuiltinKinds() { return kKinds; }\n"
        "std::span<const UnionDesc> BuiltinUnions() { return kUnions; }\n"
        "\n}  // namespace keelson::api\n";
    return out_;
  }

 private:
  // Writes the array unless it is empty, and gives the initialiser that names it.
  std::string Names(const std::string& id, const std::vector<std::string>& values) {
    if (values.empty()) return "{}";
    out_ += "constexpr Names " + id + "[] = {";
    for (size_t i = 0; i < values.size(); ++i) out_ += (i ? ", " : "") + Quote(values[i]);
    out_ += "};\n";
    return id;
  }

  // Groups may have kinds of the same name.
  static std::string ArrayPrefix(const File& file, const Kind& kind) {
    return "k_" + file.stem + "_" + kind.name;
  }

  void KindArrays(const std::string& k, const Kind& kind) {
    Names(k + "Short", kind.short_names);
    Names(k + "Categories", kind.categories);
    Names(k + "Verbs", kind.verbs);
    Names(k + "Selectable", kind.selectable);
    Names(k + "Indexed", kind.indexed);
    if (!kind.aliases.empty()) {
      out_ += "constexpr FieldAlias " + k + "Aliases[] = {";
      for (const auto& [name, stored] : kind.aliases)
        out_ += "{" + Quote(name) + ", " + Quote(stored) + "}, ";
      out_ += "};\n";
    }
    for (size_t i = 0; i < kind.subresources.size(); ++i) {
      Names(k + "Verbs" + std::to_string(i), kind.subresources[i].verbs);
    }
    if (!kind.subresources.empty()) {
      out_ += "constexpr SubresourceDesc " + k + "Subresources[] = {\n";
      for (size_t i = 0; i < kind.subresources.size(); ++i) {
        const Subresource& sub = kind.subresources[i];
        out_ += "    {.name = " + Quote(sub.name) + ", .kind = " + Quote(sub.kind) + ", .verbs = " + k +
                "Verbs" + std::to_string(i) + ", .group = " + Quote(sub.group) +
                ", .version = " + Quote(sub.version) + "},\n";
      }
      out_ += "};\n";
    }
    if (!kind.columns.empty()) {
      out_ += "constexpr ColumnDesc " + k + "Columns[] = {\n";
      for (const Column& column : kind.columns) {
        out_ += "    {" + Quote(column.name) + ", " + Quote(column.type) + ", " + Quote(column.format) +
                ", " + (column.wide ? "1" : "0") + "},\n";
      }
      out_ += "};\n";
    }
    out_ += "\n";
  }

  void Resources() {
    out_ += "constexpr ResourceDesc kResources[] = {\n";
    for (const File& file : model_.files) {
      for (const Kind& kind : file.kinds) {
        const std::string k = ArrayPrefix(file, kind);
        const bool listed = kind.HasVerb("list");
        auto span = [&](bool any, const char* suffix) { return any ? k + suffix : std::string("{}"); };
        out_ += "    {.group = " + Quote(file.group) + ", .version = " + Quote(file.version) +
                ",\n     .plural = " + Quote(kind.plural) + ", .singular = " + Quote(kind.singular) +
                ", .kind = " + Quote(kind.name) + ", .list_kind = " + Quote(listed ? kind.ListName() : "") +
                ",\n     .namespaced = " + (kind.namespaced ? "true" : "false") +
                ", .short_names = " + span(!kind.short_names.empty(), "Short") +
                ", .categories = " + span(!kind.categories.empty(), "Categories") +
                ", .verbs = " + span(!kind.verbs.empty(), "Verbs") +
                ",\n     .storage_version_hash = " + Quote(kind.hash) +
                ", .storage_prefix = " + Quote(kind.prefix) + Stored(kind) + ",\n     .type = &" + file.stem +
                "::k" + kind.name + "Type, .list_type = " +
                (listed ? "&" + file.stem + "::k" + kind.ListName() + "Type" : std::string("nullptr")) +
                ",\n     .subresources = " + span(!kind.subresources.empty(), "Subresources") +
                ", .columns = " + span(!kind.columns.empty(), "Columns") +
                ", .selectable_fields = " + span(!kind.selectable.empty(), "Selectable") +
                ", .indexed_fields = " + span(!kind.indexed.empty(), "Indexed") +
                ", .field_aliases = " + span(!kind.aliases.empty(), "Aliases") + "},\n";
      }
    }
    out_ += "};\n\n";
  }

  std::string Stored(const Kind& kind) const {
    if (kind.prefix.empty()) return "";
    const auto file = std::ranges::find_if(model_.files, [&](const File& f) {
      return f.group == kind.storage_group && f.version == kind.storage_version;
    });
    return ",\n     .storage_version = {" + Quote(file->group) + ", " + Quote(file->version) +
           "}, .storage_type = &" + file->stem + "::k" + kind.name + "Type";
  }

  // Sorted by name, for binary search.
  void Types() {
    std::vector<std::pair<std::string, std::string>> types;
    for (const File& file : model_.files)
      for (const Type& type : file.types)
        if (!file.unserved) types.emplace_back(file.stem + "." + type.name, TypeName(file, type));
    std::ranges::sort(types);
    out_ += "constexpr const TypeDesc* kTypes[] = {\n";
    for (const auto& [name, id] : types) out_ += "    &" + id + ",\n";
    out_ += "};\n\n";
  }

  // Sorted by kind, version, group; a kind that every group has comes with neither.
  void Kinds() {
    std::vector<std::tuple<std::string, std::string, std::string, std::string>> kinds;
    for (const File& file : model_.files) {
      for (const Type& type : file.types) {
        if (!type.root || file.unserved) continue;
        const bool all = type.everywhere;
        kinds.emplace_back(type.name, all ? "" : type.version, all ? "" : type.group, TypeName(file, type));
      }
    }
    std::ranges::sort(kinds);
    out_ += "constexpr KindEntry kKinds[] = {\n";
    for (const auto& [kind, version, group, id] : kinds) {
      out_ += "    {" + Quote(kind) + ", " + Quote(version) + ", " + Quote(group) + ", &" + id + "},\n";
    }
    out_ += "};\n\n";
  }

  void Unions() {
    std::string entries;
    for (const File& file : model_.files) {
      for (const Type& type : file.types) {
        if (type.union_fields.empty() || file.unserved) continue;
        const std::string fields = Names("k_" + file.stem + "_" + type.name + "Union", type.union_fields);
        entries +=
            "    {&" + TypeName(file, type) + ", " + Quote(type.discriminator) + ", " + fields + "},\n";
      }
    }
    out_ += entries.empty() ? "constexpr std::span<const UnionDesc> kUnions;\n\n"
                            : "constexpr UnionDesc kUnions[] = {\n" + entries + "};\n\n";
  }

  const Model& model_;
  std::string out_;
};

}  // namespace

std::string EmitBuiltin(const Model& model) { return BuiltinWriter(model).Write(); }

}  // namespace schemac
