# The core group, v1. docs/design/0020-schema-notation.md tells how to read this.
group core/v1

# What is served.

kind Binding  namespaced
  plural       bindings
  verbs        create

kind ComponentStatus  cluster
  plural       componentstatuses
  short        cs
  verbs        get list
  columns      Name:name Status Message Error

kind ConfigMap  namespaced
  plural       configmaps
  short        cm
  stored       /configmaps  hash qFsyl6wFWjQ=
  columns      Name:name Data Age

kind Endpoints  namespaced
  plural       endpoints
  short        ep
  stored       /services/endpoints  hash fWeeMqaN/OA=
  columns      Name:name Endpoints Age

kind Event  namespaced
  plural       events
  short        ev
  stored       /events  hash r2yiGXH7wu8=
  columns      "Last Seen" Type Reason Object wide(Subobject Source) Message
  columns      wide("First Seen" Count Name:name)
  selectable   involvedObject.kind involvedObject.namespace involvedObject.name involvedObject.uid
  selectable   involvedObject.apiVersion involvedObject.resourceVersion involvedObject.fieldPath
  selectable   reason reportingComponent source type

kind LimitRange  namespaced
  plural       limitranges
  short        limits
  stored       /limitranges  hash EBKMFVe6cwo=
  columns      Name:name "Created At":date

kind Namespace  cluster
  plural       namespaces
  short        ns
  verbs        create delete get list patch update watch
  stored       /namespaces  hash Q3oi5N2YM8M=
  columns      Name:name Status Age
  selectable   status.phase
  subresource  finalize             update
  subresource  status               get patch update

kind Node  cluster
  plural       nodes
  short        no
  stored       /minions  hash XwShjMxG9Fs=
  columns      Name:name Status Roles Age Version
  columns      wide(Internal-IP External-IP OS-Image Kernel-Version Container-Runtime)
  selectable   spec.unschedulable
  subresource  proxy                create delete get patch update  as NodeProxyOptions
  subresource  status               get patch update

kind PersistentVolumeClaim  namespaced
  plural       persistentvolumeclaims
  short        pvc
  stored       /persistentvolumeclaims  hash QWTyNDq0dC4=
  columns      Name:name Status Volume Capacity "Access Modes" StorageClass VolumeAttributesClass
  columns      Age wide(VolumeMode)
  subresource  status               get patch update

kind PersistentVolume  cluster
  plural       persistentvolumes
  short        pv
  stored       /persistentvolumes  hash HN/zwEC+JgM=
  columns      Name:name Capacity "Access Modes" "Reclaim Policy" Status Claim StorageClass
  columns      VolumeAttributesClass Reason Age wide(VolumeMode)
  subresource  status               get patch update

kind Pod  namespaced
  plural       pods
  short        po
  categories   all
  stored       /pods  hash xPOwRZ+Yhw8=
  columns      Name:name Ready Status Restarts Age wide(IP Node "Nominated Node" "Readiness Gates")
  selectable   spec.nodeName spec.restartPolicy spec.schedulerName spec.serviceAccountName
  selectable   spec.hostNetwork status.phase status.podIP status.nominatedNodeName
  selectable   spec.host=spec.nodeName status.podIPs
  subresource  attach               create get  as PodAttachOptions
  subresource  binding              create  as Binding
  subresource  ephemeralcontainers  get patch update
  subresource  eviction             create  as policy/v1.Eviction
  subresource  exec                 create get  as PodExecOptions
  subresource  log                  get
  subresource  portforward          create get  as PodPortForwardOptions
  subresource  proxy                create delete get patch update  as PodProxyOptions
  subresource  resize               get patch update
  subresource  status               get patch update

kind PodTemplate  namespaced
  plural       podtemplates
  stored       /podtemplates  hash LIXB2x4IFpk=
  columns      Name:name Containers Images "Pod Labels"

kind ReplicationController  namespaced
  plural       replicationcontrollers
  short        rc
  categories   all
  stored       /controllers  hash Jond2If31h0=
  columns      Name:name Desired:integer Current:integer Ready:integer Age
  columns      wide(Containers Images Selector)
  selectable   status.replicas
  subresource  scale                get patch update  as autoscaling/v1.Scale
  subresource  status               get patch update

kind ResourceQuota  namespaced
  plural       resourcequotas
  short        quota
  stored       /resourcequotas  hash 8uhSgffRX6w=
  columns      Name:name Request Limit Age
  subresource  status               get patch update

kind Secret  namespaced
  plural       secrets
  stored       /secrets  hash S6u1pOWzb84=
  columns      Name:name Type Data Age
  selectable   type

kind ServiceAccount  namespaced
  plural       serviceaccounts
  short        sa
  stored       /serviceaccounts  hash pbx9ZvyFpBE=
  columns      Name:name Age
  subresource  token                create  as authentication.k8s.io/v1.TokenRequest

kind Service  namespaced
  plural       services
  short        svc
  categories   all
  stored       /services/specs  hash 0/CO1lhkEBI=
  columns      Name:name Type Cluster-IP External-IP "Port(s)" Age wide(Selector)
  selectable   spec.clusterIP spec.type
  subresource  proxy                create delete get patch update  as ServiceProxyOptions
  subresource  status               get patch update

# Values that strings are limited to.

enum AppArmorProfileType  Localhost RuntimeDefault Unconfined
enum AzureDataDiskCachingMode  None ReadOnly ReadWrite
enum AzureDataDiskKind  Dedicated Managed Shared
enum ClaimResourceStatus
    ControllerResizeInProgress ControllerResizeInfeasible NodeResizeInProgress
    NodeResizeInfeasible NodeResizePending
enum DNSPolicy  ClusterFirst ClusterFirstWithHostNet Default None
enum HostPathType  "" BlockDevice CharDevice Directory DirectoryOrCreate File FileOrCreate Socket
enum IPFamily  "" IPv4 IPv6
enum IPFamilyPolicy  PreferDualStack RequireDualStack SingleStack
enum MountPropagationMode  Bidirectional HostToContainer None
enum NamespacePhase  Active Terminating
enum NodeInclusionPolicy  Honor Ignore
enum NodePhase  Pending Running Terminated
enum NodeSelectorOperator  DoesNotExist Exists Gt In Lt NotIn
enum PersistentVolumeAccessMode  ReadOnlyMany ReadWriteMany ReadWriteOnce ReadWriteOncePod
enum PersistentVolumeClaimModifyVolumeStatus  InProgress Infeasible Pending
enum PersistentVolumeClaimPhase  Bound Lost Pending
enum PersistentVolumeMode  Block Filesystem
enum PersistentVolumePhase  Available Bound Failed Pending Released
enum PersistentVolumeReclaimPolicy  Delete Recycle Retain
enum PodFSGroupChangePolicy  Always OnRootMismatch
enum PodPhase  Failed Pending Running Succeeded Unknown
enum PodQOSClass  BestEffort Burstable Guaranteed
enum PreemptionPolicy  Never PreemptLowerPriority
enum ProcMountType  Default Unmasked
enum Protocol  SCTP TCP UDP
enum PullPolicy  Always IfNotPresent Never
enum ResourceQuotaScope
    BestEffort CrossNamespacePodAffinity NotBestEffort NotTerminating PriorityClass Terminating
    VolumeAttributesClass
