#include "endpoints/negotiation.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

namespace keelson::endpoints {
namespace {

constexpr std::string_view kMediaTypes =
    "application/json, application/yaml, application/vnd.kubernetes.protobuf";
constexpr std::string_view kStreamTypes =
    "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch";

struct Offer {
  std::string_view subtype;
  Media media;
};
constexpr Offer kOffers[] = {
    {"json", Media::kJson}, {"yaml", Media::kYaml}, {"vnd.kubernetes.protobuf", Media::kProtobuf}};

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
std::optional<OutputFormat> Accept(const AcceptClause& clause, const Offer& offer) {
  OutputFormat format{.media = offer.media};
  std::string_view as = clause.Param("as"), group = clause.Param("g"), version = clause.Param("v");
  if (!as.empty() || !group.empty() || !version.empty()) {
    if (group != "meta.k8s.io" || (version != "v1" && version != "v1beta1")) return std::nullopt;
    format.target_version = version;
    if (as == "Table") {
      if (offer.media == Media::kProtobuf) return std::nullopt;
      format.target = Target::kTable;
    } else if (as == "PartialObjectMetadata") {
      format.target = Target::kPartialObjectMetadata;
    } else if (as == "PartialObjectMetadataList") {
      format.target = Target::kPartialObjectMetadataList;
    } else {
      return std::nullopt;
    }
  }
  if (std::string_view stream = clause.Param("stream"); !stream.empty())
    if (stream != "watch" || offer.media == Media::kYaml) return std::nullopt;
  if (std::string_view server_version = clause.Param("sv"); !server_version.empty() && server_version != "v1")
    return std::nullopt;
  format.pretty = clause.Param("pretty") == "1";
  return format;
}

// The router looks at types alone, and only at exact ones or "*/*".
bool RouterAccepts(const std::vector<AcceptClause>& clauses) {
  return std::ranges::any_of(clauses, [](const AcceptClause& clause) {
    return std::ranges::any_of(kOffers, [&](const Offer& offer) {
      return Matches(clause, offer) && !(clause.type == "application" && clause.subtype == "*");
    });
  });
}

}  // namespace

std::string_view ContentType(Media media) {
  switch (media) {
    case Media::kJson: return "application/json";
    case Media::kYaml: return "application/yaml";
    case Media::kProtobuf: return "application/vnd.kubernetes.protobuf";
  }
  std::abort();
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
                                                        AnswerKind kind) {
  std::string header = headers.Joined("accept");
  bool pretty = IsPretty(headers, query);
  if (header.empty()) return OutputFormat{.pretty = pretty};
  std::vector<AcceptClause> clauses = ParseAccept(header);
  if (!RouterAccepts(clauses)) {
    std::string why = "406: Not Acceptable\n\nAvailable representations: " + std::string(kMediaTypes);
    if (kind == AnswerKind::kList) why += ", " + std::string(kStreamTypes);
    return base::Err(api::GenericServerResponse(406, "", {}, "", why));
  }
  for (const AcceptClause& clause : clauses) {
    for (const Offer& offer : kOffers) {
      if (!Matches(clause, offer)) continue;
      if (auto format = Accept(clause, offer)) {
        format->pretty |= pretty;
        return *std::move(format);
      }
    }
  }
  return base::Err(
      api::NotAcceptable("only the following media types are accepted: " + std::string(kMediaTypes)));
}

OutputFormat NegotiateStatus(const net::http::Headers& headers, const Query& query) {
  std::string header = headers.Joined("accept");
  bool pretty = IsPretty(headers, query);
  if (header.empty()) return OutputFormat{.pretty = pretty};
  for (const AcceptClause& clause : ParseAccept(header)) {
    for (const Offer& offer : kOffers) {
      if (!Matches(clause, offer)) continue;
      // A Status is never turned into something else.
      auto format = Accept(clause, offer);
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

base::Result<Media, api::Status> NegotiateInput(const net::http::Headers& headers) {
  std::string type = MediaTypeOnly(headers.Get("content-type").value_or(""));
  if (type.empty()) return Media::kJson;
  for (const Offer& offer : kOffers)
    if (type == ContentType(offer.media)) return offer.media;
  return base::Err(api::UnsupportedMediaType(
      "the body of the request was in an unknown format - accepted media types include: " +
      std::string(kMediaTypes)));
}

bool AcceptsGzip(const net::http::Headers& headers) {
  std::string header = headers.Joined("accept-encoding");
  std::string_view rest = header;
  while (!rest.empty())
    if (Trim(Cut(rest, ',')) == "gzip") return true;
  return false;
}

}  // namespace keelson::endpoints
