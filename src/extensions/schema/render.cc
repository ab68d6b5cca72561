#include "extensions/schema/render.h"

#include "api/codec/json.h"
#include "api/codec/passes.h"
#include "api/patch/go_format.h"
#include "api/validation/quote.h"

namespace keelson::extensions {

std::string TreeJson(const api::Value& value) {
  const auto part = api::codec::Pass::Part();
  base::BufferBuilder text;
  api::json::EncodeAny(value, text);
  return std::string(text.view());
}

std::string RenderTree(const api::Value& value) {
  switch (value.tag()) {
    case api::Value::Tag::kString: return api::Quoted(value.string());
    case api::Value::Tag::kBool:
    case api::Value::Tag::kInt:
    case api::Value::Tag::kDouble: return api::GoFormat(value);
    default: return TreeJson(value);
  }
}

}  // namespace keelson::extensions