enum RestartPolicy  Always Never OnFailure
enum ScopeSelectorOperator  DoesNotExist Exists In NotIn
enum SeccompProfileType  Localhost RuntimeDefault Unconfined
enum ServiceAffinity  ClientIP None
enum ServiceExternalTrafficPolicy  Cluster Local
enum ServiceInternalTrafficPolicy  Cluster Local
enum ServiceType  ClusterIP ExternalName LoadBalancer NodePort
enum Signal
    SIGABRT SIGALRM SIGBUS SIGCHLD SIGCLD SIGCONT SIGFPE SIGHUP SIGILL SIGINT SIGIO SIGIOT SIGKILL
    SIGPIPE SIGPOLL SIGPROF SIGPWR SIGQUIT SIGRTMAX SIGRTMAX-1 SIGRTMAX-10 SIGRTMAX-11 SIGRTMAX-12
    SIGRTMAX-13 SIGRTMAX-14 SIGRTMAX-2 SIGRTMAX-3 SIGRTMAX-4 SIGRTMAX-5 SIGRTMAX-6 SIGRTMAX-7
    SIGRTMAX-8 SIGRTMAX-9 SIGRTMIN SIGRTMIN+1 SIGRTMIN+10 SIGRTMIN+11 SIGRTMIN+12 SIGRTMIN+13
    SIGRTMIN+14 SIGRTMIN+15 SIGRTMIN+2 SIGRTMIN+3 SIGRTMIN+4 SIGRTMIN+5 SIGRTMIN+6 SIGRTMIN+7
    SIGRTMIN+8 SIGRTMIN+9 SIGSEGV SIGSTKFLT SIGSTOP SIGSYS SIGTERM SIGTRAP SIGTSTP SIGTTIN SIGTTOU
    SIGURG SIGUSR1 SIGUSR2 SIGVTALRM SIGWINCH SIGXCPU SIGXFSZ
enum SupplementalGroupsPolicy  Merge Strict
enum TaintEffect  NoExecute NoSchedule PreferNoSchedule
enum TerminationMessagePolicy  FallbackToLogsOnError File
enum TolerationOperator  Equal Exists Gt Lt
enum URIScheme  HTTP HTTPS
enum UnsatisfiableConstraintAction  DoNotSchedule ScheduleAnyway

# Objects: types with a kind and an apiVersion.

object Binding
  1  metadata  ObjectMeta
  2  target    ObjectReference  required

object ComponentStatus
  1  metadata    ObjectMeta
  2  conditions  [ComponentCondition]  keyed by type  merge

object ConfigMap
  1  metadata    ObjectMeta
  4  immutable   bool?
  2  data        {string}
  3  binaryData  {bytes}

object Endpoints
  1  metadata  ObjectMeta
  2  subsets   [EndpointSubset]  atomic

object Event
   1  metadata            ObjectMeta        required
   2  involvedObject      ObjectReference   required
   3  reason              string
   4  message             string
   5  source              EventSource
   6  firstTimestamp      time
   7  lastTimestamp       time
   8  count               int32
   9  type                string
  10  eventTime           microtime
  11  series              EventSeries?
  12  action              string
  13  related             ObjectReference?
  14  reportingComponent  string            always
  15  reportingInstance   string            always

object LimitRange
  1  metadata  ObjectMeta
  2  spec      LimitRangeSpec

object List
  1  metadata  ListMeta
  2  items     [raw]     required

object Namespace
  1  metadata  ObjectMeta
  2  spec      NamespaceSpec
  3  status    NamespaceStatus

object Node
  1  metadata  ObjectMeta
  2  spec      NodeSpec
  3  status    NodeStatus

object NodeProxyOptions
  1  path  string

object PersistentVolume
  1  metadata  ObjectMeta
  2  spec      PersistentVolumeSpec
  3  status    PersistentVolumeStatus

object PersistentVolumeClaim
  1  metadata  ObjectMeta
  2  spec      PersistentVolumeClaimSpec
  3  status    PersistentVolumeClaimStatus

object Pod
  1  metadata  ObjectMeta
  2  spec      PodSpec
  3  status    PodStatus

object PodAttachOptions
  1  stdin      bool
  2  stdout     bool
  3  stderr     bool
  4  tty        bool
  5  container  string

object PodExecOptions
  1  stdin      bool
  2  stdout     bool
  3  stderr     bool
  4  tty        bool
  5  container  string
  6  command    [string]  required  atomic

object PodLogOptions
   1  container                     string
   2  follow                        bool
   3  previous                      bool
   4  sinceSeconds                  int64?
   5  sinceTime                     time?
   6  timestamps                    bool
   7  tailLines                     int64?
   8  limitBytes                    int64?
   9  insecureSkipTLSVerifyBackend  bool
  10  stream                        string?

object PodPortForwardOptions
  1  ports  [int32]  atomic

object PodProxyOptions
  1  path  string

object PodStatusResult
  1  metadata  ObjectMeta
  2  status    PodStatus

object PodTemplate
  1  metadata  ObjectMeta
  2  template  PodTemplateSpec

object RangeAllocation
  1  metadata  ObjectMeta
  2  range     string      required
  3  data      bytes       required

object ReplicationController
  1  metadata  ObjectMeta
  2  spec      ReplicationControllerSpec
  3  status    ReplicationControllerStatus

object ResourceQuota
  1  metadata  ObjectMeta
  2  spec      ResourceQuotaSpec
  3  status    ResourceQuotaStatus

object Secret
  1  metadata    ObjectMeta
  5  immutable   bool?
  2  data        {bytes}
  4  stringData  {string}
  3  type        string

object SerializedReference
  1  reference  ObjectReference

object Service
  1  metadata  ObjectMeta
  2  spec      ServiceSpec
  3  status    ServiceStatus

object ServiceAccount
  1  metadata                      ObjectMeta
  2  secrets                       [ObjectReference]       keyed by name  merge
  3  imagePullSecrets              [LocalObjectReference]  atomic
  4  automountServiceAccountToken  bool?

