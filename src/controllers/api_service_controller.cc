#include "controllers/api_service_controller.h"

#include "api/generated/apiregistration_v1.h"
#include "api/meta/object_meta.h"
#include "controllers/conditions.h"

namespace keelson::controllers {
namespace {

using namespace api::apiregistration_v1;

constexpr std::string_view kAvailable = "Available";

}  // namespace

ApiServiceController::ApiServiceController(const client::Client& client, base::Executor& loop,
                                           const base::Clock& clock)
    : client_(client),
      clock_(clock),
      api_services_(client, kApiServices, loop),
      queue_(loop, [this](std::string name) { return Sync(std::move(name)); }) {}

void ApiServiceController::Start() {
  queue_.Start();
  api_services_.Start(
      [this](const client::Change& change) { queue_.Add(std::string(change.object.name())); });
}

void ApiServiceController::Stop() {
  api_services_.Stop();
  queue_.Stop();
}

base::Task<bool> ApiServiceController::Sync(std::string name) {
  const auto found = co_await client_.Get(kApiServices, "", name, client::Fresh::kNewest);
  if (!found || !*found) co_return found.has_value();
  const APIServiceView api_service(**found);

  // Whether a backend answers is for whoever sends requests to it to find out.
  if (api_service.spec().service()) co_return true;
  const Condition wanted{kAvailable, "True", "Local", "Local APIServices are always available"};
  if (Says(FindCondition(api_service.status(), kAvailable), wanted)) co_return true;
  const auto updated =
      co_await client_.Update(kApiServices.Sub("status"), "", std::move(name), [wanted, this](api::Doc& doc) {
        SetCondition(APIServiceEditor(doc).mutable_status(), wanted, api::NowSeconds(clock_));
        return true;
      });
  co_return updated || updated.error().code == 404;
}

}  // namespace keelson::controllers
