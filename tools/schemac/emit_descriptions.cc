#include <zlib.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "emit.h"
#include "names.h"

namespace schemac {
namespace {

// As api/types/descriptions.h tells: for each type in order of name its text, then one for each field, each
// ended by a zero.
std::string TextsOf(const File& file) {
  std::vector<const Type*> types;
  for (const Type& type : file.types) types.push_back(&type);
  std::ranges::sort(types, {}, &Type::name);
  std::string texts;
  for (const Type* type : types) {
    texts.append(type->description).push_back('\0');
    for (const Field& field : type->fields) texts.append(field.description).push_back('\0');
  }
  return texts;
}

std::string Compress(const std::string& texts) {
  uLongf size = compressBound(texts.size());
  std::string compressed(size, '\0');
  // Can fail for want of memory or of room only.
  if (compress2(reinterpret_cast<Bytef*>(compressed.data()), &size,
                reinterpret_cast<const Bytef*>(texts.data()), texts.size(), Z_BEST_COMPRESSION) != Z_OK)
    return {};
  compressed.resize(size);
  return compressed;
}

// Bytes as string literals, one a line.
std::string Literal(std::string_view bytes) {
  constexpr size_t kBytesOfLine = 32;
  std::string out;
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (i % kBytesOfLine == 0) out += i ? "\"\n     \"" : "\"";
    char octal[5];
    std::snprintf(octal, sizeof octal, "\\%03o", static_cast<unsigned char>(bytes[i]));
    out += octal;
  }
  return out + "\"";
}

}  // namespace

std::string EmitDescriptions(const Model& model) {
  std::string entries;
  for (const File& file : model.files) {
    if (!file.described || file.unserved) continue;
    const std::string texts = TextsOf(file), compressed = Compress(texts);
    entries += "    {" + Quote(file.stem) + ", " + std::to_string(texts.size()) + ",\n     {" +
               Literal(compressed) + ", " + std::to_string(compressed.size()) + "}},\n";
  }
  std::string out =
      "// Written by schemac.\n#include \"api/types/descriptions.h\"\n\nnamespace keelson::api {\n";
  if (entries.empty())
    return out +
           "\nstd::span<const SchemaTexts> CompressedDescriptions() { return {}; }\n\n}  // namespace "
           "keelson::api\n";
  return out + "namespace {\n\nconstexpr SchemaTexts kTexts[] = {\n" + entries +
         "};\n\n}  // namespace\n\nstd::span<const SchemaTexts> CompressedDescriptions() { return kTexts; "
         "}\n\n"
         "}  // namespace keelson::api\n";
}

}  // namespace schemac
