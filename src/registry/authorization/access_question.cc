#include "registry/authorization/access_question.h"

#include "api/validation/label_selector.h"
#include "storage/selection.h"

namespace keelson::registry::authorization {
namespace {

using namespace api::authorization_v1;

// How much of a selector could be read.
struct Readable {
  size_t good = 0, bad = 0;
};

Readable Read(FieldSelectorAttributesView selector) {
  if (!selector.raw_selector().empty()) {
    const bool good = storage::FieldSelector::Parse(selector.raw_selector()).has_value();
    return {good, !good};
  }
  Readable readable;
  for (const auto requirement : selector.requirements()) {
    const std::string_view op = requirement.operator_();
    // Field selectors compare with one value.
    const bool good = requirement.values().size() == 1 && (op == "In" || op == "NotIn");
    ++(good ? readable.good : readable.bad);
  }
  return readable;
}

Readable Read(LabelSelectorAttributesView selector) {
  if (!selector.raw_selector().empty()) {
    const bool good = storage::LabelSelector::Parse(selector.raw_selector()).has_value();
    return {good, !good};
  }
  Readable readable;
  for (const auto requirement : selector.requirements()) {
    const bool good = api::ValidateLabelSelectorRequirement(requirement, api::field::Path("")).empty();
    ++(good ? readable.good : readable.bad);
  }
  return readable;
}

void Tell(Readable readable, std::string_view name, std::string& text) {
  if (readable.bad == 0) return;
  if (!text.empty()) text += "; ";
  text.append("spec.resourceAttributes.").append(name);
  text += readable.good > 0 ? " partially ignored due to parse error" : " ignored due to parse error";
}

}  // namespace

auth::Attributes AttributesOf(ResourceAttributesView resource, NonResourceAttributesView path,
                              const auth::User& user) {
  if (!resource) return {.user = &user, .verb = path.verb(), .path = path.path()};
  return {.user = &user,
          .verb = resource.verb(),
          .resource_request = true,
          .group = resource.group(),
          .version = resource.version().empty() ? "*" : resource.version(),
          .resource = resource.resource(),
          .subresource = resource.subresource(),
          .ns = resource.namespace_(),
          .name = resource.name()};
}

auth::User UserOf(SubjectAccessReviewSpecView spec) {
  auth::User user;
  user.name = spec.user();
  user.uid = spec.uid();
  for (const api::Value& group : spec.groups()) user.groups.emplace_back(group.string());
  for (const auto& [key, values] : spec.extra())
    for (const api::Value& value : api::ScalarList(values.list()))
      user.extra[std::string(key)].emplace_back(value.string());
  return user;
}

std::string SelectorErrors(ResourceAttributesView attributes) {
  std::string text;
  if (attributes.field_selector()) Tell(Read(attributes.field_selector()), "fieldSelector", text);
  if (attributes.label_selector()) Tell(Read(attributes.label_selector()), "labelSelector", text);
  return text;
}

}  // namespace keelson::registry::authorization
