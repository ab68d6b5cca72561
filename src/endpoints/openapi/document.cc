#include "endpoints/openapi/document.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "api/codec/json_writer.h"
#include "endpoints/openapi/known_versions.h"
#include "endpoints/openapi/paths.h"

namespace keelson::endpoints::openapi {
namespace {

using api::ResourceDesc;
using api::json::JsonWriter;

// A patch may be anything.
constexpr std::string_view kPatchSchema =
    R"({"description":"A change of an object, in the form that the media type of the request names.","type":"object"})";

// The schema of a list, into an object that is open.
void WriteListSchema(const CustomDefinition& custom, Dialect dialect, JsonWriter& out) {
  const ResourceDesc& desc = *custom.desc;
  out.Member("description", "Several objects of the kind " + std::string(desc.kind) + ".");
  out.Member("type", "object").Key("required").BeginArray().String("items").EndArray();
  out.Key("properties").BeginObject();
  const auto text = [&](std::string_view name, std::string_view description) {
    out.Key(name).BeginObject().Member("description", description).Member("type", "string").EndObject();
  };
  text("apiVersion", kApiVersionText);
  out.Key("items").BeginObject().Member("description", "The objects of the list.");
  out.Member("type", "array").Key("items").BeginObject();
  out.Member("$ref", ReferenceTo(custom.name, dialect)).EndObject().EndObject();
  text("kind", kKindText);
  out.Key("metadata").BeginObject();
  WriteReference(DefinitionName("meta_v1.ListMeta"), true, dialect, out);
  out.Member("description", kListMetadataText).EndObject().EndObject();
  out.Key("x-kubernetes-group-version-kind").BeginArray().BeginObject();
  out.Member("group", desc.group).Member("kind", desc.list_kind).Member("version", desc.version);
  out.EndObject().EndArray();
}

// The verb is one of the resource or of a subresource that is an object.
bool Offers(const ResourceDesc& resource, std::string_view verb) {
  return std::ranges::find(resource.verbs, verb) != resource.verbs.end() ||
         std::ranges::any_of(resource.subresources, [verb](const api::SubresourceDesc& sub) {
           return !IsStream(sub) && std::ranges::find(sub.verbs, verb) != sub.verbs.end();
         });
}

using Take = std::function<void(std::string_view name, std::string_view json)>;

// The paths of what is served here, with the pages of versions, which the paths borrow.
class OwnPaths {
 public:
  OwnPaths(std::span<const ResourceDesc* const> resources, std::span<const CustomDefinitionPtr> custom,
           std::span<const Page> pages, const Behaviour& behaviour, Dialect dialect)
      : paths_(dialect) {
    for (const ResourceDesc* resource : resources) {
      paths_.Add(*resource);
      const auto [version, fresh] = versions_.try_emplace({resource->group, resource->version});
      if (!fresh) continue;
      version->second = VersionPage(*resource, behaviour);
      paths_.Add(version->second);
    }
    for (const CustomDefinitionPtr& definition : custom) paths_.Add(*definition);
    for (const Page& page : pages) paths_.Add(page);
  }

  const PathSet& paths() const { return paths_; }

