// AlwaysAdmit: admits everything; deprecated upstream and of no use.
#pragma once

#include "admission/plugin.h"

namespace keelson::admission {

class AlwaysAdmit final : public Plugin {
 public:
  AlwaysAdmit();  // logs that it is deprecated, as upstream does
  Concern ConcernWith(const api::ResourceDesc&, std::string_view) const override { return {}; }
};

}  // namespace keelson::admission
