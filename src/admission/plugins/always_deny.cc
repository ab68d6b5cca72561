#include "admission/plugins/always_deny.h"

#include "base/log.h"

namespace keelson::admission {
namespace {

Verdict DenyAll(const Attributes& request) {
  return Refuse(request, "admission control is denying all modifications");
}

}  // namespace

AlwaysDeny::AlwaysDeny() {
  base::Log(base::LogLevel::kWarning,
            "admission plug-in AlwaysDeny is deprecated and refuses every write; remove it from "
            "--enable-admission-plugins");
}

Concern AlwaysDeny::ConcernWith(const api::ResourceDesc&, std::string_view) const {
  return {.mutates = true, .validates = true};
}

base::Task<Verdict> AlwaysDeny::Mutate(Attributes request) const { co_return DenyAll(request); }
base::Task<Verdict> AlwaysDeny::Validate(Attributes request) const { co_return DenyAll(request); }

}  // namespace keelson::admission
