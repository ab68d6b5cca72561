#include "registry/core/service_account_token.h"

#include <algorithm>

#include "api/defaulting/defaulting.h"
#include "api/generated/authentication_v1.h"
#include "api/generated/core_v1.h"
#include "api/managed_fields/field_manager.h"
#include "api/meta/object_meta.h"
#include "audit/event.h"
#include "registry/decode.h"
#include "registry/store.h"

namespace keelson::registry::core {
namespace {

using api::authentication_v1::BoundObjectReferenceView;
using api::authentication_v1::TokenRequestEditor;
using api::field::Path;
using rest::Result;
using rest::Written;

constexpr api::GroupKind kKind{"authentication.k8s.io", "TokenRequest"};
constexpr api::ResourceDesc kTokenRequest{.group = kKind.group,
                                          .version = "v1",
                                          .kind = kKind.kind,
                                          .type = &api::authentication_v1::kTokenRequestType};

// What kubelets ask for the pods that want to be warned, not refused, when their program
// does not reload its token.
constexpr int64_t kWarnOnlySeconds = 60 * 60 + 7;
constexpr int64_t kExtendedSeconds = 365LL * 24 * 60 * 60;
constexpr int64_t kMinSeconds = 10 * 60, kMaxSeconds = 1LL << 32;

std::string GvkText(std::string_view group, std::string_view version, std::string_view kind) {
  std::string text(group);
  return text.append("/").append(version).append(", Kind=").append(kind);
}

api::Status InvalidMetadata(std::string_view name, std::string_view field, std::string_view value,
                            std::string_view why) {
  const Path metadata("metadata");
  api::field::ErrorList errors;
  errors.Add(api::field::Invalid(metadata.Child(field), api::field::RenderValue(value), why));
  return api::Invalid(kKind, name, errors);
}

// TokenRequest: a new token for a service account.
class TokenRequests final : public Serving, public rest::Creater {
 public:
  TokenRequests(ServingOptions options, const Dependencies& dependencies)
      : options_(std::move(options)),
        fields_(kTokenRequest, options_.subresource),
        dependencies_(dependencies) {}

  rest::Verbs verbs() override { return {.create = this}; }

  base::Task<Result<Written>> Create(rest::WriteRequest request, api::Doc doc) override {
    api::SetDefaults(doc);
    CO_TRY(EnsureNamespaceMatches(request.ns, doc));
    fields_.Update(nullptr, doc, request.field_manager, api::NowSeconds(*dependencies_.clock));
    const std::string& name = request.parent;
    const auto attributes = options_.Creating(request, name, doc);
    if (options_.admission.mutate) CO_TRY(co_await options_.admission.mutate(attributes));
    DropRepeatedOwners(request, doc);

    TokenRequestEditor asked(doc);
    if (!asked.metadata().name().empty() && asked.metadata().name() != name)
      co_return base::Err(InvalidMetadata(name, "name", asked.metadata().name(),
                                          "must match the service account name if specified"));
    const auto account = CO_TRY(co_await Find("serviceaccounts", request.ns, name));
    const std::string_view uid = account->uid();
    if (!asked.metadata().uid().empty() && asked.metadata().uid() != uid)
      co_return base::Err(
          api::Conflict({kKind.group, kKind.kind}, name,
                        "the UID in the token request (" + std::string(asked.metadata().uid()) +
                            ") does not match the UID of the service account (" + std::string(uid) + ")"));
    const int64_t now = api::NowSeconds(*dependencies_.clock);
    Complete(asked, name, uid, now);
    if (const auto errors = Validate(asked); !errors.empty())
      co_return base::Err(api::Invalid(kKind, "", errors));
    if (options_.admission.validate) CO_TRY(co_await options_.admission.validate(attributes));

    auth::TokenClaims claims;
    claims.subject = auth::ServiceAccountUserName(request.ns, name);
    claims.ns = request.ns;
    claims.account = {name, std::string(uid)};
    CO_TRY(co_await Bind(asked.spec().bound_object_ref(), claims));
    Written written{.created = true};
    SetTimes(asked, now, claims, request.warnings);
    std::string credential = "JTI=" + claims.id;
    auto token = dependencies_.token_issuer->Issue(std::move(claims));
    if (!token) co_return base::Err(api::InternalError("failed to generate token: " + token.error()));
    audit::Annotate(request.audit, "authentication.kubernetes.io/issued-credential-id",
                    std::move(credential));
    asked.mutable_status().set_token(*token);
    asked.mutable_status().set_expiration_timestamp(now + asked.spec().expiration_seconds());
    written.object = EncodeUnstored(doc);
    co_return written;
  }

 private:
  base::Task<Result<rest::ObjectPtr>> Find(std::string_view resource, std::string ns,
                                           std::string name) const {
    return dependencies_.stores->Find({"", resource})->Get(std::move(ns), std::move(name), {});
  }

