#include "bootstrap/flow_control.h"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "api/defaulting/defaulting.h"
#include "api/generated/flowcontrol_v1.h"
#include "api/meta/object_meta.h"
#include "api/validation/core/fields.h"
#include "api/validation/flowcontrol/bootstrap.h"
#include "base/gathering.h"
#include "base/go_bool.h"
#include "client/object.h"

namespace keelson::bootstrap {
namespace {

using api::flowcontrol::BootstrapObject;
using api::flowcontrol::kAutoUpdateAnnotation;

constexpr std::string_view kFlowControl = "flowcontrol.apiserver.k8s.io";
constexpr client::Resource kLevels{kFlowControl, "prioritylevelconfigurations"};
constexpr client::Resource kSchemas{kFlowControl, "flowschemas"};

std::optional<bool> AutoUpdates(const api::Doc& doc) {
  const api::Value* annotation = api::MetadataOf(doc).annotations().Find(kAutoUpdateAnnotation);
  const auto said = annotation ? base::ParseGoBool(annotation->string()) : base::Err(std::string());
  return said ? std::optional(*said) : std::nullopt;
}

const api::FieldDesc& SpecOf(const api::TypeDesc& type) {
  return *std::ranges::find(type.fields, "spec", &api::FieldDesc::name);
}

bool SameSpec(const api::Doc& current, const BootstrapObject& own) {
  using api::flowcontrol_v1::PriorityLevelConfigurationView;
  if (own.name == "exempt" && &current.type() == &PriorityLevelConfigurationView::Type()) {
    // How much it may lend is for the cluster's owner to say.
    const auto now = PriorityLevelConfigurationView(current).spec(),
               wanted = PriorityLevelConfigurationView(own.doc).spec();
    return now.exempt() && now.type() == wanted.type() && api::core::SameField(now, wanted, "limited");
  }
  api::Doc wanted = own.doc.Clone();
  api::SetDefaults(wanted);
  const api::FieldDesc& spec = SpecOf(current.type());
  return api::Equal(current.root()->slot(spec.ordinal), wanted.root()->slot(spec.ordinal), *spec.type);
}

// Makes the object what it should be; what is so already is left.
void Revise(api::Doc& doc, const BootstrapObject& own) {
  const auto marked = AutoUpdates(doc);
  const bool follows = own.mandatory || marked.value_or(api::MetadataOf(doc).generation() == 1);
  if (follows && !SameSpec(doc, own)) {
    const size_t spec = SpecOf(doc.type()).ordinal;
    doc.root()->slot(spec) = api::DeepCopy(own.doc.root()->slot(spec), doc.arena());
  }
  if (marked != follows)
    api::MutableMetadataOf(doc).put_annotations(kAutoUpdateAnnotation, follows ? "true" : "false");
}

base::Task<Done> EnsureOne(const client::Client& client, client::Resource resource,
                           const BootstrapObject& own) {
  CO_TRY(co_await CreateIfAbsent(client, resource, own.doc.Clone()));
  const auto written = co_await client.Update(resource, "", std::string(own.name), [&own](api::Doc& doc) {
    Revise(doc, own);
    return true;
  });
  if (!written && written.error().code != 409)
    co_return base::Err("cannot update " + std::string(own.name) + ": " + written.error().message);
  co_return Done();
}

// Objects that say of themselves that they follow the server, which has none of their name.
base::Task<Done> RemoveUnwanted(const client::Client& client, client::Resource resource,
                                std::span<const BootstrapObject> objects, const api::TypeDesc& type) {
  const auto list = co_await client.ListObjects(resource, {});
  if (!list) co_return base::Err(list.error().message);
  std::vector<std::string> unwanted;
  for (const client::Object* const object : list->items) {
    if (std::ranges::find(objects, object->name(), &BootstrapObject::name) != objects.end()) continue;
    const auto doc = client::Decode(*object, type);
    if (doc && AutoUpdates(*doc).value_or(false)) unwanted.emplace_back(object->name());
  }
  for (const std::string& name : unwanted) {
    const auto deleted = co_await client.Delete(resource, "", name);
    if (!deleted && deleted.error().code != 404)
      co_return base::Err("cannot delete " + name + ": " + deleted.error().message);
  }
  co_return Done();
}

}  // namespace

base::Task<Done> EnsureFlowControl(const client::Client& client) {
  const auto own_levels = api::flowcontrol::BootstrapPriorityLevels();
  const auto own_schemas = api::flowcontrol::BootstrapFlowSchemas();
  base::Gathering all;
  for (const BootstrapObject& own : own_levels) all.Start(EnsureOne(client, kLevels, own));
  for (const BootstrapObject& own : own_schemas) all.Start(EnsureOne(client, kSchemas, own));
  CO_TRY(co_await all.Wait());
  CO_TRY(co_await RemoveUnwanted(client, kSchemas, own_schemas, api::flowcontrol_v1::FlowSchemaView::Type()));
  co_return co_await RemoveUnwanted(client, kLevels, own_levels,
                                    api::flowcontrol_v1::PriorityLevelConfigurationView::Type());
}

}  // namespace keelson::bootstrap
