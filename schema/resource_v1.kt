# The resource.k8s.io group, v1. docs/design/0020-schema-notation.md tells how to read this.
group resource.k8s.io/v1

# What is served.

kind DeviceClass  cluster
  plural       deviceclasses
  stored       /deviceclasses  hash Yk2PTc1Ybxk=
  columns      Name:name Age

kind ResourceClaim  namespaced
  plural       resourceclaims
  stored       /resourceclaims  hash wgAZaHcZxUg=
  columns      Name:name State Age
  subresource  status               get patch update

kind ResourceClaimTemplate  namespaced
  plural       resourceclaimtemplates
  stored       /resourceclaimtemplates  hash TuzjC49aUfM=
  columns      Name:name Age

kind ResourceSlice  cluster
  plural       resourceslices
  stored       /resourceslices  hash KsC072WgaEY=
  columns      Name:name Node Driver Pool Age
  selectable   spec.nodeName spec.driver

# Values that strings are limited to.

enum AllocationConfigSource  FromClaim FromClass
enum DeviceAllocationMode  All ExactCount
enum DeviceTaintEffect  NoExecute NoSchedule None
enum DeviceTolerationOperator  Equal Exists

# Objects: types with a kind and an apiVersion.

object DeviceClass
  1  metadata  ObjectMeta
  2  spec      DeviceClassSpec  required

object ResourceClaim
  1  metadata  ObjectMeta
  2  spec      ResourceClaimSpec    required
  3  status    ResourceClaimStatus

object ResourceClaimTemplate
  1  metadata  ObjectMeta
  2  spec      ResourceClaimTemplateSpec  required

object ResourceSlice
  1  metadata  ObjectMeta
  2  spec      ResourceSliceSpec  required

# What they are made of.

type AllocatedDeviceStatus
  1  driver       string              required
  2  pool         string              required
  3  device       string              required
  7  shareID      string?
  4  conditions   [Condition]         always  keyed by type
  5  data         raw?
  6  networkData  NetworkDeviceData?

type AllocationResult
  1  devices              DeviceAllocationResult
  3  nodeSelector         core_v1.NodeSelector?
  5  allocationTimestamp  time?

type CELDeviceSelector
  1  expression  string  required

type CapacityRequestPolicy
  1  default      quantity?                    always
  3  validValues  [quantity]                   atomic
  4  validRange   CapacityRequestPolicyRange?

type CapacityRequestPolicyRange
  1  min   quantity?  required  omit-empty
  2  max   quantity?
  3  step  quantity?

type CapacityRequirements
  1  requests  {quantity}

type Counter
  1  value  quantity  required

type CounterSet
  1  name      string     required
  2  counters  {Counter}  required  omit-empty

type Device
   1  name                             string                            required
   2  attributes                       {DeviceAttribute}
   3  capacity                         {DeviceCapacity}
   4  consumesCounters                 [DeviceCounterConsumption]        atomic
   5  nodeName                         string?
   6  nodeSelector                     core_v1.NodeSelector?
   7  allNodes                         bool?
   8  taints                           [DeviceTaint]                     atomic
   9  bindsToNode                      bool?
  10  bindingConditions                [string]                          atomic
  11  bindingFailureConditions         [string]                          atomic
  12  allowMultipleAllocations         bool?
  13  nodeAllocatableResourceMappings  {NodeAllocatableResourceMapping}

type DeviceAllocationConfiguration
  1  source    AllocationConfigSource  required
  2  requests  [string]                atomic
  3  inline    DeviceConfiguration

type DeviceAllocationResult
  1  results  [DeviceRequestAllocationResult]  atomic
  2  config   [DeviceAllocationConfiguration]  atomic

type DeviceAttribute
  2  int       int64?
  3  bool      bool?
  4  string    string?
  5  version   string?
  6  ints      [int64]   atomic
  7  bools     [bool]    atomic
  8  strings   [string]  atomic
  9  versions  [string]  atomic

