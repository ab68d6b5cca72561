// Ingress classes.
#pragma once

#include "api/generated/networking_v1.h"
#include "api/validation/field.h"

namespace keelson::api::networking {

field::ErrorList ValidateIngressClass(networking_v1::IngressClassView ingress_class);
field::ErrorList ValidateIngressClassUpdate(networking_v1::IngressClassView now,
                                            networking_v1::IngressClassView was);

}  // namespace keelson::api::networking
