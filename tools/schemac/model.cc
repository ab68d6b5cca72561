#include "model.h"

#include <algorithm>

namespace schemac {
namespace {

template <class Range>
auto* FindNamed(const Range& range, std::string_view name) {
  auto it = std::ranges::find(range, name, [](const auto& x) -> std::string_view { return x.name; });
  return it == range.end() ? nullptr : &*it;
}

}  // namespace

void Diagnostics::Error(const Position& at, std::string_view message) {
  errors_.push_back(at.file + ":" + std::to_string(at.line) + ": " + std::string(message));
}

bool Kind::HasVerb(std::string_view verb) const { return std::ranges::find(verbs, verb) != verbs.end(); }

const Type* File::FindType(std::string_view name) const { return FindNamed(types, name); }
const Enum* File::FindEnum(std::string_view name) const { return FindNamed(enums, name); }

const File* Model::FindFile(std::string_view stem) const {
  auto it = std::ranges::find(files, stem, [](const File& f) -> std::string_view { return f.stem; });
  return it == files.end() ? nullptr : &*it;
}

}  // namespace schemac