 private:
  std::map<std::pair<std::string_view, std::string_view>, Page> versions_;  // by group and version
  PathSet paths_;
};

// The schemas of a custom kind and of its lists.
void TakeCustom(const CustomDefinition& custom, Dialect dialect, const Take& take) {
  base::BufferBuilder schema, list;
  custom.write(dialect, schema);
  take(custom.name, schema.view());
  JsonWriter out(list);
  out.BeginObject();
  WriteListSchema(custom, dialect, out);
  out.EndObject();
  take(custom.list_name, list.view());
}

}  // namespace

std::string CustomDefinitionName(std::string_view group, std::string_view version, std::string_view kind) {
  std::string name;
  while (!group.empty()) {
    const size_t dot = group.rfind('.');
    name.append(group.substr(dot == group.npos ? 0 : dot + 1)).append(".");
    group = group.substr(0, dot == group.npos ? 0 : dot);
  }
  return name.append(version).append(".").append(kind);
}

Document::Document(std::span<const ResourceDesc* const> resources, Dialect dialect,
                   std::span<const CustomDefinitionPtr> custom, std::span<const Page> pages,
                   std::span<const RemoteSpecPtr> remote, const Behaviour& behaviour)
    : resources_(resources), custom_(custom), pages_(pages), dialect_(dialect), behaviour_(behaviour) {
  if (remote.empty()) return;
  const auto is_remote = [remote](std::string_view name) {
    return std::ranges::any_of(remote, [name](const auto& spec) { return spec->definitions.contains(name); });
  };
  std::map<std::string, std::string, std::less<>> meanings;
  const auto learn = [&](std::string_view name, std::string_view json) {
    if (is_remote(name)) meanings.emplace(name, MeaningOf(json));
  };
  ForEachSharedSchema(learn);
  for (const CustomDefinitionPtr& definition : custom_)
    if (is_remote(definition->name) || is_remote(definition->list_name))
      TakeCustom(*definition, dialect_, learn);
  remote_ = MergedSpecs(remote, std::move(meanings));
}

void Document::ForEachPath(SharedParameters& parameters, const Take& take) const {
  const OwnPaths own(resources_, custom_, pages_, behaviour_, dialect_);
  PathContext context{.behaviour = behaviour_, .words = {}, .parameters = {}};
  own.paths().ForEach(context, take);
  parameters = std::move(context.parameters);
  remote_.ForEachPath([&own](std::string_view path) { return own.paths().Contains(path); }, take);
}

void Document::ForEachSchema(const Take& take) const {
  ForEachSharedSchema(take);
  for (const CustomDefinitionPtr& custom : custom_) TakeCustom(*custom, dialect_, take);
  remote_.ForEachDefinition(take);
}

std::vector<api::GroupVersion> Document::Everywhere() const {
  std::vector<api::GroupVersion> versions;
  if (dialect_ == Dialect::kV2) {
    versions.assign(std::begin(kKnownVersions), std::end(kKnownVersions));
  } else if (IsCustom()) {
    std::ranges::copy_if(kKnownVersions, std::back_inserter(versions), ClientsKnow);
  } else {
    versions = {{"", "v1"}};
    for (const ResourceDesc* resource : resources_) {
      const api::GroupVersion own{resource->group, resource->version};
      if (std::ranges::find(versions, own) == versions.end()) versions.push_back(own);
    }
  }
  return versions;
}

void Document::ForEachSharedSchema(const Take& take) const {
  SchemaSet schemas(dialect_, Everywhere());
  const auto add = [&schemas](std::string_view name) {
    if (const api::TypeDesc* type = api::FindType(name)) schemas.Add(*type);
  };
  const auto verb_is_offered = [this](std::string_view verb) {
    return !custom_.empty() || std::ranges::any_of(resources_, [verb](const ResourceDesc* resource) {
      return Offers(*resource, verb);
    });
  };
  if (verb_is_offered("delete") || verb_is_offered("deletecollection"))
    for (const char* used : {"meta_v1.Status", "meta_v1.DeleteOptions"}) add(used);
  if (verb_is_offered("watch") && !IsCustom()) add("meta_v1.WatchEvent");
  if (verb_is_offered("patch")) take(kPatchDefinition, kPatchSchema);
  if (!resources_.empty()) add("meta_v1.APIResourceList");
  for (const ResourceDesc* resource : resources_) {
    schemas.Add(*resource->type);
    if (resource->list_type) schemas.Add(*resource->list_type);
    for (const api::SubresourceDesc& sub : resource->subresources)
      if (!IsStream(sub)) schemas.Add(*api::FindKind(sub.group, sub.version, sub.kind));
  }
  for (const Page& page : pages_) {
    if (page.type) schemas.Add(*page.type);
    if (!page.write_schema) continue;
    base::BufferBuilder schema;
    JsonWriter out(schema);
    page.write_schema(dialect_, out);
    take(page.definition, schema.view());
  }
  for (const CustomDefinitionPtr& custom : custom_) {
    for (const char* used : {"meta_v1.ObjectMeta", "meta_v1.ListMeta"}) add(used);
    for (const api::SubresourceDesc& sub : custom->desc->subresources)
      if (sub.kind != custom->desc->kind) schemas.Add(*api::FindKind(sub.group, sub.version, sub.kind));
  }
  schemas.ForEach(take);
}

// Writes a document step by step: its head, each path, those of other servers, the schemas that are built in,
// those of each custom kind, the rest. Borrows the document.
class DocumentWriter {
 public:
  explicit DocumentWriter(const Document& document)
      : document_(document),
        own_(document.resources_, document.custom_, document.pages_, document.behaviour_, document.dialect_),
        path_(own_.paths().begin()) {}