object ServiceProxyOptions
  1  path  string

# What they are made of.

type AWSElasticBlockStoreVolumeSource
  1  volumeID   string  required
  2  fsType     string
  3  partition  int32
  4  readOnly   bool

type Affinity
  1  nodeAffinity     NodeAffinity?
  2  podAffinity      PodAffinity?
  3  podAntiAffinity  PodAntiAffinity?

type AppArmorProfile
  1  type              AppArmorProfileType  required
  2  localhostProfile  string?

type AttachedVolume
  1  name        string  required
  2  devicePath  string  required

type AvoidPods
  1  preferAvoidPods  [PreferAvoidPodsEntry]  atomic

type AzureDiskVolumeSource
  1  diskName     string                     required
  2  diskURI      string                     required
  3  cachingMode  AzureDataDiskCachingMode?  default ReadWrite
  4  fsType       string?                    default ext4
  5  readOnly     bool?                      default false
  6  kind         AzureDataDiskKind?         default Shared

type AzureFilePersistentVolumeSource
  1  secretName       string   required
  2  shareName        string   required
  3  readOnly         bool
  4  secretNamespace  string?  always

type AzureFileVolumeSource
  1  secretName  string  required
  2  shareName   string  required
  3  readOnly    bool

type CSIPersistentVolumeSource
   1  driver                      string            required
   2  volumeHandle                string            required
   3  readOnly                    bool
   4  fsType                      string
   5  volumeAttributes            {string}
   6  controllerPublishSecretRef  SecretReference?
   7  nodeStageSecretRef          SecretReference?
   8  nodePublishSecretRef        SecretReference?
   9  controllerExpandSecretRef   SecretReference?
  10  nodeExpandSecretRef         SecretReference?

type CSIVolumeSource
  1  driver                string                 required
  2  readOnly              bool?
  3  fsType                string?
  4  volumeAttributes      {string}
  5  nodePublishSecretRef  LocalObjectReference?

type Capabilities
  1  add   [string]  atomic
  2  drop  [string]  atomic

type CephFSPersistentVolumeSource
  1  monitors    [string]          required  atomic
  2  path        string
  3  user        string
  4  secretFile  string
  5  secretRef   SecretReference?
  6  readOnly    bool

type CephFSVolumeSource
  1  monitors    [string]               required  atomic
  2  path        string
  3  user        string
  4  secretFile  string
  5  secretRef   LocalObjectReference?
  6  readOnly    bool

type CinderPersistentVolumeSource
  1  volumeID   string            required
  2  fsType     string
  3  readOnly   bool
  4  secretRef  SecretReference?

type CinderVolumeSource
  1  volumeID   string                 required
  2  fsType     string
  3  readOnly   bool
  4  secretRef  LocalObjectReference?

type ClientIPConfig
  1  timeoutSeconds  int32?

type ClusterTrustBundleProjection
  1  name           string?
  2  signerName     string?
  3  labelSelector  LabelSelector?
  5  optional       bool?
  4  path           string          required

type ComponentCondition
  1  type     string  required
  2  status   string  required
  3  message  string
  4  error    string

type ConfigMapEnvSource
  1  inline    LocalObjectReference
  2  optional  bool?

type ConfigMapKeySelector  atomic
  1  inline    LocalObjectReference
  2  key       string                required
  3  optional  bool?

type ConfigMapNodeConfigSource
  1  namespace         string  required
  2  name              string  required
  3  uid               string
  4  resourceVersion   string
  5  kubeletConfigKey  string  required

type ConfigMapProjection
  1  inline    LocalObjectReference
  2  items     [KeyToPath]           atomic
  4  optional  bool?

type ConfigMapVolumeSource
  1  inline       LocalObjectReference
  2  items        [KeyToPath]           atomic
  3  defaultMode  int32?
  4  optional     bool?

type Container
   1  name                      string                    required
   2  image                     string
   3  command                   [string]                  atomic
   4  args                      [string]                  atomic
   5  workingDir                string
   6  ports                     [ContainerPort]           keyed by containerPort protocol  merge
  19  envFrom                   [EnvFromSource]           atomic
   7  env                       [EnvVar]                  keyed by name  merge
   8  resources                 ResourceRequirements
  23  resizePolicy              [ContainerResizePolicy]   atomic
  24  restartPolicy             string?
  25  restartPolicyRules        [ContainerRestartRule]    atomic
   9  volumeMounts              [VolumeMount]             keyed by mountPath  merge
  21  volumeDevices             [VolumeDevice]            keyed by devicePath  merge
  10  livenessProbe             Probe?
  11  readinessProbe            Probe?
  22  startupProbe              Probe?
  12  lifecycle                 Lifecycle?
  13  terminationMessagePath    string
  20  terminationMessagePolicy  TerminationMessagePolicy
  14  imagePullPolicy           PullPolicy
  15  securityContext           SecurityContext?
  16  stdin                     bool
  17  stdinOnce                 bool
  18  tty                       bool

type ContainerExtendedResourceRequest
  1  containerName  string  required
  2  resourceName   string  required
  3  requestName    string  required

type ContainerImage
  1  names      [string]  always  atomic
  2  sizeBytes  int64

type ContainerPort
  1  name           string
  2  hostPort       int32
  3  containerPort  int32     required
  4  protocol       Protocol  default TCP
  5  hostIP         string

type ContainerResizePolicy
  1  resourceName   string  required
  2  restartPolicy  string  required

type ContainerRestartRule
  1  action     string                            required  omit-empty
  2  exitCodes  ContainerRestartRuleOnExitCodes?

type ContainerRestartRuleOnExitCodes
  1  operator  string   required  omit-empty
  2  values    [int32]  set

type ContainerState
  1  waiting     ContainerStateWaiting?
  2  running     ContainerStateRunning?
  3  terminated  ContainerStateTerminated?

type ContainerStateRunning
  1  startedAt  time

type ContainerStateTerminated
  1  exitCode     int32   required
  2  signal       int32
  3  reason       string
  4  message      string
  5  startedAt    time
  6  finishedAt   time
  7  containerID  string

type ContainerStateWaiting
  1  reason   string
  2  message  string

type ContainerStatus
   1  name                      string                 required
   2  state                     ContainerState
   3  lastState                 ContainerState
   4  ready                     bool                   required
   5  restartCount              int32                  required
   6  image                     string                 required
   7  imageID                   string                 required
   8  containerID               string
   9  started                   bool?
  10  allocatedResources        {quantity}
  11  resources                 ResourceRequirements?
  12  volumeMounts              [VolumeMountStatus]    keyed by mountPath  merge
  13  user                      ContainerUser?
  14  allocatedResourcesStatus  [ResourceStatus]       keyed by name  merge
  15  stopSignal                Signal?

