// Some facts of a kind are kept in tables beside its description. A kind that such a table forgot would not
// fail: it would behave as if the fact did not exist. Each test here names the kinds that a table has
// forgotten.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/codec/go_scalar_types.h"
#include "api/generated/rbac_v1.h"
#include "api/managed_fields/reset_fields.h"
#include "api/meta/object_meta.h"
#include "api/meta/status.h"
#include "api/types/builtin_types.h"
#include "api/types/resource_desc.h"
#include "registry/apiregistration/local_services.h"
#include "registry/rbac/bootstrap_policy.h"

namespace keelson::registry {
namespace {

using ::testing::IsEmpty;
using Names = std::set<std::string>;

std::string NameOf(const api::ResourceDesc& resource) {
  return api::GroupResource{resource.group, resource.plural}.ToString();
}

TEST(EveryKindTest, WithAStatusHasTheFieldsThatItsWritesReset) {
  Names forgotten;
  for (const api::ResourceDesc& resource : api::BuiltinResources()) {
    if (!resource.storage_type || !resource.HasSubresource("status")) continue;
    // Upstream has no such fields for writes of these without a subresource.
    const bool has_none = NameOf(resource) == "podcertificaterequests.certificates.k8s.io";
    for (std::string_view subresource : {"", "status"})
      if (!(has_none && subresource.empty()) &&
          !api::managed_fields::ResetFields(resource.group, resource.plural, subresource))
        forgotten.insert(NameOf(resource));
  }
  EXPECT_THAT(forgotten, IsEmpty()) << "add them to api/managed_fields/reset_fields.cc";
}

TEST(EveryKindTest, HasTheApiServiceOfItsGroupAndVersion) {
  std::vector<const api::ResourceDesc*> served;
  Names forgotten;
  for (const api::ResourceDesc& resource : api::BuiltinResources()) {
    served.push_back(&resource);
    // The group of APIServices is the aggregator's own: it has none.
    if (resource.group != "apiregistration.k8s.io")
      forgotten.insert(std::string(resource.version) + "." + std::string(resource.group));
  }
  for (const api::Doc& service : apiregistration::LocalServices(served))
    forgotten.erase(std::string(api::MetadataOf(service).name()));
  EXPECT_THAT(forgotten, IsEmpty()) << "add them to registry/apiregistration/local_services.cc";
}

// The schemas of versions in which nothing is stored: objects are judged in another one.
Names ConvertedSchemas() {
  Names converted, stored;
  for (const api::ResourceDesc& resource : api::BuiltinResources())
    (resource.IsConverted() ? converted : stored)
        .emplace(resource.type->name.substr(0, resource.type->name.find('.')));
  for (const std::string& schema : stored) converted.erase(schema);
  return converted;
}

// A string with a set of values is a type of its own in Go, and messages print that type's name.
TEST(EveryKindTest, HasTheGoTypesOfItsEnumerations) {
  Names forgotten;
  const Names converted = ConvertedSchemas();
  for (const api::TypeDesc* type : api::BuiltinTypes()) {
    if (converted.contains(std::string(type->name.substr(0, type->name.find('.'))))) continue;
    for (const api::FieldDesc& field : type->fields)
      if (!field.enum_values.empty() && api::GoScalarType(type->name, field.name).empty())
        forgotten.insert(std::string(type->name) + "." + std::string(field.name));
  }
  EXPECT_THAT(forgotten, IsEmpty()) << "add them to api/codec/go_scalar_types.cc";
}

// "resources.group" that the rules of a role name, and "*.group" for all of a group.
void AddResourcesOf(const api::Doc& role, Names& named) {
  for (const auto rule : api::rbac_v1::ClusterRoleView(role).rules())
    for (const api::Value& group : rule.api_groups())
      for (const api::Value& resource : rule.resources())
        named.insert(api::GroupResource{group.string(), resource.string()}.ToString());
}

// What lives in a namespace is for the roles admin, edit and view to open, unless nobody but administrators,
// nodes and controllers has business there.
TEST(EveryKindTest, InANamespaceIsInTheRolesOfANamespacesUsers) {
  const Names closed = {
      "csistoragecapacities.storage.k8s.io",         // written by drivers, read by the scheduler
      "podtemplates",                                // no controller uses them
      "podcertificaterequests.certificates.k8s.io",  // of nodes and signers
      "leasecandidates.coordination.k8s.io",         // of the servers of the control plane
  };
  Names named, forgotten;
  for (const rbac::PolicyObject& object : rbac::BootstrapPolicy([](std::string_view) { return true; }))
    if (object.resource == "clusterroles" &&
        api::MetadataOf(object.doc).name().starts_with("system:aggregate-to-"))
      AddResourcesOf(object.doc, named);
  for (const api::ResourceDesc& resource : api::BuiltinResources())
    if (resource.namespaced && !named.contains(NameOf(resource)) && !closed.contains(NameOf(resource)))
      forgotten.insert(NameOf(resource));
  EXPECT_THAT(forgotten, IsEmpty()) << "add them to registry/rbac/core_policy.cc";
}

}  // namespace
}  // namespace keelson::registry
