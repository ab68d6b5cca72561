#include "registry/authorization/access_question.h"

#include "api/validation/label_selector.h"
#include "api/validation/quote.h"
#include "storage/selection.h"

namespace keelson::registry::authorization {
namespace {

using namespace api::authorization_v1;
using api::SelectorOperator;
using api::SelectorRequirement;
using api::SelectorRequirements;

std::vector<std::string> ValuesOf(api::ScalarList list) {
  std::vector<std::string> values;
  for (const api::Value& value : list) values.emplace_back(value.string());
  return values;
}

void Complain(std::string_view what, SelectorRequirements& read) {
  if (!read.error.empty()) read.error += "; ";
  read.error += what;
}

// Fields compare with one value.
SelectorRequirements ReadFields(FieldSelectorAttributesView selector) {
  if (!selector.raw_selector().empty())
    return storage::FieldSelector::ParseRequirements(selector.raw_selector());
  SelectorRequirements read;
  for (const auto requirement : selector.requirements()) {
    const std::string_view op = requirement.operator_();
    if (requirement.values().size() == 1 && (op == "In" || op == "NotIn"))
      read.requirements.push_back({.key = std::string(requirement.key()),
                                   .op = op == "In" ? SelectorOperator::kIn : SelectorOperator::kNotIn,
                                   .values = ValuesOf(requirement.values())});
    else
      Complain("no field can be selected by " + api::Quoted(op) + " and so many values", read);
  }
  return read;
}

SelectorOperator LabelOperator(std::string_view op) {
  if (op == "In") return SelectorOperator::kIn;
  if (op == "NotIn") return SelectorOperator::kNotIn;
  return op == "Exists" ? SelectorOperator::kExists : SelectorOperator::kDoesNotExist;
}

SelectorRequirements ReadLabels(LabelSelectorAttributesView selector) {
  if (!selector.raw_selector().empty())
    return storage::LabelSelector::ParseRequirements(selector.raw_selector());
  SelectorRequirements read;
  for (const auto requirement : selector.requirements()) {
    const auto errors = api::ValidateLabelSelectorRequirement(requirement, api::field::Path(""));
    if (errors.empty())
      read.requirements.push_back({.key = std::string(requirement.key()),
                                   .op = LabelOperator(requirement.operator_()),
                                   .values = ValuesOf(requirement.values())});
    else
      Complain(errors.Aggregate(), read);
  }
  return read;
}

void Tell(const SelectorRequirements* read, std::string_view name, std::string& text) {
  if (!read || read->error.empty()) return;
  if (!text.empty()) text += "; ";
  text.append("spec.resourceAttributes.").append(name);
  text +=
      read->requirements.empty() ? " ignored due to parse error" : " partially ignored due to parse error";
}

}  // namespace

AccessQuestion::AccessQuestion(ResourceAttributesView resource, NonResourceAttributesView path,
                               const auth::User& user) {
  if (!resource) {
    attributes_ = {.user = &user, .verb = path.verb(), .path = path.path()};
    return;
  }
  attributes_ = {.user = &user,
                 .verb = resource.verb(),
                 .resource_request = true,
                 .group = resource.group(),
                 .version = resource.version().empty() ? "*" : resource.version(),
                 .resource = resource.resource(),
                 .subresource = resource.subresource(),
                 .ns = resource.namespace_(),
                 .name = resource.name()};
  if (resource.field_selector()) {
    fields_ = ReadFields(resource.field_selector());
    attributes_.field_selector = &fields_;
  }
  if (resource.label_selector()) {
    labels_ = ReadLabels(resource.label_selector());
    attributes_.label_selector = &labels_;
  }
}

std::string AccessQuestion::EvaluationError(const auth::Verdict& verdict) const {
  std::string text = verdict.error;
  Tell(attributes_.field_selector, "fieldSelector", text);
  Tell(attributes_.label_selector, "labelSelector", text);
  return text;
}

auth::User UserOf(SubjectAccessReviewSpecView spec) {
  auth::User user;
  user.name = spec.user();
  user.uid = spec.uid();
  for (const api::Value& group : spec.groups()) user.groups.emplace_back(group.string());
  for (const auto& [key, values] : spec.extra())
    user.extra[std::string(key)] = ValuesOf(api::ScalarList(values.list()));
  return user;
}

}  // namespace keelson::registry::authorization
