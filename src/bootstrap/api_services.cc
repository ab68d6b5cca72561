#include "bootstrap/api_services.h"

#include "base/gathering.h"
#include "registry/apiregistration/local_services.h"

namespace keelson::bootstrap {

base::Task<Done> EnsureApiServices(const client::Client& client,
                                   std::span<const api::ResourceDesc* const> served) {
  constexpr client::Resource kApiServices{"apiregistration.k8s.io", "apiservices"};
  base::Gathering all;
  for (auto& service : registry::apiregistration::LocalServices(served))
    all.Start(CreateIfAbsent(client, kApiServices, std::move(service)));
  co_return co_await all.Wait();
}

}  // namespace keelson::bootstrap
