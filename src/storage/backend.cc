#include "storage/backend.h"

namespace keelson::storage {

std::string PrefixEnd(std::string_view prefix) {
  std::string end(prefix);
  while (!end.empty() && static_cast<unsigned char>(end.back()) == 0xff) end.pop_back();
  if (!end.empty()) ++end.back();
  return end;
}

base::Task<Result<void>> Backend::CatchUp(Revision) { co_return Result<void>(); }

}  // namespace keelson::storage
