// The webhook that ImagePolicyWebhook asks.
#pragma once

#include <memory>
#include <string>

#include "admission/plugins/image_policy_webhook.h"
#include "base/result.h"
#include "net/outbound/resolver.h"

namespace keelson::app {

// Borrows `resolver`. The error says what is wrong with the kubeconfig.
base::Result<std::unique_ptr<admission::ImageReviewer>, std::string> MakeImageReviewer(
    const admission::ImagePolicyConfig& config, net::outbound::Resolver& resolver);

}  // namespace keelson::app
