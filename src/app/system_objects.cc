#include "app/system_objects.h"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "api/defaulting/defaulting.h"
#include "api/generated/flowcontrol_v1.h"
#include "api/generated/scheduling_v1.h"
#include "api/meta/object_meta.h"
#include "api/validation/core/fields.h"
#include "api/validation/flowcontrol/bootstrap.h"
#include "api/validation/scheduling/priority_class.h"
#include "app/gathering.h"
#include "app/go_bool.h"
#include "app/server_user.h"
#include "registry/decode.h"

namespace keelson::app {
namespace {

using api::flowcontrol::BootstrapObject;
using api::flowcontrol::kAutoUpdateAnnotation;
using Done = Gathering::Done;

base::Task<Done> CreateIfAbsent(registry::Store& store, api::Doc doc) {
  const std::string name(api::MetadataOf(doc).name());
  const auto found = co_await store.Get("", name, {});
  if (found) co_return Done();
  registry::rest::WriteRequest request{.user = &ServerUser()};
  const auto created = co_await store.Create(std::move(request), std::move(doc));
  // Another server on the same store may have been faster.
  if (!created && created.error().reason != "AlreadyExists")
    co_return base::Err("cannot create " + name + ": " + created.error().message);
  co_return Done();
}

api::Doc MakePriorityClass(const api::scheduling::SystemPriorityClass& system) {
  api::Doc doc(api::scheduling_v1::PriorityClassView::Type());
  api::scheduling_v1::PriorityClassEditor editor(doc);
  editor.set_kind_static("PriorityClass");
  editor.set_api_version_static("scheduling.k8s.io/v1");
  editor.mutable_metadata().set_name_static(system.name);
  editor.set_value(system.value);
  editor.set_description_static(system.description);
  return doc;
}

std::optional<bool> AutoUpdates(const api::Doc& doc) {
  const api::Value* annotation = api::MetadataOf(doc).annotations().Find(kAutoUpdateAnnotation);
  const auto said = annotation ? ParseGoBool(annotation->string()) : base::Err(std::string());
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

// The object as it should be: unchanged where nothing is to be done.
api::Doc Revised(const api::Doc& current, const BootstrapObject& own) {
  api::Doc doc = current.Clone();
  const auto marked = AutoUpdates(current);
  const bool follows = own.mandatory || marked.value_or(api::MetadataOf(current).generation() == 1);
  if (follows && !SameSpec(current, own)) {
    const size_t spec = SpecOf(doc.type()).ordinal;
    doc.root()->slot(spec) = api::DeepCopy(own.doc.root()->slot(spec), doc.arena());
  }
  if (marked != follows)
    api::MutableMetadataOf(doc).put_annotations(kAutoUpdateAnnotation, follows ? "true" : "false");
  return doc;
}

base::Task<Done> Ensure(registry::Store& store, const BootstrapObject& own) {
  CO_TRY(co_await CreateIfAbsent(store, own.doc.Clone()));
  registry::rest::WriteRequest request{.user = &ServerUser()};
  registry::rest::UpdatedObject updated{
      .make = [&own](const api::Doc& current) -> base::Task<registry::rest::Result<api::Doc>> {
        co_return Revised(current, own);
      }};
  const auto written = co_await store.Update(std::move(request), std::string(own.name), std::move(updated));
  if (!written && written.error().code != 409)
    co_return base::Err("cannot update " + std::string(own.name) + ": " + written.error().message);
  co_return Done();
}

// Objects that say of themselves that they follow the server, which has none of their name.
base::Task<Done> RemoveUnwanted(registry::Store& store, std::span<const BootstrapObject> objects,
                                const api::TypeDesc& type) {
  const auto list = co_await store.List({});
  if (!list) co_return base::Err(list.error().message);
  std::vector<std::string> unwanted;
  for (const registry::rest::Object* const object : list->items) {
    if (std::ranges::find(objects, object->name(), &BootstrapObject::name) != objects.end()) continue;
    const auto doc = registry::DecodeStored(*object, type);
    if (doc && AutoUpdates(*doc).value_or(false)) unwanted.emplace_back(object->name());
  }
  for (const std::string& name : unwanted) {
    registry::rest::WriteRequest request{.user = &ServerUser()};
    const auto deleted = co_await store.Delete(std::move(request), name, {});
    if (!deleted && deleted.error().code != 404)
      co_return base::Err("cannot delete " + name + ": " + deleted.error().message);
  }
  co_return Done();
}

}  // namespace

base::Task<Done> EnsurePriorityClasses(registry::Store& classes) {
  Gathering all;
  for (const auto& system : api::scheduling::kSystemPriorityClasses)
    all.Start(CreateIfAbsent(classes, MakePriorityClass(system)));
  co_return co_await all.Wait();
}

base::Task<Done> EnsureFlowControl(registry::Store& levels, registry::Store& schemas) {
  const auto own_levels = api::flowcontrol::BootstrapPriorityLevels();
  const auto own_schemas = api::flowcontrol::BootstrapFlowSchemas();
  Gathering all;
  for (const BootstrapObject& own : own_levels) all.Start(Ensure(levels, own));
  for (const BootstrapObject& own : own_schemas) all.Start(Ensure(schemas, own));
  CO_TRY(co_await all.Wait());
  CO_TRY(co_await RemoveUnwanted(schemas, own_schemas, api::flowcontrol_v1::FlowSchemaView::Type()));
  co_return co_await RemoveUnwanted(levels, own_levels,
                                    api::flowcontrol_v1::PriorityLevelConfigurationView::Type());
}

}  // namespace keelson::app
