#include "endpoints/negotiation.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <span>

namespace keelson::endpoints {
namespace {

struct Offer {
  std::string_view subtype;
  Media media;
};
constexpr Offer kOffers[] = {{"json", Media::kJson},
                             {"yaml", Media::kYaml},
                             {"vnd.kubernetes.protobuf", Media::kProtobuf},
                             {"cbor", Media::kCbor}};
constexpr std::string_view kCborSequence = "cbor-seq";

std::span<const Offer> Offers(MediaOffer offer) {
  return std::span(kOffers).first(offer.cbor ? std::size(kOffers) : std::size(kOffers) - 1);
}

// As errors list them.
std::string MediaTypes(MediaOffer offer, std::string_view first = {}) {
  std::string types(first);
  for (const Offer& o : Offers(offer)) types.append(types.empty() ? "" : ", ").append(ContentType(o.media));
  return types;
}
std::string StreamTypes(MediaOffer offer) {
  std::string types = "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch";
  return offer.cbor ? types + ", " + WatchContentType(Media::kCbor) : types;
}

std::string_view Trim(std::string_view s) {
  while (s.starts_with(' ') || s.starts_with('\t')) s.remove_prefix(1);
  while (s.ends_with(' ') || s.ends_with('\t')) s.remove_suffix(1);
  return s;
}

// The part of `s` before the first `separator`; `s` becomes the rest.
std::string_view Cut(std::string_view& s, char separator) {
  size_t at = s.find(separator);
  std::string_view head = s.substr(0, at);
  s = at == std::string_view::npos ? std::string_view() : s.substr(at + 1);
  return head;
}

std::optional<AcceptClause> ParseClause(std::string_view text) {
  AcceptClause clause;
  std::string_view rest = Trim(text);
  std::string_view subtype = Cut(rest, ';');
  std::string_view type = Trim(Cut(subtype, '/'));
  if (subtype.empty()) {
    if (type != "*") return std::nullopt;
    subtype = "*";
  }
  if (subtype.find('/') != std::string_view::npos) return std::nullopt;
  clause.type = type;
  clause.subtype = Trim(subtype);
  while (!rest.empty()) {
    std::string_view value = Cut(rest, ';');
    std::string_view name = Trim(Cut(value, '='));
    if (value.empty() || value.find('=') != std::string_view::npos) continue;
    if (name == "q") {
      clause.quality = std::strtod(std::string(Trim(value)).c_str(), nullptr);
    } else {
      clause.params.emplace_back(name, Trim(value));
    }
  }
  return clause;
}

bool Matches(const AcceptClause& clause, const Offer& offer) {
  if (clause.type == "*" && clause.subtype == "*") return true;
  return clause.type == "application" && (clause.subtype == offer.subtype || clause.subtype == "*");
}

// The format of `clause` in `offer`; nullopt when its parameters ask for what is not there.
std::optional<OutputFormat> Accept(const AcceptClause& clause, const Offer& offer, MediaOffer media) {
  const bool tables = media.tables;
  OutputFormat format{.media = offer.media};
  std::string_view as = clause.Param("as"), group = clause.Param("g"), version = clause.Param("v");
  if (!as.empty() || !group.empty() || !version.empty()) {
    if (group != "meta.k8s.io" || (version != "v1" && version != "v1beta1")) return std::nullopt;
    format.target_version = version;
    if (as == "Table") {
      if (!tables || (offer.media != Media::kJson && offer.media != Media::kYaml)) return std::nullopt;
      format.target = Target::kTable;
    } else if (as == "PartialObjectMetadata") {
      format.target = Target::kPartialObjectMetadata;
    } else if (as == "PartialObjectMetadataList") {
      format.target = Target::kPartialObjectMetadataList;
    } else {
      return std::nullopt;
    }
  }
  if (format.target == Target::kNone && media.custom && offer.media == Media::kProtobuf) return std::nullopt;
  if (std::string_view stream = clause.Param("stream"); !stream.empty())
    if (stream != "watch" || offer.media == Media::kYaml) return std::nullopt;
  if (std::string_view server_version = clause.Param("sv"); !server_version.empty() && server_version != "v1")
    return std::nullopt;
  format.pretty = clause.Param("pretty") == "1";
  return format;
}

// The router looks at types alone, and only at exact ones or "*/*".
bool RouterAccepts(const std::vector<AcceptClause>& clauses, AnswerKind kind, MediaOffer offer) {
  return std::ranges::any_of(clauses, [&](const AcceptClause& clause) {
    if (clause.type == "application" && clause.subtype == "*") return false;
    if (!offer.router_only.empty() && clause.type + "/" + clause.subtype == offer.router_only) return true;
    if (offer.cbor && kind == AnswerKind::kList && Matches(clause, {kCborSequence, Media::kCbor}))
      return true;
    return std::ranges::any_of(Offers(offer), [&](const Offer& o) { return Matches(clause, o); });
  });
}

}  // namespace

std::string_view ContentType(Media media) {
  switch (media) {
    case Media::kJson: return "application/json";
    case Media::kYaml: return "application/yaml";
    case Media::kProtobuf: return "application/vnd.kubernetes.protobuf";
    case Media::kCbor: return "application/cbor";
  }
  std::abort();
}

std::string WatchContentType(Media media) {
  if (media == Media::kCbor) return "application/" + std::string(kCborSequence);
  std::string type(ContentType(media));
  return media == Media::kJson ? type : type + ";stream=watch";
}

std::string_view AcceptClause::Param(std::string_view name) const {
  for (const auto& [key, value] : params)
    if (key == name) return value;
  return {};
}

std::vector<AcceptClause> ParseAccept(std::string_view header) {
  std::vector<AcceptClause> clauses;
  while (!header.empty())
    if (auto clause = ParseClause(Cut(header, ','))) clauses.push_back(std::move(*clause));
  std::ranges::stable_sort(clauses, [](const AcceptClause& a, const AcceptClause& b) {
    if (a.quality != b.quality) return a.quality > b.quality;
    auto stars = [](const AcceptClause& c) { return (c.type == "*") + (c.subtype == "*"); };
    return stars(a) < stars(b);
  });
  return clauses;
}

base::Result<OutputFormat, api::Status> NegotiateOutput(const net::http::Headers& headers, const Query& query,
                                                        AnswerKind kind, MediaOffer offer) {
  std::string header = headers.Joined("accept");
  bool pretty = IsPretty(headers, query);
  if (header.empty()) return OutputFormat{.pretty = pretty};
  std::vector<AcceptClause> clauses = ParseAccept(header);
  if (offer.routed && !RouterAccepts(clauses, kind, offer)) {
    std::string why =
        "406: Not Acceptable\n\nAvailable representations: " + MediaTypes(offer, offer.router_only);
    if (kind == AnswerKind::kList) why += ", " + StreamTypes(offer);
    return base::Err(api::GenericServerResponse(406, "", {}, "", why));
  }
  for (const AcceptClause& clause : clauses) {
    for (const Offer& o : Offers(offer)) {
      if (!Matches(clause, o)) continue;
      if (auto format = Accept(clause, o, offer)) {
        format->pretty |= pretty;
        return *std::move(format);
      }
    }
  }
  return base::Err(api::NotAcceptable("only the following media types are accepted: " + MediaTypes(offer)));
}

api::Status NoSuchStream(MediaOffer offer) {
  return api::NotAcceptable("only the following media types are accepted: " + StreamTypes(offer));
}

OutputFormat NegotiateStatus(const net::http::Headers& headers, const Query& query, MediaOffer offer) {
  std::string header = headers.Joined("accept");
  bool pretty = IsPretty(headers, query);
  if (header.empty()) return OutputFormat{.pretty = pretty};
  for (const AcceptClause& clause : ParseAccept(header)) {
    for (const Offer& o : Offers(offer)) {
      if (!Matches(clause, o)) continue;
      // A Status is never turned into something else.
      auto format = Accept(clause, o, {.tables = offer.tables});
      if (!format || format->target != Target::kNone) continue;
      format->pretty |= pretty;
      return *std::move(format);
    }
  }
  return OutputFormat{.pretty = true};
}

bool IsPretty(const net::http::Headers& headers, const Query& query) {
  if (auto pretty = query.Get("pretty"); pretty && !pretty->empty()) {
    static constexpr std::string_view kTrue[] = {"1", "t", "T", "TRUE", "true", "True"};
    return std::ranges::find(kTrue, *pretty) != std::end(kTrue);
  }
  std::string_view agent = headers.Get("user-agent").value_or("");
  return agent.starts_with("curl") || agent.starts_with("Wget") || agent.starts_with("Mozilla/5.0");
}

std::string MediaTypeOnly(std::string_view header) {
  std::string type(Trim(header.substr(0, header.find(';'))));
  for (char& c : type)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  return type;
}

base::Result<Media, api::Status> NegotiateInput(const net::http::Headers& headers, MediaOffer offer) {
  std::string type = MediaTypeOnly(headers.Get("content-type").value_or(""));
  if (type.empty()) return Media::kJson;
  for (const Offer& o : Offers(offer))
    if (type == ContentType(o.media)) return o.media;
  return base::Err(api::UnsupportedMediaType(
      "the body of the request was in an unknown format - accepted media types include: " +
      MediaTypes(offer)));
}

bool AcceptsGzip(const net::http::Headers& headers) {
  std::string header = headers.Joined("accept-encoding");
  std::string_view rest = header;
  while (!rest.empty())
    if (Trim(Cut(rest, ',')) == "gzip") return true;
  return false;
}

}  // namespace keelson::endpoints
