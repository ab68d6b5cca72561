// CustomScaling: where a custom resource has what a Scale shows.
#pragma once

#include <string>
#include <vector>

#include "api/generated/apiextensions_v1.h"
#include "api/types/arena.h"
#include "registry/scale.h"

namespace keelson::extensions {

class CustomScaling final : public registry::Scaling {
 public:
  // `resource`: as it is stored; borrowed. `scale` is borrowed for the call.
  CustomScaling(api::apiextensions_v1::CustomResourceSubresourceScaleView scale,
                const api::ResourceDesc& resource);

  const api::ResourceDesc& resource() const override { return resource_; }
  registry::rest::Result<registry::Scaled> Read(const api::Doc& doc) const override;
  registry::rest::Result<void> SetReplicas(api::Doc& doc, int32_t replicas) const override;
  const api::managed_fields::FieldSet* replicas() const override { return replicas_; }

  // What is wrong with the numbers and the selector; those of the spec only when asked.
  api::field::ErrorList Validate(const api::StructNode& root, bool with_spec) const;

 private:
  struct Path {
    std::string text;  // ".spec.replicas"
    std::vector<std::string> names;
  };
  static Path Split(std::string_view text);
  static void CheckNumber(const api::StructNode& root, const Path& path, api::field::ErrorList& errors);

  const api::ResourceDesc& resource_;
  const Path spec_, status_, selector_;
  api::Arena arena_;
  const api::managed_fields::FieldSet* replicas_ = nullptr;
};

}  // namespace keelson::extensions
