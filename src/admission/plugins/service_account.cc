#include "admission/plugins/service_account.h"

#include <algorithm>
#include <set>
#include <string>

#include "admission/plugins/resources.h"
#include "api/generated/core_v1.h"
#include "api/meta/object_meta.h"
#include "api/pods/pod_spec.h"
#include "api/pods/references.h"
#include "base/executor.h"

namespace keelson::admission {
namespace {

using api::core_v1::PodEditor;
using api::core_v1::PodSpecEditor;
using api::core_v1::PodSpecView;
using api::core_v1::PodView;
using api::core_v1::ServiceAccountView;
using std::chrono::milliseconds;

constexpr std::string_view kDefault = "default";
constexpr std::string_view kEphemeral = "ephemeralcontainers";
constexpr std::string_view kVolumePrefix = "kube-api-access-";
constexpr std::string_view kMountPath = "/var/run/secrets/kubernetes.io/serviceaccount";
constexpr int32_t kTokenMode = 0644;
// An hour, and a few seconds by which such tokens are known.
constexpr int64_t kTokenSeconds = 3607;
// About a second in all.
constexpr milliseconds kPauses[] = {milliseconds(5),   milliseconds(10),  milliseconds(20),
                                    milliseconds(40),  milliseconds(80),  milliseconds(160),
                                    milliseconds(200), milliseconds(200), milliseconds(300)};

// --- secrets

std::string_view NameIn(auto reference) { return reference.local_object_reference().name(); }

Verdict CheckMirror(const Attributes& request, PodView pod) {
  if (!pod.spec().service_account_name().empty())
    return Refuse(request, "a mirror pod may not reference service accounts");
  if (api::pods::NamesAny(pod, api::pods::Referent::kSecret))
    return Refuse(request, "a mirror pod may not reference secrets");
  const bool no_token = api::pods::EachReference(pod, [](const api::pods::Reference& reference) {
    return reference.referent != api::pods::Referent::kServiceAccount;
  });
  if (!no_token) return Refuse(request, "a mirror pod may not use ServiceAccountToken volume projections");
  return {};
}

// An account may say that its pods use no other secrets than those it names.
bool LimitsSecrets(ServiceAccountView account) {
  const api::Value* const set =
      account.metadata().annotations().Find("kubernetes.io/enforce-mountable-secrets");
  if (!set) return false;
  constexpr std::string_view kTrue[] = {"1", "t", "T", "true", "TRUE", "True"};
  return std::ranges::find(kTrue, set->string()) != std::end(kTrue);
}

using Names = std::set<std::string_view, std::less<>>;

// What is wrong with a container's secrets; empty: nothing.
template <class Container>
std::string ContainerObjection(Container container, std::string_view kind, const Names& allowed,
                               ServiceAccountView account) {
  const auto objection = [&](const std::string& how, std::string_view secret) {
    return std::string(kind) + " " + std::string(container.name()) + " with " + how +
           " referencing secret.secretName=\"" + std::string(secret) +
           "\" is not allowed because service account " + std::string(account.metadata().name()) +
           " does not reference that secret";
  };
  for (const auto variable : container.env()) {
    const auto reference = variable.value_from().secret_key_ref();
    if (reference.node() && !allowed.contains(NameIn(reference)))
      return objection("envVar " + std::string(variable.name()), NameIn(reference));
  }
  for (const auto from : container.env_from())
    if (from.secret_ref().node() && !allowed.contains(NameIn(from.secret_ref())))
      return objection("envFrom", NameIn(from.secret_ref()));
  return {};
}

std::string SecretsObjection(PodSpecView spec, ServiceAccountView account) {
  Names secrets, pull_secrets;
  for (const auto secret : account.secrets()) secrets.insert(secret.name());
  for (const auto secret : account.image_pull_secrets()) pull_secrets.insert(secret.name());
  const std::string because = " is not allowed because service account " +
                              std::string(account.metadata().name()) + " does not reference that ";
  for (const auto volume : spec.volumes()) {
    const auto source = volume.volume_source().secret();
    if (source.node() && !secrets.contains(source.secret_name()))
      return "volume with secret.secretName=\"" + std::string(source.secret_name()) + "\"" + because +
             "secret";
  }
  for (const auto container : spec.init_containers())
    if (auto text = ContainerObjection(container, "init container", secrets, account); !text.empty())
      return text;
  for (const auto container : spec.containers())
    if (auto text = ContainerObjection(container, "container", secrets, account); !text.empty()) return text;
  size_t i = 0;
  for (const auto reference : spec.image_pull_secrets()) {
    if (!pull_secrets.contains(reference.name()))
      return "imagePullSecrets[" + std::to_string(i) + "].name=\"" + std::string(reference.name()) + "\"" +
             because + "imagePullSecret";
    ++i;
  }
  return {};
}

// --- the token

void FillTokenVolume(api::core_v1::VolumeEditor volume, std::string_view name) {
  volume.set_name(name);
  auto projected = volume.mutable_volume_source().mutable_projected();
  auto token = projected.add_sources().mutable_service_account_token();
  token.set_expiration_seconds(kTokenSeconds);
  token.set_path_static("token");
  auto authority = projected.add_sources().mutable_config_map();
  authority.mutable_local_object_reference().set_name_static("kube-root-ca.crt");
  auto key = authority.add_items();
  key.set_key_static("ca.crt");
  key.set_path_static("ca.crt");
  auto item = projected.add_sources().mutable_downward_api().add_items();
  item.set_path_static("namespace");
  item.mutable_field_ref().set_api_version_static("v1");
  item.mutable_field_ref().set_field_path_static("metadata.namespace");
  projected.set_default_mode(kTokenMode);
}

// Each container sees the token at the usual path, unless it has something else there.
void MountToken(PodSpecEditor spec) {
  std::string name;
  for (const auto volume : spec.volumes())
    if (name.empty() && volume.name().starts_with(kVolumePrefix)) name = volume.name();
  const bool has_volume = !name.empty();
  if (!has_volume) name = api::GenerateName(kVolumePrefix);
  bool mounted = false;
  const auto mount = [&](api::core_v1::ContainerEditor container) {
    for (const auto there : container.volume_mounts())
      if (there.mount_path() == kMountPath) return;
    auto added = container.add_volume_mounts();
    added.set_name(name);
    added.set_read_only(true);
    added.set_mount_path_static(kMountPath);
    mounted = true;
  };
  for (auto container : spec.edit_init_containers()) mount(container);
  for (auto container : spec.edit_containers()) mount(container);
  if (mounted && !has_volume) FillTokenVolume(spec.add_volumes(), name);
}

bool WantsToken(PodSpecView spec, ServiceAccountView account) {
  if (spec.has_automount_service_account_token()) return spec.automount_service_account_token();
  return !account.has_automount_service_account_token() || account.automount_service_account_token();
}

}  // namespace

Concern ServiceAccount::ConcernWith(const api::ResourceDesc& resource, std::string_view subresource) const {
  const bool pods = Is(resource, subresource, kPods);
  return {.mutates = pods, .validates = pods || (Is(resource, "", kPods) && subresource == kEphemeral)};
}

base::Task<void> ServiceAccount::PauseOnLoop(milliseconds pause) {
  base::Completion<bool> over;
  base::Executor::Current()->PostAfter(pause, [over] { over.Set(true); });
  co_await over;
}

base::Task<base::Result<api::Doc, api::Status>> ServiceAccount::Find(const Attributes& request,
                                                                     std::string name) const {
  const std::string where = std::string(request.ns) + "/" + name;
  const auto refuse = [&](const std::string& why) {
    return base::Err(Refuse(request, "error looking up service account " + where + ": " + why).error());
  };
  const size_t tries = name == kDefault ? std::size(kPauses) + 1 : 1;
  for (size_t i = 0; i < tries; ++i) {
    if (i > 0) co_await pause_(kPauses[i - 1]);
    auto found = co_await objects_.Get({"", "serviceaccounts"}, std::string(request.ns), name,
                                       client::Fresh::kAbsenceIsSure);
    if (!found) co_return refuse(found.error().message);
    if (*found) co_return **std::move(found);
  }
  co_return refuse(api::NotFound({"", "serviceaccount"}, name).message);
}

base::Task<Verdict> ServiceAccount::Mutate(Attributes request) const {
  if (request.operation != Operation::kCreate) co_return Verdict();
  PodEditor pod(*request.object);
  // Kubelets make these from files, and take any change for an error.
  if (api::pods::IsMirror(pod)) co_return CheckMirror(request, pod);
  auto spec = pod.mutable_spec();
  if (spec.service_account_name().empty()) {
    spec.set_service_account_name_static(kDefault);
    spec.set_service_account_static(kDefault);
  }
  const auto found = CO_TRY(co_await Find(request, std::string(spec.service_account_name())));
  const ServiceAccountView account(found);
  if (WantsToken(spec, account)) MountToken(spec);
  if (spec.image_pull_secrets().empty())
    for (const auto secret : account.image_pull_secrets())
      spec.add_image_pull_secrets().set_name(secret.name());
  co_return Verdict();
}

base::Task<Verdict> ServiceAccount::Validate(Attributes request) const {
  if (!request.object) co_return Verdict();
  const PodView pod(*request.object);
  const bool ephemeral = request.operation == Operation::kUpdate && request.subresource == kEphemeral;
  if (!ephemeral && request.operation != Operation::kCreate) co_return Verdict();
  if (!ephemeral && api::pods::IsMirror(pod)) co_return CheckMirror(request, pod);
  const auto spec = pod.spec();
  if (spec.service_account_name().empty())
    co_return Refuse(request, "no service account specified for pod " + std::string(request.ns) + "/" +
                                  std::string(pod.metadata().name()));
  const auto found = CO_TRY(co_await Find(request, std::string(spec.service_account_name())));
  const ServiceAccountView account(found);
  if (!LimitsSecrets(account)) co_return Verdict();
  if (!ephemeral) {
    const std::string objection = SecretsObjection(spec, account);
    co_return objection.empty() ? Verdict() : Refuse(request, objection);
  }
  Names secrets;
  for (const auto secret : account.secrets()) secrets.insert(secret.name());
  for (const auto container : spec.ephemeral_containers()) {
    const std::string objection =
        ContainerObjection(container.ephemeral_container_common(), "ephemeral container", secrets, account);
    // As upstream, which gives no reason here.
    if (!objection.empty()) co_return base::Err(api::Status{.code = 500, .message = objection});
  }
  co_return Verdict();
}

}  // namespace keelson::admission
