#include "controllers/api_service_registration.h"

#include <algorithm>

#include "api/generated/apiextensions_v1.h"
#include "api/generated/apiregistration_v1.h"
#include "base/log.h"
#include "client/definitions.h"
#include "controllers/api_service_controller.h"
#include "controllers/crd_conditions.h"

namespace keelson::controllers {
namespace {

using namespace api::apiregistration_v1;

constexpr std::string_view kManaged = "kube-aggregator.kubernetes.io/automanaged";
constexpr std::string_view kOnStart = "onstart", kAlways = "true";
// Custom resources come after what is built in; their versions are in the order of their names.
constexpr int32_t kGroupPriority = 1000, kVersionPriority = 100;

std::string_view ManagementOf(APIServiceView service) {
  const api::Value* const label = service.metadata().labels().Find(kManaged);
  return label ? label->string() : std::string_view();
}

api::Doc ServiceOf(const std::string& group, const std::string& version) {
  api::Doc doc(APIServiceView::Type());
  APIServiceEditor service(doc);
  service.set_kind_static("APIService");
  service.set_api_version_static("apiregistration.k8s.io/v1");
  service.mutable_metadata().set_name(version + "." + group);
  service.mutable_metadata().put_labels(kManaged, kAlways);
  auto spec = service.mutable_spec();
  spec.set_group(group);
  spec.set_version(version);
  spec.set_group_priority_minimum(kGroupPriority);
  spec.set_version_priority(kVersionPriority);
  return doc;
}

}  // namespace

ApiServiceRegistration::ApiServiceRegistration(const client::Client& client, std::vector<api::Doc> built_in,
                                               base::Executor& loop)
    : client_(client),
      api_services_(client, kApiServices, loop),
      definitions_(client, kDefinitions, loop),
      queue_(loop, [this](std::string name) { return Sync(std::move(name)); }) {
  for (api::Doc& doc : built_in) {
    std::string name(APIServiceView(doc).metadata().name());
    built_in_.emplace(std::move(name), std::move(doc));
  }
}

void ApiServiceRegistration::Start() {
  api_services_.Start({.changed =
                           [this](const client::Change& change) {
                             if (!services_known_) at_start_.emplace(change.object.name());
                             queue_.Add(std::string(change.object.name()));
                           },
                       .told_all =
                           [this] {
                             services_known_ = true;
                             BeginWhenAllIsKnown();
                           }});
  definitions_.Start({.changed = [this](const client::Change& change) { SeeDefinition(change); },
                      .relisting =
                          [this](bool again) {
                            if (!again) return;
                            for (const auto& [name, versions] : by_definition_) unconfirmed_.insert(name);
                          },
                      .told_all =
                          [this] {
                            for (const std::string& name : std::exchange(unconfirmed_, {}))
                              SetVersions(name, {});
                            definitions_known_ = true;
                            BeginWhenAllIsKnown();
                          }});
}

void ApiServiceRegistration::Stop() {
  api_services_.Stop();
  definitions_.Stop();
  queue_.Stop();
  services_known_ = definitions_known_ = begun_ = false;
}

// Before the definitions are known their APIServices would seem to be left over.
void ApiServiceRegistration::BeginWhenAllIsKnown() {
  if (!services_known_ || !definitions_known_ || std::exchange(begun_, true)) return;
  queue_.Start();
  for (const std::string& name : at_start_) queue_.Add(name);
  for (const auto& [name, doc] : built_in_) queue_.Add(name);
  for (const auto& [name, served] : defined_) queue_.Add(name);
}

void ApiServiceRegistration::SeeDefinition(const client::Change& change) {
  const std::string name(change.object.name());
  unconfirmed_.erase(name);
  std::set<GroupVersion> versions;
  if (!change.gone) {
    const auto outline = client::DecodeOutline(change.object);
    if (!outline) {
      base::Log(base::LogLevel::kError, "a definition cannot be read",
                {{"name", name}, {"why", outline.error().message}});
      return;
    }
    const auto spec = api::apiextensions_v1::CustomResourceDefinitionView(*outline).spec();
    for (const auto version : spec.versions())
      if (version.served()) versions.emplace(spec.group(), version.name());
  }
  SetVersions(name, std::move(versions));
}

void ApiServiceRegistration::SetVersions(const std::string& definition, std::set<GroupVersion> versions) {
  auto& known = by_definition_[definition];
  const auto name_of = [](const GroupVersion& gv) { return gv.second + "." + gv.first; };
  for (const GroupVersion& gv : versions) {
    if (known.contains(gv)) continue;
    const auto [place, fresh] = defined_.try_emplace(name_of(gv), gv, 0);
    if (++place->second.second == 1) queue_.Add(place->first);
  }
  for (const GroupVersion& gv : known) {
    if (versions.contains(gv)) continue;
    const auto place = defined_.find(name_of(gv));
    if (--place->second.second > 0) continue;
    queue_.Add(place->first);
    defined_.erase(place);
  }
  if (versions.empty()) {
    by_definition_.erase(definition);
  } else {
    known = std::move(versions);
  }
}

base::Task<bool> ApiServiceRegistration::Sync(std::string name) {
  const bool synced = synced_.contains(name);
  const bool once = built_in_.contains(name) && !IsDefined(name);
  const bool wanted = once || IsDefined(name);
  if (once && synced) co_return true;
  auto found = co_await client_.Get(kApiServices, "", name, client::Fresh::kNewest);
  if (!found) co_return false;
  const bool exists = static_cast<bool>(*found);
  bool done = true;
  if (!exists) {
    if (wanted) done = co_await Create(name);
  } else {
    const std::string management(ManagementOf(APIServiceView(**found)));
    const bool managed_once = management == kOnStart;
    const bool managed = management == kAlways || (managed_once && at_start_.contains(name) && !synced);
    if (managed) done = co_await Correct(name, *std::move(*found));
  }
  if (!done) co_return false;
  if (wanted || exists) {
    synced_.insert(std::move(name));
    if (!complete())
      complete_.store(
          std::ranges::all_of(built_in_, [&](const auto& one) { return synced_.contains(one.first); }),
          std::memory_order_release);
  } else {  // it is gone, and one that comes is another
    synced_.erase(name);
    at_start_.erase(name);
  }
  co_return true;
}

api::Doc ApiServiceRegistration::Wanted(const std::string& name) const {
  if (const auto defined = defined_.find(name); defined != defined_.end())
    return ServiceOf(defined->second.first.first, defined->second.first.second);
  const auto built_in = built_in_.find(name);
  return built_in == built_in_.end() ? api::Doc() : built_in->second.Clone();
}

base::Task<bool> ApiServiceRegistration::Create(std::string name) {
  api::Doc doc = Wanted(name);
  if (!doc) co_return true;
  const auto created = co_await client_.Create(kApiServices, "", std::move(doc));
  co_return created || created.error().code == 409;
}

base::Task<bool> ApiServiceRegistration::Correct(std::string name, api::Doc now) {
  const APIServiceView view(now);
  const api::Doc desired = Wanted(name);
  if (!desired) {
    const auto deleted =
        co_await client_.Delete(kApiServices, "", name, {.uid = std::string(view.metadata().uid())});
    co_return deleted || deleted.error().code == 404 || deleted.error().code == 409;
  }
  if (api::Equal(view.spec().node(), APIServiceView(desired).spec().node())) co_return true;
  const auto updated = co_await client_.Update(
      kApiServices, "", name,
      [&desired](api::Doc& doc) {
        const size_t spec = doc.type().FindMember("spec").field->ordinal;
        doc.root()->slot(spec) = api::DeepCopy(desired.root()->slot(spec), doc.arena());
        return true;
      },
      std::string(view.metadata().uid()));
  co_return updated || updated.error().code == 404 || updated.error().code == 409;
}

}  // namespace keelson::controllers
