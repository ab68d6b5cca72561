// How webhooks are reached, in every kind that has them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "api/validation/field.h"

namespace keelson::api {

field::ErrorList ValidateWebhookUrl(std::string_view url, const field::Path& path);
// `url_path`: nullopt when it is not given.
field::ErrorList ValidateWebhookService(std::string_view ns, std::string_view name,
                                        std::optional<std::string_view> url_path, int64_t port,
                                        const field::Path& path);

// The clientConfig of a webhook: a URL or a service.
template <class ClientConfigView>
field::ErrorList ValidateWebhookClientConfig(ClientConfigView config, const field::Path& path) {
  if (config.has_url() == static_cast<bool>(config.service())) {
    field::ErrorList errors;
    errors.Add(field::Required(path, "exactly one of url or service is required"));
    return errors;
  }
  if (config.has_url()) return ValidateWebhookUrl(config.url(), path.Child("url"));
  const auto service = config.service();
  std::optional<std::string_view> url_path;
  if (service.has_path()) url_path = service.path();
  return ValidateWebhookService(service.namespace_(), service.name(), url_path, service.port(),
                                path.Child("service"));
}

}  // namespace keelson::api