  // What is written and not taken yet.
  base::BufferBuilder& bytes() { return bytes_; }
  bool done() const { return done_; }
  // Requires: not done.
  void Step() {
    if (!std::exchange(begun_, true)) return Head();
    if (path_ != own_.paths().end()) {
      own_.paths().Take(path_++, context_, member_);
    } else if (!std::exchange(schemas_begun_, true)) {
      BeginSchemas();
    } else if (next_ < document_.custom_.size()) {
      TakeCustom(*document_.custom_[next_++], document_.dialect_, member_);
    } else {
      End();
    }
  }

 private:
  bool v2() const { return document_.dialect_ == Dialect::kV2; }
  void Head() {
    out_.BeginObject().Member(v2() ? "swagger" : "openapi", v2() ? "2.0" : "3.0.0");
    const bool custom = document_.IsCustom();
    out_.Key("info").BeginObject().Member("title", custom ? kCustomTitle : kTitle);
    out_.Member("version", custom ? kCustomVersion : kApiVersion).EndObject();
    out_.Key("paths").BeginObject();
  }
  void BeginSchemas() {
    const auto is_own = [this](std::string_view path) { return own_.paths().Contains(path); };
    document_.remote_.ForEachPath(is_own, member_);
    out_.EndObject();
    if (v2())
      out_.Key("definitions").BeginObject();
    else
      out_.Key("components").BeginObject();
    document_.ForEachSharedSchema([this](std::string_view name, std::string_view json) {
      if (!v2() && !std::exchange(has_schemas_, true)) out_.Key("schemas").BeginObject();
      out_.Key(name).Raw(json);
    });
  }
  void End() {
    document_.remote_.ForEachDefinition(member_);
    if (v2() || has_schemas_) out_.EndObject();
    if (v2()) {
      out_.Key("parameters").BeginObject();
      context_.parameters.ForEach(member_);
      out_.EndObject();
      out_.Key("securityDefinitions").Raw(kSecurityDefinitions).Key("security").Raw(kSecurity);
    } else {
      if (!document_.IsCustom()) out_.Key("securitySchemes").Raw(kSecurityDefinitions);
      out_.EndObject();
    }
    out_.EndObject();
    done_ = true;
  }

  const Document& document_;
  const OwnPaths own_;
  PathSet::Iterator path_;
  bool begun_ = false, schemas_begun_ = false, has_schemas_ = false, done_ = false;
  size_t next_ = 0;  // of the document's custom kinds
  PathContext context_{.behaviour = document_.behaviour_, .words = {}, .parameters = {}};
  base::BufferBuilder bytes_;
  JsonWriter out_{bytes_};
  const Take member_ = [this](std::string_view name, std::string_view json) { out_.Key(name).Raw(json); };
};

base::Slice Document::Json() const {
  DocumentWriter writer(*this);
  while (!writer.done()) writer.Step();
  return writer.bytes().Take();
}

namespace {

class DocumentSource final : public net::http::BodySource {
 public:
  DocumentSource(std::span<const ResourceDesc* const> resources, Dialect dialect,
                 std::vector<CustomDefinitionPtr> custom, std::span<const Page> pages,
                 std::vector<RemoteSpecPtr> remote, const Behaviour& behaviour)
      : custom_(std::move(custom)),
        remote_(std::move(remote)),
        document_(resources, dialect, custom_, pages, remote_, behaviour),
        writer_(document_) {}

  State Next(size_t limit, std::vector<base::Slice>& out) override {
    while (!writer_.done() && writer_.bytes().size() < limit) writer_.Step();
    out.push_back(writer_.bytes().Take());
    return writer_.done() ? State::kEnd : State::kMore;
  }

 private:
  const std::vector<CustomDefinitionPtr> custom_;
  const std::vector<RemoteSpecPtr> remote_;
  const Document document_;
  DocumentWriter writer_;
};

}  // namespace

std::unique_ptr<net::http::BodySource> StreamDocument(
    std::span<const ResourceDesc* const> resources, Dialect dialect, std::vector<CustomDefinitionPtr> custom,
    std::span<const Page> pages, std::vector<RemoteSpecPtr> remote, const Behaviour& behaviour) {
  return std::make_unique<DocumentSource>(resources, dialect, std::move(custom), pages, std::move(remote),
                                          behaviour);
}

}  // namespace keelson::endpoints::openapi
