#include "server/flow_control/flow_hash.h"

#include <array>
#include <functional>
#include <memory>
#include <string>

#include "base/sha256.h"

namespace keelson::server::flow_control {
namespace {

struct Known {
  std::string schema, distinguisher;
  uint64_t hash = 0;
};
using KnownFlows = std::array<Known, 256>;

}  // namespace

uint64_t FlowHash(std::string_view schema, std::string_view distinguisher) {
  thread_local const auto known_flows = std::make_unique<KnownFlows>();
  const std::hash<std::string_view> hash;
  Known& known = (*known_flows)[(hash(schema) * 31 + hash(distinguisher)) % known_flows->size()];
  // No schema is without a name, so an entry that was never filled is no flow's.
  if (known.schema == schema && known.distinguisher == distinguisher) return known.hash;
  known.schema = schema;
  known.distinguisher = distinguisher;
  std::string text(schema);
  (text += '\0') += distinguisher;
  const auto digest = base::Sha256(text);
  known.hash = 0;
  for (int i = 7; i >= 0; --i) known.hash = known.hash << 8 | digest[static_cast<size_t>(i)];
  return known.hash;
}

}  // namespace keelson::server::flow_control
