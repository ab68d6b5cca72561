#include "controllers/api_service_controller.h"

#include "api/generated/apiregistration_v1.h"
#include "api/meta/object_meta.h"
#include "api/validation/quote.h"
#include "controllers/conditions.h"

namespace keelson::controllers {
namespace {

using namespace api::apiregistration_v1;

constexpr std::string_view kAvailable = "Available";

}  // namespace

ApiServiceController::ApiServiceController(client::Collection& api_services, client::Collection& services,
                                           base::Executor& loop, const base::Clock& clock)
    : api_services_(api_services),
      services_(services),
      clock_(clock),
      queue_(loop, [this](std::string name) { return Sync(std::move(name)); }) {}

void ApiServiceController::Start() {
  queue_.Start();
  api_services_.Watch(
      [this](const client::Collection::Change& change) { queue_.Add(std::string(change.name)); });
}

void ApiServiceController::Stop() {
  api_services_.StopWatching();
  queue_.Stop();
}

base::Task<bool> ApiServiceController::Sync(std::string name) {
  const auto found = co_await api_services_.Get("", name);
  if (!found || !*found) co_return found.has_value();
  const APIServiceView api_service(**found);

  std::string message = "Local APIServices are always available";
  Condition wanted{kAvailable, "True", "Local", message};
  if (const auto service = api_service.spec().service()) {
    const auto there = co_await services_.Get(std::string(service.namespace_()), std::string(service.name()));
    if (!there) co_return false;
    // Whether it answers is for whoever sends requests to it to find out.
    if (*there) co_return true;
    message = "service/" + std::string(service.name()) + " in " + api::Quoted(service.namespace_()) +
              " is not present";
    wanted = {kAvailable, "False", "ServiceNotFound", message};
  }
  if (Says(FindCondition(api_service.status(), kAvailable), wanted)) co_return true;
  const auto updated =
      co_await api_services_.UpdateStatus("", std::move(name), [wanted, this](api::Doc& doc) {
        SetCondition(APIServiceEditor(doc).mutable_status(), wanted, api::NowSeconds(clock_));
        return true;
      });
  co_return updated || updated.error().code == 404;
}

}  // namespace keelson::controllers
