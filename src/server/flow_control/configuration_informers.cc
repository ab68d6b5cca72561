#include "server/flow_control/configuration_informers.h"

#include <optional>
#include <utility>

#include "api/generated/flowcontrol_v1.h"
#include "base/log.h"
#include "client/object.h"

namespace keelson::server::flow_control {
namespace {

using namespace api::flowcontrol_v1;

constexpr std::string_view kGroup = "flowcontrol.apiserver.k8s.io";

// nullopt: it is gone, or cannot be read and counts as if it were not there.
std::optional<api::Doc> Read(const client::Change& change, const api::TypeDesc& type) {
  if (change.gone) return std::nullopt;
  auto doc = client::Decode(change.object, type);
  if (doc) return *std::move(doc);
  base::Log(base::LogLevel::kError, "an object of flow control cannot be read and has no effect",
            {{"name", change.object.name()}, {"why", doc.error().message}});
  return std::nullopt;
}

}  // namespace

ConfigurationInformers::ConfigurationInformers(const client::Client& client, FlowControl& control,
                                               base::Executor& loop)
    : control_(control),
      levels_(client, {kGroup, "prioritylevelconfigurations"}, loop),
      schemas_(client, {kGroup, "flowschemas"}, loop) {}

void ConfigurationInformers::Start() {
  levels_.Start({.changed = [this](const client::Change& change) { SeeLevel(change); },
                 .relisting =
                     [this](bool) {
                       control_.RemoveAllLevels();
                       levels_told_ = false;
                       changed_ = true;
                     },
                 .told_all = [this] { ToldAll(levels_told_); }});
  schemas_.Start({.changed = [this](const client::Change& change) { SeeSchema(change); },
                  .relisting =
                      [this](bool) {
                        control_.RemoveAllSchemas();
                        schemas_told_ = false;
                        changed_ = true;
                      },
                  .told_all = [this] { ToldAll(schemas_told_); }});
}

void ConfigurationInformers::SeeLevel(const client::Change& change) {
  const auto doc = Read(change, PriorityLevelConfigurationView::Type());
  auto spec = doc ? PriorityLevelSpec::Of(PriorityLevelConfigurationView(*doc)) : std::nullopt;
  if (doc && !spec)
    base::Log(base::LogLevel::kWarning, "a priority level contradicts itself and has no effect",
              {{"name", change.object.name()}});
  changed_ = true;
  if (!spec) return control_.RemoveLevel(change.object.name());
  control_.PutLevel(*std::move(spec));
}

void ConfigurationInformers::SeeSchema(const client::Change& change) {
  const auto doc = Read(change, FlowSchemaView::Type());
  if (!doc) {
    changed_ = true;
    return control_.RemoveSchema(change.object.name());
  }
  changed_ = control_.PutSchema(FlowSchemaSpec::Of(FlowSchemaView(*doc))) || changed_;
}

void ConfigurationInformers::ToldAll(bool& told) {
  told = true;
  if (!levels_told_ || !schemas_told_ || !std::exchange(changed_, false)) return;
  control_.Apply();
}

}  // namespace keelson::server::flow_control
