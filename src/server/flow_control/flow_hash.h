// FlowHash: the number of a flow, by which it is dealt its hand of queues. It is upstream's, so that a dump
// means the same on both.
#pragma once

#include <cstdint>
#include <string_view>

namespace keelson::server::flow_control {

// The first eight bytes, little-endian, of SHA-256 over the schema's name, a zero byte and the distinguisher.
// Each thread remembers some.
uint64_t FlowHash(std::string_view schema, std::string_view distinguisher);

}  // namespace keelson::server::flow_control
