#include "registry/scale.h"

#include "api/generated/autoscaling_v1.h"
#include "api/managed_fields/scale.h"
#include "api/meta/object_meta.h"
#include "api/validation/autoscaling/scale.h"
#include "registry/decode.h"
#include "registry/field_tracking.h"

namespace keelson::registry {
namespace {

using api::autoscaling_v1::ScaleEditor;
using api::autoscaling_v1::ScaleView;

rest::Result<api::Doc> ScaleOf(const api::Doc& object, const Scaling& scaling) {
  const auto from = api::MetadataOf(object);
  const Scaled scaled = TRY(scaling.Read(object));
  api::Doc doc(api::autoscaling_v1::kScaleType);
  ScaleEditor scale(doc);
  scale.set_kind_static("Scale");
  scale.set_api_version_static("autoscaling/v1");
  auto metadata = scale.mutable_metadata();
  metadata.set_name(from.name());
  metadata.set_namespace(from.namespace_());
  metadata.set_uid(from.uid());
  metadata.set_resource_version(from.resource_version());
  if (from.has_creation_timestamp()) metadata.set_creation_timestamp(from.creation_timestamp());
  scale.mutable_spec().set_replicas(scaled.replicas);
  auto status = scale.mutable_status();
  status.set_replicas(scaled.current_replicas);
  status.set_selector(scaled.selector);
  return doc;
}

constexpr api::ResourceDesc kScale{
    .group = "autoscaling", .version = "v1", .kind = "Scale", .type = &api::autoscaling_v1::kScaleType};

// One client's change of a Scale, applied to the object it stands for.
struct Change {
  const Scaling& scaling;
  const ServingOptions& serving;
  const FieldTracking& fields;  // of the Scale
  rest::WriteRequest request;
  std::string name;
  rest::UpdatedObject scale;
};

// The Scale that the request asks for, its fields tracked.
base::Task<rest::Result<api::Doc>> UpdatedScale(const Change& change, const api::Doc& was) {
  if (change.scale.apply)
    co_return co_await change.fields.Apply(change.request, change.name, *change.scale.apply, &was);
  auto made = CO_TRY(co_await change.scale.make(was));
  co_await change.fields.Track(change.request, &was, made);
  co_return made;
}

rest::Result<api::Doc> Apply(const Change& change, const api::Doc& current, api::Doc& made) {
  const ScaleView scale(made);
  api::field::ErrorList errors;
  for (const auto& error : api::autoscaling::ValidateScale(scale)) {
    // Scales of custom resources need not be in a namespace.
    if (error.field != "metadata.namespace" || change.scaling.resource().namespaced) errors.Add(error);
  }
  if (!errors.empty()) return base::Err(api::Invalid({"autoscaling", "Scale"}, change.name, errors));
  const std::string_view uid = api::MetadataOf(current).uid();
  if (!scale.metadata().uid().empty() && scale.metadata().uid() != uid) {
    const api::ResourceDesc& desc = change.scaling.resource();
    const std::string resource = std::string(desc.plural) + "/scale";
    return base::Err(
        api::Conflict({desc.group, resource}, change.name,
                      "Precondition failed: UID in precondition: " + std::string(scale.metadata().uid()) +
                          ", UID in object meta: " + std::string(uid)));
  }
  api::Doc object = current.Clone();
  TRY(change.scaling.SetReplicas(object, scale.spec().replicas()));
  // The client saw this version of the object, or did not care: then it is the current one.
  if (!scale.metadata().resource_version().empty())
    api::MutableMetadataOf(object).set_resource_version(scale.metadata().resource_version());
  api::managed_fields::ManagersToObject(made, current.root()->slot(1).string(), object,
                                        change.scaling.replicas());
  return object;
}

base::Task<rest::Result<api::Doc>> ApplyTask(std::shared_ptr<const Change> change, const api::Doc& current) {
  api::Doc was = CO_TRY(ScaleOf(current, change->scaling));
  api::managed_fields::ManagersToScale(current, was, change->scaling.replicas());
  auto made = CO_TRY(co_await UpdatedScale(*change, was));
  const rest::WriteRequest& request = change->request;
  CO_TRY(EnsureNamespaceMatches(request.ns, made));
  if (const ServingOptions& serving = change->serving; serving.admission.mutate) {
    auto attributes = AttributesOf(request, admission::Operation::kUpdate, *serving.resource,
                                   serving.subresource, change->name);
    attributes.object = &made;
    attributes.old_object = &was;
    CO_TRY(co_await serving.admission.mutate(attributes));
  }
  DropRepeatedOwners(request, made);
  co_return Apply(*change, current, made);
}

// Validating admission of the object that a Scale has changed, asked as of the Scale.
base::Task<admission::Verdict> ValidateAsScale(const Scaling& scaling, const ServingOptions& serving,
                                               admission::Attributes attributes) {
  api::Doc now = CO_TRY(ScaleOf(*attributes.object, scaling));
  const api::Doc was = CO_TRY(ScaleOf(*attributes.old_object, scaling));
  attributes.resource = serving.resource;
  attributes.requested = nullptr;
  attributes.subresource = serving.subresource;
  attributes.object = &now;
  attributes.old_object = &was;
  co_return co_await serving.admission.validate(attributes);
}

class ScaleServing final : public Serving, public rest::Shower, public rest::Updater {
 public:
  ScaleServing(const Scaling& scaling, ServingOptions options, const Store& store, const base::Clock& clock)
      : scaling_(scaling),
        options_(std::move(options)),
        store_(OptionsLike(store)),
        fields_(kScale, "scale", clock) {}
  ScaleServing(const ScaleServing&) = delete;
  rest::Verbs verbs() override { return {.update = this, .show = this}; }

