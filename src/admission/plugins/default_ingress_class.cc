#include "admission/plugins/default_ingress_class.h"

#include "admission/plugins/default_class.h"
#include "api/generated/networking_v1.h"

namespace keelson::admission {
namespace {

constexpr std::string_view kGroup = "networking.k8s.io";
constexpr std::string_view kIngressClassAnnotation = "kubernetes.io/ingress.class";
constexpr std::string_view kDefaultIngressClassAnnotations[] = {
    "ingressclass.kubernetes.io/is-default-class"};

}  // namespace

Concern DefaultIngressClass::ConcernWith(const api::ResourceDesc& resource,
                                         std::string_view subresource) const {
  return {.mutates = Is(resource, subresource, {kGroup, "ingresses"})};
}

base::Task<Verdict> DefaultIngressClass::Mutate(Attributes request) const {
  if (request.operation != Operation::kCreate) co_return Verdict();
  api::networking_v1::IngressEditor ingress(*request.object);
  if (ingress.spec().has_ingress_class_name() ||
      ingress.metadata().annotations().Find(kIngressClassAnnotation))
    co_return Verdict();
  const auto found =
      co_await FindDefaultClass(objects_, {kGroup, "ingressclasses"}, kDefaultIngressClassAnnotations);
  if (!found) co_return Refuse(request, found.error().message);
  if (*found) ingress.mutable_spec().set_ingress_class_name(**found);
  co_return Verdict();
}

}  // namespace keelson::admission
