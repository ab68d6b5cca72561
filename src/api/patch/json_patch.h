// JSON patch (RFC 6902) with the leniency of the library that upstream uses: negative
// indices count from the end, and replacing a member that is absent adds it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/types/doc.h"
#include "base/result.h"

namespace keelson::api {

constexpr size_t kMaxJsonPatchOperations = 10'000;
// What all "copy" operations of a patch together may add.
constexpr size_t kMaxJsonPatchCopyBytes = 3 * 1024 * 1024;

struct JsonPatchError {
  enum class Kind : uint8_t {
    kBadRequest,     // the text is no patch
    kTooLarge,       // it has too many operations
    kUnprocessable,  // it does not apply to the document
  };
  Kind kind = Kind::kBadRequest;
  std::string message;
};

class JsonPatch {
 public:
  // `text` must live as long as `arena`. With `strict`, members that no operation has and
  // duplicates are reported there, and members of a wrong type are errors.
  static base::Result<JsonPatch, JsonPatchError> Parse(std::string_view text, Arena& arena,
                                                       std::vector<std::string>* strict);

  bool empty() const { return operations_.empty(); }
  // `document` (a value of LazyJson) after all operations; it is used up. kUnprocessable when
  // one of them does not apply.
  base::Result<Value, JsonPatchError> Apply(Value document, Arena& arena) const;

 private:
  friend class JsonPatchReader;
  struct Operation {
    std::string_view op, path, from;
    bool has_path = false, has_from = false;
    Value value = Value::Null();  // of LazyJson
  };
  class Applier;

  std::vector<Operation> operations_;
};

}  // namespace keelson::api