type ContainerUser
  1  linux  LinuxContainerUser?

type DaemonEndpoint
  1  Port  int32  required

type DownwardAPIProjection
  1  items  [DownwardAPIVolumeFile]  atomic

type DownwardAPIVolumeFile
  1  path              string                  required
  2  fieldRef          ObjectFieldSelector?
  3  resourceFieldRef  ResourceFieldSelector?
  4  mode              int32?

type DownwardAPIVolumeSource
  1  items        [DownwardAPIVolumeFile]  atomic
  2  defaultMode  int32?

type EmptyDirVolumeSource
  1  medium     string
  2  sizeLimit  quantity?

type EndpointAddress  atomic
  1  ip         string            required
  3  hostname   string
  4  nodeName   string?
  2  targetRef  ObjectReference?

type EndpointPort  atomic
  1  name         string
  2  port         int32     required
  3  protocol     Protocol
  4  appProtocol  string?

type EndpointSubset
  1  addresses          [EndpointAddress]  atomic
  2  notReadyAddresses  [EndpointAddress]  atomic
  3  ports              [EndpointPort]     atomic

type EnvFromSource
  1  prefix        string
  2  configMapRef  ConfigMapEnvSource?
  3  secretRef     SecretEnvSource?

type EnvVar
  1  name       string         required
  2  value      string
  3  valueFrom  EnvVarSource?

type EnvVarSource
  1  fieldRef          ObjectFieldSelector?
  2  resourceFieldRef  ResourceFieldSelector?
  3  configMapKeyRef   ConfigMapKeySelector?
  4  secretKeyRef      SecretKeySelector?
  5  fileKeyRef        FileKeySelector?

type EphemeralContainer
  1  inline               EphemeralContainerCommon
  2  targetContainerName  string

type EphemeralContainerCommon
   1  name                      string                    required
   2  image                     string
   3  command                   [string]                  atomic
   4  args                      [string]                  atomic
   5  workingDir                string
   6  ports                     [ContainerPort]           keyed by containerPort protocol  merge
  19  envFrom                   [EnvFromSource]           atomic
   7  env                       [EnvVar]                  keyed by name  merge
   8  resources                 ResourceRequirements
  23  resizePolicy              [ContainerResizePolicy]   atomic
  24  restartPolicy             string?
  25  restartPolicyRules        [ContainerRestartRule]    atomic
   9  volumeMounts              [VolumeMount]             keyed by mountPath  merge
  21  volumeDevices             [VolumeDevice]            keyed by devicePath  merge
  10  livenessProbe             Probe?
  11  readinessProbe            Probe?
  22  startupProbe              Probe?
  12  lifecycle                 Lifecycle?
  13  terminationMessagePath    string
  20  terminationMessagePolicy  TerminationMessagePolicy
  14  imagePullPolicy           PullPolicy
  15  securityContext           SecurityContext?
  16  stdin                     bool
  17  stdinOnce                 bool
  18  tty                       bool

type EphemeralVolumeSource
  1  volumeClaimTemplate  PersistentVolumeClaimTemplate?

type EventSeries
  1  count             int32
  2  lastObservedTime  microtime

type EventSource
  1  component  string
  2  host       string

type ExecAction
  1  command  [string]  atomic

type FCVolumeSource
  1  targetWWNs  [string]  atomic
  2  lun         int32?
  3  fsType      string
  4  readOnly    bool
  5  wwids       [string]  atomic

type FileKeySelector  atomic
  1  volumeName  string  required
  2  path        string  required
  3  key         string  required
  4  optional    bool?   default false

type FlexPersistentVolumeSource
  1  driver     string            required
  2  fsType     string
  3  secretRef  SecretReference?
  4  readOnly   bool
  5  options    {string}

type FlexVolumeSource
  1  driver     string                 required
  2  fsType     string
  3  secretRef  LocalObjectReference?
  4  readOnly   bool
  5  options    {string}

type FlockerVolumeSource
  1  datasetName  string
  2  datasetUUID  string

type GCEPersistentDiskVolumeSource
  1  pdName     string  required
  2  fsType     string
  3  partition  int32
  4  readOnly   bool

type GRPCAction
  1  port     int32    required
  2  service  string?  always  default ""

type GitRepoVolumeSource
  1  repository  string  required
  2  revision    string
  3  directory   string

type GlusterfsPersistentVolumeSource
  1  endpoints           string   required
  2  path                string   required
  3  readOnly            bool
  4  endpointsNamespace  string?

type GlusterfsVolumeSource
  1  endpoints  string  required
  2  path       string  required
  3  readOnly   bool

type HTTPGetAction
  1  path         string
  2  port         int-or-string  required
  3  host         string
  4  scheme       URIScheme
  5  httpHeaders  [HTTPHeader]   atomic

type HTTPHeader
  1  name   string  required
  2  value  string  required

type HostAlias
  1  ip         string    required
  2  hostnames  [string]  atomic

type HostIP
  1  ip  string  required

type HostPathVolumeSource
  1  path  string         required
  2  type  HostPathType?

type ISCSIPersistentVolumeSource
   1  targetPortal       string            required
   2  iqn                string            required
   3  lun                int32             required
   4  iscsiInterface     string            default default
   5  fsType             string
   6  readOnly           bool
   7  portals            [string]          atomic
   8  chapAuthDiscovery  bool
  11  chapAuthSession    bool
  10  secretRef          SecretReference?
  12  initiatorName      string?

type ISCSIVolumeSource
   1  targetPortal       string                 required
   2  iqn                string                 required
   3  lun                int32                  required
   4  iscsiInterface     string                 default default
   5  fsType             string
   6  readOnly           bool
   7  portals            [string]               atomic
   8  chapAuthDiscovery  bool
  11  chapAuthSession    bool
  10  secretRef          LocalObjectReference?
  12  initiatorName      string?

type ImageVolumeSource
  1  reference   string
  2  pullPolicy  PullPolicy

type ImageVolumeStatus
  1  imageRef  string  required  omit-empty

type KeyToPath
  1  key   string  required
  2  path  string  required
  3  mode  int32?

type Lifecycle
  1  postStart   LifecycleHandler?
  2  preStop     LifecycleHandler?
  3  stopSignal  Signal?

type LifecycleHandler
  1  exec       ExecAction?
  2  httpGet    HTTPGetAction?
  3  tcpSocket  TCPSocketAction?
  4  sleep      SleepAction?

type LimitRangeItem
  1  type                  string      required
  2  max                   {quantity}
  3  min                   {quantity}
  4  default               {quantity}
  5  defaultRequest        {quantity}
  6  maxLimitRequestRatio  {quantity}

