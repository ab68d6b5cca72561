#include "auth/authz/index_informers.h"

#include <algorithm>

#include "base/log.h"
#include "client/object.h"

namespace keelson::auth {

void IndexInformers::Add(const client::Client& client, client::Resource resource,
                         client::Informer::Handler handler) {
  parts_.emplace_back(client, resource, loop_, std::move(handler));
}

void IndexInformers::Start() {
  for (Part& part : parts_) part.informer.Start(std::move(part.handler));
}

bool IndexInformers::IsCurrent() const {
  return std::ranges::all_of(parts_, [](const Part& part) { return part.informer.IsCurrent(); });
}

// An informer that watches anew tells everything once it does: until then nobody can know what holds.
base::Task<void> IndexInformers::CatchUp() {
  if (starts_when_asked_.load(std::memory_order_acquire) && starts_when_asked_.exchange(false))
    loop_.Post([this] { Start(); });
  for (Part& part : parts_)
    if (!part.informer.IsCurrent()) co_await part.informer.CatchUp();
}

std::optional<api::Doc> DecodedChange(const client::Change& change, const api::TypeDesc& type) {
  if (change.gone) return std::nullopt;
  auto doc = client::Decode(change.object, type);
  if (doc) return *std::move(doc);
  base::Log(
      base::LogLevel::kError, "an object cannot be read and allows nobody anything",
      {{"namespace", change.object.ns()}, {"name", change.object.name()}, {"why", doc.error().message}});
  return std::nullopt;
}

}  // namespace keelson::auth
