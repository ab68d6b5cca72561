#include "api/validation/authorization/access_review.h"

#include "api/validation/label_selector.h"
#include "api/validation/render.h"

namespace keelson::api::authorization {
namespace {

using field::ErrorList;
using field::Path;
using namespace authorization_v1;

void CheckRequirement(meta_v1::FieldSelectorRequirementView requirement, const Path& path,
                      ErrorList& errors) {
  if (requirement.key().empty()) errors.Add(field::Required(path.Child("key"), "must be specified"));
  const std::string_view op = requirement.operator_();
  const Path values = path.Child("values");
  if ((op == "In" || op == "NotIn") && requirement.values().empty())
    errors.Add(field::Required(values, "must be specified when `operator` is 'In' or 'NotIn'"));
  if ((op == "Exists" || op == "DoesNotExist") && !requirement.values().empty())
    errors.Add(
        field::Forbidden(values, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
}

void CheckRequirement(meta_v1::LabelSelectorRequirementView requirement, const Path& path,
                      ErrorList& errors) {
  errors.Append(ValidateLabelSelectorRequirement(requirement, path, {.allow_unknown_operators = true}));
}

template <class SelectorView>
void CheckSelector(SelectorView selector, const Path& path, ErrorList& errors) {
  if (!selector) return;
  const bool raw = !selector.raw_selector().empty(), listed = !selector.requirements().empty();
  if (raw && listed)
    errors.Add(field::Invalid(path.Child("rawSelector"), field::RenderValue(selector.raw_selector()),
                              "may not specified at the same time as requirements"));
  const Path requirements = path.Child("requirements");
  if (!raw && !listed)
    errors.Add(field::Required(
        requirements, "when " + path.ToString() + " is specified, requirements or rawSelector is required"));
  for (size_t i = 0; i < selector.requirements().size(); ++i)
    CheckRequirement(selector.requirements()[i], requirements.Index(i), errors);
}

template <class SpecView>
void CheckOneKindOfAttributes(SpecView spec, ErrorList& errors) {
  const Path path("spec");
  const std::string paths = field::RenderField(spec.node(), "nonResourceAttributes");
  if (spec.resource_attributes() && spec.non_resource_attributes())
    errors.Add(field::Invalid(path.Child("nonResourceAttributes"), paths,
                              "cannot be specified in combination with resourceAttributes"));
  if (!spec.resource_attributes() && !spec.non_resource_attributes())
    errors.Add(
        field::Invalid(path.Child("resourceAttributes"), "null",
                       "exactly one of nonResourceAttributes or resourceAttributes must be specified"));
}

void CheckSelectors(ResourceAttributesView attributes, ErrorList& errors) {
  const Path spec("spec"), path = spec.Child("resourceAttributes");
  CheckSelector(attributes.field_selector(), path.Child("fieldSelector"), errors);
  CheckSelector(attributes.label_selector(), path.Child("labelSelector"), errors);
}

void CheckSpec(SubjectAccessReviewSpecView spec, ErrorList& errors) {
  CheckOneKindOfAttributes(spec, errors);
  const Path path("spec");
  if (spec.user().empty() && spec.groups().empty())
    errors.Add(field::Invalid(path.Child("user"), field::RenderValue(""),
                              "at least one of user or group must be specified"));
  CheckSelectors(spec.resource_attributes(), errors);
}

// A review is not kept, so its metadata has no meaning.
void CheckMetadata(meta_v1::ObjectMetaView metadata, bool may_have_namespace, ErrorList& errors) {
  if (!metadata) return;
  for (const FieldDesc& field : metadata.node()->type->fields) {
    if (field.name == "managedFields" || (may_have_namespace && field.name == "namespace")) continue;
    if (Equal(metadata.node()->slot(field.ordinal), Value(), *field.type)) continue;
    errors.Add(field::Invalid(Path("metadata"), field::RenderStruct(metadata.node()),
                              may_have_namespace ? "must be empty except for namespace" : "must be empty"));
    return;
  }
}

}  // namespace

ErrorList ValidateSubjectAccessReview(SubjectAccessReviewView review) {
  ErrorList errors;
  CheckSpec(review.spec(), errors);
  CheckMetadata(review.metadata(), false, errors);
  return errors;
}

ErrorList ValidateSelfSubjectAccessReview(SelfSubjectAccessReviewView review) {
  ErrorList errors;
  CheckOneKindOfAttributes(review.spec(), errors);
  CheckSelectors(review.spec().resource_attributes(), errors);
  CheckMetadata(review.metadata(), false, errors);
  return errors;
}

ErrorList ValidateLocalSubjectAccessReview(LocalSubjectAccessReviewView review) {
  ErrorList errors;
  const auto spec = review.spec();
  CheckSpec(spec, errors);
  CheckMetadata(review.metadata(), true, errors);
  const Path path("spec");
  if (spec.resource_attributes() &&
      spec.resource_attributes().namespace_() != review.metadata().namespace_()) {
    const Path attributes = path.Child("resourceAttributes");
    errors.Add(field::Invalid(attributes.Child("namespace"),
                              field::RenderValue(spec.resource_attributes().namespace_()),
                              "must match metadata.namespace"));
  }
  if (spec.non_resource_attributes())
    errors.Add(field::Invalid(path.Child("nonResourceAttributes"),
                              field::RenderStruct(spec.non_resource_attributes().node()),
                              "disallowed on this kind of request"));
  return errors;
}

}  // namespace keelson::api::authorization
