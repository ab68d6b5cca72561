// What a schema says, after parsing. Positions stay with everything that a check may
// complain about.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace schemac {

struct Position {
  std::string file;
  int line = 0;
};

// Errors with their place, "core_v1.kschema:12: ...". A schema with any is refused.
class Diagnostics {
 public:
  void Error(const Position& at, std::string_view message);
  bool empty() const { return errors_.empty(); }
  const std::vector<std::string>& errors() const { return errors_; }

 private:
  std::vector<std::string> errors_;
};

struct File;
struct Type;

struct Enum {
  Position at;
  std::string name;
  std::vector<std::string> values;
};

// A type as a field names it. Exactly one of these holds after resolving: a scalar, an
// enum (a string), a struct, or a list or map of an element.
struct TypeRef {
  enum class Shape { kWord, kList, kMap };
  Shape shape = Shape::kWord;
  std::string word;                  // kWord: as written
  std::unique_ptr<TypeRef> element;  // kList, kMap

  // Filled in by Resolve().
  std::string_view scalar;  // enumerator of api::Kind, e.g. "kInt32"; empty: none
  const Enum* enumeration = nullptr;
  const Type* type = nullptr;
  const File* file = nullptr;  // where `type` is declared

  // The word at the bottom of lists and maps.
  const TypeRef& Innermost() const { return element ? element->Innermost() : *this; }
};

struct Field {
  Position at;
  int number = 0;    // 0: no protobuf form
  std::string name;  // empty when inline
  TypeRef type;
  bool pointer = false;
  bool inlined = false;
  bool required = false;
  bool omit_empty = false;
  bool omit_zero = false;
  bool wrapped = false;
  bool atomic = false;
  bool granular = false;
  bool set = false;
  bool immutable = false;
  std::vector<std::string> keys;  // "keyed by"
  bool merge = false;
  bool retain_keys = false;
  std::string merge_key;
  bool has_default = false;
  std::string default_text;
  std::string description;  // filled in by Describe()
};

struct Type {
  Position at;
  std::string name;
  bool root = false;  // has kind and apiVersion
  bool atomic = false;
  bool either = false;                    // JSON shows the one field that is set, without its name
  bool everywhere = false;                // a kind of every group and version
  std::vector<std::string> union_fields;  // of which at most one is set
  std::string discriminator;              // the field that tells which; empty: none does
  bool implicit = false;                  // the list of a kind, made by Resolve()
  std::string group, version;             // of a root: where its kind belongs
  std::vector<Field> fields;
  std::string description;  // filled in by Describe()
};

struct Column {
  std::string name, type, format;
  bool wide = false;
};

struct Subresource {
  std::string name, kind, group, version;
  std::vector<std::string> verbs;
};

struct Kind {
  Position at;
  std::string name, plural, singular;
  bool namespaced = false;
  std::string prefix, hash;  // empty: not stored
  std::string storage_group, storage_version;
  std::vector<std::string> short_names, categories, verbs;
  std::vector<Column> columns;
  std::vector<std::string> selectable;
  std::vector<std::string> indexed;                          // of the selectable ones
  std::vector<std::pair<std::string, std::string>> aliases;  // selectable under another name than the stored
  std::vector<Subresource> subresources;

  bool HasVerb(std::string_view verb) const;
  std::string ListName() const { return name + "List"; }
};

// One group and version. Deques, so that references stay good while a file grows.
struct File {
  Position at;
  std::string stem;  // "core_v1": how other files and C++ name it
  std::string group, version;
  bool unserved = false;   // its types are in no table of built-in ones
  bool described = false;  // its types and fields have words
  std::deque<Enum> enums;
  std::deque<Type> types;
  std::deque<Kind> kinds;

  const Type* FindType(std::string_view name) const;
  const Enum* FindEnum(std::string_view name) const;
};

// What something is for, in words.
struct Words {
  Position at;
  std::string name;  // of the type or field
  std::string text;
};

struct TypeWords : Words {
  std::vector<Words> fields;
};

// The words of one schema, as they are written.
struct Descriptions {
  Position at;
  std::string stem;         // of the schema
  std::vector<Words> from;  // schemas whose words are good here too, by name
  std::deque<TypeWords> types;
};

struct Model {
  std::deque<File> files;
  std::deque<Descriptions> descriptions;
  const File* FindFile(std::string_view stem) const;
};

}  // namespace schemac
