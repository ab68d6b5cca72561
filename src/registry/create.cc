// Store: create.
#include "api/defaulting/defaulting.h"
#include "api/meta/object_meta.h"
#include "api/validation/object_meta.h"
#include "auth/forbidden_message.h"
#include "registry/attributes.h"
#include "registry/errors.h"
#include "registry/reservation.h"
#include "registry/store.h"

namespace keelson::registry {
namespace {

// Enough for a million generated names of one prefix.
constexpr int kNameAttempts = 8;

bool AlreadyExists(const api::Status& status) { return status.reason == "AlreadyExists"; }

api::field::ErrorList MetadataErrors(api::meta_v1::ObjectMetaView metadata, const Strategy& strategy) {
  const api::field::Path path("metadata");
  auto check_name = [&](std::string_view name, bool prefix) { return strategy.ValidateName(name, prefix); };
  auto errors = api::ValidateObjectMeta(metadata, strategy.NamespaceScoped(), check_name, path);
  if (strategy.ChecksStandardFinalizers())
    errors.Append(api::ValidateStandardFinalizers(metadata, path.Child("finalizers")));
  return errors;
}

}  // namespace

base::Task<rest::Result<rest::Written>> Store::Create(rest::WriteRequest request, api::Doc doc) {
  api::WipeObjectMetaSystemFields(doc);
  api::SetDefaults(doc);
  co_await TrackFields(request, nullptr, doc);
  auto metadata = api::MetadataOf(doc);
  if (metadata.generate_name().empty() || !metadata.name().empty())
    co_return co_await CreateOnce(std::move(request), std::move(doc));

  for (int attempt = 1;; ++attempt) {
    auto written = co_await CreateOnce(request, doc.Clone());
    if (written || !AlreadyExists(written.error()) || attempt == kNameAttempts) co_return std::move(written);
  }
}

void Store::CompleteMetadata(api::Doc& doc) const {
  auto metadata = api::MutableMetadataOf(doc);
  if (metadata.name().empty() && !metadata.generate_name().empty()) {
    const std::string_view prefix = metadata.generate_name();
    metadata.set_name(options_.strategy->RandomizesGenerateName() ? api::GenerateName(prefix)
                                                                  : std::string(prefix));
  }
  api::FillObjectMetaSystemFields(doc, *options_.clock);
}

base::Task<rest::Result<void>> Store::AuthorizeCreate(const rest::WriteRequest& request,
                                                      std::string_view name) const {
  const api::GroupResource resource = group_resource();
  const auth::Attributes attributes{.user = request.user,
                                    .verb = "create",
                                    .resource_request = true,
                                    .group = resource.group,
                                    .version = request.api_version.version,
                                    .resource = resource.resource,
                                    .subresource = options_.subresource,
                                    .ns = request.ns,
                                    .name = name,
                                    .wants_reason = false};
  std::optional<auth::Verdict> verdict = options_.authorizer->AuthorizeNow(attributes);
  if (!verdict) verdict = co_await options_.authorizer->Authorize(attributes);
  // Some can fail to find out a part and allow it all the same.
  if (verdict->decision == auth::Decision::kAllow) co_return rest::Result<void>();
  if (!verdict->error.empty()) co_return base::Err(api::InternalError(verdict->error));
  co_return base::Err(api::Forbidden(resource, name, auth::ForbiddenMessage(attributes, verdict->reason)));
}

base::Task<rest::Result<void>> Store::BeforeCreate(const rest::WriteRequest& request, api::Doc& doc,
                                                   ReservationPtr& reserved, bool by_update) {
  const Strategy& strategy = *options_.strategy;
  std::string_view expected_ns =
      strategy.NamespaceScoped() ? std::string_view(request.ns) : std::string_view();
  CO_TRY(EnsureNamespaceMatches(expected_ns, doc));

  // A name still to be made is made after admission, which speaks of the prefix.
  const std::string given_name(api::MetadataOf(doc).name());  // admission may put another document in place
  auto attributes = AttributesOf(request, admission::Operation::kCreate, *options_.resource,
                                 options_.subresource, given_name);
  attributes.object = &doc;
  if (options_.admission.mutate) CO_TRY(co_await options_.admission.mutate(attributes));
  DropRepeatedOwners(request, doc);
  if (options_.check) CO_TRY(co_await options_.check->BeforeValidation(attributes));
  CompleteMetadata(doc);

  if (options_.reserver) reserved = CO_TRY(co_await options_.reserver->BeginCreate(request, doc));
  const WriteContext context = ContextOf(request);
  strategy.PrepareForCreate(context, doc);
  CO_TRY(CheckDepth(doc, nullptr));
  auto metadata = api::MetadataOf(doc);
  api::field::ErrorList errors;
  if (options_.check) errors = co_await options_.check->BesideValidation(attributes);
  if (!strategy.ValidatesMetadata()) errors.Append(MetadataErrors(metadata, strategy));
  errors.Append(strategy.Validate(context, doc));
  if (strategy.ValidatesMetadata() && errors.empty()) errors = MetadataErrors(metadata, strategy);
  if (options_.check && errors.empty()) errors = co_await options_.check->AfterValidation(attributes);
  if (!errors.empty())
    co_return base::Err(api::Invalid(ClaimedKind(doc, group_kind()), metadata.name(), errors));
  if (request.warnings)
    for (std::string& warning : strategy.WarningsOnCreate(context, doc))
      request.warnings->push_back(std::move(warning));
  strategy.Canonicalize(doc);

  attributes.name = api::MetadataOf(doc).name();
  if (by_update && options_.authorizer) CO_TRY(co_await AuthorizeCreate(request, attributes.name));
  if (options_.admission.validate) CO_TRY(co_await options_.admission.validate(attributes));
  co_return rest::Result<void>();
}

base::Task<rest::Result<rest::Written>> Store::CreateOnce(rest::WriteRequest request, api::Doc doc) {
  ReservationPtr reserved;
  auto written = co_await CreateReserving(request, doc, reserved);
  if (reserved) co_await reserved->Finish(written.has_value() && !request.dry_run);
  co_return std::move(written);
}

base::Task<rest::Result<rest::Written>> Store::CreateReserving(const rest::WriteRequest& request,
                                                               api::Doc& doc, ReservationPtr& reserved) {
  auto metadata = api::MutableMetadataOf(doc);
  // What is not going to be stored may bring one along.
  if (!metadata.resource_version().empty() && !request.dry_run)
    co_return base::Err(UnknownError("resourceVersion should not be set on objects to be created"));
  const bool generated = !metadata.generate_name().empty();

  rest::Written written{.created = true};
  CO_TRY(co_await BeforeCreate(request, doc, reserved, false));

  std::string name(api::MetadataOf(doc).name());
  std::string key = Key(request.ns, name);
  if (request.dry_run) {
    if (auto existing = co_await options_.storage->Get(key, {.metadata_only = true})) {
      co_return base::Err(
          co_await CreateRefused(request, storage::Error{storage::Code::kExists}, key, name, generated));
    }
    written.object = Unstored(Encode(doc));
    co_return written;
  }

  const storage::CreateOptions options{.ttl = options_.strategy->TimeToLive(doc),
                                       .occupancy = request.occupancy,
                                       .trace = request.trace(),
                                       .notes = request.notes};
  auto created = co_await options_.storage->Create(key, EncodeForStorage(doc), options);
  // As upstream: once more without what can be large and is not the client's.
  if (!created && created.error().code == storage::Code::kTooBig) {
    api::MutableMetadataOf(doc).clear_managed_fields();
    created = co_await options_.storage->Create(key, EncodeForStorage(doc), options);
  }
  if (!created)
    co_return base::Err(co_await CreateRefused(request, std::move(created.error()), key, name, generated));
  written.object = rest::Encoded::Of(*std::move(created));
  co_return written;
}

base::Task<api::Status> Store::CreateRefused(const rest::WriteRequest& request, storage::Error error,
                                             std::string key, std::string name, bool generated) {
  if (error.code == storage::Code::kExists && generated)
    co_return api::GenerateNameConflict(group_resource(), name, 1);
  api::Status status = ToStatus(error, StorageVerb::kCreate, group_resource(), name);
  if (error.code != storage::Code::kExists) co_return status;
  auto existing = co_await options_.storage->Get(
      std::move(key), {.metadata_only = true, .trace = request.trace(), .notes = request.notes});
  if (!existing) co_return status;
  auto doc = Decode(**existing);
  if (doc && api::MetadataOf(*doc).has_deletion_timestamp())
    status.message = "object is being deleted: " + status.message;
  co_return status;
}

}  // namespace keelson::registry
