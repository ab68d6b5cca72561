#include "endpoints/respond.h"

#include "api/codec/cbor.h"
#include "api/codec/yaml.h"
#include "endpoints/filters.h"
#include "endpoints/negotiation.h"

namespace keelson::endpoints {
namespace {

// The body of a status, which it knows.
class StatusBody final : public net::http::BodySource {
 public:
  StatusBody(api::Status status, std::unique_ptr<net::http::BodySource> body)
      : status_(std::move(status)), body_(std::move(body)) {}

  State Next(size_t limit, std::vector<base::Slice>& out) override { return body_->Next(limit, out); }
  std::optional<uint64_t> Size() const override { return body_->Size(); }
  const api::Status& status() const { return status_; }

 private:
  const api::Status status_;
  const std::unique_ptr<net::http::BodySource> body_;
};

}  // namespace

net::http::Response StatusResponse(const api::Status& status, const OutputFormat& format) {
  net::http::Response response;
  response.status = status.code;
  response.headers.Add("content-type", ContentType(format.media));
  if (status.details && status.details->retry_after_seconds > 0)
    response.headers.Add("retry-after", std::to_string(status.details->retry_after_seconds));
  switch (format.media) {
    case Media::kProtobuf:
      response.body = net::http::FixedBody(base::Slice::Copy(status.ToProtobuf()));
      break;
    case Media::kYaml:
      response.body = net::http::FixedBody(base::Slice::Copy(api::yaml::FromJson(status.ToJson())));
      break;
    case Media::kCbor: {
      base::BufferBuilder bytes;
      bytes.Append(api::cbor::kSelfDescribed);
      api::cbor::EncodeJson(status.ToJson(), bytes);
      response.body = net::http::FixedBody(bytes.Take());
      break;
    }
    case Media::kJson:
      response.body = net::http::FixedBody(base::Slice::Copy(status.ToJson()));
      if (format.pretty) response.body = Prettied(std::move(response.body));
      break;
  }
  response.body = std::make_unique<StatusBody>(status, std::move(response.body));
  return response;
}

const api::Status* StatusOf(const net::http::Response& response) {
  const auto* const body = dynamic_cast<const StatusBody*>(response.body.get());
  return body ? &body->status() : nullptr;
}

net::http::Response StatusResponse(const api::Status& status, std::string_view accept) {
  net::http::Headers headers;
  if (!accept.empty()) headers.Add("accept", accept);
  return StatusResponse(status, NegotiateStatus(headers, Query()));
}

net::http::Response JsonResponse(int code, std::string body) {
  net::http::Response response;
  response.status = code;
  response.headers.Add("content-type", "application/json");
  response.body = net::http::FixedBody(base::Slice::Copy(body));
  return response;
}

}  // namespace keelson::endpoints
