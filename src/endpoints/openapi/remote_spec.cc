#include "endpoints/openapi/remote_spec.h"

#include <algorithm>
#include <set>

#include "api/codec/json.h"
#include "base/fingerprint.h"

namespace keelson::endpoints::openapi {
namespace {

using api::MapNode;
using api::Value;

constexpr std::string_view kDefinitionPrefix = "#/definitions/", kParameterPrefix = "#/parameters/";
constexpr std::string_view kKindsExtension = "x-kubernetes-group-version-kind";
constexpr int kMaxNesting = 100;
// Parameters are copied to where they are used: this bounds what one path can grow to.
constexpr size_t kMaxParameterBytes = size_t{16} << 10, kMaxParameters = 64;

std::string JsonOf(const Value& value) {
  base::BufferBuilder out;
  api::json::EncodeAny(value, out);
  return std::string(out.view());
}

const Value* MapAt(const Value& document, std::string_view member) {
  const Value* const found = document.map() ? document.map()->Find(member) : nullptr;
  return found && found->map() ? found : nullptr;
}

bool IsDeeperThan(const Value& value, int levels) {
  if (levels == 0) return true;
  if (const auto* list = value.list())
    return std::ranges::any_of(list->items(), [&](const Value& v) { return IsDeeperThan(v, levels - 1); });
  if (const auto* map = value.map())
    return std::ranges::any_of(map->entries(),
                               [&](const MapNode::Entry& e) { return IsDeeperThan(e.value, levels - 1); });
  return false;
}

// Calls `take` with the name of each definition that `value` refers to, and with references to anything else
// as they are: there is nothing of such a name.
template <class Take>
void ForEachReference(const Value& value, const Take& take) {
  if (const auto* list = value.list())
    for (const Value& item : list->items()) ForEachReference(item, take);
  if (const auto* map = value.map())
    for (const MapNode::Entry& entry : map->entries()) {
      if (entry.key != "$ref" || !entry.value.is(Value::Tag::kString)) {
        ForEachReference(entry.value, take);
        continue;
      }
      std::string_view name = entry.value.string();
      if (name.starts_with(kDefinitionPrefix)) name.remove_prefix(kDefinitionPrefix.size());
      take(name);
    }
}

// Definitions that are reached from some places, each visited once.
class Reached {
 public:
  explicit Reached(const Value* definitions) : definitions_(definitions) {}

  void From(const Value& value) {
    std::vector<const Value*> next = {&value};
    while (!next.empty()) {
      const Value* const at = next.back();
      next.pop_back();
      ForEachReference(*at, [&](std::string_view name) {
        if (!names_.insert(name).second) return;
        const Value* const definition = definitions_ ? definitions_->map()->Find(name) : nullptr;
        if (definition && definition->map()) {
          next.push_back(definition);
        } else {
          missing_ = name;
        }
      });
    }
  }
  void Name(std::string_view name, const Value& definition) {
    if (names_.insert(name).second) From(definition);
  }

  const std::set<std::string_view>& names() const { return names_; }
  std::string_view missing() const { return missing_; }  // that is referred to; empty: none

