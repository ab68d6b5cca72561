#include "endpoints/request_scope.h"

#include "api/codec/yaml.h"
#include "api/conversion/conversion.h"
#include "api/defaulting/defaulting.h"
#include "api/managed_fields/field_manager.h"
#include "api/meta/object_meta.h"
#include "api/types/custom_type.h"
#include "endpoints/audit_bodies.h"
#include "endpoints/decode.h"
#include "endpoints/filters.h"
#include "endpoints/list_source.h"
#include "endpoints/table/scale_printer.h"
#include "endpoints/verb_spans.h"

namespace keelson::endpoints {
namespace {

using registry::rest::Encoded;
using registry::rest::ListResult;

std::string InternalTypeName(const api::ResourceDesc& desc, std::string_view kind) {
  const std::string_view group = api::StoredResource(desc).group;
  std::string_view package = group.substr(0, group.find('.'));
  if (package == "internal") package = "apiserverinternal";
  std::string name = "*";
  return name.append(package.empty() ? "core" : package).append(".").append(kind);
}

net::http::Response Begin(int code, Media media) {
  net::http::Response response;
  response.status = code;
  response.headers.Add("content-type", ContentType(media));
  return response;
}

// Turns compact JSON into what was negotiated of the text formats.
void FinishText(const OutputFormat& output, std::unique_ptr<net::http::BodySource> json,
                net::http::Response& response) {
  if (output.media == Media::kYaml) {
    response.body = net::http::FixedBody(base::Slice::Copy(api::yaml::FromJson(DrainToString(*json))));
  } else {
    response.body = output.pretty ? Prettied(std::move(json)) : std::move(json);
  }
}

api::Status Undecodable(const RequestScope& scope) {
  return api::InternalError("a stored object of " + std::string(scope.desc().plural) + " does not decode");
}

}  // namespace

registry::rest::WriteRequest RequestScope::WriteRequest(const WriteParameters& parameters) {
  registry::rest::WriteRequest write = WriteRequest(parameters.dry_run);
  write.manager_given = !parameters.field_manager.empty();
  write.field_manager =
      write.manager_given
          ? parameters.field_manager
          : api::managed_fields::ManagerFromUserAgent(request.headers.Get("user-agent").value_or(""));
  write.field_validation = parameters.given_field_validation;
  return write;
}

Parsed<std::unique_ptr<ObjectFormat>> FormatOf(const RequestScope& scope) {
  TableParameters table;
  if (scope.output.target == Target::kTable) table = TRY(ParseTableParameters(scope.query));
  const bool own = scope.resource.printer && &scope.body_desc == &scope.desc();
  const bool scale = scope.body_desc.kind == "Scale" && scope.body_desc.group == "autoscaling";
  const table::Printer& printer = own     ? *scope.resource.printer
                                  : scale ? table::ScalePrinter(api::IsCustom(scope.desc()))
                                          : table::DefaultPrinter();
  return std::make_unique<ObjectFormat>(scope.body_desc, printer, scope.output, table, scope.clock().Now(),
                                        scope.resource.keepalive);
}

void Compress(const net::http::Headers& request, uint64_t size_estimate, net::http::Response& response) {
  if (size_estimate < kGzipThresholdBytes || !AcceptsGzip(request)) return;
  response.headers.Add("content-encoding", "gzip");
  response.headers.Add("vary", "Accept-Encoding");
  response.body = Gzipped(std::move(response.body));
}

Answer ObjectAnswer(RequestScope& scope, int code, const Encoded& object) {
  EnterAnswer(scope, kObjectAnswer);
  const OutputFormat& output = scope.output;
  if (output.target == Target::kPartialObjectMetadataList)
    return base::Err(api::NotAcceptable(
        "you requested PartialObjectMetadataList, but the requested object is not a list (" +
        InternalTypeName(scope.body_desc, scope.body_desc.kind) + ")"));
  net::http::Response response = Begin(code, output.media);
  if (output.media != Media::kJson) AuditAnswer(scope, object);
  if (output.media == Media::kProtobuf && output.target == Target::kNone &&
      !api::ConvertsContent(scope.body_desc)) {
    response.body = net::http::FixedBody(object.bytes);
    Compress(scope.request.headers, object.bytes.size(), response);
    return response;
  }
  auto format = TRY(FormatOf(scope));
  if (output.media == Media::kProtobuf || output.media == Media::kCbor) {
    base::BufferBuilder bytes;
    const bool whole = output.media == Media::kCbor ? format->AppendCbor(object.message, bytes)
                                                    : format->AppendProtobuf(object.message, bytes);
    if (!whole) return base::Err(Undecodable(scope));
    const size_t size = bytes.size();
    response.body = net::http::FixedBody(bytes.Take());
    Compress(scope.request.headers, size, response);
    return response;
  }
  base::BufferBuilder json(object.message.size() * 2);
  if (!format->AppendJson(object.message, json)) return base::Err(Undecodable(scope));
  json.Append('\n');
  const base::Slice text = json.Take();
  if (output.media == Media::kJson) AuditAnswer(scope, text);
  FinishText(output, net::http::FixedBody(text), response);
  Compress(scope.request.headers, text.size(), response);
  return response;
}

Answer ListAnswer(RequestScope& scope, ListResult list) {
  EnterAnswer(scope, kObjectAnswer);
  const OutputFormat& output = scope.output;
  if (output.target == Target::kPartialObjectMetadata)
    return base::Err(
        api::NotAcceptable("you requested PartialObjectMetadata, but the requested object is a list (" +
                           InternalTypeName(scope.desc(), scope.desc().list_kind) + ")"));
  auto format = TRY(FormatOf(scope));
  net::http::Response response = Begin(200, output.media);
  const bool text = output.media == Media::kJson || output.media == Media::kYaml;
  if (!text) AuditAnswer(scope, list);
  // Encoded sizes tell well enough whether the answer will be large.
  uint64_t size = 0;
  for (const registry::rest::Object* object : list.items) size += object->message().size();
  if (output.media == Media::kProtobuf) {
    response.body = ProtobufList(std::move(format), std::move(list));
  } else {
    auto items = ItemList(std::move(format), std::move(list));
    if (text && AuditsAnswer(scope)) {
      const base::Slice json = base::Slice::Copy(DrainToString(*items));
      AuditAnswer(scope, json);
      items = net::http::FixedBody(json);
    }
    if (!text) {
      response.body = std::move(items);
    } else {
      FinishText(output, std::move(items), response);
    }
  }
  Compress(scope.request.headers, size, response);
  return response;
}

base::Task<Parsed<api::Doc>> ReadObject(RequestScope& scope, FieldValidation validation) {
  auto media = CO_TRY(NegotiateInput(scope.request.headers, scope.options.media));
  auto body = CO_TRY(co_await ReadBody(scope.request));
  const api::ResourceDesc& desc = scope.body_desc;
  auto decoded = DecodeBody(body, media, *desc.type, desc.group, desc.version, desc.kind,
                            validation != FieldValidation::kIgnore);
  if (!decoded) co_return base::Err(BodyErrorStatus(decoded.error(), desc.kind, body.view()));
  if (!decoded->strict.empty() && validation == FieldValidation::kStrict) {
    BodyError strict{StrictErrorText(decoded->strict), std::string(desc.version), std::string(desc.kind)};
    co_return base::Err(BodyErrorStatus(strict, desc.kind, body.view()));
  }
  for (std::string& s : decoded->strict) scope.warnings.push_back(std::move(s));
  AuditRequestObject(scope, decoded->doc);
  co_return InStoredVersion(std::move(decoded->doc), desc);
}

api::Doc InStoredVersion(api::Doc doc, const api::ResourceDesc& body_desc) {
  if (!body_desc.IsConverted()) return doc;
  api::SetDefaults(doc);  // those of the version it came in
  return api::ToStored(std::move(doc), body_desc);
}

void DropRepeatedOwners(RequestScope& scope, api::Doc& doc) {
  if (std::string warning = api::DropRepeatedOwners(doc, /*after_admission=*/false); !warning.empty())
    scope.warnings.push_back(std::move(warning));
}

}  // namespace keelson::endpoints