  base::Task<rest::Result<rest::Encoded>> Show(std::string ns, std::string name,
                                               rest::GetOptions options) override {
    const auto object = CO_TRY(co_await store_.Get(std::move(ns), std::move(name), std::move(options)));
    const auto doc = CO_TRY(DecodeStored(*object, *scaling_.resource().type));
    const auto scale = CO_TRY(ScaleOf(doc, scaling_));
    co_return EncodeUnstored(scale);
  }

  base::Task<rest::Result<rest::Written>> Update(rest::WriteRequest request, std::string name,
                                                 rest::UpdatedObject updated) override {
    auto change = std::make_shared<const Change>(
        Change{scaling_, options_, fields_, request, name, std::move(updated)});
    rest::UpdatedObject object{
        .make = [change](const api::Doc& current) { return ApplyTask(change, current); }, .tracked = true};
    auto written = CO_TRY(co_await store_.Update(std::move(request), std::move(name), std::move(object)));
    const auto doc = CO_TRY(DecodeWritten(written.object, *scaling_.resource().type));
    const auto scale = CO_TRY(ScaleOf(doc, scaling_));
    written.object = EncodeUnstored(scale);
    co_return written;
  }

 private:
  // The same objects, about which admission is asked here.
  StoreOptions OptionsLike(const Store& store) const {
    StoreOptions like = store.options();
    like.admission = {};
    if (options_.admission.validate)
      like.admission.validate = [this](admission::Attributes attributes) {
        return ValidateAsScale(scaling_, options_, attributes);
      };
    return like;
  }

  const Scaling& scaling_;
  const ServingOptions options_;
  Store store_;
  const FieldTracking fields_;
};

// Built-in kinds: functions in a table.
class RulesScaling final : public Scaling {
 public:
  RulesScaling(const ScaleRules& rules, const api::ResourceDesc& resource)
      : rules_(rules), resource_(resource) {}
  const api::ResourceDesc& resource() const override { return resource_; }
  rest::Result<Scaled> Read(const api::Doc& doc) const override { return rules_.read(doc); }
  rest::Result<void> SetReplicas(api::Doc& doc, int32_t replicas) const override {
    rules_.set_replicas(doc, replicas);
    return {};
  }
  const api::managed_fields::FieldSet* replicas() const override { return nullptr; }

 private:
  const ScaleRules& rules_;
  const api::ResourceDesc& resource_;
};

// A serving with the scaling it borrows.
class RulesServing final : public Serving {
 public:
  RulesServing(const ScaleRules& rules, ServingOptions options, const Store& store, const base::Clock& clock)
      : scaling_(rules, store.resource()), serving_(scaling_, std::move(options), store, clock) {}
  rest::Verbs verbs() override { return serving_.verbs(); }

 private:
  const RulesScaling scaling_;
  ScaleServing serving_;
};

}  // namespace

std::unique_ptr<Serving> ServeScale(const ScaleRules& rules, ServingOptions options,
                                    const Dependencies& dependencies) {
  return std::make_unique<RulesServing>(rules, std::move(options), *dependencies.stores->Find(rules.resource),
                                        *dependencies.clock);
}

std::unique_ptr<Serving> ServeScale(const Scaling& scaling, ServingOptions options, const Store& store,
                                    const base::Clock& clock) {
  return std::make_unique<ScaleServing>(scaling, std::move(options), store, clock);
}

}  // namespace keelson::registry