type LimitRangeSpec
  1  limits  [LimitRangeItem]  required  atomic

type LinuxContainerUser
  1  uid                 int64    required
  2  gid                 int64    required
  3  supplementalGroups  [int64]  atomic

type LoadBalancerIngress
  1  ip        string
  2  hostname  string
  3  ipMode    string?
  4  ports     [PortStatus]  atomic

type LoadBalancerStatus
  1  ingress  [LoadBalancerIngress]  atomic

type LocalObjectReference  atomic
  1  name  string  default ""

type LocalVolumeSource
  1  path    string   required
  2  fsType  string?

type ModifyVolumeStatus
  1  targetVolumeAttributesClassName  string
  2  status                           PersistentVolumeClaimModifyVolumeStatus  required

type NFSVolumeSource
  1  server    string  required
  2  path      string  required
  3  readOnly  bool

type NamespaceCondition
  1  type                string  required
  2  status              string  required
  4  lastTransitionTime  time
  5  reason              string
  6  message             string

type NamespaceSpec
  1  finalizers  [string]  atomic

type NamespaceStatus
  1  phase       NamespacePhase
  2  conditions  [NamespaceCondition]  keyed by type  merge

type NodeAddress
  1  type     string  required
  2  address  string  required

type NodeAffinity
  1  requiredDuringSchedulingIgnoredDuringExecution   NodeSelector?
  2  preferredDuringSchedulingIgnoredDuringExecution  [PreferredSchedulingTerm]  atomic

type NodeAllocatableResourceClaimStatus
  1  resourceClaimName  string      required
  2  containers         [string]    set
  3  resources          {quantity}  required

type NodeCondition
  1  type                string  required
  2  status              string  required
  3  lastHeartbeatTime   time
  4  lastTransitionTime  time
  5  reason              string
  6  message             string

type NodeConfigSource
  2  configMap  ConfigMapNodeConfigSource?

type NodeConfigStatus
  1  assigned       NodeConfigSource?
  2  active         NodeConfigSource?
  3  lastKnownGood  NodeConfigSource?
  4  error          string

type NodeDaemonEndpoints
  1  kubeletEndpoint  DaemonEndpoint

type NodeFeatures
  1  supplementalGroupsPolicy  bool?

type NodeRuntimeHandler
  1  name      string                       always
  2  features  NodeRuntimeHandlerFeatures?

type NodeRuntimeHandlerFeatures
  1  recursiveReadOnlyMounts  bool?
  2  userNamespaces           bool?

type NodeSelector  atomic
  1  nodeSelectorTerms  [NodeSelectorTerm]  required  atomic

type NodeSelectorRequirement
  1  key       string                required
  2  operator  NodeSelectorOperator  required
  3  values    [string]              atomic

type NodeSelectorTerm  atomic
  1  matchExpressions  [NodeSelectorRequirement]  atomic
  2  matchFields       [NodeSelectorRequirement]  atomic

type NodeSpec
  1  podCIDR        string
  7  podCIDRs       [string]           set  merge
  3  providerID     string
  4  unschedulable  bool
  5  taints         [Taint]            atomic
  6  configSource   NodeConfigSource?
  2  externalID     string

type NodeStatus
   1  capacity          {quantity}
   2  allocatable       {quantity}
   3  phase             NodePhase
   4  conditions        [NodeCondition]       keyed by type  merge
   5  addresses         [NodeAddress]         keyed by type  merge
   6  daemonEndpoints   NodeDaemonEndpoints
   7  nodeInfo          NodeSystemInfo
   8  images            [ContainerImage]      atomic
   9  volumesInUse      [string]              atomic
  10  volumesAttached   [AttachedVolume]      atomic
  11  config            NodeConfigStatus?
  12  runtimeHandlers   [NodeRuntimeHandler]  atomic
  13  features          NodeFeatures?
  14  declaredFeatures  [string]              atomic

type NodeSwapStatus
  1  capacity  int64?

type NodeSystemInfo
   1  machineID                string           required
   2  systemUUID               string           required
   3  bootID                   string           required
   4  kernelVersion            string           required
   5  osImage                  string           required
   6  containerRuntimeVersion  string           required
   7  kubeletVersion           string           required
   8  kubeProxyVersion         string           required
   9  operatingSystem          string           required
  10  architecture             string           required
  11  swap                     NodeSwapStatus?

type ObjectFieldSelector  atomic
  1  apiVersion  string
  2  fieldPath   string  required

type ObjectReference  atomic
  1  kind             string
  2  namespace        string
  3  name             string
  4  uid              string
  5  apiVersion       string
  6  resourceVersion  string
  7  fieldPath        string

type PersistentVolumeClaimCondition
  1  type                string  required
  2  status              string  required
  3  lastProbeTime       time
  4  lastTransitionTime  time
  5  reason              string
  6  message             string

type PersistentVolumeClaimSpec
  1  accessModes                [PersistentVolumeAccessMode]  atomic
  4  selector                   LabelSelector?
  2  resources                  VolumeResourceRequirements
  3  volumeName                 string
  5  storageClassName           string?
  6  volumeMode                 PersistentVolumeMode?
  7  dataSource                 TypedLocalObjectReference?
  8  dataSourceRef              TypedObjectReference?
  9  volumeAttributesClassName  string?

type PersistentVolumeClaimStatus
  1  phase                             PersistentVolumeClaimPhase
  2  accessModes                       [PersistentVolumeAccessMode]      atomic
  3  capacity                          {quantity}
  4  conditions                        [PersistentVolumeClaimCondition]  keyed by type  merge
  5  allocatedResources                {quantity}
  7  allocatedResourceStatuses         {ClaimResourceStatus}             granular
  8  currentVolumeAttributesClassName  string?
  9  modifyVolumeStatus                ModifyVolumeStatus?

type PersistentVolumeClaimTemplate
  1  metadata  ObjectMeta
  2  spec      PersistentVolumeClaimSpec  required

type PersistentVolumeClaimVolumeSource
  1  claimName  string  required
  2  readOnly   bool

