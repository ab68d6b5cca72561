#include "registry/server_user.h"

namespace keelson::registry {

const auth::User& ServerUser() {
  static const auth::User user{.name = "system:apiserver", .groups = {std::string(auth::kMastersGroup)}};
  return user;
}

}  // namespace keelson::registry
