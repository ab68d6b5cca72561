#include "admission/plugins/always_admit.h"

#include "base/log.h"

namespace keelson::admission {

AlwaysAdmit::AlwaysAdmit() {
  base::Log(base::LogLevel::kWarning,
            "admission plug-in AlwaysAdmit is deprecated and does nothing; remove it from "
            "--enable-admission-plugins");
}

}  // namespace keelson::admission