type PersistentVolumeSource
   1  gcePersistentDisk     GCEPersistentDiskVolumeSource?
   2  awsElasticBlockStore  AWSElasticBlockStoreVolumeSource?
   3  hostPath              HostPathVolumeSource?
   4  glusterfs             GlusterfsPersistentVolumeSource?
   5  nfs                   NFSVolumeSource?
   6  rbd                   RBDPersistentVolumeSource?
   7  iscsi                 ISCSIPersistentVolumeSource?
   8  cinder                CinderPersistentVolumeSource?
   9  cephfs                CephFSPersistentVolumeSource?
  10  fc                    FCVolumeSource?
  11  flocker               FlockerVolumeSource?
  12  flexVolume            FlexPersistentVolumeSource?
  13  azureFile             AzureFilePersistentVolumeSource?
  14  vsphereVolume         VsphereVirtualDiskVolumeSource?
  15  quobyte               QuobyteVolumeSource?
  16  azureDisk             AzureDiskVolumeSource?
  17  photonPersistentDisk  PhotonPersistentDiskVolumeSource?
  18  portworxVolume        PortworxVolumeSource?
  19  scaleIO               ScaleIOPersistentVolumeSource?
  20  local                 LocalVolumeSource?
  21  storageos             StorageOSPersistentVolumeSource?
  22  csi                   CSIPersistentVolumeSource?

type PersistentVolumeSpec
   1  capacity                       {quantity}
   2  inline                         PersistentVolumeSource
   3  accessModes                    [PersistentVolumeAccessMode]   atomic
   4  claimRef                       ObjectReference?               granular
   5  persistentVolumeReclaimPolicy  PersistentVolumeReclaimPolicy
   6  storageClassName               string
   7  mountOptions                   [string]                       atomic
   8  volumeMode                     PersistentVolumeMode?
   9  nodeAffinity                   VolumeNodeAffinity?
  10  volumeAttributesClassName      string?

type PersistentVolumeStatus
  1  phase                    PersistentVolumePhase
  2  message                  string
  3  reason                   string
  4  lastPhaseTransitionTime  time?

type PhotonPersistentDiskVolumeSource
  1  pdID    string  required
  2  fsType  string

type PodAffinity
  1  requiredDuringSchedulingIgnoredDuringExecution   [PodAffinityTerm]          atomic
  2  preferredDuringSchedulingIgnoredDuringExecution  [WeightedPodAffinityTerm]  atomic

type PodAffinityTerm
  1  labelSelector      LabelSelector?
  2  namespaces         [string]        atomic
  3  topologyKey        string          required
  4  namespaceSelector  LabelSelector?
  5  matchLabelKeys     [string]        atomic
  6  mismatchLabelKeys  [string]        atomic

type PodAntiAffinity
  1  requiredDuringSchedulingIgnoredDuringExecution   [PodAffinityTerm]          atomic
  2  preferredDuringSchedulingIgnoredDuringExecution  [WeightedPodAffinityTerm]  atomic

type PodCertificateProjection
  1  signerName            string    required  omit-empty
  2  keyType               string    required  omit-empty
  3  maxExpirationSeconds  int32?
  4  credentialBundlePath  string
  5  keyPath               string
  6  certificateChainPath  string
  7  userAnnotations       {string}

type PodCondition
  1  type                string  required
  7  observedGeneration  int64
  2  status              string  required
  3  lastProbeTime       time
  4  lastTransitionTime  time
  5  reason              string
  6  message             string

type PodDNSConfig
  1  nameservers  [string]              atomic
  2  searches     [string]              atomic
  3  options      [PodDNSConfigOption]  atomic

type PodDNSConfigOption
  1  name   string
  2  value  string?

type PodExtendedResourceClaimStatus
  1  requestMappings    [ContainerExtendedResourceRequest]  required  atomic
  2  resourceClaimName  string                              required

type PodIP
  1  ip  string  required

type PodOS
  1  name  string  required

type PodReadinessGate
  1  conditionType  string  required

type PodResourceClaim
  1  name                       string   required
  3  resourceClaimName          string?
  4  resourceClaimTemplateName  string?

type PodResourceClaimStatus
  1  name               string   required
  2  resourceClaimName  string?

type PodSchedulingGate
  1  name  string  required

type PodSchedulingGroup
  1  podGroupName  string?

type PodSecurityContext
   1  seLinuxOptions            SELinuxOptions?
   8  windowsOptions            WindowsSecurityContextOptions?
   2  runAsUser                 int64?
   6  runAsGroup                int64?
   3  runAsNonRoot              bool?
   4  supplementalGroups        [int64]                         atomic
  12  supplementalGroupsPolicy  SupplementalGroupsPolicy?
   5  fsGroup                   int64?
   7  sysctls                   [Sysctl]                        atomic
   9  fsGroupChangePolicy       PodFSGroupChangePolicy?
  10  seccompProfile            SeccompProfile?
  11  appArmorProfile           AppArmorProfile?
  13  seLinuxChangePolicy       string?

type PodSignature
  1  podController  OwnerReference?

type PodSpec
   1  volumes                        [Volume]                    keyed by name  merge  retain-keys
  20  initContainers                 [Container]                 keyed by name  merge
   2  containers                     [Container]                 required  keyed by name  merge
  34  ephemeralContainers            [EphemeralContainer]        keyed by name  merge
   3  restartPolicy                  RestartPolicy
   4  terminationGracePeriodSeconds  int64?
   5  activeDeadlineSeconds          int64?
   6  dnsPolicy                      DNSPolicy
   7  nodeSelector                   {string}                    atomic
   8  serviceAccountName             string
   9  serviceAccount                 string
  21  automountServiceAccountToken   bool?
  10  nodeName                       string
  11  hostNetwork                    bool
  12  hostPID                        bool
  13  hostIPC                        bool
  27  shareProcessNamespace          bool?
  14  securityContext                PodSecurityContext?
  15  imagePullSecrets               [LocalObjectReference]      keyed by name  merge
  16  hostname                       string
  17  subdomain                      string
  18  affinity                       Affinity?
  19  schedulerName                  string
  22  tolerations                    [Toleration]                atomic
  23  hostAliases                    [HostAlias]                 keyed by ip  merge
  24  priorityClassName              string
  25  priority                       int32?
  26  dnsConfig                      PodDNSConfig?
  28  readinessGates                 [PodReadinessGate]          atomic
  29  runtimeClassName               string?
  30  enableServiceLinks             bool?
  31  preemptionPolicy               PreemptionPolicy?
  32  overhead                       {quantity}
  33  topologySpreadConstraints      [TopologySpreadConstraint]  keyed by topologyKey whenUnsatisfiable  merge
  35  setHostnameAsFQDN              bool?
  36  os                             PodOS?
  37  hostUsers                      bool?
  38  schedulingGates                [PodSchedulingGate]         keyed by name  merge
  39  resourceClaims                 [PodResourceClaim]          keyed by name  merge  retain-keys
  40  resources                      ResourceRequirements?
  41  hostnameOverride               string?
  43  schedulingGroup                PodSchedulingGroup?

