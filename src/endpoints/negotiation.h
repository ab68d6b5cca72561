// Negotiation: which form of an answer a client wants, and which form its body has.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/meta/status.h"
#include "base/result.h"
#include "endpoints/query.h"
#include "net/http/headers.h"

namespace keelson::endpoints {

enum class Media : uint8_t { kJson, kYaml, kProtobuf, kCbor };
std::string_view ContentType(Media media);
// Of a stream of events.
std::string WatchContentType(Media media);

// Which media there are. Upstream serves CBOR only where its feature gate is on.
struct MediaOffer {
  bool cbor = false;
  bool tables = true;
  // What upstream's router takes, but its negotiation does not: the medium of logs.
  std::string_view router_only = {};
  // Objects have no protobuf form, though what is made of them may.
  bool custom = false;
  bool routed = true;  // upstream's router looks at the media first
};

// What the object is turned into on its way out.
enum class Target : uint8_t { kNone, kPartialObjectMetadata, kPartialObjectMetadataList, kTable };

// One clause of an Accept header.
struct AcceptClause {
  std::string type, subtype;
  double quality = 1;
  std::vector<std::pair<std::string, std::string>> params;

  std::string_view Param(std::string_view name) const;
};
// In the order of preference: by quality, then the more specific, then as written.
std::vector<AcceptClause> ParseAccept(std::string_view header);

struct OutputFormat {
  Media media = Media::kJson;
  Target target = Target::kNone;
  std::string target_version = "v1";  // of meta.k8s.io: "v1" or "v1beta1"
  bool pretty = false;

  // The answer shows nothing but the metadata of objects.
  bool metadata_only() const {
    return target == Target::kPartialObjectMetadata || target == Target::kPartialObjectMetadataList;
  }
};

enum class AnswerKind : uint8_t {
  kObject,  // one object, or a write's result
  kList,    // offers streams too
};

// 406 with upstream's text when nothing the client accepts can be served.
base::Result<OutputFormat, api::Status> NegotiateOutput(const net::http::Headers& headers, const Query& query,
                                                        AnswerKind kind, MediaOffer offer = {});
// The form of an error: never fails, JSON if the client cannot be pleased.
OutputFormat NegotiateStatus(const net::http::Headers& headers, const Query& query, MediaOffer offer = {});
// 406 for a watch in a medium that has no streams.
api::Status NoSuchStream(MediaOffer offer);

// ?pretty, or a browser or a command-line tool that a person looks at.
bool IsPretty(const net::http::Headers& headers, const Query& query);

// Of a request's body by its Content-Type; absent means JSON. 415 otherwise.
base::Result<Media, api::Status> NegotiateInput(const net::http::Headers& headers, MediaOffer offer);

// `type/subtype` of a header value, lower case, without parameters.
std::string MediaTypeOnly(std::string_view header);

bool AcceptsGzip(const net::http::Headers& headers);

}  // namespace keelson::endpoints
