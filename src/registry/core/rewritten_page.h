// The body of a page whose links lead through a proxy, made from the backend's as it arrives.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "net/http/body.h"
#include "registry/core/proxied_links.h"

namespace keelson::registry::core {

enum class PageEncoding : uint8_t { kIdentity, kGzip, kDeflate };

// Of a Content-Encoding field, in which no field is the empty one; nullopt: not one that pages are read in.
std::optional<PageEncoding> PageEncodingOf(std::string_view field);

// `page` in its encoding, with the links as PageLinks writes them, in the same encoding. Whatever the page
// expands to, memory and the work of one call are bounded. A page that is not in the encoding breaks off.
std::unique_ptr<net::http::BodySource> RewrittenPage(std::unique_ptr<net::http::BodySource> page,
                                                     PageEncoding encoding, ProxiedLinks links);

}  // namespace keelson::registry::core