type PodStatus
  17  observedGeneration                    int64
   1  phase                                 PodPhase
   2  conditions                            [PodCondition]                        keyed by type  merge
   3  message                               string
   4  reason                                string
  11  nominatedNodeName                     string
   5  hostIP                                string
  16  hostIPs                               [HostIP]                              atomic  merge by ip
   6  podIP                                 string
  12  podIPs                                [PodIP]                               keyed by ip  merge
   7  startTime                             time?
  10  initContainerStatuses                 [ContainerStatus]                     atomic
   8  containerStatuses                     [ContainerStatus]                     atomic
   9  qosClass                              PodQOSClass
  13  ephemeralContainerStatuses            [ContainerStatus]                     atomic
  14  resize                                string
  15  resourceClaimStatuses                 [PodResourceClaimStatus]              keyed by name  merge  retain-keys
  18  extendedResourceClaimStatus           PodExtendedResourceClaimStatus?
  19  allocatedResources                    {quantity}
  20  resources                             ResourceRequirements?
  21  nodeAllocatableResourceClaimStatuses  [NodeAllocatableResourceClaimStatus]  atomic

type PodTemplateSpec
  1  metadata  ObjectMeta
  2  spec      PodSpec

type PortStatus
  1  port      int32     required
  2  protocol  Protocol  required
  3  error     string?

type PortworxVolumeSource
  1  volumeID  string  required
  2  fsType    string
  3  readOnly  bool

type Preconditions
  1  uid  string?

type PreferAvoidPodsEntry
  1  podSignature  PodSignature  required
  2  evictionTime  time
  3  reason        string
  4  message       string

type PreferredSchedulingTerm
  1  weight      int32             required
  2  preference  NodeSelectorTerm  required

type Probe
  1  inline                         ProbeHandler
  2  initialDelaySeconds            int32
  3  timeoutSeconds                 int32
  4  periodSeconds                  int32
  5  successThreshold               int32
  6  failureThreshold               int32
  7  terminationGracePeriodSeconds  int64?

type ProbeHandler
  1  exec       ExecAction?
  2  httpGet    HTTPGetAction?
  3  tcpSocket  TCPSocketAction?
  4  grpc       GRPCAction?

type ProjectedVolumeSource
  1  sources      [VolumeProjection]  always  atomic
  2  defaultMode  int32?

type QuobyteVolumeSource
  1  registry  string  required
  2  volume    string  required
  3  readOnly  bool
  4  user      string
  5  group     string
  6  tenant    string

type RBDPersistentVolumeSource
  1  monitors   [string]          required  atomic
  2  image      string            required
  3  fsType     string
  4  pool       string            default rbd
  5  user       string            default admin
  6  keyring    string            default /etc/ceph/keyring
  7  secretRef  SecretReference?
  8  readOnly   bool

type RBDVolumeSource
  1  monitors   [string]               required  atomic
  2  image      string                 required
  3  fsType     string
  4  pool       string                 default rbd
  5  user       string                 default admin
  6  keyring    string                 default /etc/ceph/keyring
  7  secretRef  LocalObjectReference?
  8  readOnly   bool

type ReplicationControllerCondition
  1  type                string  required
  2  status              string  required
  3  lastTransitionTime  time
  4  reason              string
  5  message             string

type ReplicationControllerSpec
  1  replicas         int32?            default 1
  4  minReadySeconds  int32             default 0
  2  selector         {string}          atomic
  3  template         PodTemplateSpec?

type ReplicationControllerStatus
  1  replicas              int32                             required
  2  fullyLabeledReplicas  int32
  4  readyReplicas         int32
  5  availableReplicas     int32
  3  observedGeneration    int64
  6  conditions            [ReplicationControllerCondition]  keyed by type  merge

type ResourceClaim
  1  name     string  required
  2  request  string

type ResourceFieldSelector  atomic
  1  containerName  string
  2  resource       string    required
  3  divisor        quantity

type ResourceHealth
  1  resourceID  string   required
  2  health      string
  6  message     string?

type ResourceQuotaSpec
  1  hard           {quantity}
  2  scopes         [ResourceQuotaScope]  atomic
  3  scopeSelector  ScopeSelector?

type ResourceQuotaStatus
  1  hard  {quantity}
  2  used  {quantity}

type ResourceRequirements
  1  limits    {quantity}
  2  requests  {quantity}
  3  claims    [ResourceClaim]  keyed by name

type ResourceStatus
  1  name       string            required
  2  resources  [ResourceHealth]  keyed by resourceID

type SELinuxOptions
  1  user   string
  2  role   string
  3  type   string
  4  level  string

type ScaleIOPersistentVolumeSource
   1  gateway           string            required
   2  system            string            required
   3  secretRef         SecretReference?  required
   4  sslEnabled        bool
   5  protectionDomain  string
   6  storagePool       string
   7  storageMode       string            default ThinProvisioned
   8  volumeName        string
   9  fsType            string            default xfs
  10  readOnly          bool

type ScaleIOVolumeSource
   1  gateway           string                 required
   2  system            string                 required
   3  secretRef         LocalObjectReference?  required
   4  sslEnabled        bool
   5  protectionDomain  string
   6  storagePool       string
   7  storageMode       string                 default ThinProvisioned
   8  volumeName        string
   9  fsType            string                 default xfs
  10  readOnly          bool

type ScopeSelector  atomic
  1  matchExpressions  [ScopedResourceSelectorRequirement]  atomic

type ScopedResourceSelectorRequirement
  1  scopeName  ResourceQuotaScope     required
  2  operator   ScopeSelectorOperator  required
  3  values     [string]               atomic

type SeccompProfile
  1  type              SeccompProfileType  required
  2  localhostProfile  string?

type SecretEnvSource
  1  inline    LocalObjectReference
  2  optional  bool?

type SecretKeySelector  atomic
  1  inline    LocalObjectReference
  2  key       string                required
  3  optional  bool?

type SecretProjection
  1  inline    LocalObjectReference
  2  items     [KeyToPath]           atomic
  4  optional  bool?

type SecretReference  atomic
  1  name       string
  2  namespace  string

type SecretVolumeSource
  1  secretName   string
  2  items        [KeyToPath]  atomic
  3  defaultMode  int32?
  4  optional     bool?

type SecurityContext
   1  capabilities              Capabilities?
   2  privileged                bool?
   3  seLinuxOptions            SELinuxOptions?
  10  windowsOptions            WindowsSecurityContextOptions?
   4  runAsUser                 int64?
   8  runAsGroup                int64?
   5  runAsNonRoot              bool?
   6  readOnlyRootFilesystem    bool?
   7  allowPrivilegeEscalation  bool?
   9  procMount                 ProcMountType?
  11  seccompProfile            SeccompProfile?
  12  appArmorProfile           AppArmorProfile?

