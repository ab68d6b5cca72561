// Names in resource.k8s.io/v1, and other small checks that its rules are made of. Each adds
// what is wrong to `errors`.
#pragma once

#include <string>
#include <string_view>

#include "api/generated/resource_v1.h"
#include "api/validation/field.h"

namespace keelson::api::resource {

using field::ErrorList;
using field::Path;

void CheckDriverName(std::string_view name, const Path& path, ErrorList& errors);
void CheckPoolName(std::string_view name, const Path& path, ErrorList& errors);
// A name with or without a domain, of attributes and capacities.
void CheckQualifiedName(std::string_view name, const Path& path, ErrorList& errors);
void CheckFullyQualifiedName(std::string_view name, const Path& path, ErrorList& errors);
void CheckUuid(std::string_view uid, const Path& path, ErrorList& errors);
void CheckSemanticVersion(std::string_view version, const Path& path, ErrorList& errors);
// A JSON object, at most so long.
void CheckParameters(std::string_view json, size_t max_bytes, const Path& path, ErrorList& errors);
void CheckBindingConditions(const StructNode* node, ScalarList conditions, ScalarList failure_conditions,
                            const Path& path, ErrorList& errors);

constexpr size_t kOpaqueDataMaxBytes = 10 * 1024;

// A list that is too long is not looked at further; true: go on.
bool CheckSize(size_t size, size_t max, const Path& path, ErrorList& errors);

}  // namespace keelson::api::resource
