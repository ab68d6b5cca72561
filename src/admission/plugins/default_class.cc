#include "admission/plugins/default_class.h"

#include <algorithm>

#include "api/meta/object_meta.h"

namespace keelson::admission {
namespace {

bool IsDefault(api::meta_v1::ObjectMetaView metadata, std::span<const std::string_view> annotations) {
  return std::ranges::any_of(annotations, [&](std::string_view annotation) {
    const api::Value* const value = metadata.annotations().Find(annotation);
    return value && value->string() == "true";
  });
}

bool Precedes(api::meta_v1::ObjectMetaView a, api::meta_v1::ObjectMetaView b) {
  if (a.creation_timestamp() != b.creation_timestamp())
    return a.creation_timestamp() > b.creation_timestamp();
  return a.name() < b.name();
}

}  // namespace

base::Task<client::Result<std::optional<std::string>>> FindDefaultClass(
    const client::Client& objects, api::GroupResource classes,
    std::span<const std::string_view> annotations) {
  const auto all = CO_TRY(co_await objects.List(classes));
  const api::Doc* chosen = nullptr;
  for (const api::Doc& one : *all) {
    const auto metadata = api::MetadataOf(one);
    if (IsDefault(metadata, annotations) && (!chosen || Precedes(metadata, api::MetadataOf(*chosen))))
      chosen = &one;
  }
  if (!chosen) co_return std::optional<std::string>();
  co_return std::optional<std::string>(api::MetadataOf(*chosen).name());
}

}  // namespace keelson::admission
