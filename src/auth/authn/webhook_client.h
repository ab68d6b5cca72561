// WebhookClient: sends reviews to the server that a kubeconfig names.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "auth/authn/remote.h"
#include "auth/pki/kubeconfig_reader.h"

namespace keelson::auth {

struct WebhookClientOptions {
  std::string name;                                                       // as errors call it
  std::chrono::nanoseconds first_delay = std::chrono::milliseconds(500);  // before the second try
};

// Threads: any event loop.
class WebhookClient {
 public:
  // The error says what is wrong with the kubeconfig.
  static base::Result<std::unique_ptr<WebhookClient>, std::string> Create(
      pki::KubeconfigClient config, WebhookClientOptions options, const MakeRemoteClient& make_client);

  // The body of the answer to `review`, which is JSON. What may pass is tried again, a few times.
  base::Task<base::Result<std::string, std::string>> Post(std::string review);

 private:
  WebhookClient(pki::KubeconfigClient config, WebhookClientOptions options, RemoteUrl url,
                std::unique_ptr<net::http::Client> client);
  net::http::Headers Fields() const;

  const pki::KubeconfigClient config_;
  const WebhookClientOptions options_;
  const RemoteUrl url_;
  const std::unique_ptr<net::http::Client> client_;
};

}  // namespace keelson::auth
