#include "extensions/crd/custom_scaling.h"

#include <limits>

#include "api/patch/go_format.h"
#include "api/types/custom_type.h"
#include "api/validation/quote.h"
#include "extensions/schema/render.h"

namespace keelson::extensions {
namespace {

using api::Value;
using api::field::Error;
using api::field::ErrorType;
using api::managed_fields::FieldSet;
using api::managed_fields::PathElement;
using Names = std::vector<std::string>;

// Null: nothing is there.
const Value* Find(const api::StructNode& root, const Names& names) {
  const api::MapNode* at = api::ContentOf(root);
  const Value* found = nullptr;
  for (const std::string& name : names) {
    found = at ? at->Find(name) : nullptr;
    if (!found) return nullptr;
    at = found->map();
  }
  return found;
}

Error Invalid(const std::string& path, std::string value, std::string detail) {
  return {.type = ErrorType::kInvalid,
          .field = path,
          .bad_value = std::move(value),
          .has_value = true,
          .detail = std::move(detail)};
}

std::string WrongType(const std::string& path, const Value& value, std::string_view wanted) {
  return path + " accessor error: " + api::GoFormat(value) + " is of the type " +
         std::string(api::GoType(value)) + ", expected " + std::string(wanted);
}

const FieldSet* PathSet(const Names& names, api::Arena& arena) {
  const FieldSet* below = nullptr;
  for (size_t i = names.size(); i-- > 0;) {
    api::managed_fields::FieldSetBuilder builder(arena);
    builder.Add(PathElement::Field(names[i]), below == nullptr, below);
    below = builder.Finish();
  }
  return below;
}

}  // namespace

CustomScaling::Path CustomScaling::Split(std::string_view text) {
  Path path{std::string(text), {}};
  if (text.starts_with('.')) text.remove_prefix(1);
  while (!text.empty()) {
    const std::string_view name = text.substr(0, text.find('.'));
    path.names.emplace_back(name);
    text.remove_prefix(std::min(text.size(), name.size() + 1));
  }
  return path;
}

CustomScaling::CustomScaling(api::apiextensions_v1::CustomResourceSubresourceScaleView scale,
                             const api::ResourceDesc& resource)
    : resource_(resource),
      spec_(Split(scale.spec_replicas_path())),
      status_(Split(scale.status_replicas_path())),
      selector_(Split(scale.label_selector_path())) {
  replicas_ = PathSet(spec_.names, arena_);
}

registry::rest::Result<registry::Scaled> CustomScaling::Read(const api::Doc& doc) const {
  const Value* wanted = Find(*doc.root(), spec_.names);
  if (!wanted || !wanted->is(Value::Tag::kInt))
    return base::Err(
        api::InternalError("the spec replicas field " + api::Quoted(spec_.text) + " does not exist"));
  registry::Scaled scaled{.replicas = static_cast<int32_t>(wanted->integer())};
  if (const Value* seen = Find(*doc.root(), status_.names))
    scaled.current_replicas = static_cast<int32_t>(seen->integer());
  if (selector_.names.empty()) return scaled;
  if (const Value* selector = Find(*doc.root(), selector_.names)) scaled.selector = selector->string();
  return scaled;
}

registry::rest::Result<void> CustomScaling::SetReplicas(api::Doc& doc, int32_t replicas) const {
  api::MapNode* at = &api::MutableContentOf(*doc.root(), doc.arena());
  for (size_t i = 0; i + 1 < spec_.names.size(); ++i) {
    Value* next = at->Find(spec_.names[i]);
    if (!next) {
      at->Set(doc.arena().CopyString(spec_.names[i]), Value::Of(api::MapNode::New(nullptr, doc.arena())),
              doc.arena());
      next = at->Find(spec_.names[i]);
    }
    if (!next->map())
      return base::Err(
          api::InternalError("the spec replicas field " + api::Quoted(spec_.text) + " has no place"));
    at = next->map();
  }
  at->Set(doc.arena().CopyString(spec_.names.back()), Value::Int(replicas), doc.arena());
  return {};
}

void CustomScaling::CheckNumber(const api::StructNode& root, const Path& path,
                                api::field::ErrorList& errors) {
  const Value* number = Find(root, path.names);
  if (!number) return;
  if (!number->is(Value::Tag::kInt))
    return errors.Add(Invalid(path.text, "0", WrongType(path.text, *number, "int64")));
  if (number->integer() < 0)
    return errors.Add(Invalid(path.text, RenderTree(*number), "should be a non-negative integer"));
  if (number->integer() > std::numeric_limits<int32_t>::max())
    errors.Add(Invalid(path.text, RenderTree(*number), "should be less than or equal to 2147483647"));
}

api::field::ErrorList CustomScaling::Validate(const api::StructNode& root, bool with_spec) const {
  api::field::ErrorList errors;
  if (with_spec) CheckNumber(root, spec_, errors);
  CheckNumber(root, status_, errors);
  if (selector_.names.empty()) return errors;
  const Value* selector = Find(root, selector_.names);
  if (selector && !selector->is(Value::Tag::kString))
    errors.Add(Invalid(selector_.text, "\"\"", WrongType(selector_.text, *selector, "string")));
  return errors;
}

}  // namespace keelson::extensions
