// The authorizers, one file each beside this one.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "auth/authorizer.h"
#include "base/result.h"

namespace keelson::auth {

// The rules of one who may do everything.
Rules EverythingAllowed();

std::unique_ptr<Authorizer> AlwaysAllow();
std::unique_ptr<Authorizer> AlwaysDeny();

// system:masters may do everything, whatever `next` would say; others are left to `next`.
std::unique_ptr<Authorizer> MastersFirst(std::unique_ptr<Authorizer> next);

// The policies in `text`, one JSON object a line; `path` is for messages. Blank lines and those that start
// with # are left out.
base::Result<std::unique_ptr<Authorizer>, std::string> ParseAbac(std::string_view text,
                                                                 std::string_view path);
base::Result<std::unique_ptr<Authorizer>, std::string> Abac(const std::filesystem::path& file);

// The first of `parts` to allow or deny decides. Where none does, the reasons of all are told, a line each,
// and what they could not find out. What somebody may do is the sum of what each part lets them.
std::unique_ptr<Authorizer> UnionOf(std::vector<std::unique_ptr<Authorizer>> parts);

}  // namespace keelson::auth