  // Fills in what the request leaves open.
  void Complete(TokenRequestEditor asked, std::string_view name, std::string_view uid, int64_t now) const {
    if (asked.spec().audiences().empty())
      for (const std::string& audience : dependencies_.api_audiences)
        asked.mutable_spec().add_audiences(audience);
    auto metadata = asked.mutable_metadata();
    metadata.set_name(name);
    metadata.set_uid(uid);
    metadata.set_creation_timestamp(now);
    asked.clear_status();
  }

  static api::field::ErrorList Validate(TokenRequestEditor asked) {
    const Path spec("spec"), path = spec.Child("expirationSeconds");
    const int64_t seconds = asked.spec().expiration_seconds();
    api::field::ErrorList errors;
    if (seconds < kMinSeconds)
      errors.Add(api::field::Invalid(path, api::field::RenderValue(seconds),
                                     "may not specify a duration less than 10 minutes"));
    if (seconds > kMaxSeconds)
      errors.Add(api::field::Invalid(path, api::field::RenderValue(seconds),
                                     "may not specify a duration larger than 2^32 seconds"));
    return errors;
  }

  // Puts what the token is to be bound to into `claims`.
  base::Task<Result<void>> Bind(BoundObjectReferenceView ref, auth::TokenClaims& claims) const {
    if (!ref) co_return Result<void>();
    const std::string_view api_version = ref.api_version();
    const size_t slash = api_version.find('/');
    const bool has_group = slash != std::string_view::npos;
    const std::string_view group = has_group ? api_version.substr(0, slash) : "";
    const std::string_view version = has_group ? api_version.substr(slash + 1) : api_version;
    const std::string_view kind = ref.kind();
    const bool known = group.empty() && (kind == "Pod" || kind == "Node" || kind == "Secret");
    if (!known)
      co_return base::Err(
          api::BadRequest("cannot bind token to object of type " + GvkText(group, version, kind)));

    const std::string_view resource = kind == "Pod" ? "pods" : kind == "Node" ? "nodes" : "secrets";
    const auto object =
        CO_TRY(co_await Find(resource, kind == "Node" ? std::string() : claims.ns, std::string(ref.name())));
    auth::BoundObject bound{std::string(ref.name()), std::string(object->uid())};
    if (kind == "Pod") CO_TRY(co_await AddPod(*object, claims));
    if (!ref.uid().empty() && ref.uid() != bound.uid)
      co_return base::Err(api::Conflict(
          {group, kind}, ref.name(),
          "the UID in the bound object reference (" + std::string(ref.uid()) +
              ") does not match the UID in record. The object might have been deleted and then recreated"));
    (kind == "Pod" ? claims.pod : kind == "Node" ? claims.node : claims.secret) = std::move(bound);
    co_return Result<void>();
  }

  // A token of a pod also tells its node.
  base::Task<Result<void>> AddPod(const rest::Object& object, auth::TokenClaims& claims) const {
    const auto doc = CO_TRY(DecodeStored(object, api::core_v1::PodView::Type()));
    const auto spec = api::core_v1::PodView(doc).spec();
    if (spec.service_account_name() != claims.account.name)
      co_return base::Err(api::BadRequest("cannot bind token for serviceaccount \"" + claims.account.name +
                                          "\" to pod running with different serviceaccount name."));
    if (spec.node_name().empty()) co_return Result<void>();
    const auto node = co_await Find("nodes", "", std::string(spec.node_name()));
    if (!node && node.error().code != 404) co_return base::Err(api::InternalError(node.error().message));
    claims.node = {std::string(spec.node_name()), node ? std::string((*node)->uid()) : std::string()};
    co_return Result<void>();
  }

  void SetTimes(TokenRequestEditor asked, int64_t now, auth::TokenClaims& claims,
                std::vector<std::string>* warnings) const {
    const int64_t most = dependencies_.max_token_expiration.count();
    int64_t seconds = asked.spec().expiration_seconds();
    if (most > 0 && seconds > most) {
      admission::AddWarning(warnings, "requested expiration of " + std::to_string(seconds) +
                                          " seconds shortened to " + std::to_string(most) + " seconds");
      asked.mutable_spec().set_expiration_seconds(most);
      seconds = most;
    }
    bool only_for_us = true;
    for (const api::Value& audience : asked.spec().audiences()) {
      claims.audiences.emplace_back(audience.string());
      only_for_us = only_for_us && std::ranges::find(dependencies_.api_audiences, audience.string()) !=
                                       dependencies_.api_audiences.end();
    }
    claims.id = api::NewUid();
    claims.issued_at = claims.not_before = now;
    if (dependencies_.extend_token_expiration && claims.pod && seconds == kWarnOnlySeconds && only_for_us) {
      claims.warn_after = now + seconds;
      seconds = kExtendedSeconds;
    }
    claims.expiry = now + seconds;
  }

  const ServingOptions options_;
  const api::managed_fields::FieldManager fields_;
  const Dependencies dependencies_;
};

}  // namespace

std::unique_ptr<Serving> MakeTokenRequests(ServingOptions options, const Dependencies& dependencies) {
  return std::make_unique<TokenRequests>(std::move(options), dependencies);
}

}  // namespace keelson::registry::core
