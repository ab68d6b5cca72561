#include "controllers/flow_schema_controller.h"

#include "api/codec/json_writer.h"
#include "api/codec/time_format.h"
#include "api/generated/flowcontrol_v1.h"
#include "api/meta/object_meta.h"
#include "api/validation/quote.h"
#include "base/log.h"
#include "controllers/conditions.h"

namespace keelson::controllers {
namespace {

using api::flowcontrol_v1::FlowSchemaView;

constexpr std::string_view kFlowControl = "flowcontrol.apiserver.k8s.io";
constexpr client::Resource kSchemas{kFlowControl, "flowschemas"};
constexpr client::Resource kLevels{kFlowControl, "prioritylevelconfigurations"};
constexpr std::string_view kDangling = "Dangling";

// What the schema should look like to whoever applies only this condition of it.
std::string ConfigOf(std::string_view name, const Condition& condition, int64_t now) {
  char time[api::kMaxTimeSize];
  const std::string_view began(time, static_cast<size_t>(api::FormatTime(now, time) - time));
  base::BufferBuilder out;
  api::json::JsonWriter writer(out);
  writer.BeginObject()
      .Member("apiVersion", "flowcontrol.apiserver.k8s.io/v1")
      .Member("kind", "FlowSchema")
      .Key("metadata")
      .BeginObject()
      .Member("name", name)
      .EndObject();
  writer.Key("status").BeginObject().Key("conditions").BeginArray().BeginObject();
  writer.Member("type", condition.type)
      .Member("status", condition.status)
      .Member("lastTransitionTime", began)
      .Member("reason", condition.reason)
      .Member("message", condition.message);
  writer.EndObject().EndArray().EndObject().EndObject();
  return std::string(out.view());
}

}  // namespace

FlowSchemaController::FlowSchemaController(const client::Client& client, base::Executor& loop,
                                           const base::Clock& clock)
    : client_(client),
      clock_(clock),
      schemas_(client, kSchemas, loop),
      levels_(client, kLevels, loop),
      queue_(loop, [this](std::string name) { return Sync(std::move(name)); }) {}

void FlowSchemaController::Start() {
  queue_.Start();
  schemas_.Start([this](const client::Change& change) { queue_.Add(std::string(change.object.name())); });
  levels_.Start(
      [this](const client::Change& change) { base::Spawn(LookAgain(std::string(change.object.name()))); });
}

void FlowSchemaController::Stop() {
  schemas_.Stop();
  levels_.Stop();
  queue_.Stop();
}

base::Task<void> FlowSchemaController::LookAgain(std::string level) {
  const auto all = co_await client_.List(kSchemas);
  if (!all) {
    base::Log(base::LogLevel::kWarning, "cannot list flow schemas", {{"why", all.error().message}});
    co_return;
  }
  for (const api::Doc& doc : **all) {
    const FlowSchemaView schema(doc);
    if (schema.spec().priority_level_configuration().name() == level)
      queue_.Add(std::string(schema.metadata().name()));
  }
}

base::Task<bool> FlowSchemaController::Sync(std::string name) {
  const auto found = co_await client_.Get(kSchemas, "", name, client::Fresh::kNewest);
  if (!found || !*found) co_return found.has_value();
  const FlowSchemaView schema(**found);
  const std::string level(schema.spec().priority_level_configuration().name());
  const auto level_found = co_await client_.Get(kLevels, "", level, client::Fresh::kNewest);
  if (!level_found) co_return false;

  const bool there = level_found->has_value();
  const std::string message = "This FlowSchema references the PriorityLevelConfiguration object named " +
                              api::Quoted(level) +
                              (there ? " and it exists" : " but there is no such object");
  const Condition wanted{kDangling, there ? "False" : "True", there ? "Found" : "NotFound", message};
  if (Says(FindCondition(schema.status(), kDangling), wanted)) co_return true;
  std::string config = ConfigOf(name, wanted, api::NowSeconds(clock_));
  const auto applied = co_await client_.Apply(kSchemas.Sub("status"), "", std::move(name), std::move(config));
  co_return applied || applied.error().code == 404;
}

}  // namespace keelson::controllers