type DeviceCapacity
  1  value          quantity                required
  2  requestPolicy  CapacityRequestPolicy?

type DeviceClaim
  1  requests     [DeviceRequest]             always  atomic
  2  constraints  [DeviceConstraint]          atomic
  3  config       [DeviceClaimConfiguration]  atomic

type DeviceClaimConfiguration
  1  requests  [string]             atomic
  2  inline    DeviceConfiguration

type DeviceClassConfiguration
  1  inline  DeviceConfiguration

type DeviceClassSpec
  1  selectors             [DeviceSelector]            atomic
  2  config                [DeviceClassConfiguration]  atomic
  4  extendedResourceName  string?

type DeviceConfiguration
  1  opaque  OpaqueDeviceConfiguration?

type DeviceConstraint
  1  requests           [string]  atomic
  2  matchAttribute     string?
  3  distinctAttribute  string?

type DeviceCounterConsumption
  1  counterSet  string     required
  2  counters    {Counter}  required  omit-empty

type DeviceRequest
  1  name            string               required
  2  exactly         ExactDeviceRequest?
  3  firstAvailable  [DeviceSubRequest]   atomic

type DeviceRequestAllocationResult
   1  request                   string              required
   2  driver                    string              required
   3  pool                      string              required
   4  device                    string              required
   5  adminAccess               bool?
   6  tolerations               [DeviceToleration]  atomic
   7  bindingConditions         [string]            atomic
   8  bindingFailureConditions  [string]            atomic
   9  shareID                   string?
  10  consumedCapacity          {quantity}

type DeviceSelector
  1  cel  CELDeviceSelector?

type DeviceSubRequest
  1  name             string                 required
  2  deviceClassName  string                 required
  3  selectors        [DeviceSelector]       atomic
  4  allocationMode   DeviceAllocationMode
  5  count            int64
  6  tolerations      [DeviceToleration]     atomic
  7  capacity         CapacityRequirements?

type DeviceTaint
  1  key        string             required
  2  value      string
  3  effect     DeviceTaintEffect  required
  4  timeAdded  time?

type DeviceToleration
  1  key                string
  2  operator           DeviceTolerationOperator  default Equal
  3  value              string
  4  effect             DeviceTaintEffect
  5  tolerationSeconds  int64?

type ExactDeviceRequest
  1  deviceClassName  string                 required
  2  selectors        [DeviceSelector]       atomic
  3  allocationMode   DeviceAllocationMode
  4  count            int64
  5  adminAccess      bool?
  6  tolerations      [DeviceToleration]     atomic
  7  capacity         CapacityRequirements?

type NetworkDeviceData
  1  interfaceName    string
  2  ips              [string]  atomic
  3  hardwareAddress  string

type NodeAllocatableResourceMapping
  1  capacityKey           string?
  2  allocationMultiplier  quantity?

type OpaqueDeviceConfiguration
  1  driver      string  required
  2  parameters  raw     required

type ResourceClaimConsumerReference
  1  apiGroup  string
  3  resource  string  required
  4  name      string  required
  5  uid       string  required

type ResourceClaimSpec
  1  devices  DeviceClaim  always

type ResourceClaimStatus
  1  allocation   AllocationResult?
  2  reservedFor  [ResourceClaimConsumerReference]  keyed by uid  merge
  4  devices      [AllocatedDeviceStatus]           keyed by driver device pool shareID

type ResourceClaimTemplateSpec
  1  metadata  ObjectMeta
  2  spec      ResourceClaimSpec  required

type ResourcePool
  1  name                string  required
  2  generation          int64   required
  3  resourceSliceCount  int64   required

type ResourceSliceSpec
  1  driver                  string                 required
  2  pool                    ResourcePool           required
  3  nodeName                string?
  4  nodeSelector            core_v1.NodeSelector?
  5  allNodes                bool?
  6  devices                 [Device]               atomic
  7  perDeviceNodeSelection  bool?
  8  sharedCounters          [CounterSet]           atomic
