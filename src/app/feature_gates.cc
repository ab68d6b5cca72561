#include "app/feature_gates.h"

#include <algorithm>
#include <map>

#include "base/go_bool.h"

namespace keelson::app {
namespace {

enum class Stage : uint8_t { kAlpha, kBeta, kGa, kDeprecated };

struct Gate {
  std::string_view name;
  Stage stage;
  bool by_default;
  bool locked = false;  // nobody can change it
};
// Those of kube-apiserver v1.36, sorted.
constexpr Gate kGates[] = {
    {"APIResponseCompression", Stage::kBeta, true},
    {"APIServerIdentity", Stage::kBeta, true},
    {"APIServerTracing", Stage::kGa, true, true},
    {"APIServingWithRoutine", Stage::kAlpha, false},
    {"AggregatedDiscoveryRemoveBetaType", Stage::kDeprecated, true, true},
    {"AllAlpha", Stage::kAlpha, false},
    {"AllBeta", Stage::kBeta, false},
    {"AllowDNSOnlyNodeCSR", Stage::kDeprecated, false},
    {"AllowInsecureKubeletCertificateSigningRequests", Stage::kDeprecated, false},
    {"AllowOverwriteTerminationGracePeriodSeconds", Stage::kDeprecated, false, true},
    {"AllowParsingUserUIDFromCertAuth", Stage::kBeta, true},
    {"AllowServiceExternalIPs", Stage::kGa, true},
    {"AllowUnsafeMalformedObjectDeletion", Stage::kAlpha, false},
    {"AnonymousAuthConfigurableEndpoints", Stage::kGa, true, true},
    {"AnyVolumeDataSource", Stage::kGa, true, true},
    {"AtomicFIFO", Stage::kBeta, true},
    {"AuthorizeNodeWithSelectors", Stage::kGa, true, true},
    {"AuthorizePodWebsocketUpgradeCreatePermission", Stage::kBeta, true},
    {"AuthorizeWithSelectors", Stage::kGa, true, true},
    {"BtreeWatchCache", Stage::kGa, true, true},
    {"CBORServingAndStorage", Stage::kAlpha, false},
    {"CPUManagerPolicyAlphaOptions", Stage::kAlpha, false},
    {"CPUManagerPolicyBetaOptions", Stage::kBeta, true},
    {"CPUManagerPolicyOptions", Stage::kGa, true, true},
    {"CRDObservedGenerationTracking", Stage::kBeta, true},
    {"CRDValidationRatcheting", Stage::kGa, true, true},
    {"CRIListStreaming", Stage::kAlpha, false},
    {"CSIServiceAccountTokenSecrets", Stage::kGa, true, true},
    {"CSIVolumeHealth", Stage::kAlpha, false},
    {"ChangeContainerStatusOnKubeletRestart", Stage::kDeprecated, false},
    {"ClearingNominatedNodeNameAfterBinding", Stage::kBeta, true},
    {"ClientsAllowCARotation", Stage::kBeta, true},
    {"ClientsAllowCBOR", Stage::kAlpha, false},
    {"ClientsAllowTLSCacheGC", Stage::kBeta, true},
    {"ClientsPreferCBOR", Stage::kAlpha, false},
    {"CloudControllerManagerWatchBasedRoutesReconciliation", Stage::kAlpha, false},
    {"CloudControllerManagerWebhook", Stage::kAlpha, false},
    {"ClusterTrustBundle", Stage::kBeta, false},
    {"ClusterTrustBundleProjection", Stage::kBeta, false},
    {"ComponentFlagz", Stage::kBeta, true},
    {"ComponentStatusz", Stage::kBeta, true},
    {"ConcurrentWatchObjectDecode", Stage::kBeta, false},
    {"ConsistentListFromCache", Stage::kGa, true, true},
    {"ConstrainedImpersonation", Stage::kBeta, true},
    {"ContainerCheckpoint", Stage::kBeta, true},
    {"ContainerRestartRules", Stage::kBeta, true},
    {"ContainerStopSignals", Stage::kAlpha, false},
    {"ContextualLogging", Stage::kBeta, true},
    {"ControllerManagerReleaseLeaderElectionLockOnExit", Stage::kAlpha, false},
    {"CoordinatedLeaderElection", Stage::kBeta, false},
    {"CrossNamespaceVolumeDataSource", Stage::kAlpha, false},
    {"CustomCPUCFSQuotaPeriod", Stage::kGa, true},
    {"CustomResourceFieldSelectors", Stage::kGa, true, true},
    {"DRAAdminAccess", Stage::kGa, true, true},
    {"DRAConsumableCapacity", Stage::kBeta, true},
    {"DRADeviceBindingConditions", Stage::kBeta, true},
    {"DRADeviceTaintRules", Stage::kBeta, false},
    {"DRADeviceTaints", Stage::kBeta, true},
    {"DRAExtendedResource", Stage::kBeta, true},
    {"DRAListTypeAttributes", Stage::kAlpha, false},
    {"DRANodeAllocatableResources", Stage::kAlpha, false},
    {"DRAPartitionableDevices", Stage::kBeta, true},
    {"DRAPrioritizedList", Stage::kGa, true},
    {"DRAResourceClaimDeviceStatus", Stage::kBeta, true},
    {"DRAResourceClaimGranularStatusAuthorization", Stage::kBeta, true},
    {"DRAResourcePoolStatus", Stage::kAlpha, false},
    {"DRASchedulerFilterTimeout", Stage::kBeta, true},
    {"DRAWorkloadResourceClaims", Stage::kAlpha, false},
    {"DeclarativeValidation", Stage::kGa, true, true},
    {"DeclarativeValidationBeta", Stage::kBeta, true},
    {"DeclarativeValidationTakeover", Stage::kDeprecated, false},
    {"DeploymentReplicaSetTerminatingReplicas", Stage::kBeta, true},
    {"DetectCacheInconsistency", Stage::kBeta, true},
    {"DisableAllocatorDualWrite", Stage::kGa, true, true},
    {"DisableCPUQuotaWithExclusiveCPUs", Stage::kDeprecated, true},
    {"DisableNodeKubeProxyVersion", Stage::kDeprecated, true, true},
    {"DynamicResourceAllocation", Stage::kGa, true, true},
    {"EnvFiles", Stage::kBeta, true},
    {"EventedPLEG", Stage::kAlpha, false},
    {"ExecProbeTimeout", Stage::kGa, true, true},
    {"ExtendWebSocketsToKubelet", Stage::kBeta, true},
    {"ExternalServiceAccountTokenSigner", Stage::kGa, true, true},
    {"GangScheduling", Stage::kAlpha, false},
    {"GenericWorkload", Stage::kAlpha, false},
    {"GitRepoVolumeDriver", Stage::kDeprecated, false, true},
    {"GracefulNodeShutdown", Stage::kBeta, true},
    {"GracefulNodeShutdownBasedOnPodPriority", Stage::kBeta, true},
    {"HPAConfigurableTolerance", Stage::kBeta, true},
    {"HPAScaleToZero", Stage::kAlpha, false},
    {"HostnameOverride", Stage::kBeta, true},
    {"ImageMaximumGCAge", Stage::kGa, true, true},
    {"ImageVolume", Stage::kGa, true, true},
    {"ImageVolumeWithDigest", Stage::kAlpha, false},
    {"InOrderInformers", Stage::kGa, true, true},
    {"InOrderInformersBatchProcess", Stage::kBeta, true},
    {"InPlacePodLevelResourcesVerticalScaling", Stage::kBeta, true},
    {"InPlacePodVerticalScaling", Stage::kGa, true, true},
    {"InPlacePodVerticalScalingExclusiveCPUs", Stage::kAlpha, false},
    {"InPlacePodVerticalScalingExclusiveMemory", Stage::kAlpha, false},
    {"InPlacePodVerticalScalingInitContainers", Stage::kBeta, true},
    {"InformerResourceVersion", Stage::kGa, true},
    {"JobBackoffLimitPerIndex", Stage::kGa, true, true},
    {"JobManagedBy", Stage::kGa, true, true},
    {"JobPodReplacementPolicy", Stage::kGa, true, true},
    {"JobSuccessPolicy", Stage::kGa, true, true},
    {"KMSv1", Stage::kDeprecated, false},
    {"KubeletCgroupDriverFromCRI", Stage::kGa, true, true},
    {"KubeletCrashLoopBackOffMax", Stage::kBeta, true},
    {"KubeletEnsureSecretPulledImages", Stage::kBeta, true},
    {"KubeletFineGrainedAuthz", Stage::kGa, true, true},
    {"KubeletInUserNamespace", Stage::kAlpha, false},
    {"KubeletPSI", Stage::kGa, true, true},
    {"KubeletPodResourcesDynamicResources", Stage::kGa, true, true},
    {"KubeletPodResourcesGet", Stage::kGa, true, true},
    {"KubeletPodResourcesListUseActivePods", Stage::kDeprecated, true},
    {"KubeletRegistrationGetOnExistsOnly", Stage::kDeprecated, false},
    {"KubeletSeparateDiskGC", Stage::kBeta, true},
    {"KubeletServiceAccountTokenForCredentialProviders", Stage::kBeta, true},
    {"KubeletTracing", Stage::kGa, true, true},
    {"ListFromCacheSnapshot", Stage::kBeta, true},
    {"LocalStorageCapacityIsolationFSQuotaMonitoring", Stage::kBeta, false},
    {"LogarithmicScaleDown", Stage::kGa, true, true},
    {"LoggingAlphaOptions", Stage::kAlpha, false},
    {"LoggingBetaOptions", Stage::kBeta, true},
    {"ManifestBasedAdmissionControlConfig", Stage::kAlpha, false},
    {"MatchLabelKeysInPodAffinity", Stage::kGa, true, true},
    {"MatchLabelKeysInPodTopologySpread", Stage::kBeta, true},
    {"MatchLabelKeysInPodTopologySpreadSelectorMerge", Stage::kBeta, true},
    {"MaxUnavailableStatefulSet", Stage::kBeta, false},
    {"MemoryQoS", Stage::kAlpha, false},
    {"MultiCIDRServiceAllocator", Stage::kGa, true, true},
    {"MutableCSINodeAllocatableCount", Stage::kGa, true, true},
    {"MutablePVNodeAffinity", Stage::kAlpha, false},
    {"MutablePodResourcesForSuspendedJobs", Stage::kBeta, true},
    {"MutableSchedulingDirectivesForSuspendedJobs", Stage::kBeta, true},
    {"MutatingAdmissionPolicy", Stage::kGa, true},
    {"NFTablesProxyMode", Stage::kGa, true, true},
    {"NativeHistograms", Stage::kAlpha, false},
    {"NodeDeclaredFeatures", Stage::kBeta, true},
    {"NodeInclusionPolicyInPodTopologySpread", Stage::kGa, true, true},
    {"NodeLogQuery", Stage::kGa, true, true},
    {"NodeSwap", Stage::kGa, true, true},
    {"NominatedNodeNameForExpectation", Stage::kBeta, true},
    {"OpenAPIEnums", Stage::kBeta, true},
    {"OpportunisticBatching", Stage::kBeta, true},
    {"OrderedNamespaceDeletion", Stage::kGa, true, true},
    {"PLEGOnDemandRelist", Stage::kBeta, true},
    {"PersistentVolumeClaimUnusedSinceTime", Stage::kAlpha, false},
    {"PodAndContainerStatsFromCRI", Stage::kAlpha, false},
    {"PodCertificateRequest", Stage::kBeta, false},
    {"PodDeletionCost", Stage::kBeta, true},
    {"PodLevelResourceManagers", Stage::kAlpha, false},
    {"PodLevelResources", Stage::kBeta, true},
    {"PodLifecycleSleepAction", Stage::kGa, true, true},
    {"PodLifecycleSleepActionAllowZero", Stage::kGa, true, true},
    {"PodLogsQuerySplitStreams", Stage::kAlpha, false},
    {"PodObservedGenerationTracking", Stage::kGa, true, true},
    {"PodReadyToStartContainersCondition", Stage::kBeta, true},
    {"PodSchedulingReadiness", Stage::kGa, true, true},
    {"PodTopologyLabelsAdmission", Stage::kBeta, true},
    {"PodsAPI", Stage::kAlpha, false},
    {"PortForwardWebsockets", Stage::kBeta, true},
    {"PreferSameTrafficDistribution", Stage::kGa, true, true},
    {"PreventStaticPodAPIReferences", Stage::kBeta, true},
    {"ProcMountType", Stage::kGa, true, true},
    {"QOSReserved", Stage::kAlpha, false},
    {"RecoverVolumeExpansionFailure", Stage::kGa, true, true},
    {"RecursiveReadOnlyMounts", Stage::kGa, true, true},
    {"ReduceDefaultCrashLoopBackOffDecay", Stage::kAlpha, false},
    {"RelaxedDNSSearchValidation", Stage::kGa, true, true},
    {"RelaxedEnvironmentVariableValidation", Stage::kGa, true, true},
    {"RelaxedServiceNameValidation", Stage::kBeta, true},
    {"ReloadKubeletClientCAFile", Stage::kBeta, true},
    {"ReloadKubeletServerCertificateFile", Stage::kBeta, true},
    {"RemoteRequestHeaderUID", Stage::kBeta, true},
    {"ResilientWatchCacheInitialization", Stage::kGa, true, true},
    {"ResourceHealthStatus", Stage::kBeta, true},
    {"ResourceHealthStatusMessage", Stage::kBeta, true},
    {"RestartAllContainersOnContainerExits", Stage::kBeta, true},
    {"RetryGenerateName", Stage::kGa, true, true},
    {"RotateKubeletServerCertificate", Stage::kBeta, true},
    {"RuntimeClassInImageCriApi", Stage::kAlpha, false},
    {"SELinuxChangePolicy", Stage::kGa, true, true},
    {"SELinuxMount", Stage::kBeta, false},
    {"SELinuxMountReadWriteOncePod", Stage::kGa, true, true},
    {"SchedulerAsyncAPICalls", Stage::kBeta, false},
    {"SchedulerAsyncPreemption", Stage::kBeta, true},
    {"SchedulerPopFromBackoffQ", Stage::kBeta, true},
    {"SchedulerQueueingHints", Stage::kGa, true, true},
    {"SeparateCacheWatchRPC", Stage::kDeprecated, false, true},
    {"SeparateTaintEvictionController", Stage::kGa, true, true},
    {"ServiceAccountNodeAudienceRestriction", Stage::kBeta, true},
    {"ServiceAccountTokenJTI", Stage::kGa, true, true},
    {"ServiceAccountTokenNodeBinding", Stage::kGa, true, true},
    {"ServiceAccountTokenNodeBindingValidation", Stage::kGa, true, true},
    {"ServiceAccountTokenPodNodeInfo", Stage::kGa, true, true},
    {"ServiceCIDRStatusFieldWiping", Stage::kDeprecated, true},
    {"ShardedListAndWatch", Stage::kAlpha, false},
    {"SidecarContainers", Stage::kGa, true, true},
    {"SizeBasedListCostEstimate", Stage::kBeta, true},
    {"StaleControllerConsistencyDaemonSet", Stage::kBeta, true},
    {"StaleControllerConsistencyJob", Stage::kBeta, true},
    {"StaleControllerConsistencyReplicaSet", Stage::kBeta, true},
    {"StaleControllerConsistencyStatefulSet", Stage::kBeta, true},
    {"StatefulSetSemanticRevisionComparison", Stage::kBeta, true},
    {"StorageCapacityScoring", Stage::kAlpha, false},
    {"StorageNamespaceIndex", Stage::kDeprecated, true},
    {"StorageVersionAPI", Stage::kAlpha, false},
    {"StorageVersionHash", Stage::kBeta, true},
    {"StorageVersionMigrator", Stage::kBeta, false},
    {"StreamingCollectionEncodingToJSON", Stage::kGa, true, true},
    {"StreamingCollectionEncodingToProtobuf", Stage::kGa, true, true},
    {"StrictIPCIDRValidation", Stage::kBeta, true},
    {"StructuredAuthenticationConfiguration", Stage::kGa, true, true},
    {"StructuredAuthenticationConfigurationEgressSelector", Stage::kBeta, true},
    {"StructuredAuthenticationConfigurationJWKSMetrics", Stage::kBeta, true},
    {"SupplementalGroupsPolicy", Stage::kGa, true, true},
    {"SystemdWatchdog", Stage::kGa, true, true},
    {"TaintTolerationComparisonOperators", Stage::kAlpha, false},
    {"TokenRequestServiceAccountUIDValidation", Stage::kBeta, true},
    {"TopologyAwareWorkloadScheduling", Stage::kAlpha, false},
    {"TopologyManagerPolicyAlphaOptions", Stage::kAlpha, false},
    {"TopologyManagerPolicyBetaOptions", Stage::kBeta, true},
    {"TopologyManagerPolicyOptions", Stage::kGa, true, true},
    {"TranslateStreamCloseWebsocketRequests", Stage::kBeta, true},
    {"UnauthenticatedHTTP2DOSMitigation", Stage::kBeta, true},
    {"UnknownVersionInteroperabilityProxy", Stage::kBeta, true},
    {"UnlockWhileProcessingFIFO", Stage::kBeta, true},
    {"UserNamespacesHostNetworkSupport", Stage::kAlpha, false},
    {"UserNamespacesSupport", Stage::kGa, true, true},
    {"VolumeAttributesClass", Stage::kGa, true, true},
    {"VolumeLimitScaling", Stage::kAlpha, false},
    {"WatchCacheInitializationPostStartHook", Stage::kBeta, true},
    {"WatchList", Stage::kBeta, true},
    {"WatchListClient", Stage::kBeta, true},
    {"WinDSR", Stage::kGa, true, true},
    {"WinOverlay", Stage::kGa, true, true},
    {"WindowsCPUAndMemoryAffinity", Stage::kAlpha, false},
    {"WindowsGracefulNodeShutdown", Stage::kBeta, true},
    {"WindowsHostNetwork", Stage::kDeprecated, false},
    {"WorkloadAwarePreemption", Stage::kAlpha, false},
    {"WorkloadWithJob", Stage::kAlpha, false},
};

constexpr std::string_view kAllAlpha = "AllAlpha", kAllBeta = "AllBeta";
constexpr std::string_view kComponentPrefix = "kube:";

// Those that Keelson can be with and without. Sorted.
constexpr std::string_view kSwitchable[] = {
    "CBORServingAndStorage",
    "ClusterTrustBundle",
    "ComponentFlagz",
    "ComponentStatusz",
    "DRADeviceTaintRules",
    "DRAResourcePoolStatus",
    "DRAWorkloadResourceClaims",
    "ExtendWebSocketsToKubelet",
    "GangScheduling",
    "GenericWorkload",
    "LoggingAlphaOptions",
    "LoggingBetaOptions",
    "PodCertificateRequest",
    "StorageVersionMigrator",
    "TopologyAwareWorkloadScheduling",
    "UnknownVersionInteroperabilityProxy",
    "WorkloadAwarePreemption",
    "WorkloadWithJob",
};

// A gate that has no effect unless another gate is on.
struct Dependency {
  std::string_view gate, needs;
};
constexpr Dependency kDependencies[] = {
    {"DRAWorkloadResourceClaims", "GenericWorkload"},
    {"GangScheduling", "GenericWorkload"},
    {"TopologyAwareWorkloadScheduling", "GenericWorkload"},
    {"WorkloadAwarePreemption", "GangScheduling"},
    {"WorkloadWithJob", "GenericWorkload"},
};

struct GatedResource {
  std::string_view group, version, plural, gate;
};
constexpr GatedResource kGated[] = {
    {"certificates.k8s.io", "v1beta1", "clustertrustbundles", "ClusterTrustBundle"},
    {"certificates.k8s.io", "v1alpha1", "clustertrustbundles", "ClusterTrustBundle"},
    {"certificates.k8s.io", "v1beta1", "podcertificaterequests", "PodCertificateRequest"},
    {"scheduling.k8s.io", "v1alpha2", "podgroups", "GenericWorkload"},
    {"scheduling.k8s.io", "v1alpha2", "workloads", "GenericWorkload"},
    {"storagemigration.k8s.io", "v1beta1", "storageversionmigrations", "StorageVersionMigrator"},
};

// Null: there is none.
const Gate* FindGate(std::string_view name) {
  const auto gate = std::ranges::lower_bound(kGates, name, {}, &Gate::name);
  return gate != std::end(kGates) && gate->name == name ? gate : nullptr;
}

bool IsSwitchable(const Gate& gate) { return std::ranges::binary_search(kSwitchable, gate.name); }

// By name, as they were given.
using Given = std::map<std::string, bool, std::less<>>;

base::Result<Given, std::string> Read(const std::vector<std::string>& pairs) {
  Given given;
  for (std::string_view pair : pairs) {
    if (pair.starts_with(kComponentPrefix)) pair.remove_prefix(kComponentPrefix.size());
    const std::string name(pair.substr(0, pair.find('=')));
    if (name.size() == pair.size()) return base::Err("missing bool value for " + name);
    const std::string text(pair.substr(name.size() + 1));
    const auto value = base::ParseGoBool(text);
    if (!value) return base::Err("invalid value of " + name + "=" + text + ", err: " + value.error());
    given[name] = *value;
  }
  return given;
}

std::string Text(bool value) { return value ? "true" : "false"; }

// The gates of `stage` that are not given by their own names are to be `value`: which of them are changed by
// that. The error names those that cannot be.
base::Result<std::vector<std::string_view>, std::string> ChangedBy(std::string_view all, Stage stage,
                                                                   bool value, const Given& given) {
  std::vector<std::string_view> changed;
  std::string fixed;
  for (const Gate& gate : kGates) {
    if (gate.stage != stage || gate.by_default == value || gate.name == kAllAlpha || gate.name == kAllBeta ||
        given.contains(gate.name))
      continue;
    if (IsSwitchable(gate))
      changed.push_back(gate.name);
    else
      fixed.append(fixed.empty() ? "" : ", ").append(gate.name);
  }
  if (!fixed.empty())
    return base::Err("feature gate " + std::string(all) + "=" + Text(value) +
                     " is not possible in keelson, which cannot change " + fixed);
  return changed;
}

}  // namespace

base::Result<FeatureGates, std::string> FeatureGates::Parse(const std::vector<std::string>& pairs) {
  const Given given = TRY(Read(pairs));
  FeatureGates gates;
  for (const auto& [name, value] : given) {
    const Gate* const gate = FindGate(name);
    if (!gate) return base::Err("unrecognized feature gate: " + name);
    if (name == kAllAlpha || name == kAllBeta) {
      const auto changed =
          TRY(ChangedBy(name, name == kAllAlpha ? Stage::kAlpha : Stage::kBeta, value, given));
      gates.changed_.insert(changed.begin(), changed.end());
      if (value) gates.changed_.insert(name);
      continue;
    }
    if (value != gate->by_default) {
      if (gate->locked)
        return base::Err("cannot set feature gate " + name + " to " + Text(value) +
                         ", feature is locked to " + Text(gate->by_default));
      if (!IsSwitchable(*gate))
        return base::Err(
            "feature gate " + name +
            " is known to kube-apiserver but cannot be changed in keelson; leave it out, or say " + name +
            "=" + Text(gate->by_default));
      gates.changed_.insert(name);
    }
    if (gate->stage == Stage::kGa || gate->stage == Stage::kDeprecated)
      gates.warnings_.push_back("setting " + std::string(gate->stage == Stage::kGa ? "GA" : "deprecated") +
                                " feature gate " + name + "=" + Text(value) +
                                ". It will be removed in a future release.");
  }
  for (const Dependency& dependency : kDependencies)
    if (gates.Enabled(dependency.gate) && !gates.Enabled(dependency.needs))
      return base::Err(std::string(dependency.gate) +
                       " is enabled, but depends on features that are disabled: [" +
                       std::string(dependency.needs) + "]");
  return gates;
}

bool FeatureGates::Enabled(std::string_view name) const {
  const Gate* const gate = FindGate(name);
  return gate && gate->by_default != changed_.contains(name);
}

void FeatureGates::ForEach(const std::function<void(std::string_view, std::string_view, bool)>& tell) const {
  constexpr std::string_view kStageNames[] = {"ALPHA", "BETA", "", "DEPRECATED"};
  for (const Gate& gate : kGates)
    tell(gate.name, kStageNames[static_cast<size_t>(gate.stage)],
         gate.by_default != changed_.contains(gate.name));
}

registry::Features FeaturesOf(const FeatureGates& gates) {
  return {.dra_workload_resource_claims = gates.Enabled("DRAWorkloadResourceClaims"),
          .extend_web_sockets_to_kubelet = gates.Enabled("ExtendWebSocketsToKubelet"),
          .generic_workload = gates.Enabled("GenericWorkload"),
          .pod_certificate_request = gates.Enabled("PodCertificateRequest"),
          .topology_aware_workload_scheduling = gates.Enabled("TopologyAwareWorkloadScheduling"),
          .workload_aware_preemption = gates.Enabled("WorkloadAwarePreemption")};
}

std::string_view GateOf(std::string_view group, std::string_view version, std::string_view plural) {
  for (const GatedResource& gated : kGated)
    if (gated.group == group && gated.version == version && gated.plural == plural) return gated.gate;
  return {};
}

}  // namespace keelson::app
