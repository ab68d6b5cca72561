// The bodies of lists: written item by item while they are sent, never whole in memory.
#pragma once

#include <memory>

#include "endpoints/object_format.h"
#include "net/http/body.h"
#include "registry/rest/types.h"

namespace keelson::endpoints {

// A list or table as compact JSON, ended by a newline; as CBOR if the format says so.
std::unique_ptr<net::http::BodySource> ItemList(std::unique_ptr<ObjectFormat> format,
                                                registry::rest::ListResult list);

// A list as protobuf in its envelope; its size is known before it is sent. Large objects
// are shared with the cache, not copied.
std::unique_ptr<net::http::BodySource> ProtobufList(std::unique_ptr<ObjectFormat> format,
                                                    registry::rest::ListResult list);

// Everything `source` has, for answers that must be whole before they are converted.
// Requires: the source never sleeps.
std::string DrainToString(net::http::BodySource& source);

}  // namespace keelson::endpoints
