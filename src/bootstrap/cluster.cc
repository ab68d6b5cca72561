#include "bootstrap/cluster.h"

#include "base/gathering.h"
#include "base/log.h"
#include "bootstrap/api_services.h"
#include "bootstrap/flow_control.h"
#include "bootstrap/namespaces.h"
#include "bootstrap/priority_classes.h"
#include "bootstrap/rbac.h"
#include "bootstrap/service_cidr.h"

namespace keelson::bootstrap {

base::Task<Done> Cluster::EnsureClasses() {
  base::Gathering all;
  all.Start(EnsurePriorityClasses(client_));
  all.Start(EnsureFlowControl(client_));
  all.Start(EnsureDefaultServiceCidr(client_, services_.ranges(), told_of_ranges_));
  co_return co_await all.Wait();
}

base::Task<Done> Cluster::Keep() {
  base::Gathering all;
  all.Start(EnsureNamespaces(client_));
  all.Start(EnsureClasses());
  co_return co_await all.Wait();
}

// The service `kubernetes` needs a range of addresses.
base::Task<Done> Cluster::BeginServing() {
  CO_TRY(co_await EnsureClasses());
  CO_TRY(co_await services_.Repair());
  const auto begun = co_await kubernetes_.Begin();
  if (!begun) base::Log(base::LogLevel::kWarning, "service kubernetes", {{"why", begun.error()}});
  co_return Done();
}

base::Task<Done> Cluster::Begin(std::vector<const api::ResourceDesc*> served,
                                std::vector<registry::rbac::PolicyObject> policy) {
  CO_TRY(co_await EnsureNamespaces(client_));  // the rest needs them
  base::Gathering all;
  all.Start(EnsureRoles(client_, std::move(policy)));
  all.Start(EnsureApiServices(client_, served));
  all.Start(BeginServing());
  co_return co_await all.Wait();
}

}  // namespace keelson::bootstrap
