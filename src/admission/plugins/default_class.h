// How a default is found among classes that say by an annotation that they are it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "client/client.h"

namespace keelson::admission {

// The name of the class that carries one of `annotations` with the value "true"; the newest
// when there are several, then the first by name. nullopt: none does.
base::Task<client::Result<std::optional<std::string>>> FindDefaultClass(
    const client::Client& objects, api::GroupResource classes, std::span<const std::string_view> annotations);

}  // namespace keelson::admission
