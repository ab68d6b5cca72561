// Ingresses.
#pragma once

#include "api/generated/networking_v1.h"
#include "api/validation/field.h"

namespace keelson::api::networking {

field::ErrorList ValidateIngress(networking_v1::IngressView ingress);
field::ErrorList ValidateIngressUpdate(networking_v1::IngressView now, networking_v1::IngressView was);
field::ErrorList ValidateIngressStatusUpdate(networking_v1::IngressView now, networking_v1::IngressView was);

// The annotation that named an ingress's class before there was a field for it.
constexpr std::string_view kIngressClassAnnotation = "kubernetes.io/ingress.class";

}  // namespace keelson::api::networking
