#include "extensions/conversion/conversion_review.h"

#include <utility>

#include "admission/webhooks/review_document.h"
#include "api/codec/custom_json.h"
#include "api/codec/json_writer.h"
#include "api/generated/apiextensions_v1.h"
#include "api/meta/object_meta.h"
#include "api/patch/go_format.h"
#include "api/types/custom_type.h"
#include "api/validation/labels.h"

namespace keelson::extensions {
namespace {

using api::MapNode;
using api::Value;
using What = ConvertedError::What;
using Failure = std::unexpected<ConvertedError>;

constexpr std::string_view kGroup = "apiextensions.k8s.io";
constexpr std::string_view kSuccess = "Success";
constexpr size_t kMetadata = 2;  // ordinal

std::string_view Text(const MapNode& map, std::string_view name) {
  const Value* const found = map.Find(name);
  return found ? found->string() : std::string_view();
}

Failure Fail(What what, std::string text) { return base::Err(ConvertedError{what, std::move(text)}); }

std::string Differs(std::string_view what, std::string_view expected, std::string_view received) {
  std::string text("must have the same ");
  return text.append(what).append(": ").append(expected).append(" != ").append(received);
}

std::string Unexpected(std::string_view what, std::string_view expected, std::string_view received) {
  std::string text("invalid ");
  text.append(what).append(" (expected ").append(expected);
  return text.append(", received ").append(received).append(")");
}

// Says that `metadata` is not that of `original`; empty: it is.
std::string WhyOther(const MapNode* metadata, const api::Doc& original) {
  static const MapNode kNone{nullptr};
  const MapNode& given = metadata ? *metadata : kNone;
  const auto wanted = api::MetadataOf(original);
  if (Text(given, "name") != wanted.name()) return Differs("name", wanted.name(), Text(given, "name"));
  if (Text(given, "namespace") != wanted.namespace_())
    return Differs("namespace", wanted.namespace_(), Text(given, "namespace"));
  if (Text(given, "uid") != wanted.uid()) return Differs("UID", wanted.uid(), Text(given, "uid"));
  return {};
}

// The labels or annotations that the answer has, which may be null: none.
base::Result<const MapNode*, std::string> StringsOf(const MapNode& metadata, std::string_view name) {
  const Value* const given = metadata.Find(name);
  if (!given || given->is(Value::Tag::kNull)) return nullptr;
  const std::string path = "metadata." + std::string(name);
  if (!given->map())
    return base::Err("invalid " + path + " of type " + std::string(api::GoType(*given)) +
                     " in converted object");
  for (const MapNode::Entry& entry : given->map()->entries())
    if (!entry.value.is(Value::Tag::kString))
      return base::Err(path + "[" + std::string(entry.key) + "] must be a string, but is " +
                       std::string(api::GoType(entry.value)) + " in converted object");
  return given->map();
}

bool SameStrings(api::MapView was, const MapNode& now) {
  if (was.size() != now.size) return false;
  for (const MapNode::Entry& entry : now.entries()) {
    const Value* const before = was.Find(entry.key);
    if (!before || before->string() != entry.value.string()) return false;
  }
  return true;
}

// Puts the labels and annotations of `given` in the place of those that `metadata` has.
base::Result<void, std::string> TakeStrings(const MapNode& given, api::meta_v1::ObjectMetaEditor metadata) {
  const auto labels = TRY(StringsOf(given, "labels"));
  if (labels && !SameStrings(metadata.labels(), *labels)) {
    const auto errors =
        api::ValidateLabels(api::MapView(labels), api::field::Path("metadata").Child("labels"));
    if (!errors.empty()) return base::Err(errors.Aggregate());
  }
  metadata.clear_labels();
  if (labels)
    for (const MapNode::Entry& entry : labels->entries())
      metadata.put_labels(entry.key, entry.value.string());
  const auto annotations = TRY(StringsOf(given, "annotations"));
  if (annotations && !SameStrings(metadata.annotations(), *annotations)) {
    const auto errors =
        api::ValidateAnnotations(api::MapView(annotations), api::field::Path("metadata").Child("annotation"));
    if (!errors.empty()) return base::Err(errors.Aggregate());
  }
  metadata.clear_annotations();
  if (annotations)
    for (const MapNode::Entry& entry : annotations->entries())
      metadata.put_annotations(entry.key, entry.value.string());
  return {};
}

}  // namespace

std::string ReviewedObject(const api::Doc& object) {
  base::BufferBuilder text;
  const api::StructNode& root = *object.root();
  api::json::EncodeCustom(root, root.slot(0).string(), root.slot(1).string(), text);
  return std::string(text.view());
}

std::string WriteConversionReview(std::string_view version, std::string_view uid,
                                  std::string_view api_version, std::span<const std::string> objects) {
  base::BufferBuilder text;
  api::json::JsonWriter out(text);
  out.BeginObject().Member("kind", "ConversionReview");
  out.Member("apiVersion", std::string(kGroup) + "/" + std::string(version));
  out.Key("request").BeginObject().Member("uid", uid).Member("desiredAPIVersion", api_version);
  out.Key("objects").BeginArray();
  for (const std::string& object : objects) out.Raw(object);
  out.EndArray().EndObject();
  // As upstream: the place of the answer is there.
  out.Key("response").Raw(R"({"uid":"","convertedObjects":null,"result":{"metadata":{}}})").EndObject();
  text.Append('\n');
  return std::string(text.view());
}

base::Result<std::vector<std::string>, admission::AnswerError> ReadConversionAnswer(std::string_view body,
                                                                                    std::string_view version,
                                                                                    std::string_view uid) {
  const auto undecodable = [](std::string why) {
    return base::Err(admission::AnswerError{.decoded = false, .message = std::move(why)});
  };
  const auto invalid = [](std::string why) {
    return base::Err(admission::AnswerError{.decoded = true, .message = std::move(why)});
  };
  const admission::ReviewKind kind{kGroup, version, "ConversionReview"};
  const auto document = admission::OpenReview(body, kind);
  if (!document) return undecodable(document.error());
  api::Arena arena;
  const auto root =
      api::json::Decode(document->json, api::apiextensions_v1::kConversionReviewType, arena, nullptr);
  if (!root) return undecodable(root.error().message);
  const bool strict = version == "v1";
  if (strict)
    if (std::string why = admission::WhyOtherKind(document->meta, kind); !why.empty())
      return invalid(std::move(why));
  const auto response = api::apiextensions_v1::ConversionReviewView(*root).response();
  if (!response) return invalid("no response provided");
  if (strict)
    if (std::string why = admission::WhyOtherUid(response.uid(), uid); !why.empty())
      return invalid(std::move(why));
  if (const auto result = response.result(); result.status() != kSuccess) {
    if (!result.message().empty()) return invalid(std::string(result.message()));
    return invalid("response.result.status was '" + std::string(result.status()) + "', not 'Success'");
  }
  std::vector<std::string> objects;
  for (const Value& object : response.converted_objects()) objects.emplace_back(object.string());
  return objects;
}

base::Result<api::Doc, ConvertedError> ReadConverted(std::string_view text, const api::Doc& original,
                                                     const api::TypeDesc& type,
                                                     std::string_view api_version) {
  api::Arena arena;
  if (text.empty() || text == "null") return Fail(What::kUnreadable, "unexpected end of JSON input");
  const auto tree = api::json::DecodeAny(arena.CopyString(text), arena);
  if (!tree) return Fail(What::kUnreadable, tree.error().message);
  MapNode* const content = tree->map();
  if (!content)
    return Fail(What::kUnreadable, "json: cannot unmarshal " + std::string(api::GoType(*tree)) +
                                       " into Go value of type map[string]interface {}");
  const std::string_view kind = Text(*content, "kind"), version = Text(*content, "apiVersion");
  if (kind.empty()) return Fail(What::kUnreadable, "Object 'Kind' is missing in '" + std::string(text) + "'");
  const std::string_view own_kind = original.root()->slot(0).string();
  if (version != api_version) return Fail(What::kIdentity, Unexpected("groupVersion", api_version, version));
  if (kind != own_kind) return Fail(What::kIdentity, Unexpected("kind", own_kind, kind));
  const Value* const given = content->Find("metadata");
  if (std::string why = WhyOther(given ? given->map() : nullptr, original); !why.empty())
    return Fail(What::kObject, std::move(why));
  if (!given) return Fail(What::kMetadata, "missing metadata in converted object");
  if (!given->map())
    return Fail(What::kMetadata,
                "invalid metadata of type " + std::string(api::GoType(*given)) + " in converted object");
  const MapNode& given_metadata = *given->map();

  api::StructNode* const root = api::StructNode::New(type, arena);
  root->slot(0) = Value::String(arena.CopyString(kind));
  root->slot(1) = Value::String(arena.CopyString(version));
  root->slot(kMetadata) = api::DeepCopy(original.root()->slot(kMetadata), arena);
  for (const std::string_view member : {"kind", "apiVersion", "metadata"}) content->Erase(member);
  api::ContentOf(*root) = *tree;
  api::Doc doc(std::move(arena), root);
  if (auto taken = TakeStrings(given_metadata, api::MutableMetadataOf(doc)); !taken)
    return Fail(What::kMetadata, std::move(taken.error()));
  if (auto coerced = api::CustomOf(type)->Coerce(*doc.root(), doc.arena(), nullptr); !coerced)
    return Fail(What::kUnreadable, std::move(coerced.error()));
  return doc;
}

}  // namespace keelson::extensions