 private:
  const Value* const definitions_;
  std::set<std::string_view> names_;
  std::string_view missing_;
};

// Replaces references to parameters by these, in the list that a path or a method has.
base::Result<void, std::string> InlineParameters(Value& holder, const Value* parameters) {
  Value* const list = holder.map() ? holder.map()->Find("parameters") : nullptr;
  if (!list || !list->list()) return {};
  if (list->list()->size > kMaxParameters) return base::Err("too many parameters");
  for (Value& item : list->list()->items()) {
    const Value* const reference = item.map() ? item.map()->Find("$ref") : nullptr;
    const std::string_view text = reference ? reference->string() : std::string_view();
    if (!text.starts_with(kParameterPrefix)) continue;
    const Value* const found =
        parameters ? parameters->map()->Find(text.substr(kParameterPrefix.size())) : nullptr;
    if (!found || !found->map() || found->map()->Find("$ref"))
      return base::Err("no such parameter: " + std::string(text));
    if (JsonOf(*found).size() > kMaxParameterBytes) return base::Err("a parameter is too large");
    item = *found;
  }
  return {};
}

base::Result<std::string, std::string> ReadItem(Value& item, const Value* parameters) {
  TRY(InlineParameters(item, parameters));
  for (MapNode::Entry& entry : item.map()->entries())
    if (entry.value.map()) TRY(InlineParameters(entry.value, parameters));
  return JsonOf(item);
}

// `names`: the members of a map are no keywords but properties.
void WriteMeaning(const Value& value, bool names, base::BufferBuilder& out) {
  if (const auto* list = value.list()) {
    out.Append('[');
    for (const Value& item : list->items()) {
      WriteMeaning(item, false, out);
      out.Append(',');
    }
    out.Append(']');
  } else if (const auto* map = value.map()) {
    out.Append('{');
    for (const MapNode::Entry& entry : map->entries()) {
      const std::string_view key = entry.key;
      if (!names && (key == "description" || key == "default" || key == kKindsExtension)) continue;
      api::json::EncodeString(key, out);
      out.Append(':');
      if (!names && key == "required" && entry.value.list()) {
        std::set<std::string_view> required;
        for (const Value& item : entry.value.list()->items()) required.insert(item.string());
        for (const std::string_view name : required) api::json::EncodeString(name, out);
      } else {
        WriteMeaning(entry.value, !names && key == "properties", out);
      }
    }
    out.Append('}');
  } else {
    api::json::EncodeAny(value, out);
  }
}

std::string Meaning(const Value& definition) {
  base::BufferBuilder out;
  WriteMeaning(definition, false, out);
  return base::Fingerprint(out.view());
}

// A name as it stands between quotes.
std::string Escaped(std::string_view name) {
  base::BufferBuilder out;
  api::json::EncodeString(name, out);
  return std::string(out.view().substr(1, out.view().size() - 2));
}

// `json` with the new names, in one pass.
std::string Renamed(std::string_view json, const std::map<std::string, std::string, std::less<>>& renamed) {
  constexpr std::string_view kReference = R"("$ref":"#/definitions/)";
  std::string out;
  size_t copied = 0;
  for (size_t at = 0; (at = json.find(kReference, at)) != json.npos;) {
    const size_t name = at + kReference.size();
    size_t end = name;
    while (json[end] != '"') end += json[end] == '\\' ? 2 : 1;
    at = end;
    const auto found = renamed.find(json.substr(name, end - name));
    if (found == renamed.end()) continue;
    out.append(json.substr(copied, name - copied)).append(found->second);
    copied = end;
  }
  return out.append(json.substr(copied));
}

void TakeRenamed(std::string_view name, std::string_view json,
                 const std::map<std::string, std::string, std::less<>>& renamed,
                 const MergedSpecs::Take& take) {
  if (renamed.empty()) return take(name, json);
  take(name, Renamed(json, renamed));
}

}  // namespace

size_t RemoteSpec::Bytes() const {
  size_t bytes = 0;
  for (const auto& [path, item] : paths) bytes += path.size() + item.size();
  for (const auto& [name, definition] : definitions) bytes += name.size() + definition.json.size();
  return bytes;
}

base::Result<RemoteSpec, std::string> ReadRemoteSpec(std::string_view json, std::string_view root) {
  api::Arena arena;
  auto document = api::json::DecodeAny(json, arena);
  if (!document) return base::Err(document.error().message);
  if (!document->map()) return base::Err("no OpenAPI document");
  const Value* const swagger = document->map()->Find("swagger");
  if (!swagger || swagger->string() != "2.0") return base::Err("no document of OpenAPI 2.0");
  if (IsDeeperThan(*document, kMaxNesting)) return base::Err("the document is nested too deeply");

  const Value* const definitions = MapAt(*document, "definitions");
  const Value* const parameters = MapAt(*document, "parameters");
  RemoteSpec spec;
  Reached kept(definitions), anywhere(definitions);
  size_t bytes = 0;
  if (const Value* const paths = MapAt(*document, "paths")) {
    for (MapNode::Entry& entry : paths->map()->entries()) {
      if (!entry.value.map()) return base::Err("not a path item: " + std::string(entry.key));
      const bool wanted = entry.key.starts_with(root);
      if (wanted) {
        auto item = TRY(ReadItem(entry.value, parameters));
        bytes += entry.key.size() + item.size();
        if (bytes > kMaxRemoteSpecBytes) return base::Err("the document is too large");
        spec.paths.emplace(entry.key, std::move(item));
        kept.From(entry.value);
      }
      anywhere.From(entry.value);
    }
  }
  if (definitions && !spec.paths.empty()) {
    for (const MapNode::Entry& entry : definitions->map()->entries())
      if (entry.value.map() && !anywhere.names().contains(entry.key)) kept.Name(entry.key, entry.value);
  }
  if (!kept.missing().empty()) return base::Err("no such definition: " + std::string(kept.missing()));
  for (const std::string_view name : kept.names()) {
    const Value& definition = *definitions->map()->Find(name);
    RemoteSpec::Definition read{JsonOf(definition), Meaning(definition)};
    bytes += name.size() + read.json.size();
    if (bytes > kMaxRemoteSpecBytes) return base::Err("the document is too large");
    spec.definitions.emplace(name, std::move(read));
  }
  std::string all;
  for (const auto& [path, item] : spec.paths) all.append(path).append(base::Fingerprint(item));
  for (const auto& [name, definition] : spec.definitions)
    all.append(name).append(base::Fingerprint(definition.json));
  spec.hash = base::Fingerprint(all);
  return spec;
}

std::string MeaningOf(std::string_view definition) {
  api::Arena arena;
  const auto value = api::json::DecodeAny(definition, arena);
  return value ? Meaning(*value) : std::string();
}

MergedSpecs::MergedSpecs(std::span<const RemoteSpecPtr> specs,
                         std::map<std::string, std::string, std::less<>> local) {
  auto& meanings = local;  // of all that is there so far
  for (const RemoteSpecPtr& spec : specs) {
    Part part{.spec = spec.get(), .renamed = {}, .added = {}};
    for (const auto& [name, definition] : spec->definitions) {
      std::string chosen = name;
      auto known = meanings.find(chosen);
      for (int i = 2;; ++i) {
        const bool same = known != meanings.end() && known->second == definition.meaning;
        // A name that the document itself has is not given to another of its definitions.
        const bool taken = known != meanings.end() || (chosen != name && spec->definitions.contains(chosen));
        if (same || !taken) break;
        chosen = name + "_v" + std::to_string(i);
        known = meanings.find(chosen);
      }
      if (chosen != name) part.renamed.emplace(Escaped(name), Escaped(chosen));
      if (known != meanings.end()) continue;
      meanings.emplace(chosen, definition.meaning);
      part.added.emplace_back(name, std::move(chosen));
    }
    parts_.push_back(std::move(part));
  }
}

void MergedSpecs::ForEachPath(const std::function<bool(std::string_view)>& has_path, const Take& take) const {
  std::set<std::string_view> taken;
  for (const Part& part : parts_)
    for (const auto& [path, item] : part.spec->paths)
      if (!has_path(path) && taken.insert(path).second) TakeRenamed(path, item, part.renamed, take);
}

void MergedSpecs::ForEachDefinition(const Take& take) const {
  for (const Part& part : parts_)
    for (const auto& [name, chosen] : part.added)
      TakeRenamed(chosen, part.spec->definitions.find(name)->second.json, part.renamed, take);
}

}  // namespace keelson::endpoints::openapi
