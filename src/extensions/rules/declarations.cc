#include "extensions/rules/declarations.h"

#include <algorithm>

#include "cel/reserved_words.h"
#include "extensions/rules/field_names.h"

namespace keelson::extensions {
namespace {

using Shape = Declaration::Shape;

// As JSON.
constexpr int64_t kMinText = 2, kMinBool = 4, kMinNumber = 1, kMinDuration = 3, kDate = 12, kMinTime = 21,
                  kMaxTime = 32, kMinContainer = 2;
constexpr int64_t kMaxText = kMaxObjectBytes - 2;
constexpr int64_t kBytesPerRune = 4;

int64_t AtLeastZero(int64_t n) { return std::max<int64_t>(n, 0); }

Declaration Scalar(const cel::TypeRef& type, int64_t min_size, int64_t max_elements = 0) {
  return {.shape = Shape::kScalar,
          .scalar = type,
          .min_json_size = min_size,
          .max_elements = max_elements,
          .fields = {}};
}

// `around`: what JSON has around each element at least.
constexpr int64_t kComma = 1, kEntry = 6;  // a key in quotes, a colon and a comma
Declaration Container(Shape shape, const Declaration& element, std::optional<int64_t> most, int64_t around) {
  return {
      .shape = shape,
      .scalar = {},
      .min_json_size = kMinContainer,
      .max_elements = most ? AtLeastZero(*most) : (kMaxObjectBytes - 2) / (element.min_json_size + around),
      .fields = {},
      .element = &element};
}

std::optional<int64_t> MaxLength(const Schema& s) { return s.checks ? s.checks->max_length : std::nullopt; }

const Schema& Text() {
  static const Schema text{.type = JsonType::kString};
  return text;
}
const Schema& Names() {
  static const Property properties[] = {{"generateName", &Text()}, {"name", &Text()}};
  static const Schema names{.type = JsonType::kObject, .properties = properties};
  return names;
}

bool Has(const Schema* s, JsonType type) { return s && s->type == type; }

// Whether the schema itself says what every object has.
bool SaysMetadata(const Schema& s) {
  const Schema* const metadata = s.Find("metadata");
  return Has(s.Find("kind"), JsonType::kString) && Has(s.Find("apiVersion"), JsonType::kString) &&
         Has(metadata, JsonType::kObject) && Has(metadata->Find("name"), JsonType::kString) &&
         Has(metadata->Find("generateName"), JsonType::kString);
}

}  // namespace

bool IsImplied(std::string_view name) { return name == "kind" || name == "apiVersion" || name == "metadata"; }

const Schema* MemberOf(const Schema& s, bool whole, std::string_view name) {
  if (whole && IsImplied(name) && !SaysMetadata(s)) return name == "metadata" ? &Names() : &Text();
  if (const Schema* found = s.Find(name)) return found;
  return whole || !s.properties.empty() ? nullptr : s.additional;
}

const Declaration* Declarations::For(const Schema& schema, bool whole) {
  const auto known = known_.find(&schema);
  if (known != known_.end()) return known->second;
  const Declaration* const made = Make(schema, whole);
  known_[&schema] = made;
  return made;
}

const Declaration* Declarations::Make(const Schema& s, bool whole) {
  if (s.int_or_string) {
    const auto most = MaxLength(s);
    return Add(Scalar(cel::types::Dyn(), 1, most ? AtLeastZero(*most) * kBytesPerRune : kMaxText));
  }
  switch (s.type) {
    case JsonType::kArray: {
      const Declaration* const element = s.items ? For(*s.items, s.items->embedded) : nullptr;
      if (!element) return nullptr;
      return Add(Container(Shape::kList, *element, s.checks ? s.checks->max_items : std::nullopt, kComma));
    }
    case JsonType::kObject: return MakeObject(s, whole);
    case JsonType::kString: return MakeText(s);
    case JsonType::kBoolean: return Add(Scalar(cel::types::Bool(), kMinBool));
    case JsonType::kNumber: return Add(Scalar(cel::types::Double(), kMinNumber));
    case JsonType::kInteger: return Add(Scalar(cel::types::Int(), kMinNumber));
    case JsonType::kNone: return nullptr;
  }
  return nullptr;
}

const Declaration* Declarations::MakeObject(const Schema& s, bool whole) {
  if (s.additional) {
    const Declaration* const element = For(*s.additional, s.additional->embedded);
    if (!element) return nullptr;
    return Add(Container(Shape::kMap, *element, s.checks ? s.checks->max_properties : std::nullopt, kEntry));
  }
  Declaration object{.shape = Shape::kObject, .scalar = {}, .min_json_size = kMinContainer, .fields = {}};
  const auto add = [&](std::string_view name, const Schema& member) {
    const Declaration* const type = For(member, member.embedded);
    if (!type) return;
    if (auto escaped = EscapeFieldName(name)) object.fields[*std::move(escaped)] = type;
    // What has a default need not be sent.
    const bool required = std::ranges::find(s.required, name) != s.required.end();
    if (required && member.default_value.absent())
      object.min_json_size += static_cast<int64_t>(name.size()) + type->min_json_size + 4;
  };
  for (const Property& property : s.properties)
    if (!whole || !IsImplied(property.name)) add(property.name, *property.schema);
  if (whole)
    for (const std::string_view name : {"kind", "apiVersion", "metadata"})
      add(name, *MemberOf(s, true, name));
  return Add(std::move(object));
}

const Declaration* Declarations::MakeText(const Schema& s) {
  const auto most = MaxLength(s);
  if (s.format_name == "byte")
    return Add(Scalar(cel::types::Bytes(), kMinText, most ? AtLeastZero(*most) : kMaxText));
  if (s.format_name == "duration") return Add(Scalar(cel::types::Duration(), kMinDuration, kMaxTime));
  if (s.format_name == "date") return Add(Scalar(cel::types::Timestamp(), kDate, kDate));
  if (s.format_name == "date-time") return Add(Scalar(cel::types::Timestamp(), kMinTime, kMaxTime));
  if (most) return Add(Scalar(cel::types::String(), kMinText, AtLeastZero(*most) * kBytesPerRune));
  if (!s.checks || s.checks->values.empty()) return Add(Scalar(cel::types::String(), kMinText, kMaxText));
  int64_t longest = 0;
  for (const api::Value& value : s.checks->values)
    longest = std::max(longest, static_cast<int64_t>(value.string().size()));
  return Add(Scalar(cel::types::String(), kMinText, longest));
}

cel::TypeRef SelfTypes::TypeOf(const Declaration& declaration, const std::string& name) {
  switch (declaration.shape) {
    case Shape::kScalar: return declaration.scalar;
    case Shape::kObject: return cel::types::Struct(name);
    case Shape::kList: return cel::types::ListOf(TypeOf(*declaration.element, name + ".@idx"));
    case Shape::kMap:
      return cel::types::MapOf(cel::types::String(), TypeOf(*declaration.element, name + ".@elem"));
  }
  return declaration.scalar;
}

const Declaration* SelfTypes::Find(std::string_view name) const {
  if (!self_ || !name.starts_with(name_)) return nullptr;
  name.remove_prefix(name_.size());
  const Declaration* at = self_;
  while (at && !name.empty()) {
    if (name[0] != '.') return nullptr;
    name.remove_prefix(1);
    const std::string_view part = name.substr(0, name.find('.'));
    name.remove_prefix(part.size());
    if (part == "@idx" || part == "@elem") {
      at = at->element;
      continue;
    }
    const auto found = at->fields.find(part);
    at = found == at->fields.end() ? nullptr : found->second;
  }
  return at;
}

bool SelfTypes::Has(std::string_view name) const {
  const Declaration* const found = Find(name);
  return found && found->shape == Shape::kObject;
}

cel::TypeRef SelfTypes::Field(std::string_view name, std::string_view field) const {
  const Declaration* const object = Find(name);
  if (!object) return nullptr;
  std::string escaped(field);
  auto found = object->fields.find(escaped);
  // Words of the language may stand for themselves behind a point.
  if (found == object->fields.end() && cel::IsReservedWord(field)) {
    escaped = "__" + escaped + "__";
    found = object->fields.find(escaped);
  }
  if (found == object->fields.end()) return nullptr;
  return TypeOf(*found->second, std::string(name) + "." + escaped);
}

cel::SizeOracle SizesOf(const Declaration& self) {
  return [&self](const cel::EstimateNode& node) -> std::optional<cel::Range> {
    if (node.path.empty()) return std::nullopt;
    const Declaration* at = &self;
    for (size_t i = 1; i < node.path.size(); ++i) {
      const std::string& part = node.path[i];
      if (part == "@items" || part == "@values") {
        at = at->element;
      } else if (part == "@keys") {
        // Of keys nothing is known, and upstream takes that for empty.
        static const Declaration key = Scalar(cel::types::String(), kMinText);
        at = at->shape == Shape::kMap ? &key : nullptr;
      } else {
        const auto found = at->fields.find(part);
        at = found == at->fields.end() ? nullptr : found->second;
      }
      if (!at) return std::nullopt;
    }
    return cel::Range{0, static_cast<uint64_t>(at->max_elements)};
  };
}

}  // namespace keelson::extensions
