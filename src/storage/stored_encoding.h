// StoredEncoding: how upstream encodes the objects of a resource in the store, where that is not the
// protobuf message of the version they are served in: as JSON, or in an older version. In memory every object
// is in the served version; objects of custom resources, which are JSON in the store, are in the version that
// the definition says to store, whatever version they were written in; or, where a webhook converts between
// the versions, in the version that they are stored in.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/types/doc.h"
#include "api/types/resource_desc.h"
#include "base/result.h"
#include "base/slice.h"

namespace keelson::storage {

// Threads: immutable.
class StoredEncoding {
 public:
  struct Row;

  // nullopt: the objects of `resource` are kept as they are in memory.
  static std::optional<StoredEncoding> Of(const api::ResourceDesc& resource);

  // `envelope`: an object as it is in memory, but without resourceVersion. Bytes that do not
  // decode stay as they are: whoever reads them says what is wrong. `settled`: as Draft's; a custom object is
  // then rewritten as it is.
  base::Slice ToStored(base::Slice envelope, bool settled = false) const;
  // The envelope, in the served version, of an object that is stored as JSON in either version.
  base::Result<base::Slice, std::string> FromJson(std::string_view text) const;
  // Whether an object that is stored as `text` would be written in another form now.
  bool IsOutdated(std::string_view text) const;
  // "group/version", in memory, of an object whose stored envelope names `api_version`: that may be another
  // one which differs in nothing else.
  std::string_view VersionInMemory(std::string_view api_version) const {
    return keeps_versions_ ? api_version : served_version_;
  }

 private:
  StoredEncoding(const Row* row, const api::ResourceDesc& resource);
  // The type of a custom object that says it is of `api_version`, and the version it is kept in.
  struct CustomForm {
    const api::TypeDesc* type;
    std::string_view api_version;
  };
  CustomForm FormOf(std::string_view api_version) const;
  base::Slice CustomToStored(api::StructNode& root, api::Arena& arena, const CustomForm& form) const;
  base::Result<base::Slice, std::string> CustomFromJson(std::string_view text) const;

  const Row* row_;  // null: a custom resource
  const api::ResourceDesc* resource_;
  std::string served_version_, stored_version_;  // "group/version"
  bool keeps_versions_ = false;                  // CustomType::converter
};

// The envelope of an object of `type` that is stored as JSON.
base::Result<base::Slice, std::string> EnvelopeOfJson(std::string_view text, const api::TypeDesc& type);

}  // namespace keelson::storage
