#include <algorithm>
#include <set>

#include "api/validation/core/checks.h"
#include "api/validation/core/fields.h"
#include "api/validation/discovery/endpoint_slice.h"
#include "api/validation/names.h"
#include "registry/core/generation.h"
#include "registry/discovery/strategies.h"

namespace keelson::registry::discovery {
namespace {

using api::discovery_v1::AddressType;
using api::discovery_v1::EndpointSliceEditor;
using api::discovery_v1::EndpointSliceView;
using api::field::ErrorList;

constexpr std::string_view kHostnameLabel = "kubernetes.io/hostname";

bool SameContent(EndpointSliceView a, EndpointSliceView b) {
  return a.address_type() == b.address_type() && api::core::SameField(a, b, "endpoints") &&
         api::core::SameField(a, b, "ports");
}

// deprecatedTopology is written through older versions only. A node's name that stood there
// is kept in the field that replaced it.
void DropTopology(EndpointSliceEditor now, EndpointSliceView was) {
  const bool unchanged = was && api::core::SameField(now, was, "endpoints");
  if (unchanged) return;
  std::set<std::string_view> known;
  for (const auto endpoint : was.endpoints())
    if (const api::Value* node = endpoint.deprecated_topology().Find(kHostnameLabel))
      known.insert(node->string());
  for (auto endpoint : now.edit_endpoints()) {
    const api::Value* const node = endpoint.deprecated_topology().Find(kHostnameLabel);
    if (node && !node->string().empty() && !endpoint.has_node_name() && known.contains(node->string()) &&
        api::NameIsDnsSubdomain(node->string(), false).empty())
      endpoint.set_node_name(node->string());
    endpoint.clear_deprecated_topology();
  }
}

class EndpointSliceStrategy final : public Strategy {
 public:
  bool NamespaceScoped() const override { return true; }
  std::vector<std::string> ValidateName(std::string_view name, bool prefix) const override {
    return api::NameIsDnsSubdomain(name, prefix);
  }
  void PrepareForCreate(const WriteContext&, api::Doc& doc) const override {
    core::StartGeneration(doc);
    DropTopology(EndpointSliceEditor(doc), EndpointSliceView());
  }
  ErrorList Validate(const WriteContext&, const api::Doc& doc) const override {
    return api::discovery::ValidateEndpointSlice(EndpointSliceView(doc));
  }
  std::vector<std::string> WarningsOnCreate(const WriteContext&, const api::Doc& doc) const override {
    const EndpointSliceView slice(doc);
    std::vector<std::string> warnings;
    if (slice.address_type() == AddressType::kFQDN)
      warnings.emplace_back("spec.addressType: FQDN endpoints are deprecated");
    for (std::string& warning : api::discovery::WarningsForEndpointSlice(slice))
      warnings.push_back(std::move(warning));
    return warnings;
  }
  // Labels count: the service a slice belongs to is one.
  void PrepareForUpdate(const WriteContext&, api::Doc& now, const api::Doc& was) const override {
    EndpointSliceEditor after(now);
    const EndpointSliceView before(was);
    if (!SameContent(after, before) ||
        !api::core::SameMap(after.metadata().labels(), before.metadata().labels()))
      after.mutable_metadata().set_generation(before.metadata().generation() + 1);
    DropTopology(after, before);
  }
  ErrorList ValidateUpdate(const WriteContext&, const api::Doc& now, const api::Doc& was) const override {
    return api::discovery::ValidateEndpointSliceUpdate(EndpointSliceView(now), EndpointSliceView(was));
  }
  std::vector<std::string> WarningsOnUpdate(const WriteContext&, const api::Doc& now,
                                            const api::Doc&) const override {
    return api::discovery::WarningsForEndpointSlice(EndpointSliceView(now));
  }
};

}  // namespace

const Strategy& EndpointSlices() {
  static const EndpointSliceStrategy strategy;
  return strategy;
}

}  // namespace keelson::registry::discovery
