// The API objects that a pod refers to: the only place that knows where a pod can name a secret, a config
// map, a claim and so on. A test compares it with the schema, so that a new field cannot be forgotten.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "api/generated/core_v1.h"

namespace keelson::api::pods {

enum class Referent : uint8_t {
  kServiceAccount,
  kSecret,
  kConfigMap,
  kPersistentVolumeClaim,
  kResourceClaim,
  kClusterTrustBundle,
  kPodCertificate,  // named by its signer
  kCsiDriver,
  kEndpoints,
};

enum class Place : uint8_t {
  kSpec,        // the pod itself: serviceAccountName, imagePullSecrets, resourceClaims
  kContainer,   // env and envFrom of any container
  kVolume,      // a source of a volume
  kProjection,  // a source of a projected volume
  kStatus,      // known to the scheduler only: the claim for extended resources
};

struct Reference {
  Referent referent = Referent::kSecret;
  Place place = Place::kSpec;
  // Borrowed until the visit returns. Empty: the client gave none, the object is made from a template and
  // its name is not known yet, or trust bundles are chosen by their signer.
  std::string_view name;
};

// False ends the walk.
using VisitReference = std::function<bool(const Reference&)>;

// Visits the pod itself, its containers (init, regular, ephemeral), its volumes, its claims, its status. A
// pod without a service account has no reference to one. All objects are in the pod's namespace, if they are
// in any. The claim of an ephemeral volume has the name that its controller gives it. False: a visit ended
// the walk.
bool EachReference(core_v1::PodView pod, const VisitReference& visit);

// Whether the pod names a `referent` anywhere.
bool NamesAny(core_v1::PodView pod, Referent referent);

}  // namespace keelson::api::pods
