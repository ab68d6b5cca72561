#include "app/feature_gates.h"

#include <algorithm>
#include <optional>

#include "base/go_bool.h"

namespace keelson::app {
namespace {

struct Gate {
  std::string_view name;
  bool by_default;
};
// Those of kube-apiserver v1.36, sorted.
constexpr Gate kGates[] = {
    {"APIResponseCompression", true},
    {"APIServerIdentity", true},
    {"APIServingWithRoutine", false},
    {"AllAlpha", false},
    {"AllBeta", false},
    {"AllowParsingUserUIDFromCertAuth", true},
    {"AllowUnsafeMalformedObjectDeletion", false},
    {"AtomicFIFO", true},
    {"AuthorizePodWebsocketUpgradeCreatePermission", true},
    {"CBORServingAndStorage", false},
    {"CPUManagerPolicyAlphaOptions", false},
    {"CPUManagerPolicyBetaOptions", true},
    {"CRDObservedGenerationTracking", true},
    {"CRIListStreaming", false},
    {"CSIVolumeHealth", false},
    {"ClearingNominatedNodeNameAfterBinding", true},
    {"ClientsAllowCARotation", true},
    {"ClientsAllowCBOR", false},
    {"ClientsAllowTLSCacheGC", true},
    {"ClientsPreferCBOR", false},
    {"CloudControllerManagerWatchBasedRoutesReconciliation", false},
    {"CloudControllerManagerWebhook", false},
    {"ClusterTrustBundle", false},
    {"ClusterTrustBundleProjection", false},
    {"ComponentFlagz", true},
    {"ComponentStatusz", true},
    {"ConcurrentWatchObjectDecode", false},
    {"ConstrainedImpersonation", true},
    {"ContainerCheckpoint", true},
    {"ContainerRestartRules", true},
    {"ContainerStopSignals", false},
    {"ContextualLogging", true},
    {"ControllerManagerReleaseLeaderElectionLockOnExit", false},
    {"CoordinatedLeaderElection", false},
    {"CrossNamespaceVolumeDataSource", false},
    {"DRAConsumableCapacity", true},
    {"DRADeviceBindingConditions", true},
    {"DRADeviceTaintRules", false},
    {"DRADeviceTaints", true},
    {"DRAExtendedResource", true},
    {"DRAListTypeAttributes", false},
    {"DRANodeAllocatableResources", false},
    {"DRAPartitionableDevices", true},
    {"DRAResourceClaimDeviceStatus", true},
    {"DRAResourceClaimGranularStatusAuthorization", true},
    {"DRAResourcePoolStatus", false},
    {"DRASchedulerFilterTimeout", true},
    {"DRAWorkloadResourceClaims", false},
    {"DeclarativeValidationBeta", true},
    {"DeploymentReplicaSetTerminatingReplicas", true},
    {"DetectCacheInconsistency", true},
    {"EnvFiles", true},
    {"EventedPLEG", false},
    {"ExtendWebSocketsToKubelet", true},
    {"GangScheduling", false},
    {"GenericWorkload", false},
    {"GracefulNodeShutdown", true},
    {"GracefulNodeShutdownBasedOnPodPriority", true},
    {"HPAConfigurableTolerance", true},
    {"HPAScaleToZero", false},
    {"HostnameOverride", true},
    {"ImageVolumeWithDigest", false},
    {"InOrderInformersBatchProcess", true},
    {"InPlacePodLevelResourcesVerticalScaling", true},
    {"InPlacePodVerticalScalingExclusiveCPUs", false},
    {"InPlacePodVerticalScalingExclusiveMemory", false},
    {"InPlacePodVerticalScalingInitContainers", true},
    {"KubeletCrashLoopBackOffMax", true},
    {"KubeletEnsureSecretPulledImages", true},
    {"KubeletInUserNamespace", false},
    {"KubeletSeparateDiskGC", true},
    {"KubeletServiceAccountTokenForCredentialProviders", true},
    {"ListFromCacheSnapshot", true},
    {"LocalStorageCapacityIsolationFSQuotaMonitoring", false},
    {"LoggingAlphaOptions", false},
    {"LoggingBetaOptions", true},
    {"ManifestBasedAdmissionControlConfig", false},
    {"MatchLabelKeysInPodTopologySpread", true},
    {"MatchLabelKeysInPodTopologySpreadSelectorMerge", true},
    {"MaxUnavailableStatefulSet", false},
    {"MemoryQoS", false},
    {"MutablePVNodeAffinity", false},
    {"MutablePodResourcesForSuspendedJobs", true},
    {"MutableSchedulingDirectivesForSuspendedJobs", true},
    {"NativeHistograms", false},
    {"NodeDeclaredFeatures", true},
    {"NominatedNodeNameForExpectation", true},
    {"OpenAPIEnums", true},
    {"OpportunisticBatching", true},
    {"PLEGOnDemandRelist", true},
    {"PersistentVolumeClaimUnusedSinceTime", false},
    {"PodAndContainerStatsFromCRI", false},
    {"PodCertificateRequest", false},
    {"PodDeletionCost", true},
    {"PodLevelResourceManagers", false},
    {"PodLevelResources", true},
    {"PodLogsQuerySplitStreams", false},
    {"PodReadyToStartContainersCondition", true},
    {"PodTopologyLabelsAdmission", true},
    {"PodsAPI", false},
    {"PortForwardWebsockets", true},
    {"PreventStaticPodAPIReferences", true},
    {"QOSReserved", false},
    {"ReduceDefaultCrashLoopBackOffDecay", false},
    {"RelaxedServiceNameValidation", true},
    {"ReloadKubeletClientCAFile", true},
    {"ReloadKubeletServerCertificateFile", true},
    {"RemoteRequestHeaderUID", true},
    {"ResourceHealthStatus", true},
    {"ResourceHealthStatusMessage", true},
    {"RestartAllContainersOnContainerExits", true},
    {"RotateKubeletServerCertificate", true},
    {"RuntimeClassInImageCriApi", false},
    {"SELinuxMount", false},
    {"SchedulerAsyncAPICalls", false},
    {"SchedulerAsyncPreemption", true},
    {"SchedulerPopFromBackoffQ", true},
    {"ServiceAccountNodeAudienceRestriction", true},
    {"ShardedListAndWatch", false},
    {"SizeBasedListCostEstimate", true},
    {"StaleControllerConsistencyDaemonSet", true},
    {"StaleControllerConsistencyJob", true},
    {"StaleControllerConsistencyReplicaSet", true},
    {"StaleControllerConsistencyStatefulSet", true},
    {"StatefulSetSemanticRevisionComparison", true},
    {"StorageCapacityScoring", false},
    {"StorageVersionAPI", false},
    {"StorageVersionHash", true},
    {"StorageVersionMigrator", false},
    {"StrictIPCIDRValidation", true},
    {"StructuredAuthenticationConfigurationEgressSelector", true},
    {"StructuredAuthenticationConfigurationJWKSMetrics", true},
    {"TaintTolerationComparisonOperators", false},
    {"TokenRequestServiceAccountUIDValidation", true},
    {"TopologyAwareWorkloadScheduling", false},
    {"TopologyManagerPolicyAlphaOptions", false},
    {"TopologyManagerPolicyBetaOptions", true},
    {"TranslateStreamCloseWebsocketRequests", true},
    {"UnauthenticatedHTTP2DOSMitigation", true},
    {"UnknownVersionInteroperabilityProxy", true},
    {"UnlockWhileProcessingFIFO", true},
    {"UserNamespacesHostNetworkSupport", false},
    {"VolumeLimitScaling", false},
    {"WatchCacheInitializationPostStartHook", true},
    {"WatchList", true},
    {"WatchListClient", true},
    {"WindowsCPUAndMemoryAffinity", false},
    {"WindowsGracefulNodeShutdown", true},
    {"WorkloadAwarePreemption", false},
    {"WorkloadWithJob", false},
};

constexpr std::string_view kCbor = "CBORServingAndStorage";
constexpr std::string_view kComponentPrefix = "kube:";

}  // namespace

base::Result<FeatureGates, std::string> ParseFeatureGates(const std::vector<std::string>& pairs) {
  FeatureGates gates;
  for (std::string_view pair : pairs) {
    if (pair.starts_with(kComponentPrefix)) pair.remove_prefix(kComponentPrefix.size());
    const std::string name(pair.substr(0, pair.find('=')));
    if (name.size() == pair.size()) return base::Err("missing bool value for " + name);
    const std::string text(pair.substr(name.size() + 1));
    const auto value = base::ParseGoBool(text);
    if (!value) return base::Err("invalid value of " + name + "=" + text + ", err: " + value.error());
    const auto gate = std::ranges::lower_bound(kGates, name, {}, &Gate::name);
    if (gate == std::end(kGates) || gate->name != name)
      return base::Err("unrecognized feature gate: " + name);
    if (name == kCbor) {
      gates.cbor = *value;
    } else if (*value != gate->by_default) {
      return base::Err("feature gate " + name +
                       " is known to kube-apiserver but cannot be changed in keelson");
    }
  }
  return gates;
}

}  // namespace keelson::app