type ServiceAccountTokenProjection
  1  audience           string
  2  expirationSeconds  int64?
  3  path               string  required

type ServicePort
  1  name         string
  2  protocol     Protocol       default TCP
  6  appProtocol  string?
  3  port         int32          required
  4  targetPort   int-or-string
  5  nodePort     int32

type ServiceSpec
   1  ports                          [ServicePort]                  keyed by port protocol  merge
   2  selector                       {string}                       atomic
   3  clusterIP                      string
  18  clusterIPs                     [string]                       atomic
   4  type                           ServiceType
   5  externalIPs                    [string]                       atomic
   7  sessionAffinity                ServiceAffinity
   8  loadBalancerIP                 string
   9  loadBalancerSourceRanges       [string]                       atomic
  10  externalName                   string
  11  externalTrafficPolicy          ServiceExternalTrafficPolicy
  12  healthCheckNodePort            int32
  13  publishNotReadyAddresses       bool
  14  sessionAffinityConfig          SessionAffinityConfig?
  19  ipFamilies                     [IPFamily]                     atomic
  17  ipFamilyPolicy                 IPFamilyPolicy?
  20  allocateLoadBalancerNodePorts  bool?
  21  loadBalancerClass              string?
  22  internalTrafficPolicy          ServiceInternalTrafficPolicy?
  23  trafficDistribution            string?

type ServiceStatus
  1  loadBalancer  LoadBalancerStatus
  2  conditions    [Condition]         keyed by type  merge

type SessionAffinityConfig
  1  clientIP  ClientIPConfig?

type SleepAction
  1  seconds  int64  required

type StorageOSPersistentVolumeSource
  1  volumeName       string
  2  volumeNamespace  string
  3  fsType           string
  4  readOnly         bool
  5  secretRef        ObjectReference?

type StorageOSVolumeSource
  1  volumeName       string
  2  volumeNamespace  string
  3  fsType           string
  4  readOnly         bool
  5  secretRef        LocalObjectReference?

type Sysctl
  1  name   string  required
  2  value  string  required

type TCPSocketAction
  1  port  int-or-string  required
  2  host  string

type Taint
  1  key        string       required
  2  value      string
  3  effect     TaintEffect  required
  4  timeAdded  time?

type Toleration
  1  key                string
  2  operator           TolerationOperator
  3  value              string
  4  effect             TaintEffect
  5  tolerationSeconds  int64?

type TopologySelectorLabelRequirement
  1  key     string    required
  2  values  [string]  required  atomic

type TopologySelectorTerm  atomic
  1  matchLabelExpressions  [TopologySelectorLabelRequirement]  atomic

type TopologySpreadConstraint
  1  maxSkew             int32                          required
  2  topologyKey         string                         required
  3  whenUnsatisfiable   UnsatisfiableConstraintAction  required
  4  labelSelector       LabelSelector?
  5  minDomains          int32?
  6  nodeAffinityPolicy  NodeInclusionPolicy?
  7  nodeTaintsPolicy    NodeInclusionPolicy?
  8  matchLabelKeys      [string]                       atomic

type TypedLocalObjectReference  atomic
  1  apiGroup  string?  always
  2  kind      string   required
  3  name      string   required

type TypedObjectReference
  1  apiGroup   string?  always
  2  kind       string   required
  3  name       string   required
  4  namespace  string?

type Volume
  1  name    string        required
  2  inline  VolumeSource

type VolumeDevice
  1  name        string  required
  2  devicePath  string  required

type VolumeMount
  1  name               string                 required
  2  readOnly           bool
  7  recursiveReadOnly  string?
  3  mountPath          string                 required
  4  subPath            string
  5  mountPropagation   MountPropagationMode?
  6  subPathExpr        string

type VolumeMountStatus
  1  name               string         required
  2  mountPath          string         required
  3  readOnly           bool
  4  recursiveReadOnly  string?
  5  volumeStatus       VolumeStatus?

type VolumeNodeAffinity
  1  required  NodeSelector?

type VolumeProjection
  1  secret               SecretProjection?
  2  downwardAPI          DownwardAPIProjection?
  3  configMap            ConfigMapProjection?
  4  serviceAccountToken  ServiceAccountTokenProjection?
  5  clusterTrustBundle   ClusterTrustBundleProjection?
  6  podCertificate       PodCertificateProjection?

type VolumeResourceRequirements
  1  limits    {quantity}
  2  requests  {quantity}

type VolumeSource
   1  hostPath               HostPathVolumeSource?
   2  emptyDir               EmptyDirVolumeSource?
   3  gcePersistentDisk      GCEPersistentDiskVolumeSource?
   4  awsElasticBlockStore   AWSElasticBlockStoreVolumeSource?
   5  gitRepo                GitRepoVolumeSource?
   6  secret                 SecretVolumeSource?
   7  nfs                    NFSVolumeSource?
   8  iscsi                  ISCSIVolumeSource?
   9  glusterfs              GlusterfsVolumeSource?
  10  persistentVolumeClaim  PersistentVolumeClaimVolumeSource?
  11  rbd                    RBDVolumeSource?
  12  flexVolume             FlexVolumeSource?
  13  cinder                 CinderVolumeSource?
  14  cephfs                 CephFSVolumeSource?
  15  flocker                FlockerVolumeSource?
  16  downwardAPI            DownwardAPIVolumeSource?
  17  fc                     FCVolumeSource?
  18  azureFile              AzureFileVolumeSource?
  19  configMap              ConfigMapVolumeSource?
  20  vsphereVolume          VsphereVirtualDiskVolumeSource?
  21  quobyte                QuobyteVolumeSource?
  22  azureDisk              AzureDiskVolumeSource?
  23  photonPersistentDisk   PhotonPersistentDiskVolumeSource?
  26  projected              ProjectedVolumeSource?
  24  portworxVolume         PortworxVolumeSource?
  25  scaleIO                ScaleIOVolumeSource?
  27  storageos              StorageOSVolumeSource?
  28  csi                    CSIVolumeSource?
  29  ephemeral              EphemeralVolumeSource?
  30  image                  ImageVolumeSource?

type VolumeStatus
  1  image  ImageVolumeStatus?

type VsphereVirtualDiskVolumeSource
  1  volumePath         string  required
  2  fsType             string
  3  storagePolicyName  string
  4  storagePolicyID    string

type WeightedPodAffinityTerm
  1  weight           int32            required
  2  podAffinityTerm  PodAffinityTerm  required

type WindowsSecurityContextOptions
  1  gmsaCredentialSpecName  string?
  2  gmsaCredentialSpec      string?
  3  runAsUserName           string?
  4  hostProcess             bool?
